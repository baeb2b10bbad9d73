"""A process that writes, holds or reads a journal until it is killed; it says on stdout how far it is."""

import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

import trio

from runtime.errors import TreeHeld
from runtime.journal.sqlite import SqliteJournal
from tests.runtime.journal.equipment import batch, header, new_tree, opened, plain_codec

SIZE: Final = 3
"""Facts in a batch."""
ROOT: Final = "k3v9"


def say(*words: object) -> None:
    """Tell the parent."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


async def write(path: Path) -> None:
    """Append batches for ever; each position is told once it is durable."""
    async with opened(SqliteJournal(path, codec=plain_codec())) as journal:
        claim = await new_tree(journal)
        head, position = header(ROOT), 0
        while True:
            # Two batches in flight, so that a kill may find either in the middle.
            for first in (position + 1, position + 1 + SIZE):
                journal.append(claim, batch(ROOT, first, SIZE, head=head), "RUNNING")
            position += 2 * SIZE
            await journal.barrier(claim, position)
            say(position)


async def hold(path: Path) -> None:
    """Try to take the tree, say whether it worked, append a batch and keep it until stdin ends."""
    async with opened(SqliteJournal(path, codec=plain_codec())) as journal:
        try:
            claim = await journal.claim(ROOT, now=200.0)
        except TreeHeld:
            say("refused")
            return
        position = (await journal.root(ROOT)).position
        journal.append(claim, batch(ROOT, position + 1, SIZE), "RUNNING")
        await journal.barrier(claim, position + SIZE)
        say("won")
        await trio.to_thread.run_sync(sys.stdin.read)


async def watch(path: Path) -> None:
    """Read the growing tree until it has 60 facts; say what is wrong with it, or nothing."""
    async with opened(SqliteJournal(path, codec=plain_codec())) as journal:
        seen = 0
        while seen < 60:
            facts = await journal.read(ROOT, seen, 333 * SIZE)
            if [fact.position for fact in facts] != list(range(seen + 1, seen + 1 + len(facts))):
                say("a gap after", seen)
            if len(facts) % SIZE:
                say("half a batch after", seen)
            seen += len(facts)
    say("read", seen >= 60)


JOBS: Final[dict[str, Callable[[Path], Coroutine[Any, Any, None]]]] = {"write": write, "hold": hold, "watch": watch}

if __name__ == "__main__":
    trio.run(JOBS[sys.argv[1]], Path(sys.argv[2]))
