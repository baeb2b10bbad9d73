"""Journals that fail where a test wants it, or take their time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import trio

from runtime.errors import JournalError
from runtime.journal.memory import MemoryJournal

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from runtime.core.ports import Claim, Journal
    from runtime.values.events import Fact


class FaultyJournal:
    """Passes everything on to another journal, except at chosen appends. Appends of all trees count from 1.

    Args:
        journal: The journal that keeps the facts.
        fail_at: Appends that raise JournalError and keep nothing.
    """

    def __init__(self, journal: Journal, *, fail_at: Collection[int] = ()) -> None:
        self.inner = journal
        self.appends = 0
        """How many were asked for."""
        self._fail_at = frozenset(fail_at)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def append(self, claim: Claim, facts: Sequence[Fact], status: str, taken: int | None = None) -> None:
        """Add one batch.

        Raises:
            JournalError: This append is one of those that fail.
        """
        self.appends += 1
        if self.appends in self._fail_at:
            raise JournalError(f"append {self.appends} fails because the test wants it to; nothing was kept")
        self.inner.append(claim, facts, status, taken)


class SlowJournal:
    """A memory journal whose every commit takes a while; one commit takes whatever was appended before it began."""

    def __init__(self, seconds: float = 0.01) -> None:
        self.inner = MemoryJournal()
        self._seconds = seconds
        self._durable: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def watermark(self, root_id: str) -> int:
        """Return the position up to which a commit has come."""
        return self._durable[root_id]

    async def barrier(self, claim: Claim, position: int) -> None:
        """Wait for as many commits as it takes."""
        while self._durable[claim.root_id] < position:
            await self._commit(claim)
        await self.inner.barrier(claim, position)

    async def release(self, claim: Claim) -> None:
        """Commit, then let go."""
        with trio.CancelScope(shield=True):
            await self._commit(claim)
        await self.inner.release(claim)

    async def close(self) -> None:
        """Let go of everything; what was appended counts as committed."""
        for info in await self.inner.roots():
            self._durable[info.root_id] = info.position
        await self.inner.close()

    async def read(self, root_id: str, after: int = 0, limit: int = 1000) -> list[Fact]:
        """Return committed facts."""
        facts = await self.inner.read(root_id, after, limit)
        return [fact for fact in facts if fact.position <= self._durable[root_id]]

    async def _commit(self, claim: Claim) -> None:
        position = self.inner.watermark(claim.root_id)
        await trio.sleep(self._seconds)
        self._durable[claim.root_id] = max(position, self._durable[claim.root_id])
        claim.changed.unpark_all()
