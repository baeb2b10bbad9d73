"""Random trees with random delays, failures, limits and answers: each ends, keeps the rules and frees its places."""

from typing import Any

import attrs
import hypothesis.strategies as st
import trio
from hypothesis import given, note
from trio.testing import MockClock

from planner import Ask, ForEach, Plan, Retry, Task
from runtime import Answer, Status, ToolError, TurnResult, tool
from runtime.journal.memory import MemoryJournal
from runtime.testing import SlowJournal
from tests.runtime.shell.equipment import facts_of, free, opened
from tests.runtime.shell.watch import watching

ALLOWED: list[int | str] = [0, 1, "50%", "all"]
SECONDS = st.sampled_from([0.0, 0.0, 0.5, 1.0, 1.0, 2.0])


@tool(replay="safe")
async def wait(seconds: float, fails: int = 0, attempt: str = "") -> str:
    """Take some time, then fail if that is wanted."""
    await trio.sleep(seconds)
    if fails:
        raise ToolError("it was to fail", kind="planned")
    return "done"


@tool(replay="safe", max_concurrent=1)
async def alone(seconds: float) -> str:
    """Take some time while nobody else does."""
    await trio.sleep(seconds)
    return "alone"


@tool(replay="safe")
def quick(n: int) -> int:
    """Take no time at all."""
    return n


@st.composite
def tasks(draw: st.DrawFn, key: str, before: list[str], depth: int) -> Task:
    """Return one task that needs some of the ones before it."""
    needs = draw(st.lists(st.sampled_from(before), max_size=2, unique=True)) if before else []
    common: dict[str, Any] = {"needs": needs, "timeout": draw(st.none() | st.sampled_from([0.5, 1.0, 1.5]))}
    if draw(st.integers(0, 9)) == 0:
        common["on_failure"] = "continue"
    sort = draw(st.sampled_from(["wait", "wait", "alone", "quick", "ask", "each", "asks", *(["plan"] * (depth < 2))]))
    match sort:
        case "wait":
            fails = draw(st.integers(0, 5)) == 0
            retries = draw(st.none() | st.builds(Retry, st.just(1), delay=st.sampled_from([0.0, 1.0])))
            given = {"seconds": draw(SECONDS), "fails": int(fails)}
            return Task(key, tool=wait, inputs=given, retries=retries, **common)
        case "alone":
            return Task(key, tool=alone, inputs={"seconds": draw(SECONDS)}, **common)
        case "quick":
            return Task(key, tool=quick, inputs={"n": 1}, **common)
        case "ask":
            return Task(key, ask=Ask(f"{key}?"), **common)
        case "each" | "asks":
            each = ForEach(
                draw(st.lists(st.integers(0, 1), max_size=4)),
                max_parallel=draw(st.none() | st.integers(1, 3)),
                allow_failures=draw(st.sampled_from(ALLOWED)),
            )
            if sort == "asks":
                return Task(key, each, ask=Ask("${item}?"), **common)
            return Task(key, each, tool=wait, inputs={"seconds": draw(SECONDS), "fails": "${item}"}, **common)
        case _:
            return Task(key, plan=draw(plans(depth + 1)), **common)


@st.composite
def plans(draw: st.DrawFn, depth: int = 0) -> Plan:
    """Return a plan."""
    made: list[Task] = []
    for n in range(draw(st.integers(1, 6 if depth == 0 else 3))):
        made.append(draw(tasks(f"t{n}", [task.key for task in made], depth)))
    return Plan(
        made,
        name=f"plan{depth}",
        max_parallel=draw(st.none() | st.integers(1, 3)),
        on_failure=draw(st.sampled_from(["stop", "continue"])),
    )


@attrs.frozen
class Doing:
    """What happens to a tree from outside."""

    pauses: list[float]
    """Seconds before each answer."""
    rejects: list[bool]
    reverse: bool
    cancel: float | None
    stops: list[float]
    """Seconds after which the runtime is closed, and another one goes on."""
    slow: bool


doings = st.builds(
    Doing,
    pauses=st.lists(SECONDS, min_size=1, max_size=4),
    rejects=st.lists(st.integers(0, 7).map(lambda n: n == 0), min_size=1, max_size=5),
    reverse=st.booleans(),
    cancel=st.none() | st.sampled_from([0.0, 0.5, 1.0, 2.5]),
    stops=st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 3.0]), max_size=3),
    slow=st.booleans(),
)


async def _answer_for_ever(runtime: Any, root_id: str, doing: Doing) -> None:
    """Answer one open question after another, without waiting for the tree to come to rest."""
    n = 0
    while True:
        await trio.sleep(0.25 + doing.pauses[n % len(doing.pauses)])
        open_ = await runtime.requests(root_id) if root_id in runtime.trees else []
        if open_:
            request = open_[-1 if doing.reverse else 0]
            reject = doing.rejects[n % len(doing.rejects)]
            await runtime.answer(request.id, Answer.reject("no") if reject else Answer.of("yes"))
            n += 1


async def _live(runtime: Any, turn: Any, doing: Doing) -> TurnResult:
    """See a tree to its end."""
    result: TurnResult
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_answer_for_ever, runtime, turn.turn_id, doing)
        if doing.cancel is not None:
            await trio.sleep(doing.cancel)
            result = await turn.cancel("random")
        else:
            result = await turn.result()
            while not result.status.terminal:
                await trio.sleep(0.125)
                result = await turn.result()
        nursery.cancel_scope.cancel()
    return result


async def _run(plan: Plan, doing: Doing) -> None:
    journal: Any = SlowJournal() if doing.slow else MemoryJournal()
    root_id = None
    for stop in doing.stops:
        with trio.move_on_after(stop):
            async with opened(journal, definitions=[plan]) as runtime:
                turn = await (runtime.start(plan) if root_id is None else runtime.resume(root_id))
                root_id = turn.turn_id
                await _live(runtime, turn, attrs.evolve(doing, cancel=None))
    async with opened(journal, definitions=[plan]) as runtime:
        turn = await (runtime.start(plan) if root_id is None else runtime.resume(root_id))
        result = await _live(runtime, turn, doing)
        assert result.status in (Status.COMPLETED, Status.FAILED, Status.CANCELLED)
        assert not runtime.trees
        assert free(runtime)
        facts = await facts_of(runtime, turn.turn_id)
        note(f"{len(facts)} facts, {result.status}")


async def _bounded(plan: Plan, doing: Doing) -> None:
    with trio.fail_after(300):
        await _run(plan, doing)


@given(plans(), doings)
def test_every_random_tree_ends_well(plan: Plan, doing: Doing) -> None:
    """Whatever the plan and whatever happens to it, it ends, and its history keeps the rules at every batch."""
    with watching():
        trio.run(_bounded, plan, doing, clock=MockClock(autojump_threshold=0))
