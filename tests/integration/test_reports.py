"""What went wrong in systems like this one, as far as no other test shows it; `tests/REPORTS.md` has the whole list."""

from collections import defaultdict
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from planner import Ask, ForEach, Plan, Task
from runtime import Agent, Answer, ModelReply, ModelRequest, Status, Usage, tool
from runtime.core.frame import fold
from runtime.journal.memory import MemoryJournal
from runtime.testing import call, cancel_at_every_step, say
from runtime.testing.steps import Arm
from runtime.values import events as e
from runtime.values.messages import AssistantMessage, Text, ToolCall, ToolMessage
from tests.runtime.shell.equipment import TimedModel, Tracks, facts_of, opened

ROOT = "t00001"


def check_pairing(messages: Any) -> None:
    """Do what a strict provider does: refuse a history in which a call has not exactly one result, right after it."""
    waiting: list[tuple[str, str]] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            assert waiting, "a result that nobody asked for"
            assert waiting.pop(0) == (message.id, message.name)
        else:
            assert not waiting, f"calls without a result: {waiting}"
            if isinstance(message, AssistantMessage):
                waiting = [(one.id, one.name) for one in message.tool_calls]
    assert not waiting, f"calls without a result: {waiting}"


def strict_agent(tracks: Tracks) -> Agent:
    """Return an agent with tools and an agent below it, whose models refuse histories that are not whole."""
    work = tool(replay="safe")(tracks.work)

    def boss(request: ModelRequest) -> ModelReply:
        check_pairing(request.messages)
        if request.number < 3:
            again = [("work", {"name": f"{request.number}{k}", "seconds": k}) for k in "012"]
            return call(*again, ("clerk", {"task": "x"}), ("nonsense", {}), ("work", {"name": 5}))
        return say("done")

    def clerk(request: ModelRequest) -> ModelReply:
        check_pairing(request.messages)
        return call(("work", {"name": "low"})) if request.number == 1 else say("did it")

    below = Agent("clerk", model=TimedModel(clerk, seconds=0.5), tools=[work])
    return Agent("boss", model=TimedModel(boss, seconds=0.5), tools=[work], agents=[below], max_mistakes=9)


@pytest.mark.parametrize("ours", [True, False])
async def test_history_is_whole_after_any_cut(ours: bool, autojump_clock: MockClock) -> None:
    """After a cancel at any step every call has one result, marked if it never came; a stop goes on unharmed."""

    async def make(arm: Arm) -> None:
        tracks, journal = Tracks(), MemoryJournal()
        agent = strict_agent(tracks)
        async with opened(journal, definitions=[agent]) as runtime, trio.open_nursery() as nursery:
            over = False
            with trio.CancelScope() as scope:
                arm((lambda: None if over else nursery.start_soon(_cancel, runtime)) if ours else scope.cancel)
                await runtime.run(agent, "hi")
            over = True
            if not ours and await journal.read(ROOT):
                assert (await (await runtime.resume(ROOT)).result()).output == "done"
            facts = [fact.data for fact in await journal.read(ROOT) if fact.turn_id == ROOT]
            state: Any = fold(runtime.known.machine(agent), facts)
            check_pairing(state.messages)
            if state.ending is Status.CANCELLED:
                assert state.messages[-1] == AssistantMessage((Text("[cancelled] enough"),))

    assert await cancel_at_every_step(make) > 10


async def _cancel(runtime: Any) -> None:
    if ROOT in runtime.trees:
        await runtime.cancel(ROOT, "enough")


async def test_equal_questions_are_told_apart(autojump_clock: MockClock) -> None:
    """Five items ask the same; each has an id of its own, and an answer goes where it belongs, in reverse order too."""
    async with opened() as runtime:
        plan = Plan([Task("all", ForEach([1, 1, 1, 1, 1]), ask=Ask("the same?"))])
        result = await runtime.run(plan)
        assert len({request.id for request in result.requests}) == 5
        for request in reversed(result.requests):
            await runtime.answer(request.id, Answer.of(request.path[-1]))
        result = await (await runtime.resume(ROOT)).result()
        assert result.output == [f"all[{n}]" for n in range(5)]


async def test_ids_of_a_provider_may_repeat(autojump_clock: MockClock) -> None:
    """Four calls with one name and one provider id, or none, are four calls with four results."""
    tracks = Tracks()
    for repeated in ("same", ""):

        def reply(request: ModelRequest, repeated: str = repeated) -> ModelReply:
            if request.number > 1:
                assert [m.content for m in request.messages if isinstance(m, ToolMessage)] == list("abcd")
                return say("done")
            blocks = tuple([ToolCall("", repeated, "work", {"name": name}) for name in "abcd"])
            return ModelReply(message=AssistantMessage(blocks))

        async with opened() as runtime:
            result = await runtime.run(Agent("a", model=TimedModel(reply), tools=[tracks.work]), "hi")
            assert result.output == "done"
    assert tracks.done == dict.fromkeys("abcd", 2)


@pytest.mark.parametrize("way", ["left", "right"])
async def test_a_join_does_not_wait_for_the_branch_not_taken(way: str, autojump_clock: MockClock) -> None:
    """If and else into one task, with a third need that always runs: it starts once all three are settled."""
    tracks = Tracks()
    work = tracks.work
    plan = Plan(
        [
            Task("left", tool=work, inputs={"name": "left"}, when="inputs.way == 'left'"),
            Task("right", tool=work, inputs={"name": "right"}, when="inputs.way == 'right'"),
            Task("always", tool=work, inputs={"name": "always", "seconds": 5}),
            Task("join", tool=work, inputs={"name": "${tasks.left.output} ${tasks.right.output}"}, needs=["always"]),
        ],
        inputs={"way": "string"},
    )
    async with opened() as runtime:
        result = await runtime.run(plan, {"way": way})
        assert result.status is Status.COMPLETED
        assert tracks.done[way] == tracks.done["always"] == 1
        assert way in result.output
        (skipped,) = [fact for fact in await facts_of(runtime, ROOT) if fact.type == "TASK_SKIPPED"]
        assert getattr(skipped.data, "key", "") != way


async def test_usage_of_a_subtree_adds_up(autojump_clock: MockClock) -> None:
    """For every Turn, failed and cancelled ones too: what its parent was told is its own usage and its children's."""

    def reply(name: str, below: str | None) -> Any:
        def answer(request: ModelRequest) -> ModelReply:
            usage = Usage(10, 1)
            if below is None or request.number > 1:
                if name == "low" and "bad" in str(getattr(request.messages[0], "content", "")):
                    raise ValueError("bad")
                return say("done", usage=usage)
            return call((below, {"task": "good"}), (below, {"task": "bad"}), usage=usage)

        return answer

    low = Agent("low", model=TimedModel(reply("low", None)))
    mid = Agent("mid", model=TimedModel(reply("mid", "low")), agents=[low])
    top = Agent("top", model=TimedModel(reply("top", "mid")), agents=[mid])
    async with opened() as runtime:
        for seconds in (None, 2.5):
            turn = await runtime.start(Plan([Task("t", ForEach([1, 2]), agent=top, prompt="go")]))
            if seconds is not None:
                await trio.sleep(seconds)
                await turn.cancel("enough")
            result = await turn.result()
            told: dict[str, Usage] = {}
            sums: defaultdict[str, Usage] = defaultdict(Usage)
            for fact in await facts_of(runtime, turn.turn_id):
                data = fact.data
                if isinstance(data, e.ModelCompleted | e.ModelFailed):
                    sums[fact.turn_id] += data.usage
                elif isinstance(data, e.ChildEnded):
                    told[f"{fact.turn_id}.{data.n}"] = data.usage
                    sums[fact.turn_id] += data.usage
            assert told
            assert {turn_id: sums[turn_id] for turn_id in told} == told
            assert sums[turn.turn_id] == result.usage
