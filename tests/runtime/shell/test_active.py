"""A task's timeout counts the time in which its calls run, and nothing else."""

import trio
from trio.testing import MockClock

from planner import Ask, ForEach, Plan, Retry, Task
from runtime import Answer, Status, ToolError, tool
from runtime.journal.memory import MemoryJournal
from tests.runtime.shell.equipment import Tracks, opened

ROOT = "t00001"


async def test_work_counts(autojump_clock: MockClock) -> None:
    """A task whose calls run longer than its timeout fails with kind `timeout` right then."""
    tracks = Tracks()
    inner = Plan(
        [
            Task("a", tool=tracks.work, inputs={"name": "a"}),
            Task("b", tool=tracks.work, inputs={"name": "b", "seconds": 9}, needs=["a"]),
        ],
        name="inner",
    )
    async with opened() as runtime:
        began = trio.current_time()
        result = await runtime.run(Plan([Task("t", plan=inner, timeout=3)]))
        assert result.error is not None
        assert (result.error.kind, result.error.retryable) == ("timeout", True)
        assert trio.current_time() - began == 3
        assert tracks.done == {"a": 1}


async def test_waiting_for_a_person_does_not_count(autojump_clock: MockClock) -> None:
    """Three days at a question use nothing of two seconds, also across a restart; the work before and after does."""
    tracks, journal = Tracks(), MemoryJournal()
    inner = Plan(
        [
            Task("before", tool=tracks.work, inputs={"name": "before"}),
            Task("ask", ask=Ask("go?"), needs=["before"]),
            Task("after", tool=tracks.work, inputs={"name": "after", "seconds": "${tasks.ask.output}"}),
        ],
        name="inner",
    )
    for seconds, status in ((0.9, Status.COMPLETED), (1.1, Status.FAILED)):
        plan = Plan([Task("t", plan=inner, timeout=2)])
        async with opened(journal, ids=lambda now: f"t{seconds}".replace(".", "x")) as runtime:  # noqa: B023
            result = await runtime.run(plan)
            await trio.sleep(3 * 86400)
        async with opened(journal, definitions=[plan]) as runtime:
            await runtime.answer(result.requests[0].id, Answer.of(seconds))
            turn = await runtime.resume(result.turn_id)
            assert (await turn.result()).status is status


async def test_waiting_for_a_place_or_a_retry_does_not_count(autojump_clock: MockClock) -> None:
    """Time in line and between two attempts is nobody's active time."""
    failed: list[int] = []

    @tool
    async def flaky() -> str:
        """Fail twice."""
        await trio.sleep(0.5)
        if len(failed) < 2:
            failed.append(1)
            raise ToolError("not yet")
        return "ok"

    @tool(max_concurrent=1)
    async def alone() -> str:
        """Take half a second."""
        await trio.sleep(0.5)
        return "ok"

    retried = Plan([Task("t", tool=flaky, retries=Retry(3, delay=100.0))], name="retried")
    queued = Plan([Task("q", ForEach([1]), tool=alone)], name="queued")
    plan = Plan(
        [
            Task("retried", plan=retried, timeout=1.6),
            Task("queued", ForEach(list(range(10))), plan=queued, timeout=0.6),
        ]
    )
    async with opened() as runtime:
        result = await runtime.run(plan)
        assert result.status is Status.COMPLETED
        assert trio.current_time() > 200


async def test_an_outer_limit_holds_for_everything_below(autojump_clock: MockClock) -> None:
    """The nearest limit ends its own subtree; an outer one ends the inner task whatever that one's own limit says."""
    tracks = Tracks()
    inner = Plan([Task("work", tool=tracks.work, inputs={"name": "w", "seconds": 50}, timeout=20)], name="inner")
    async with opened() as runtime:
        result = await runtime.run(Plan([Task("outer", plan=inner, timeout=10)]))
        assert result.error is not None
        assert "outer took longer than 10 s of active time" in result.error.message
        result = await runtime.run(Plan([Task("outer", plan=inner, timeout=30)]))
        assert result.error is not None
        assert "work took longer than 20 s of active time" in result.error.message
