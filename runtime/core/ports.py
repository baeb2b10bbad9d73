"""What the runtime needs from outside (journal, clock, ids) and what a kind of Turn must offer.

Models and tools, which definitions are made of, are in `runtime.values.capabilities` and re-exported here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from runtime.values.capabilities import Definition as Definition
from runtime.values.capabilities import Model as Model
from runtime.values.capabilities import ModelReply as ModelReply
from runtime.values.capabilities import ModelRequest as ModelRequest
from runtime.values.capabilities import ModelStream as ModelStream
from runtime.values.capabilities import Tool as Tool
from runtime.values.capabilities import ToolContext as ToolContext
from runtime.values.capabilities import ToolFunction as ToolFunction
from runtime.values.capabilities import ToolSpec as ToolSpec

if TYPE_CHECKING:
    import trio

    from runtime.core.frame import Frame
    from runtime.values.commands import Want
    from runtime.values.envelopes import Fact
    from runtime.values.payloads import EventData
    from runtime.values.signals import Signal


class Machine(Protocol):
    """One kind of Turn as a fold. Pure: no await, clock, randomness, I/O or logging."""

    kind: str
    version: int
    drops: bool
    """Whether it may lose interest in children that run (`Frame.dropped`)."""

    def new(self) -> Frame:
        """Return the empty fold."""
        ...

    def decide(self, state: Any, signal: Signal) -> list[EventData]:
        """Record what happened. Raises IllegalSignal, leaving the state as it was."""
        ...

    def advance(self, state: Any) -> Sequence[EventData]:
        """Record what comes next; nothing once something is open, wanted or asked."""
        ...

    def apply(self, state: Any, event: EventData) -> None:
        """Change the state by one event; the only change there is."""
        ...

    def wants(self, state: Any, due: Collection[str]) -> Iterable[Want]:
        """Name what could start now if admission lets it, best first; one want per set of slots is enough.

        `due` holds the call keys of open Sleep commands whose time has come.
        """
        ...

    def summary(self, state: Any) -> Any:
        """Return what `TurnResult.tasks` says; an empty mapping for kinds without tasks."""
        ...


# ------------------------------------------------------------------------------------------------ time and ids


class Clock(Protocol):
    """UTC for facts. Trio's own clock is used for sleeping only, never stored."""

    jumps: bool
    """True for virtual time: then no thread may be waited for."""

    def now(self) -> float:
        """Return UTC in seconds since 1970."""
        ...


IdSource = Callable[[float], str]
"""Makes a new root id from the present time: unique, time-sortable, of lower-case letters and digits."""


# ------------------------------------------------------------------------------------------------ journal


@attrs.frozen(kw_only=True)
class RootInfo:
    """What the journal knows of a tree without reading its events."""

    root_id: str
    kind: str
    name: str
    definition: str | None
    """Digest of the stored definition."""
    started_at: float
    updated_at: float
    position: int
    status: str
    """Of the root, as the last append said: a terminal status, `WAITING` when parked, else `RUNNING`."""
    owner: str | None
    """Who holds it right now, or None."""
    key: str | None = None
    """The key that it was started with; no other tree of the journal has it."""
    submissions: int = 0
    """How many submissions its owner has not taken yet."""


@attrs.frozen(kw_only=True)
class Submission:
    """What somebody outside has left for the owner of a tree: an answer, a cancel, a word to a Turn."""

    ticket: int
    """Counts up through the whole journal."""
    root_id: str
    body: Mapping[str, Any]
    """JSON: `do` says what it is; see `runtime.shell.inbox`."""
    at: float
    """UTC, seconds since 1970."""


class Claim(Protocol):
    """The right to write one tree: an epoch that is checked in every append."""

    root_id: str
    epoch: int
    changed: trio.lowlevel.ParkingLot
    """Unparked when the tree's watermark moves, and when the claim ends."""


class Journal(Protocol):
    """The durable truth: an ordered list of facts per tree, an owner per tree, definitions by digest.

    `append` is synchronous and only enqueues; `watermark` tells what is durable. One commit takes whole batches:
    a reader never sees half of one.
    """

    threaded: bool
    """True when commits happen in another thread; a clock that can jump refuses such a journal."""

    async def open(self) -> None:
        """Make ready. Raises JournalError with what to do when the store cannot be used."""
        ...

    async def close(self) -> None:
        """Commit what was appended and release every claim of this journal object."""
        ...

    async def create(
        self, root_id: str, *, kind: str, name: str, definition: str | None, now: float, key: str | None = None
    ) -> Claim:
        """Make an empty tree and claim it.

        Raises:
            KeyTaken: Another tree has this key; nothing was made.
        """
        ...

    async def claim(self, root_id: str, *, now: float) -> Claim:
        """Take a tree that nobody holds.

        Raises:
            NotFound: No such tree.
            TreeHeld: A live process holds it.
        """
        ...

    async def release(self, claim: Claim) -> None:
        """Commit what was appended to the tree and let it go."""
        ...

    def append(self, claim: Claim, facts: Sequence[Fact], status: str, taken: int | None = None) -> None:
        """Add one batch, all or nothing. Raises StaleWriter when the claim is known to be lost.

        Args:
            claim: Of the tree.
            facts: May be none.
            status: Of the root, after the batch.
            taken: Ticket of the submission that caused the batch; taken in the same transaction.
        """
        ...

    def watermark(self, root_id: str) -> int:
        """Return the position up to which this process knows the tree's facts to be durable."""
        ...

    async def barrier(self, claim: Claim, position: int) -> None:
        """Wait until the facts up to `position` are durable. A checkpoint only if it has to wait.

        Raises:
            StaleWriter: Another owner took the tree over.
            JournalError: The store failed.
        """
        ...

    async def read(self, root_id: str, after: int = 0, limit: int = 1000) -> list[Fact]:
        """Return up to `limit` durable facts with positions above `after`, in order."""
        ...

    async def read_all(self, after: int = 0, limit: int = 1000) -> list[tuple[int, Fact]]:
        """Return durable facts of all trees with their offsets, in commit order."""
        ...

    async def roots(self) -> list[RootInfo]:
        """Return all trees, newest first."""
        ...

    async def root(self, root_id: str) -> RootInfo:
        """Return one tree. Raises NotFound."""
        ...

    async def put_definition(self, text: str) -> str:
        """Keep a definition's text and return its digest (SHA-256, hex)."""
        ...

    async def definition(self, digest: str) -> str:
        """Return a definition's text. Raises NotFound."""
        ...

    # ---------------------------------------------------------------------------------------- from outside

    async def root_of_key(self, key: str) -> RootInfo | None:
        """Return the tree that was started with this key."""
        ...

    async def submit(self, root_id: str, body: Mapping[str, Any], *, now: float) -> int:
        """Leave something for a tree's owner, present or next; durable on return. Returns its ticket.

        Raises:
            NotFound: No such tree.
        """
        ...

    async def submissions(self, root_ids: Collection[str]) -> list[Submission]:
        """Return what was left for these trees and is not taken yet, oldest first."""
        ...

    async def submitted(self, after: int) -> int:
        """Wait until there is a ticket above `after`, for whatever tree, and return the newest.

        What this process submits is seen at once, what another one does within a tenth of a second.
        """
        ...

    async def taken_at(self, ticket: int) -> int | None:
        """Say where a submission was taken: position of the first fact of its batch, 0 if there was none.

        None while it is not taken. Raises NotFound.
        """
        ...

    def news(self) -> int:
        """Return a number that changes whenever anybody may have committed something."""
        ...

    async def changed(self, seen: int) -> None:
        """Wait until `news()` is not `seen` any more; another process's commit is seen within a tenth of a second."""
        ...

    async def cursor(self, consumer: str) -> int:
        """Return the offset that a consumer has acknowledged last; 0 at first."""
        ...

    async def acknowledge(self, consumer: str, offset: int) -> None:
        """Remember that a consumer is done with everything up to an offset. It never goes back."""
        ...

    async def prune(self, root_ids: Collection[str]) -> int:
        """Remove whole trees, those that have ended and that nobody holds; return how many.

        Definitions that no tree refers to any more go too. No id, ticket or offset is ever given again.
        """
        ...
