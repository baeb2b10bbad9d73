"""What holds for every plan in every order."""

import os
from random import Random
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from planner import Ask, ForEach, Plan, Retry, Task
from runtime import Answer, Request, TurnResult, open_runtime
from runtime.core.grammar import check_grammar
from runtime.testing import Driven, DrivenTurn, drive
from runtime.values.status import Status
from tests.planner.engine.kit import WORKER, double, run, task
from tests.planner.engine.plans import INPUTS, answer, plans
from tests.runtime.core.hand import portrait

pytestmark = pytest.mark.slow

RNG = st.integers(0, 9999).map(Random)
SCHEDULES = 1000 if os.environ.get("TURNTREE_PROPERTIES") == "large" else 40
SETTLED = {"COMPLETED", "FAILED", "SKIPPED", "CANCELLED"}

EACH = ForEach("inputs.items", key="item", max_parallel=2, allow_failures=1)
INNER = Plan([task("a", "${inputs.w}"), Task("b", ask=Ask("${tasks.a.output}?"))])
RICH = Plan(
    [
        task("first", "x"),
        Task("each", EACH, tool=double, inputs={"n": "${item}"}),
        Task("gate", ask=Ask("Use ${tasks.each.output}?")),
        task("flaky", "${tasks.first.output}y", failures=2, retries=Retry(2, 5.0)),
        task("lost", failures=9, retries=1),
        task("skipped", "${tasks.lost.output}"),
        Task("sub", plan=INNER, inputs={"w": "${tasks.flaky.output}"}),
        Task("many", ForEach(["1 server p", "0 server q"]), agent=WORKER, prompt="${item}", retries=1, needs=["gate"]),
        task("unless", when="not inputs.go"),
    ],
    on_failure="continue",
    max_parallel=4,
)  # fmt: skip


def outcome(what: Driven | TurnResult) -> tuple[Any, ...]:
    """What must not depend on the order: the result, and how each task and item stands."""
    usage = what.root.state.usage if isinstance(what, Driven) else what.usage
    tasks = {
        key: (task.status, task.output, task.reason, [(item.key, item.status, item.output) for item in task.items])
        for key, task in what.tasks.items()
    }
    return what.status, what.output, usage, tasks


def under_trio(plan: Plan) -> TurnResult:
    """Run a plan under the real runtime, in virtual time."""

    async def say(request: Request) -> Answer:
        return answer(request)

    async def main() -> TurnResult:
        async with open_runtime() as runtime:
            return await runtime.run(plan, INPUTS, on_request=say)

    return trio.run(main, clock=MockClock(autojump_threshold=0))


def compare(driven: Driven, turn: DrivenTurn) -> None:
    """Hold the live fold of a Turn against the one that its facts give."""
    assert portrait(turn.machine, driven.refold(turn.turn_id)) == portrait(turn.machine, turn.state)


@given(plans(), RNG)
def test_facts_rebuild_the_state_after_every_batch(plan: Plan, rng: Random) -> None:
    """Tasks, wants, open commands, requests, usage and status follow from the facts alone, whenever one looks."""
    drive(plan, INPUTS, rng=rng, answers=answer, watch=compare)


@given(plans(), RNG, st.integers(0, 40), st.booleans())
def test_every_history_keeps_the_grammar(plan: Plan, rng: Random, after: int, answered: bool) -> None:
    """Ended by itself, cancelled anywhere, waiting, or cut at any batch: what was recorded is valid."""
    driven = drive(plan, INPUTS, rng=rng, answers=answer if answered else None, cancel_after=after)
    for cut in driven.batches[:-1]:
        check_grammar(driven.facts[:cut], ended=False)
    check_grammar(driven.facts, ended=driven.status.terminal)
    assert driven.status.terminal or driven.status is Status.WAITING_FOR_CHILD


@given(plans(), RNG)
def test_every_task_is_settled_when_a_plan_ends(plan: Plan, rng: Random) -> None:
    """No order leaves a task, an item, a child, a request or a sleep behind."""
    driven = drive(plan, INPUTS, rng=rng, answers=answer)
    assert driven.status.terminal
    for result in driven.tasks.values():
        assert result.status in SETTLED
        assert {item.status for item in result.items} <= SETTLED
    assert all(turn.state.ending is not None and not turn.state.open for turn in driven.turns.values())


@given(plans(steady=True), RNG, RNG)
def test_the_order_makes_no_difference(plan: Plan, one: Random, other: Random) -> None:
    """Where no failure stops anything, every order gives the same result, and so does the real runtime."""
    first = outcome(drive(plan, INPUTS, rng=one, answers=answer))
    assert first == outcome(drive(plan, INPUTS, rng=other, answers=answer))
    assert first == outcome(under_trio(plan))


def test_many_schedules_give_the_result_that_trio_gives() -> None:
    """A plan with everything in it ends the same under many random schedules as under the real runtime."""
    expected = outcome(under_trio(RICH))
    for seed in range(SCHEDULES):
        assert outcome(run(RICH, INPUTS, seed, answers=answer)) == expected, f"seed {seed}"
