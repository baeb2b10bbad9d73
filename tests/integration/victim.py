"""Processes that kill themselves after a number of committed batches, and others that go on from their file.

Everything is imported once; each process is a fork, so a few dozen kills take seconds.
"""

import json
import os
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import trio
from trio.testing import MockClock

from planner.engine.events import PAYLOADS
from runtime.codec import Codec
from runtime.core.ports import Claim
from runtime.journal.sqlite import SqliteJournal
from runtime.values.events import FACTS, PREVIEWS, Fact
from tests.integration.borders import ROOT, Tree, check_history, finish, run_to_end
from tests.integration.trees import Ledger, small_tree, whole_tree
from tests.runtime.shell.equipment import facts_of, opened
from tests.runtime.shell.watch import watching

TREES: dict[str, Tree] = {"small": small_tree, "whole": whole_tree}


class DeadlyJournal(SqliteJournal):
    """Kills its process once so many batches are on the disk."""

    def __init__(self, path: Path, batches: int) -> None:
        super().__init__(path, threaded=False, codec=_codec())
        self._left = batches

    def append(self, claim: Claim, facts: Sequence[Fact], status: str, taken: int | None = None) -> None:
        """Add a batch; the last one is committed at once, and then everything is over."""
        super().append(claim, facts, status, taken)
        self._left -= 1
        if self._left == 0:
            self._flush()
            os.kill(os.getpid(), signal.SIGKILL)


def _codec() -> Codec:
    codec = Codec(FACTS + PREVIEWS)
    codec.extend(PAYLOADS)
    return codec


def in_fork(work: Callable[[], Awaitable[object]]) -> tuple[int, str]:
    """Do something in a process of its own; returns how the process ended and the JSON that it left."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            with watching():
                said = json.dumps(trio.run(work, clock=MockClock(autojump_threshold=0)))
        except BaseException:  # noqa: BLE001 - the parent reports it
            said = json.dumps({"trouble": traceback.format_exc()})
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return status, said


async def _die(path: Path, tree: Tree, ledger: Ledger, batches: int) -> object:
    plan = tree(ledger)
    async with opened(DeadlyJournal(path, batches), definitions=[plan]) as runtime:
        return await run_to_end(runtime, plan)


async def _go_on(path: Path, tree: Tree, ledger: Ledger) -> dict[str, Any]:
    plan = tree(ledger)
    async with opened(SqliteJournal(path, threaded=False, codec=_codec()), definitions=[plan]) as runtime:
        before = await facts_of(runtime, ROOT)
        output = await finish(runtime)
        await check_history(runtime, ledger, before)
        return {"output": output, "facts": len(before)}


def main(tree: Tree, folder: Path) -> None:
    """Kill and go on at every border; say on stdout how each one went."""
    batches = 1
    while True:
        ledger = Ledger(folder / f"{batches}.txt")
        path = folder / f"{batches}.db"
        status, _ = in_fork(lambda: _die(path, tree, ledger, batches))  # noqa: B023 - called right here
        if not os.WIFSIGNALED(status):
            return
        _, said = in_fork(lambda: _go_on(path, tree, ledger))  # noqa: B023 - called right here
        report = {"batches": batches, "trouble": None, "output": None, **json.loads(said)}
        print(json.dumps(report), flush=True)  # noqa: T201 - read by the test
        batches += 1


if __name__ == "__main__":
    main(TREES[sys.argv[1]], Path(sys.argv[2]))
