"""The kind `plan`: what is checked before a run, what makes a plan another one, and what it refuses."""

from typing import Any

import attrs
import pytest

from planner import Ask, ForEach, Plan, PlanInvalid, Retry, Task
from planner.engine.events import PAYLOADS
from planner.engine.kind import PLAN
from runtime import Agent, UsageError
from runtime.core.kinds import find
from runtime.errors import IllegalSignal
from runtime.testing import FunctionModel, say
from runtime.tools.function import tool
from runtime.values import signals as s
from runtime.values.status import Status
from tests.planner.engine.kit import WORKER, double, run, started, statuses, task
from tests.runtime.core.hand import Hand


def test_the_kind_brings_its_events() -> None:
    """Whoever imports the planner can read and run plans."""
    assert find("plan") is PLAN
    assert PLAN.payloads == PAYLOADS


def test_a_plan_with_faults_does_not_start() -> None:
    """All faults are named before anything is recorded."""
    with pytest.raises(PlanInvalid, match="b"):
        run(Plan([task("a", needs=["b"]), task("a")]))


def test_arguments_that_do_not_fit_are_refused_before_the_first_task() -> None:
    """A program's tools are held against their signatures as a scenario's are, in nested plans too."""
    inner = Plan([Task("b", tool=double, inputs={"m": 1})], name="inner")
    with pytest.raises(PlanInvalid) as caught:
        PLAN.accept(Plan([Task("a", tool=double, inputs={"n": "x"}), Task("sub", plan=inner)]), {})
    assert [fault.path for fault in caught.value.faults] == [
        ("tasks", "a", "with", "n"),
        ("tasks", "sub", "plan", "tasks", "b", "with", "m"),
        ("tasks", "sub", "plan", "tasks", "b", "with"),
    ]
    assert 'tasks.a.with.n: tool `double`: `n` must be an integer, not "x"' in str(caught.value)


def test_what_is_no_tool_is_refused_with_its_task() -> None:
    """Anything may stand for a tool in a program that nobody type-checked."""
    with pytest.raises(PlanInvalid, match=r"tasks\.a\.tool: 5 is no tool; give a typed function"):
        PLAN.accept(Plan([Task("a", tool=5)]), {})  # type: ignore[arg-type]


def test_a_plan_is_ready_once_it_was_checked() -> None:
    """A resumed plan is held against its tools too, and a plan that runs often is checked once."""
    plan = Plan([Task("a", tool=double, inputs={"n": 1})])
    PLAN.prepare(plan)
    assert PLAN.accept(plan, None) == {}
    with pytest.raises(PlanInvalid):
        PLAN.prepare(Plan([Task("a", tool=double)]))


def test_inputs_that_do_not_fit_are_refused() -> None:
    """The error says which input of which plan, and what is wrong with it."""
    plan = Plan([task("a")], name="brief", inputs={"topic": "string"})
    with pytest.raises(UsageError, match=r"inputs of plan 'brief'.*topic"):
        run(plan, {})


def test_missing_inputs_are_an_empty_object() -> None:
    """A plan that declares nothing takes nothing, or anything."""
    assert run(Plan([task("a")])).facts[0].data.input == {}  # type: ignore[attr-defined]
    assert run(Plan([task("a", "${inputs.free}")]), {"free": "x"}).output == "x"


BASE = Plan([Task("a", ForEach([1]), tool=double, inputs={"n": "${item}"}), Task("b", ask=Ask("ok?")), task("c")])


@pytest.mark.parametrize(
    "other",
    [
        attrs.evolve(BASE, name="other"),
        attrs.evolve(BASE, max_parallel=3),
        attrs.evolve(BASE, on_failure="continue"),
        attrs.evolve(BASE, output="${tasks.c.output}"),
        Plan([*BASE.tasks, task("d")]),
        Plan([attrs.evolve(BASE.tasks[0], for_each=ForEach([2])), *BASE.tasks[1:]]),
        Plan([BASE.tasks[0], attrs.evolve(BASE.tasks[1], ask=Ask("no?")), BASE.tasks[2]]),
        Plan([*BASE.tasks[:2], attrs.evolve(BASE.tasks[2], retries=Retry(1))]),
        Plan([*BASE.tasks[:2], attrs.evolve(BASE.tasks[2], agent=attrs.evolve(WORKER, instructions="Be brief."))]),
    ],
)
def test_a_plan_that_behaves_otherwise_has_another_text(other: Plan) -> None:
    """The stored text tells whether a tree may be resumed with the plan at hand."""
    assert PLAN.describe(BASE) == PLAN.describe(attrs.evolve(BASE))
    assert PLAN.describe(BASE) != PLAN.describe(other)


def test_a_nested_plan_is_part_of_the_text() -> None:
    """A change deep inside changes the whole."""
    above = [Plan([Task("sub", plan=Plan([task("a", text)]))]) for text in ("x", "y")]
    assert PLAN.describe(above[0]) != PLAN.describe(above[1])


# ------------------------------------------------------------------------------------------------ places, inputs


def test_an_agent_may_bound_its_tasks() -> None:
    """Tasks of an agent with `max_concurrent` share its places; others do not wait for them."""
    shy = attrs.evolve(WORKER, max_concurrent=1)
    plan = Plan([Task(f"t{n}", agent=shy, prompt="0 k x") for n in range(3)] + [task("free")])
    most = 0

    def watch(driven: Any, turn: Any) -> None:
        nonlocal most
        most = max(most, sum(command.key != "free" for command in driven.root.state.attached.values()))

    for seed in range(4):
        assert run(plan, seed=seed, watch=watch).status is Status.COMPLETED
    assert most == 1


def test_two_tasks_may_use_one_tool() -> None:
    """They share the tool's places and its definition."""
    bounded = tool(max_concurrent=1, replay="safe")(double.function)
    plan = Plan([Task(f"t{n}", tool=bounded, inputs={"n": n}) for n in range(3)])
    assert run(plan).output == {"t0": 0, "t1": 2, "t2": 4}


@pytest.mark.parametrize(("value", "kind"), [("${1e308 * 10}", "expression"), (object(), "unserialisable")])
def test_an_input_that_cannot_be_kept_fails_the_task(value: object, kind: str) -> None:
    """A number or an object that JSON cannot hold never reaches a child."""
    driven = run(Plan([Task("a", tool=double, inputs={"n": value})]))
    assert (statuses(driven), started(driven)) == ({"a": "FAILED"}, [])
    assert driven.root.state.error.kind == kind


# ------------------------------------------------------------------------------------------------ signals


@pytest.mark.parametrize("key", ["0.3", "0.4", "0.9", "1.2", "2.1", "3.1", "0.3.2", "x", "0", ""])
def test_only_what_is_wanted_can_be_granted(key: str) -> None:
    """A task that waits for another one, an item that runs, and names of nothing are refused."""
    plan = Plan(
        [Task("each", ForEach([1, 2]), tool=double, inputs={"n": "${item}"}), task("a"), task("b", needs=["a"])]
    )
    hand = Hand(plan)
    hand.signal(s.Start({}))
    before = len(hand.facts)
    with pytest.raises(IllegalSignal):
        hand.signal(s.Granted(key))
    assert len(hand.facts) == before
    hand.check()


def test_nothing_starts_once_a_plan_stops() -> None:
    """After a failure that stops the plan, not even what was ready is granted."""
    hand = Hand(Plan([task("bad"), task("slow"), task("c", needs=["slow"])]))
    hand.signal(s.Start({}))
    assert hand.signal(hand.came(1, Status.FAILED)) == ["CHILD_ENDED", "TASK_FAILED"]
    assert hand.state.dropped == {2}
    with pytest.raises(IllegalSignal):
        hand.signal(s.Granted("0.3"))
    assert hand.signal(hand.came(2, Status.CANCELLED)) == [
        "CHILD_ENDED", "TASK_CANCELLED", "TASK_SKIPPED", "PLAN_COMPLETED", "TURN_FAILED",
    ]  # fmt: skip


def test_a_parked_child_ends_only_if_it_is_not_needed() -> None:
    """The ending of a child that waits is news only after the plan let go of it."""
    hand = Hand(Plan([Task("gate", ask=Ask("ok?")), task("bad")]))
    hand.signal(s.Start({}))
    hand.signal(s.ChildParked(1, (":0.1.1",)))
    with pytest.raises(IllegalSignal):
        hand.signal(hand.came(1, Status.CANCELLED))
    hand.signal(hand.came(2, Status.FAILED))
    assert hand.signal(hand.came(1, Status.CANCELLED))[:2] == ["CHILD_ENDED", "TASK_CANCELLED"]


def test_a_child_that_finished_after_all_counts() -> None:
    """A child that completed before its cancel reached it is done, not cancelled."""
    hand = Hand(Plan([task("bad"), task("quick")]))
    hand.signal(s.Start({}))
    hand.signal(hand.came(1, Status.FAILED))
    assert hand.signal(hand.came(2, output="x"))[:2] == ["CHILD_ENDED", "TASK_COMPLETED"]


def test_an_agent_that_cannot_run_is_refused_with_its_plan() -> None:
    """Nothing starts before every agent of the plan, nested ones too, was found right."""
    wrong = Agent("clerk", model=FunctionModel(lambda request: say("x")), output={"type": "objec"})
    inner = Plan([Task("deep", agent=wrong, prompt="go")], name="inner")
    with pytest.raises(UsageError, match="output of agent 'clerk'"):
        PLAN.accept(Plan([Task("outer", plan=inner)]), {})
