"""Taking over a tree: what was in flight, what had finished, and what is refused."""

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from planner import ForEach, Plan, Retry, Task
from runtime import Agent, NotResumable, Status, ToolContext, ToolError, tool
from runtime.journal.memory import MemoryJournal
from runtime.testing import FunctionModel, call
from runtime.values import events as e
from tests.runtime.shell.equipment import TimedModel, Tracks, facts_of, opened, types

ROOT = "t00001"


async def cut(journal: MemoryJournal, definition: Any, seconds: float) -> None:
    """Run a definition for a while, then leave it."""
    async with opened(journal) as runtime:
        await runtime.start(definition, None if isinstance(definition, Plan) else "hi")
        await trio.sleep(seconds)


async def go_on(journal: MemoryJournal, definition: Any) -> Any:
    """Resume in a new runtime and return the result."""
    async with opened(journal, definitions=[definition]) as runtime:
        return await (await runtime.resume(ROOT)).result()


async def test_a_call_in_flight_is_refused_by_name(autojump_clock: MockClock) -> None:
    """A tool that is not safe to repeat is named with its arguments; the tree is unchanged and can be cancelled."""

    @tool
    async def pay(euros: int) -> str:
        """Pay."""
        await trio.sleep(10)
        return "paid"

    journal, plan = MemoryJournal(), Plan([Task("p", ForEach([3, 4]), tool=pay, inputs={"euros": "${item}"})])
    await cut(journal, plan, 5)
    before = await journal.read(ROOT)
    async with opened(journal, definitions=[plan]) as runtime:
        for _ in range(2):
            with pytest.raises(NotResumable) as refused:
                await runtime.resume(ROOT)
        end = f"turntree cancel {ROOT}"
        for part in ("pay", f"{ROOT}.1", f"{ROOT}.2", "'euros': 3", "'euros': 4", "replay: safe", end):
            assert part in str(refused.value)
        assert await facts_of(runtime, ROOT) == before
        assert (await runtime.cancel(ROOT, "give up")).status is Status.CANCELLED
        ends = [fact.data for fact in await facts_of(runtime, ROOT) if isinstance(fact.data, e.ToolCancelled)]
        assert [end.may_still_run for end in ends] == [False, False]


async def test_a_safe_call_runs_again_with_the_same_key(autojump_clock: MockClock) -> None:
    """A tool that is safe to repeat runs again under the same idempotency key; finished siblings do not."""
    keys: list[tuple[str, str]] = []

    @tool(replay="safe")
    async def work(context: ToolContext, seconds: float) -> float:
        """Work."""
        keys.append((context.turn_id, context.idempotency_key))
        await trio.sleep(seconds)
        return seconds

    journal = MemoryJournal()
    plan = Plan([Task("w", ForEach([1, 10]), tool=work, inputs={"seconds": "${item}"})])
    await cut(journal, plan, 5)
    result = await go_on(journal, plan)
    assert result.output == [1, 10]
    assert sorted(keys) == [(f"{ROOT}.1", f"{ROOT}.1:0.1"), *[(f"{ROOT}.2", f"{ROOT}.2:0.1")] * 2]
    facts = await journal.read(ROOT)
    assert [fact.data.calls for fact in facts if isinstance(fact.data, e.TurnRecovered)] == [("0.1",)]
    assert types(facts, f"{ROOT}.2").count("TOOL_STARTED") == 1


async def test_a_model_call_in_flight_is_made_again(autojump_clock: MockClock) -> None:
    """The same request goes out again; a tool call of the step that had finished keeps its result."""
    tracks, journal = Tracks(), MemoryJournal()
    requests: list[Any] = []

    def reply(request: Any) -> Any:
        requests.append(request)
        return call(("work", {"name": "w", "seconds": 1})) if request.number == 1 else "done"

    agent = Agent("a", model=TimedModel(reply, seconds=5), tools=[tracks.work])
    await cut(journal, agent, 8)
    assert (await go_on(journal, agent)).output == "done"
    assert [request.number for request in requests] == [1, 2]
    assert tracks.begun == {"w": 1}


async def test_a_retry_waits_out_its_time(autojump_clock: MockClock) -> None:
    """A stop during the wait before a retry does not lose the attempt count, and does not retry at once."""
    tries: list[float] = []

    @tool(replay="safe")
    async def flaky() -> str:
        """Fail twice."""
        tries.append(trio.current_time())
        if len(tries) < 3:
            raise ToolError("not yet")
        return "ok"

    journal, plan = MemoryJournal(), Plan([Task("t", tool=flaky, retries=Retry(2, delay=100.0, factor=1.0))])
    await cut(journal, plan, 50)
    result = await go_on(journal, plan)
    assert result.output == "ok"
    assert tries[1] >= 100
    attempts = [fact.data.attempt for fact in await journal.read(ROOT) if isinstance(fact.data, e.ChildStarted)]
    assert attempts == [1, 2, 3]


async def test_an_agent_below_an_agent_keeps_its_call(autojump_clock: MockClock) -> None:
    """A stop while agents run under an agent resumes the same calls: no second child, no second request above."""
    tracks, journal = Tracks(), MemoryJournal()

    def boss(request: Any) -> Any:
        return call(("clerk", {"task": "a"}), ("clerk", {"task": "b"})) if request.number == 1 else "done"

    def clerk(request: Any) -> Any:
        name = request.messages[0].content
        return call(("work", {"name": name})) if request.number == 1 else f"did {name}"

    top = FunctionModel(boss)
    low = Agent("clerk", model=TimedModel(clerk, seconds=2), tools=[tracks.work])
    agent = Agent("boss", model=top, agents=[low])
    await cut(journal, agent, 4)
    assert (await go_on(journal, agent)).output == "done"
    assert tracks.done == {"a": 1, "b": 1}
    facts = await journal.read(ROOT)
    assert types(facts, ROOT).count("CHILD_STARTED") == 2
    assert types(facts, ROOT).count("MODEL_STARTED") == 2


async def test_history_of_finished_work_is_there_after_a_resume(autojump_clock: MockClock) -> None:
    """Both processes' readers together see each event once, and the result lists every task."""
    tracks, journal = Tracks(), MemoryJournal()
    work = tool(replay="safe")(tracks.work)
    tasks = [
        Task(f"t{n}", tool=work, inputs={"name": f"t{n}"}, needs=[f"t{n - 1}"] if n else []) for n in range(6)
    ]  # one after the other
    plan = Plan(tasks)
    seen: list[str] = []
    async with opened(journal) as runtime:
        turn = await runtime.start(plan)
        with trio.move_on_after(4.5):
            async with turn.events() as events:
                async for event in events:  # one by one: what was read before the cut counts
                    seen += [event.event_id]
    async with opened(journal, definitions=[plan]) as runtime:
        turn = await runtime.resume(ROOT)
        async with turn.events(after=len(seen)) as events:
            seen += [event.event_id async for event in events]
        result = await turn.result()
        assert [task.status for task in result.tasks.values()] == ["COMPLETED"] * 6
        assert seen == [fact.event_id for fact in await facts_of(runtime, ROOT)]
    assert set(tracks.done.values()) == {1}


async def test_reading_the_past_of_an_ended_tree(autojump_clock: MockClock) -> None:
    """Resuming a tree that has ended records nothing and gives its result and its whole stream."""
    journal, agent = MemoryJournal(), Agent("a", model=FunctionModel(lambda _: "done"))
    async with opened(journal) as runtime:
        first = await runtime.run(agent, "hi")
    async with opened(journal, definitions=[agent]) as runtime:
        turn = await runtime.resume(ROOT)
        assert await turn.result() == first
        async with turn.events() as events:
            assert [event async for event in events] == await facts_of(runtime, ROOT)
