"""turntree in the peer benchmark: stock `open_runtime`, memory journal, a subscriber each time.

Every workload reads all facts and previews of its trees while they run. The last tree of the timed batch is held
against the grammar afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio
from common import DELTA, DELTAS, DEPTH, LAYERS, TOOL_ITERS, WIDTH, K, deps

from planner import Plan, Task
from runtime import (
    Agent,
    Budget,
    ModelReply,
    ModelRequest,
    ModelStream,
    Runtime,
    TurnResult,
    open_runtime,
)
from runtime.events import Event, Fact, TextBlockDelta, ToolCompleted, TurnCompleted
from runtime.grammar import check_grammar
from runtime.values.messages import AssistantMessage, Text, ToolCall

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

SEEN: list[Fact] = []
"""Facts of the last tree of the newest batch."""


def run(main: Callable[[], Awaitable[Any]]) -> Any:
    """Run a workload, then hold the last tree of its last batch against the grammar, outside what is timed."""
    result = trio.run(main)
    check_grammar(SEEN, ended=True)
    return result


RUN = run
OK = ModelReply(message=AssistantMessage((Text("ok"),)))


class Stub:
    """A model that answers at once, after one checkpoint."""

    name = "stub"
    slots = ()

    async def call(self, request: ModelRequest, stream: ModelStream) -> ModelReply:
        """Answer."""
        await trio.lowlevel.checkpoint()
        stream.text("ok")
        return OK


class ToolStub(Stub):
    """Asks for the tool `add` some times, then answers."""

    async def call(self, request: ModelRequest, stream: ModelStream) -> ModelReply:
        """Answer."""
        await trio.lowlevel.checkpoint()
        if request.number <= TOOL_ITERS:
            call = ToolCall("", f"c{request.number}", "add", {"a": request.number, "b": 1})
            return ModelReply(message=AssistantMessage((call,)))
        stream.text("ok")
        return OK


class StreamStub(Stub):
    """Streams many small pieces."""

    async def call(self, request: ModelRequest, stream: ModelStream) -> ModelReply:
        """Answer."""
        for number in range(DELTAS):
            stream.text(DELTA)
            if number % 16 == 15:
                await stream.relax()
        return ModelReply(message=AssistantMessage((Text(DELTA * DELTAS),)))


class ForkStub(Stub):
    """Calls the agent below it as often as it says, then answers."""

    def __init__(self, times: int) -> None:
        self.times = times

    async def call(self, request: ModelRequest, stream: ModelStream) -> ModelReply:
        """Answer."""
        await trio.lowlevel.checkpoint()
        if request.number == 1:
            below = request.tools[0].name
            calls = [ToolCall("", f"c{i}", below, {"task": f"child {i}"}) for i in range(self.times)]
            return ModelReply(message=AssistantMessage(tuple(calls)))
        stream.text("ok")
        return OK


async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def follow(
    runtime: Runtime,
    what: Any,
    given: Any,
    count: Callable[[Event], bool],
    *,
    check: bool,
    budget: Budget | None = None,
) -> tuple[int, TurnResult]:
    """Start a tree, read everything that it says, and return how many events counted, and its result."""
    turn = await runtime.start(what, given, budget=budget)
    counted = 0
    if check:
        SEEN.clear()
    async with turn.events(previews=True) as events:
        async for event in events:
            counted += count(event)
            if check and isinstance(event, Fact):
                SEEN.append(event)
    return counted, await turn.result()


def answered(event: Event) -> bool:
    """Say whether a Turn below the root answered "ok"."""
    data = event.data
    return type(data) is TurnCompleted and data.output == "ok" and event.parent_turn_id is not None


def ran_tool(event: Event) -> bool:
    """Say whether a tool returned."""
    return type(event.data) is ToolCompleted


def is_delta(event: Event) -> bool:
    """Say whether a piece of text came."""
    return type(event.data) is TextBlockDelta


async def w1(n: int) -> int:
    """Run one Turn at a time, with one model call each."""
    agent, good = Agent("one", model=Stub()), 0
    async with open_runtime() as runtime:
        for i in range(n):
            _, result = await follow(runtime, agent, "hi", answered, check=i == n - 1)
            good += result.output == "ok"
    return good


async def w2(n: int) -> int:
    """Run a model and a tool in turns."""
    agent, ran = Agent("adder", model=ToolStub(), tools=[add]), 0
    async with open_runtime() as runtime:
        for i in range(n):
            counted, _ = await follow(runtime, agent, "go", ran_tool, check=i == n - 1)
            ran += counted
    return ran


async def w3(n: int) -> int:
    """Run a parent whose model calls a hundred agents at once."""
    parent, good = Agent("parent", model=ForkStub(K), agents=[Agent("child", model=Stub())]), 0
    async with open_runtime() as runtime:
        for i in range(n):
            counted, _ = await follow(runtime, parent, "go", answered, check=i == n - 1)
            good += counted
    return good


def layers() -> Plan:
    """Return the plan of W4, built anew each time."""
    worker = Agent("worker", model=Stub())
    tasks = []
    for layer in range(LAYERS):
        for i in range(WIDTH):
            before = [f"${{tasks.t{layer - 1}_{d}.output}}" for d in deps(layer, i)]
            tasks.append(Task(f"t{layer}_{i}", agent=worker, prompt=" ".join(before) or "go"))
    return Plan(tasks)


async def w4(n: int) -> int:
    """Run a plan of a thousand tasks."""
    good = 0
    async with open_runtime() as runtime:
        for i in range(n):
            counted, _ = await follow(runtime, layers(), {}, answered, check=i == n - 1)
            good += counted
    return good


async def w5(n: int) -> tuple[int, dict[str, float]]:
    """Stream many small pieces of text to a reader."""
    agent, deltas = Agent("one", model=StreamStub()), 0
    async with open_runtime() as runtime:
        for i in range(n):
            counted, _ = await follow(runtime, agent, "hi", is_delta, check=i == n - 1)
            deltas += counted
    return deltas, {"events": DELTAS + 8}


async def w6(n: int, folder: str) -> int:
    """Run one durable Turn at a time."""
    agent, good = Agent("one", model=Stub()), 0
    async with open_runtime(f"{folder}/runs.db") as runtime:
        for i in range(n):
            _, result = await follow(runtime, agent, "hi", answered, check=i == n - 1)
            good += result.output == "ok"
    return good


async def w7(n: int) -> int:
    """Run a chain of agents, each calling the next."""
    agent = Agent(f"a{DEPTH}", model=Stub())
    for level in range(DEPTH - 1, 0, -1):
        agent = Agent(f"a{level}", model=ForkStub(1), agents=[agent])
    good = 0
    async with open_runtime() as runtime:
        for i in range(n):
            counted, result = await follow(runtime, agent, "1", answered, check=i == n - 1, budget=Budget(depth=DEPTH))
            good += counted + (result.output == "ok")
    return good
