"""Places: never more than there are, in a stable order, for everybody in the end."""

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from planner import Ask, ForEach, Plan, Task
from runtime import Agent, Answer, Status, tool
from runtime.journal.memory import MemoryJournal
from runtime.testing import call
from runtime.values import events as e
from runtime.values.commands import Slot
from tests.runtime.shell.equipment import TimedModel, Tracks, facts_of, free, opened

ROOT = "t00001"


def items(n: int, tracks: Tracks, **settings: Any) -> Plan:
    """Return a plan that works on n items."""
    each = ForEach(list(range(n)), max_parallel=settings.pop("each", None))
    return Plan([Task("w", each, tool=tracks.work, inputs={"name": "${item}-"})], **settings)


@pytest.mark.parametrize("limit", [1, 2, 5, 6, 7, None])
@pytest.mark.parametrize("where", ["each", "max_parallel"])
async def test_a_limit_changes_the_time_and_never_the_set(
    where: str, limit: int | None, autojump_clock: MockClock
) -> None:
    """Six items with any limit: six results, in the order of the items, never more at a time than may be."""
    tracks = Tracks()
    async with opened() as runtime:
        began = trio.current_time()
        result = await runtime.run(items(6, tracks, **{where: limit}))
        assert result.output == [f"{n}-" for n in range(6)]
        assert tracks.most == min(limit or 6, 6)
        assert trio.current_time() - began == -(-6 // (limit or 6))
        started = [fact.data.key for fact in await facts_of(runtime, ROOT) if isinstance(fact.data, e.ChildStarted)]
        assert started == [f"w[{n}]" for n in range(6)]
        assert free(runtime)


async def test_places_of_tools_models_and_agents_hold_across_trees(autojump_clock: MockClock) -> None:
    """A tool, a model and an agent with a limit keep it over all trees of the runtime."""
    tracks = Tracks()

    @tool(max_concurrent=2)
    async def limited(name: str) -> str:
        """Work."""
        return await tracks.work(name)

    model = TimedModel(
        lambda request: call(("limited", {"name": "x"})) if request.number == 1 else "done", slots=(Slot("model:m", 3),)
    )
    agent = Agent("a", model=model, tools=[limited], max_concurrent=5)
    plan = Plan(
        [
            Task("agents", ForEach(list(range(8))), agent=agent, prompt="go"),
            Task("tools", ForEach(list(range(4))), tool=limited, inputs={"name": "y"}),
        ]
    )
    async with opened() as runtime:
        turns = [await runtime.start(plan) for _ in range(3)]
        for turn in turns:
            assert (await turn.result()).status is Status.COMPLETED
        assert tracks.most == 2
        assert model.most == 3
        assert tracks.done == {"x": 24, "y": 12}
        assert free(runtime)


async def test_the_longest_remaining_path_goes_first(autojump_clock: MockClock) -> None:
    """Of what waits for a place the task with the most left after it starts first; nobody is left out."""
    tracks = Tracks()
    work = tracks.work
    plan = Plan(
        [
            Task("short", tool=work, inputs={"name": "short"}, estimate=1),
            Task("other", tool=work, inputs={"name": "other"}, estimate=2),
            Task("long", tool=work, inputs={"name": "long"}, estimate=1),
            Task("after", tool=work, inputs={"name": "after"}, estimate=5, needs=["long"]),
        ],
        max_parallel=1,
    )
    async with opened() as runtime:
        await runtime.run(plan)
    assert list(tracks.begun) == ["long", "after", "other", "short"]


async def test_agents_under_agents_do_not_wait_for_each_other(autojump_clock: MockClock) -> None:
    """Three levels of agents share one place at one model and one tool; a call holds its place only while it runs."""

    @tool(max_concurrent=1)
    async def look() -> str:
        """Look."""
        await trio.sleep(1)
        return "seen"

    def reply(below: str) -> Any:
        def answer(request: Any) -> Any:
            if request.number == 1:
                return call(
                    (below, {"task": "x"} if below != "look" else {}), (below, {"task": "y"} if below != "look" else {})
                )
            return "done"

        return answer

    one = (Slot("model:one", 1),)
    low = Agent("low", model=TimedModel(reply("look"), slots=one), tools=[look], max_concurrent=1)
    mid = Agent("mid", model=TimedModel(reply("low"), slots=one), agents=[low], max_concurrent=1)
    top = Agent("top", model=TimedModel(reply("mid"), slots=one), agents=[mid], max_concurrent=1)
    async with opened() as runtime:
        with trio.fail_after(1000):
            result = await runtime.run(Plan([Task("t", ForEach([1, 2, 3]), agent=top, prompt="go")]))
        assert result.status is Status.COMPLETED
        assert free(runtime)


async def test_a_question_holds_no_place_while_it_waits(autojump_clock: MockClock) -> None:
    """A parked task makes room; when it comes back, it takes its place at once and nothing new starts in it."""
    tracks = Tracks()
    inner = Plan(
        [Task("ask", ask=Ask("go?")), Task("work", tool=tracks.work, inputs={"name": "inner"}, needs=["ask"])],
        name="inner",
    )
    more = [Task(f"w{n}", tool=tracks.work, inputs={"name": f"w{n}"}) for n in range(4)]
    plan = Plan([Task("nested", plan=inner, estimate=100), *more], max_parallel=1)
    async with opened() as runtime:
        turn = await runtime.start(plan)
        await trio.sleep(1.5)
        (request,) = await runtime.requests(ROOT)
        await runtime.answer(request.id, Answer.approve())
        await turn.result()
    assert list(tracks.begun) == ["w0", "w1", "inner", "w2", "w3"]
    assert tracks.most == 2, "the one that came back ran beside the one that was at it"


async def test_limits_hold_after_a_restart(autojump_clock: MockClock) -> None:
    """What was in flight takes its places back before anything new may start."""
    tracks, journal = Tracks(), MemoryJournal()

    @tool(replay="safe", max_concurrent=2)
    async def limited(name: str) -> str:
        """Work."""
        return await tracks.work(name)

    plan = Plan(
        [Task("t", ForEach([f"{n}" for n in range(8)], max_parallel=3), tool=limited, inputs={"name": "n${item}"})],
        max_parallel=2,
    )
    async with opened(journal) as runtime:
        with trio.move_on_after(1.5):
            await runtime.run(plan)
    tracks.most = 0
    async with opened(journal, definitions=[plan]) as runtime:
        assert (await (await runtime.resume(ROOT)).result()).status is Status.COMPLETED
        assert free(runtime)
    assert tracks.most == 2
    assert set(tracks.done.values()) == {1}


async def test_a_cancelled_tree_makes_room_for_others(autojump_clock: MockClock) -> None:
    """Places of a tree that is closed, and of one that is left, go to those in line, whose trees go on undisturbed."""
    model = TimedModel(lambda _: "done", seconds=10, slots=(Slot("model:one", 1),))
    agent = Agent("a", model=model)
    plan = Plan([Task("t", ForEach([1, 2, 3]), agent=agent, prompt="go")])
    async with opened() as runtime, trio.open_nursery() as nursery:
        first = await runtime.start(plan)
        with trio.CancelScope() as leaving:
            nursery.start_soon(_leave_after, 5, leaving)
            second = await runtime.start(plan)
            await runtime.run(plan)
        third = await runtime.start(agent, "hi")
        await first.cancel("enough")
        await second.cancel("enough")
        assert (await third.result()).output == "done"
        assert model.most == 1
        assert free(runtime)
        assert (await facts_of(runtime, first.turn_id))[-1].type == "TURN_CANCELLED"


async def _leave_after(seconds: float, scope: trio.CancelScope) -> None:
    await trio.sleep(seconds)
    scope.cancel()


async def test_one_tree_with_a_bug_does_not_take_others_along(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that breaks while it is offered a place stops its own tree; whoever gave the place back goes on."""
    model = TimedModel(lambda _: "done", seconds=10, slots=(Slot("model:one", 1),))
    good, bad = Agent("good", model=model), Agent("bad", model=model)
    async with opened() as runtime:
        first, second = await runtime.start(good, "hi"), await runtime.start(bad, "hi")
        await trio.sleep(1)

        def broken(*_: object) -> None:
            raise KeyError("oops")

        machine = runtime.known.machine(bad)
        monkeypatch.setattr(machine, "wants", broken)
        assert (await first.result()).output == "done"
        with pytest.raises(Exception, match="oops"):
            await second.result()
        assert free(runtime)
