"""How one call runs: failures as values, timeouts, threads that are left behind."""

import threading
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from planner import Plan, Task
from runtime import Agent, ModelError, Status, ToolContext, ToolError, tool
from runtime.errors import InternalError
from runtime.shell.perform import failure_of
from runtime.testing import FunctionModel, call
from runtime.values import events as e
from runtime.values.failure import Failure
from runtime.values.messages import ToolMessage
from tests.runtime.shell.equipment import TimedModel, Tracks, facts_of, free, opened, types

ROOT = "t00001"


async def run_tool(thing: Any, **inputs: Any) -> Any:
    """Run one tool as the only task of a plan."""
    async with opened() as runtime:
        return await runtime.run(Plan([Task("t", tool=thing, inputs=inputs)]))


async def test_a_failing_call_never_loses_its_siblings_results(autojump_clock: MockClock) -> None:
    """Of five calls of one step one raises and one cancels itself; the model gets all five, in its own order."""
    seen: list[Any] = []

    @tool
    async def work(n: int) -> Any:
        """Work, in the reverse order."""
        await trio.sleep(5 - n)
        if n == 3:
            raise ValueError("three")
        with trio.CancelScope() as scope:
            if n == 4:
                scope.cancel()
            await trio.lowlevel.checkpoint()
        if scope.cancelled_caught:
            raise TimeoutError("gave up")
        return n

    def reply(request: Any) -> Any:
        if request.number == 1:
            return call(*[("work", {"n": n}) for n in (1, 2, 3, 4, 5)])
        seen.extend(message for message in request.messages if isinstance(message, ToolMessage))
        return "done"

    async with opened() as runtime:
        result = await runtime.run(Agent("a", model=FunctionModel(reply), tools=[work]), "hi")
        assert result.output == "done"
    assert [message.is_error for message in seen] == [False, False, True, True, False]
    assert [message.id for message in seen] == ["id0", "id1", "id2", "id3", "id4"]
    assert [seen[0].content, seen[1].content, seen[4].content] == [1, 2, 5]
    assert "three" in seen[2].content["message"]
    assert "gave up" in seen[3].content["message"]


async def test_one_cause_in_nested_groups_is_that_cause(autojump_clock: MockClock) -> None:
    """A tool that fails inside three nurseries with cancelled siblings fails with its own error, not with noise."""

    @tool
    async def deep() -> None:
        """Fail deep inside."""

        async def fail() -> None:
            await trio.sleep(1)
            raise ToolError("the real one", kind="domain")

        async with trio.open_nursery() as one, trio.open_nursery() as two, trio.open_nursery() as three:
            for nursery in (one, two, three):
                for _ in range(10):
                    nursery.start_soon(trio.sleep_forever)
            three.start_soon(fail)

    result = await run_tool(deep)
    assert result.error.kind == "domain"
    assert "the real one" in result.error.message
    assert "Group" not in result.error.message
    assert "Cancelled" not in result.error.message


def test_several_causes_are_all_named() -> None:
    """A group of two real errors is one failure that names exactly those two; a bug of ours stays an exception."""
    group = ExceptionGroup("x", [ValueError("one"), ExceptionGroup("y", [KeyError("two")])])
    assert failure_of(group, "tool_error") == Failure("tool_error", "ValueError: one; KeyError: 'two'")
    with pytest.raises(ExceptionGroup):
        failure_of(ExceptionGroup("x", [InternalError("ours"), ValueError()]), "tool_error")


async def test_a_tool_has_a_time_limit(autojump_clock: MockClock) -> None:
    """A tool that takes longer than it may fails with kind `timeout`, which may be worth a retry."""

    @tool(timeout=2)
    async def slow() -> None:
        """Take long."""
        await trio.sleep(100)

    result = await run_tool(slow)
    assert (result.error.kind, result.error.retryable) == ("timeout", True)
    assert trio.current_time() < 3


async def test_arguments_of_a_task_are_checked(autojump_clock: MockClock) -> None:
    """A task that gives a tool what nobody could know to be wrong before fails before the tool runs."""
    tracks = Tracks()
    result = await run_tool(tracks.work, name="w", seconds="${'x' if true else 1}")
    assert result.error.kind == "invalid_arguments"
    assert not tracks.begun


async def test_a_model_that_fails_fails_the_turn(autojump_clock: MockClock) -> None:
    """ModelError keeps its kind; anything else is a bug of the model; the history is closed by one message."""
    for raised, kind in (
        (ModelError("slow down", kind="rate_limit", retryable=True), "rate_limit"),
        (KeyError("x"), "model_bug"),
    ):

        def reply(_: Any, error: Exception = raised) -> Any:
            raise error

        async with opened() as runtime:
            result = await runtime.run(Agent("a", model=FunctionModel(reply)), "hi")
            assert result.status is Status.FAILED
            assert result.error is not None
            assert result.error.kind == kind
            assert result.usage.model_calls == 1
            assert types(await facts_of(runtime, ROOT))[-3:] == ["MODEL_FAILED", "STEP_COMPLETED", "TURN_FAILED"]


async def test_a_tool_in_a_thread_is_left_behind() -> None:
    """A cancel does not wait for a synchronous tool; it is told, recorded as perhaps still running, then ignored."""
    began, go, done = threading.Event(), threading.Event(), threading.Event()
    seen: list[bool] = []

    @tool
    def stubborn(context: ToolContext) -> str:
        """Go on whatever happens."""
        began.set()
        go.wait(10)
        seen.append(context.cancelled)
        context.progress("still here")
        context.emit("late", 1)
        done.set()
        return "late"

    async with opened() as runtime:
        turn = await runtime.start(Plan([Task("t", tool=stubborn)]))
        assert await trio.to_thread.run_sync(began.wait, 10)
        result = await turn.cancel("now")
        assert result.status is Status.CANCELLED
        facts = await facts_of(runtime, ROOT)
        (cancelled,) = [fact.data for fact in facts if isinstance(fact.data, e.ToolCancelled)]
        assert cancelled.may_still_run
        go.set()
        assert await trio.to_thread.run_sync(done.wait, 10)
        assert seen == [True]
        assert len(await facts_of(runtime, ROOT)) == len(facts)
        assert free(runtime)


async def test_threads_are_bounded() -> None:
    """Not more synchronous tools run at a time than `threads` says."""
    lock, counts = threading.Lock(), {"now": 0, "most": 0}
    gate = threading.Barrier(2)

    @tool
    def work() -> None:
        """Meet one other."""
        with lock:
            counts["now"] += 1
            counts["most"] = max(counts["most"], counts["now"])
        gate.wait(10)
        with lock:
            counts["now"] -= 1

    async with opened(threads=2) as runtime:
        result = await runtime.run(Plan([Task(f"t{n}", tool=work) for n in range(6)]))
        assert result.status is Status.COMPLETED
    assert counts["most"] == 2


async def test_a_cancelled_call_is_cancelled_at_once(autojump_clock: MockClock) -> None:
    """Asynchronous tools and models are unwound, with time to clean up; nothing of theirs runs afterwards."""
    cleaned: list[float] = []

    @tool
    async def tidy() -> None:
        """Clean up for a second."""
        try:
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(1)
                cleaned.append(trio.current_time())

    model = TimedModel(lambda _: "x", seconds=100)
    plan = Plan([*[Task(f"t{n}", tool=tidy) for n in range(50)], Task("a", agent=Agent("a", model=model), prompt="x")])
    outer = Plan([Task("inner", plan=plan)], name="outer")
    async with opened() as runtime:
        turn = await runtime.start(outer)
        await trio.sleep(5)
        await turn.cancel("stop")
        assert len(cleaned) == 50
        assert model.now == 0
        facts = await facts_of(runtime, ROOT)
        assert (facts[-1].turn_id, facts[-1].type) == (ROOT, "TURN_CANCELLED")
        assert types(facts).count("TURN_CANCELLED") == 53
