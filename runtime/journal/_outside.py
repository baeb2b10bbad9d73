"""The part of the SQLite journal that outsiders use: keys, submissions, news, cursors, pruning."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import trio

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from runtime.core.ports import RootInfo, Submission
    from runtime.journal._reader import Reader
    from runtime.journal._store import Store
    from runtime.journal._watch import Watch

Result = TypeVar("Result")


class Outside:
    """Mixed into the journal, which brings its two ways to the file."""

    async def root_of_key(self, key: str) -> RootInfo | None:
        """Return the tree that was started with this key. A checkpoint."""
        return await self._query(lambda reader: reader.root_of_key(key))

    async def submit(self, root_id: str, body: Mapping[str, Any], *, now: float) -> int:
        """Leave something for a tree's owner and return its ticket. A checkpoint; not cancellable once it began.

        Raises:
            NotFound: No such tree.
            JournalError: The store failed; nothing was left.
        """
        written = json.dumps(body, ensure_ascii=False).encode()
        ticket = await self._do(lambda store: store.submit(root_id, written, now))
        self._watching().tell_submitted()
        return ticket

    async def submissions(self, root_ids: Collection[str]) -> list[Submission]:
        """Return what was left for these trees and is not taken yet, oldest first. A checkpoint."""
        return await self._query(lambda reader: reader.submissions(root_ids))

    async def submitted(self, after: int) -> int:
        """Wait until there is a ticket above `after`, and return the newest. A checkpoint."""
        await trio.lowlevel.checkpoint()
        seen = -1
        while True:
            count = self._watching().count()
            if count != seen:
                seen = count
                if (newest := self._watching().newest_ticket()) > after:
                    return newest
            await self._watching().pause(for_submissions=True)

    async def taken_at(self, ticket: int) -> int | None:
        """Say where a submission was taken, if it was. A checkpoint.

        Raises:
            NotFound: No such ticket was given, or its tree was pruned.
        """
        return await self._query(lambda reader: reader.taken_at(ticket))

    def news(self) -> int:
        """Return a number that changes whenever anybody may have committed something."""
        return self._watching().count()

    async def changed(self, seen: int) -> None:
        """Wait until `news()` is not `seen` any more. A checkpoint."""
        await trio.lowlevel.checkpoint()
        while self._watching().count() == seen:
            await self._watching().pause()

    async def cursor(self, consumer: str) -> int:
        """Return the offset that a consumer has acknowledged last. A checkpoint."""
        return await self._query(lambda reader: reader.cursor(consumer))

    async def acknowledge(self, consumer: str, offset: int) -> None:
        """Remember that a consumer is done with everything up to an offset.

        A checkpoint; not cancellable once it began.
        """
        await self._do(lambda store: store.acknowledge(consumer, offset))

    async def prune(self, root_ids: Collection[str]) -> int:
        """Remove those of these trees that have ended and that nobody holds; return how many.

        The file keeps its size and fills the room again. A checkpoint; not cancellable once it began.
        """
        return await self._do(lambda store: store.prune(root_ids))

    # -------------------------------------------------------------------------------------------- of the journal

    def _watching(self) -> Watch:
        raise NotImplementedError

    async def _do(self, run: Callable[[Store], Result], *, checkpoint: bool = True) -> Result:
        raise NotImplementedError

    async def _query(self, read: Callable[[Reader], Result]) -> Result:
        raise NotImplementedError
