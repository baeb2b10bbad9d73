"""What a memory journal keeps besides trees: submissions of outsiders, and how far consumers have read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from runtime.core.ports import Submission
from runtime.journal._messages import no_ticket

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


class Inbox:
    """Submissions of all trees, in order."""

    def __init__(self) -> None:
        self._all: list[Submission] = []
        """Ticket n is at place n - 1, also once it is taken."""
        self._taken: dict[int, int] = {}
        """Where each taken one was taken."""
        self._waiting = trio.lowlevel.ParkingLot()

    def put(self, root_id: str, body: Mapping[str, Any], now: float) -> int:
        """Keep a submission, wake whoever waits for one, and return its ticket."""
        ticket = len(self._all) + 1
        self._all.append(Submission(ticket=ticket, root_id=root_id, body=body, at=now))
        self._waiting.unpark_all()
        return ticket

    def open(self, root_ids: Collection[str]) -> list[Submission]:
        """Return what is not taken yet."""
        return [one for one in self._all if one.root_id in root_ids and one.ticket not in self._taken]

    async def after(self, ticket: int) -> int:
        """Wait for a ticket above this one."""
        while len(self._all) <= ticket:
            await self._waiting.park()
        return len(self._all)

    def take(self, ticket: int, position: int) -> None:
        """Note where a submission was taken; the first time counts."""
        self._taken.setdefault(ticket, position)

    def taken_at(self, ticket: int) -> int | None:
        """Say where a submission was taken."""
        if not 0 < ticket <= len(self._all):
            raise no_ticket(ticket)
        return self._taken.get(ticket)

    def forget(self, root_ids: Iterable[str]) -> None:
        """Count everything that was left for these trees as taken."""
        gone = set(root_ids)
        for one in self._all:
            if one.root_id in gone:
                self.take(one.ticket, 0)


class Cursors(dict[str, int]):
    """Offsets by consumer; they never go back."""

    def acknowledge(self, consumer: str, offset: int) -> None:
        """Move a consumer's cursor up to an offset."""
        self[consumer] = max(offset, self.get(consumer, 0))
