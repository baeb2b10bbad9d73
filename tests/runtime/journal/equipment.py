"""Trees, batches and journals for the tests of this folder."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import trio

from runtime.codec import Codec
from runtime.core.ports import Claim, Journal
from runtime.journal.memory import MemoryJournal
from runtime.journal.sqlite import SqliteJournal
from runtime.values.events import EventData, Fact, StepCompleted, StepStarted, TurnHeader

SORTS: Final = ("memory", "sqlite", "inline")
SQLITE_SORTS: Final = SORTS[1:]

Make = Callable[[], Journal]
"""Makes one more journal object over the same data."""


def maker(sort: str, path: Path) -> Make:
    """A way to make journals of one sort; those in memory are all the same object."""
    if sort == "memory":
        journal = MemoryJournal()
        return lambda: journal
    return lambda: SqliteJournal(path, threaded=sort == "sqlite", codec=plain_codec())


def plain_codec() -> Codec:
    """A codec that looks for no other kinds."""
    return Codec(kinds=tuple)


@asynccontextmanager
async def opened(journal: Journal) -> AsyncIterator[Journal]:
    """An open journal, closed at the end."""
    await journal.open()
    try:
        yield journal
    finally:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + 30):
            await journal.close()


async def new_tree(journal: Journal, root_id: str = "k3v9", *, now: float = 100.0) -> Claim:
    """A tree that is held here."""
    return await journal.create(root_id, kind="agent", name="scout", definition=None, now=now)


def header(root_id: str) -> TurnHeader:
    """The header of a tree's root Turn."""
    return TurnHeader(root_id, root_id, None, "scout", "1")


def batch(root_id: str, first: int, size: int = 3, *, head: TurnHeader | None = None) -> list[Fact]:
    """Facts of one signal, from position `first` on."""
    head = head or header(root_id)
    return [fact(head, position, StepStarted(position)) for position in range(first, first + size)]


def fact(head: TurnHeader, position: int, data: EventData | None = None) -> Fact:
    """One fact of the Turn with this header."""
    return Fact(head, position, position, 100.0 + position / 8, data or StepCompleted(position))


def described(facts: list[Fact]) -> list[tuple[object, ...]]:
    """Everything that a fact holds, comparable."""
    return [(one.event_id, one.position, one.time, one.type, one.data, one.header) for one in facts]
