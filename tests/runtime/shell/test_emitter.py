"""Previews of a reply, and what a tool may do while it runs."""

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from planner import Plan, Task
from runtime import Agent, Status, ToolContext, ToolError, tool
from runtime.models.scripted import ScriptedModel
from runtime.testing import FunctionModel, call
from runtime.values import events as e
from tests.runtime.shell.equipment import facts_of, opened

ROOT = "t00001"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


async def previews_of(definition: Any) -> list[Any]:
    """Run a definition and return its previews."""
    async with opened() as runtime:
        turn = await runtime.start(definition, None if isinstance(definition, Plan) else "hi")
        async with turn.events(previews=True) as events:
            return [event async for event in events if event.position is None]


async def test_blocks_open_and_close_around_their_pieces(autojump_clock: MockClock) -> None:
    """Thinking and text are blocks of their own; the pieces join to the whole text at the offsets they name."""
    text = f"caf\u0065\u0301 {FAMILY} \U0001f600!"
    model = ScriptedModel(scripts={"w": [{"thinking": "let me see", "text": text, "chunks": 9}]})
    previews = await previews_of(Agent("w", model=model))
    kinds = [preview.type for preview in previews]
    assert kinds[0] == "THINKING_BLOCK_START"
    assert kinds[-1] == "TEXT_BLOCK_END"
    assert kinds.index("THINKING_BLOCK_END") + 1 == kinds.index("TEXT_BLOCK_START")
    joined = ""
    for preview in previews:
        if preview.type == "TEXT_BLOCK_DELTA":
            assert preview.offset == len(joined)
            joined += preview.data.delta
    assert joined == text
    assert [preview.index for preview in previews] == list(range(len(previews)))
    assert len({preview.event_id for preview in previews}) == len(previews)


@pytest.mark.parametrize("sync", [True, False])
async def test_a_tool_shows_and_records(sync: bool, autojump_clock: MockClock) -> None:
    """Progress and output are previews, an event of its own is a fact, ids are those of the call."""
    told: list[Any] = []

    def say(context: ToolContext) -> str:
        context.progress("half", 0.5)
        context.output("out")
        context.emit("paid", {"euros": 3})
        told.extend([context.turn_id, context.root_turn_id, context.call_key, context.idempotency_key])
        return "said"

    @tool
    def speak(context: ToolContext) -> str:
        """Speak."""
        return say(context)

    @tool(name="speak")
    async def speak_async(context: ToolContext) -> str:
        """Speak."""
        return say(context)

    async with opened() as runtime:
        turn = await runtime.start(Plan([Task("s", tool=speak if sync else speak_async)]))
        async with turn.events(previews=True) as events:
            seen = [event async for event in events]
    assert [event.type for event in seen if event.position is None] == ["TOOL_PROGRESS", "TOOL_OUTPUT_DELTA"]
    (custom,) = [event.data for event in seen if isinstance(event.data, e.Custom)]
    assert (custom.name, custom.data) == ("paid", {"euros": 3})
    assert told == [f"{ROOT}.1", ROOT, "0.1", f"{ROOT}.1:0.1"]


async def test_tools_in_threads_speak_too() -> None:
    """In real time a synchronous tool runs in a thread; what it says arrives in order."""

    @tool
    def speak(context: ToolContext) -> str:
        """Speak."""
        for k in range(5):
            context.output(str(k))
        context.emit("done", 5)
        return "said"

    async with opened() as runtime:
        turn = await runtime.start(Plan([Task("s", tool=speak)]))
        async with turn.events(previews=True) as events:
            seen = [event async for event in events]
        deltas = [event.data.delta for event in seen if isinstance(event.data, e.ToolOutputDelta)]
        assert deltas == ["0", "1", "2", "3", "4"]
        assert "CUSTOM" in [event.type for event in seen]


async def test_a_tool_may_ask_to_stop(autojump_clock: MockClock) -> None:
    """The Turn completes after the Step, with that tool's result; its siblings finish first."""
    ended: list[str] = []

    @tool
    async def finish(context: ToolContext) -> str:
        """Finish."""
        context.request_stop("that is all")
        return "final"

    @tool
    async def slow() -> str:
        """Take a second."""
        await trio.sleep(1)
        ended.append("slow")
        return "slow"

    model = FunctionModel(lambda _: call(("finish", {}), ("slow", {})))
    async with opened() as runtime:
        result = await runtime.run(Agent("a", model=model, tools=[finish, slow]), "hi")
        assert (result.status, result.output) == (Status.COMPLETED, "final")
        assert ended == ["slow"]
        assert result.usage.model_calls == 1


async def test_nothing_is_said_after_the_end(autojump_clock: MockClock) -> None:
    """A context that outlives its call is silent: no preview and no fact follow the call's ending."""
    kept: list[ToolContext] = []

    @tool
    async def leak(context: ToolContext) -> str:
        """Keep the context."""
        kept.append(context)
        return "x"

    @tool
    async def use() -> str:
        """Use a context that is not one's own."""
        kept[0].progress("late")
        kept[0].emit("late", 1)
        kept[0].request_stop("late")
        assert kept[0].cancelled
        return "y"

    plan = Plan([Task("leak", tool=leak), Task("use", tool=use, needs=["leak"])])
    async with opened() as runtime:
        turn = await runtime.start(plan)
        async with turn.events(previews=True) as events:
            seen = [event async for event in events]
        assert not [event for event in seen if event.position is None or event.type == "CUSTOM"]
        assert seen[-1].type == "TURN_COMPLETED"


async def test_what_cannot_be_kept_fails_the_tool(autojump_clock: MockClock) -> None:
    """A value that is no JSON, in an event or a result, ends the call with the place where it stands."""

    @tool
    async def emit(context: ToolContext) -> str:
        """Emit something odd."""
        context.emit("odd", {"a": [object()]})
        return "x"

    @tool
    async def give() -> Any:
        """Return something odd."""
        return {"a": [1, {"b": object()}]}

    async with opened() as runtime:
        for odd, place in ((emit, "odd.a[0]"), (give, "result.a[1].b")):
            result = await runtime.run(Plan([Task("t", tool=odd)]))
            assert result.status is Status.FAILED
            assert result.error is not None
            assert place in result.error.message


async def test_odd_text_does_not_stop_the_stream(autojump_clock: MockClock) -> None:
    """A lone surrogate, NUL and a large text pass through journal and stream."""

    @tool
    async def odd() -> list[str]:
        """Return odd text."""
        return ["\ud83d", "\x00", "x" * 4_000_000]

    async with opened() as runtime:
        result = await runtime.run(Plan([Task("t", tool=odd)]))
        assert result.status is Status.COMPLETED
        facts = await facts_of(runtime, ROOT)
        assert facts[-1].type == "TURN_COMPLETED"
        for text in result.output:
            text.encode()


async def test_a_tool_error_keeps_its_kind(autojump_clock: MockClock) -> None:
    """ToolError chooses kind and retry; the kind is the same in the task's, the plan's and the result's error."""

    @tool
    async def busy() -> str:
        """Be busy."""
        raise ToolError("later", kind="rate_limit", retryable=True, retry_after=7.0)

    async with opened() as runtime:
        result = await runtime.run(Plan([Task("t", tool=busy)]))
        assert result.error is not None
        assert (result.error.kind, result.error.retryable, result.error.where) == ("rate_limit", True, "t")
        task = result.tasks["t"].error
        assert task is not None
        assert task.retry_after == 7.0
