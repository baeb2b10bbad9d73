"""Reading the facts of all trees, as a queue, an outbox or an audit does."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Self

from runtime.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection
    from types import TracebackType

    from runtime.core.ports import Journal
    from runtime.values.envelopes import Fact

_CHUNK = 512


class Feed:
    """An async iterator over the facts of all trees in the order of the journal, to be used in `async with`.

    It has committed facts only, never ends, and reads on at the reader's pace: what is not read yet costs nothing. A
    consumer that acknowledges goes on where it was, also in another process; what it had read and not acknowledged
    comes again, so be idempotent by `event_id`. Leaving early is safe at any point. One feed has one reader.
    """

    def __init__(
        self,
        journal: Journal,
        types: Collection[str] | None,
        consumer: str | None,
        after: int | None,
        root_id: str | None,
    ) -> None:
        if consumer is not None and after is not None:
            raise UsageError(f"the consumer {consumer!r} goes on where it was; leave out `after`, or the consumer")
        if isinstance(types, str):
            raise UsageError(f"types is a set of names, such as {{{types!r}}}")
        self._journal = journal
        self._types = frozenset(types) if types is not None else None
        self._consumer = consumer
        self._after = after or 0
        self._root_id = root_id
        self._facts: deque[tuple[int, Fact]] = deque()
        self._offsets: dict[str, int] = {}
        """Offsets of facts that were read and not acknowledged."""

    async def __aenter__(self) -> Self:
        if self._consumer is not None:
            self._after = await self._journal.cursor(self._consumer)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return

    def __aiter__(self) -> Feed:
        return self

    async def __anext__(self) -> Fact:
        while not self._facts:
            seen = self._journal.news()
            chunk = await self._journal.read_all(self._after, _CHUNK)
            self._facts.extend([(offset, fact) for offset, fact in chunk if self._wanted(fact)])
            if chunk:
                self._after = chunk[-1][0]
            else:
                await self._journal.changed(seen)
        offset, fact = self._facts.popleft()
        if self._consumer is not None:
            self._offsets[fact.event_id] = offset
        return fact

    def _wanted(self, fact: Fact) -> bool:
        return (self._types is None or fact.type in self._types) and self._root_id in (None, fact.root_turn_id)

    async def acknowledge(self, fact: Fact) -> None:
        """Remember for good that the consumer is done with everything up to this fact.

        Raises:
            UsageError: The feed has no consumer, or did not bring this fact, or later ones were acknowledged.
        """
        if self._consumer is None:
            raise UsageError("this feed keeps no cursor; open it with consumer=NAME to acknowledge")
        offset = self._offsets.get(fact.event_id)
        if offset is None:
            raise UsageError(f"this feed did not bring {fact.event_id}, or it is not still to be acknowledged")
        await self._journal.acknowledge(self._consumer, offset)
        self._offsets = {name: other for name, other in self._offsets.items() if other > offset}
