"""Reading a tree while it runs: committed facts in order, with live previews in between."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Self

from runtime.values.events import ENDINGS

if TYPE_CHECKING:
    from types import TracebackType

    from runtime.core.ports import Journal
    from runtime.shell.tree import Tree
    from runtime.values.envelopes import Event, Fact, Preview

_CHUNK = 512
_MAX_PREVIEWS = 20_000
"""Previews that wait for a slow reader; beyond it the oldest are dropped, since facts hold the whole text."""


class EventStream:
    """An async iterator over one tree, to be used in `async with`. Ends after the root's ending.

    Facts come in order, each once. A preview comes after the facts that were recorded before it was made. Leaving early
    is safe at any point. One stream has one reader.
    """

    def __init__(self, journal: Journal, root_id: str, tree: Tree | None, after: int, previews: bool) -> None:  # noqa: FBT001
        self._journal = journal
        self._root_id = root_id
        self._tree = tree
        self._position = after
        self._wants_previews = previews
        self._facts: deque[Fact] = deque()
        self._previews: deque[Preview] = deque(maxlen=_MAX_PREVIEWS)
        self._asleep = False
        self._done = False

    async def __aenter__(self) -> Self:
        if self._tree is not None and self._wants_previews:
            self._tree.watchers.append(self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._tree is not None and self in self._tree.watchers:
            self._tree.watchers.remove(self)

    def __aiter__(self) -> EventStream:
        return self

    def push(self, preview: Preview) -> None:
        """Take a preview in and wake the reader."""
        self._previews.append(preview)
        if self._asleep and self._tree is not None:
            self._asleep = False
            self._tree.claim.changed.unpark_all()

    async def __anext__(self) -> Event:
        previews, facts = self._previews, self._facts
        while True:
            if previews and previews[0].after <= self._position:
                return previews.popleft()
            if facts:
                fact = facts.popleft()
                self._position = fact.position
                if type(fact.data) in ENDINGS and fact.header.parent_turn_id is None:
                    self._done = True
                return fact
            if self._done:
                raise StopAsyncIteration
            await self._more()

    async def _more(self) -> None:
        """Get facts, or wait until there may be some, or find that there will be none."""
        tree = self._tree
        facts = tree.newest(self._position) if tree is not None else None
        if facts is None:
            seen = self._journal.news()
            facts = await self._journal.read(self._root_id, self._position, _CHUNK)
            if not facts and tree is None:
                await self._journal.changed(seen)
        self._facts.extend(facts)
        if facts or tree is None:
            return
        if tree.released:
            if tree.failure is not None:
                raise tree.failure
            self._done = True
            return
        self._asleep = True
        await tree.claim.changed.park()
        self._asleep = False
