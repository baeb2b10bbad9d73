"""Models that take time, tools that leave traces, and small questions to a journal."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import trio

from runtime import Model, ModelReply, ModelRequest, ModelStream, Runtime, open_runtime
from runtime.core.ports import Journal
from runtime.testing import SequentialIds, say
from runtime.values.commands import Slot
from runtime.values.events import Fact


class TimedModel:
    """Replies after a while, and knows how many calls were going on at a time."""

    def __init__(
        self,
        reply: Callable[[ModelRequest], ModelReply | str],
        *,
        seconds: float = 1.0,
        slots: tuple[Slot, ...] = (),
        name: str = "timed",
    ) -> None:
        self._reply = reply
        self._seconds = seconds
        self.name = name
        self.slots = slots
        self.now = 0
        self.most = 0
        self.calls = 0

    async def call(self, request: ModelRequest, stream: ModelStream) -> ModelReply:
        """Wait, then reply."""
        self.calls += 1
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await trio.sleep(self._seconds)
        finally:
            self.now -= 1
        reply = self._reply(request)
        return say(reply) if isinstance(reply, str) else reply


class Tracks:
    """Counts runs by name, outside every journal."""

    def __init__(self) -> None:
        self.begun: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.now = 0
        self.most = 0

    async def work(self, name: str, seconds: float = 1.0) -> str:
        """Take some time and return the name."""
        self.begun[name] += 1
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await trio.sleep(seconds)
        finally:
            self.now -= 1
        self.done[name] += 1
        return name


def opened(journal: Journal | None = None, **settings: Any) -> AbstractAsyncContextManager[Runtime]:
    """Open a runtime whose trees are called t00001, t00002, …."""
    return open_runtime(journal, ids=settings.pop("ids", SequentialIds()), **settings)


async def facts_of(runtime: Runtime, root_id: str) -> list[Fact]:
    """Return everything that is recorded of a tree."""
    return await runtime.journal.read(root_id, limit=100_000)


def types(facts: Sequence[Fact], turn_id: str | None = None) -> list[str]:
    """Return the types of facts, of one Turn if it is named."""
    return [fact.type for fact in facts if turn_id is None or fact.turn_id == turn_id]


def free(runtime: Runtime) -> bool:
    """Whether nobody holds or waits for a place."""
    return not runtime.admission._used and not runtime.admission._line


def answered(text: str) -> Model:
    """Return a model that says one thing at once."""
    return TimedModel(lambda _: text, seconds=0.0, name=f"says {text}")
