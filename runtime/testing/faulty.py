"""A journal that fails or takes long where a test wants it to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from runtime.errors import JournalError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from runtime.core.ports import Claim, Journal
    from runtime.values.events import Fact


class FaultyJournal:
    """Passes everything on to another journal, except at chosen appends. Appends of all trees count from 1.

    Args:
        journal: The journal that keeps the facts.
        fail_at: Appends that raise JournalError and keep nothing.
        delays: Seconds by append: its facts, and what comes after them, are durable only once a barrier has waited
            that long.
    """

    def __init__(
        self, journal: Journal, *, fail_at: Collection[int] = (), delays: Mapping[int, float] | None = None
    ) -> None:
        self.inner = journal
        self.appends = 0
        """How many were asked for."""
        self._fail_at = frozenset(fail_at)
        self._delays = dict(delays or {})
        self._held: dict[str, tuple[int, float]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def append(self, claim: Claim, facts: Sequence[Fact], status: str) -> None:
        """Add one batch.

        Raises:
            JournalError: This append is one of those that fail.
        """
        self.appends += 1
        if self.appends in self._fail_at:
            raise JournalError(f"append {self.appends} fails because the test wants it to; nothing was kept")
        delay = self._delays.get(self.appends)
        if delay is not None and claim.root_id not in self._held:
            self._held[claim.root_id] = (facts[0].position, delay)
        self.inner.append(claim, facts, status)

    def watermark(self, root_id: str) -> int:
        """Return the position up to which facts count as durable."""
        position = self.inner.watermark(root_id)
        held = self._held.get(root_id)
        return position if held is None else min(position, held[0] - 1)

    async def barrier(self, claim: Claim, position: int) -> None:
        """Wait until the facts up to `position` are durable; a checkpoint if it waits for a delay."""
        held = self._held.get(claim.root_id)
        if held is not None and held[0] <= position:
            await trio.sleep(held[1])
            self._held.pop(claim.root_id, None)
            claim.changed.unpark_all()
        await self.inner.barrier(claim, position)

    async def read(self, root_id: str, after: int = 0, limit: int = 1000) -> list[Fact]:
        """Return facts that count as durable."""
        facts = await self.inner.read(root_id, after, limit)
        mark = self.watermark(root_id)
        return [fact for fact in facts if fact.position <= mark]
