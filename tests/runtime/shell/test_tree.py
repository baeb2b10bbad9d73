"""Closing a tree: what had come in is kept, what was asked for is finished, and nothing is recorded twice."""

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from planner import Ask, ForEach, Plan, Task
from runtime import Agent, Answer, JournalError, Status, tool
from runtime.journal.memory import MemoryJournal
from runtime.models.scripted import ScriptedModel
from runtime.testing import FaultyJournal
from tests.runtime.shell.equipment import TimedModel, Tracks, facts_of, free, opened, types

ROOT = "t00001"


async def test_a_cancel_that_a_crash_interrupted_is_finished(autojump_clock: MockClock) -> None:
    """Once a cancel is recorded the tree does not come back to life: resuming it closes it."""
    journal, agent = MemoryJournal(), Agent("a", model=TimedModel(lambda _: "done", seconds=10))
    async with opened(FaultyJournal(journal, fail_at=[3])) as runtime:
        turn = await runtime.start(agent, "hi")
        await trio.sleep(1)
        with pytest.raises(JournalError):
            await turn.cancel("enough", by="ada")
        seen = []
        with pytest.raises(JournalError):  # noqa: PT012 - the reader fails at the end, not before
            async with turn.events() as events:
                async for event in events:
                    seen += [event.type]
        assert seen[-1] == "CANCELLATION_REQUESTED"
    async with opened(journal, definitions=[agent]) as runtime:
        result = await (await runtime.resume(ROOT)).result()
        assert result.status is Status.CANCELLED
        assert result.error is not None
        assert result.error.message == "enough"


async def test_a_tree_that_nobody_holds_takes_answers(autojump_clock: MockClock) -> None:
    """An answer is recorded and the tree let go of again; whoever resumes it finds it awake, however deep it was."""
    journal = MemoryJournal()
    inner = Plan([Task("ask", ask=Ask("go?"))], name="inner")
    plan = Plan([Task("one", plan=Plan([Task("two", plan=inner)], name="middle")), Task("other", ask=Ask("also?"))])
    async with opened(journal) as runtime:
        await runtime.run(plan)
    async with opened(journal, definitions=[plan]) as runtime:
        first, second = await runtime.requests(ROOT)
        await runtime.answer(first.id, Answer.of("went"))
        assert (await runtime.roots())[0].owner is None
        assert await runtime.requests(ROOT) == [second]
    async with opened(journal, definitions=[plan]) as runtime:
        turn = await runtime.resume(ROOT)
        assert (await turn.result()).tasks["one"].output == "went"
        await runtime.answer(second.id, Answer.of("too"))
        assert (await turn.result()).output == {"one": "went", "other": "too"}


@pytest.mark.parametrize("seconds", [1.0, 2.0])
async def test_results_of_the_last_moment_are_kept(seconds: float, autojump_clock: MockClock) -> None:
    """A call that ends in the very moment of a cancel has its result recorded or is cancelled, never both."""
    tracks = Tracks()
    inner = Plan([Task("w", tool=tracks.work, inputs={"name": "w"})], name="inner")
    work: Any = tracks.work

    def reply(_: Any) -> str:
        return "done"

    agent = Agent("a", model=TimedModel(reply, seconds=1), tools=[work])
    plan = Plan(
        [
            Task("one", tool=work, inputs={"name": "one"}),
            Task("two", ForEach([1, 2]), plan=inner),
            Task("three", agent=agent, prompt="go"),
            Task("after", tool=work, inputs={"name": "after"}, needs=["one"]),
        ]
    )
    async with opened() as runtime:
        for _ in range(25):  # trio takes what is due at one moment in another order each time
            turn = await runtime.start(plan)
            await trio.sleep(seconds)
            result = await turn.cancel("now")
            assert result.status in (Status.CANCELLED, Status.COMPLETED)
            assert free(runtime)


async def test_a_task_that_ended_is_not_closed_again(autojump_clock: MockClock) -> None:
    """Children that had ended before the cancel keep their ending in their parent's record."""

    @tool
    async def quick() -> str:
        """Return at once."""
        return "quick"

    tracks = Tracks()
    plan = Plan([Task("quick", tool=quick), Task("slow", tool=tracks.work, inputs={"name": "s", "seconds": 9})])
    async with opened() as runtime:
        turn = await runtime.start(plan)
        await trio.sleep(1)
        result = await turn.cancel("now")
        assert {key: task.status for key, task in result.tasks.items()} == {"quick": "COMPLETED", "slow": "CANCELLED"}
        assert types(await facts_of(runtime, ROOT)).count("CHILD_ENDED") == 2


async def test_calls_of_a_model_are_shown_while_it_writes_them(autojump_clock: MockClock) -> None:
    """A tool call is a block of its own among the previews, with the text of its arguments."""
    tracks = Tracks()
    script = [{"calls": [{"work": {"name": "a"}}, {"work": {"name": "b"}}]}, {"text": "done"}]
    agent = Agent("a", model=ScriptedModel(scripts={"a": script}), tools=[tracks.work])
    async with opened() as runtime:
        turn = await runtime.start(agent, "hi")
        async with turn.events(previews=True) as events:
            shown = [event async for event in events if event.position is None and event.type.startswith("TOOL_CALL")]
    assert [event.type for event in shown] == ["TOOL_CALL_START", "TOOL_CALL_DELTA", "TOOL_CALL_END"] * 2
