"""Plan Turns: what starts when, and what a failure does to the rest."""

import attrs
import pytest

from planner import Ask, Plan, Task
from planner.engine import TaskFailed, TaskSkipped
from planner.plan.values import OnFailure
from runtime import Answer, Request
from runtime.testing import Driven
from runtime.values import events as e
from runtime.values.status import Status
from runtime.values.usage import Usage
from tests.planner.engine.kit import WORKER, double, run, started, statuses, task, types

SEEDS = pytest.mark.parametrize("seed", range(6))


@SEEDS
def test_a_reference_is_a_need(seed: int) -> None:
    """A task starts when the tasks that it refers to are settled, and gets what they brought."""
    plan = Plan([task("last", "${tasks.a.output}-${tasks.b.output}"), task("a", "x"), task("b", "y")])
    driven = run(plan, seed=seed)
    assert started(driven)[-1] == "last"
    assert driven.output == "x-y"


def test_needs_order_without_data() -> None:
    """`needs` waits for a task and uses nothing of it."""
    driven = run(Plan([task("b", needs=["a"]), task("a")]))
    assert started(driven) == ["a", "b"]


def test_the_longest_remaining_path_goes_first() -> None:
    """With one place, tasks start in the order of what is left to do after them, then in the plan's order."""
    plan = Plan(
        [
            task("short", estimate=1), task("other", estimate=1), task("long", estimate=5),
            task("root", estimate=1), task("after", estimate=9, needs=["root"]),
        ],
        max_parallel=1,
    )  # fmt: skip
    assert started(run(plan)) == ["root", "after", "long", "short", "other"]


def test_max_parallel_bounds_the_plan() -> None:
    """No more children are open than the plan has places, whatever the order."""
    open_children: list[int] = []
    plan = Plan([task(f"t{n}") for n in range(6)], max_parallel=2)
    for seed in range(5):
        run(plan, seed=seed, watch=lambda driven, turn: open_children.append(len(driven.root.state.attached)))
    assert max(open_children) == 2


@pytest.mark.parametrize(("flag", "status", "output"), [(True, "COMPLETED", "a"), (False, "SKIPPED", None)])
def test_when_decides_whether_a_task_runs(flag: bool, status: str, output: str | None) -> None:
    """A task whose condition is false is skipped, with the condition as the reason; its output is null."""
    plan = Plan(
        [task("a", "a", when="inputs.go"), task("b", "${tasks.a.output}")],
        inputs={"go": "boolean"}, output="${tasks.a.output}",
    )  # fmt: skip
    driven = run(plan, {"go": flag})
    assert statuses(driven) == {"a": status, "b": "COMPLETED"}
    assert driven.output == output
    assert driven.tasks["a"].reason == (None if flag else "when: inputs.go")


def test_a_condition_that_cannot_be_evaluated_fails_its_task() -> None:
    """The failure says where it is; the plan stops as for any failure."""
    driven = run(Plan([task("a", when="inputs.n > 1")]), {"n": "one"})
    assert driven.tasks["a"].error is not None
    assert driven.tasks["a"].error.kind == "expression"
    assert driven.tasks["a"].error.message.startswith("when: ")
    assert driven.status is Status.FAILED


def test_a_prompt_that_cannot_be_evaluated_fails_its_task() -> None:
    """A task whose input cannot be made has no child."""
    driven = run(Plan([Task("a", tool=double, inputs={"n": "${inputs.n + 1}"}), task("b", needs=["a"])]), {"n": "one"})
    assert started(driven) == []
    assert statuses(driven) == {"a": "FAILED", "b": "SKIPPED"}


# ------------------------------------------------------------------------------------------------ failure


@SEEDS
def test_a_failure_stops_the_plan(seed: int) -> None:
    """What runs is cancelled, what waits is skipped, and the plan fails with the task's failure."""
    plan = Plan([task("bad", failures=9), task("slow"), task("after", needs=["slow"]), task("never", needs=["bad"])])
    driven = run(plan, seed=seed)
    error = driven.root.state.error
    assert (driven.status, error.kind, error.where) == (Status.FAILED, "transport", "bad")
    assert error.message == "task bad failed: attempt 1 fails"
    stand = statuses(driven)
    assert stand["bad"] == "FAILED"
    assert stand["slow"] in ("COMPLETED", "CANCELLED")
    assert stand["never"] == "SKIPPED"
    assert driven.tasks["never"].reason == "the plan stopped"


def test_the_counts_of_a_stopped_plan_are_right() -> None:
    """PLAN_COMPLETED counts what was skipped because of the stop."""
    driven = run(Plan([task("bad", failures=9), task("a", needs=["bad"]), task("b", needs=["bad"])]))
    (done,) = [fact.data for fact in driven.facts if fact.type == "PLAN_COMPLETED"]
    assert (getattr(done, "failed", None), getattr(done, "skipped", None)) == (1, 2)


@SEEDS
def test_independent_tasks_go_on_after_a_failure(seed: int) -> None:
    """With `continue` only what needs the failed task is skipped, and the reason names the need."""
    plan = Plan(
        [
            task("bad", failures=9), task("blocked", needs=["bad"]), task("further", needs=["blocked"]),
            task("free"), task("after", needs=["free"]),
        ],
        on_failure="continue",
    )  # fmt: skip
    driven = run(plan, seed=seed)
    assert statuses(driven) == {
        "bad": "FAILED", "blocked": "SKIPPED", "further": "SKIPPED", "free": "COMPLETED", "after": "COMPLETED",
    }  # fmt: skip
    reasons = {key: result.reason for key, result in driven.tasks.items() if result.reason}
    assert reasons == {"blocked": "needs bad, which failed", "further": "needs blocked, which was skipped"}
    skipped = [fact.data for fact in driven.facts if isinstance(fact.data, TaskSkipped)]
    assert [event.cause for event in skipped] == ["bad", "blocked"]
    assert driven.status is Status.FAILED
    assert driven.root.state.error.message == "1 of 5 tasks failed: bad; bad: attempt 1 fails"


def test_a_skipped_task_skips_nobody_else() -> None:
    """A task that `when` left out does not keep from running what needs it."""
    plan = Plan([task("a", when="false"), task("b", needs=["a"]), task("bad", failures=9)], on_failure="continue")
    assert statuses(run(plan)) == {"a": "SKIPPED", "b": "COMPLETED", "bad": "FAILED"}


@pytest.mark.parametrize(("own", "of_plan"), [("continue", "stop"), ("stop", "continue")])
def test_a_task_may_say_itself_what_its_failure_does(own: OnFailure, of_plan: OnFailure) -> None:
    """`on_failure` of a task counts more than the plan's."""
    plan = Plan(
        [task("bad", failures=9, on_failure=own), task("b", needs=["a"]), task("a")], on_failure=of_plan, max_parallel=1
    )
    assert statuses(run(plan))["b"] == ("COMPLETED" if own == "continue" else "SKIPPED")


@SEEDS
def test_a_stop_closes_a_question_that_waits(seed: int) -> None:
    """A child that waits for a person is closed when the plan fails; nobody is asked any more."""
    plan = Plan([Task("ask", ask=Ask("Go?")), task("first"), task("bad", failures=9, needs=["first"])])
    driven = run(plan, seed=seed)
    assert driven.status is Status.FAILED
    assert statuses(driven)["ask"] in ("CANCELLED", "SKIPPED")
    assert not any(turn.state.requests for turn in driven.turns.values())


# ------------------------------------------------------------------------------------------------ questions, closing


def test_an_answer_is_the_output_of_the_task() -> None:
    """The question shows what it was told to show, and its answer is used like any output."""
    seen: list[object] = []

    def answer(request: Request) -> Answer:
        seen.append((request.message, request.show))
        return Answer.form({"go": True})

    plan = Plan(
        [
            task("a", "x"),
            Task("gate", ask=Ask("Use ${tasks.a.output}?", {"n": "${tasks.a.output}"}, form={"go": "boolean"})),
            task("b", "yes", when="tasks.gate.output.go"),
        ],
        output="${tasks.b.output}",
    )
    driven = run(plan, answers=answer)
    assert driven.output == "yes"
    assert set(map(str, seen)) == {"('Use x?', {'n': 'x'})"}


def test_a_rejection_fails_the_task() -> None:
    """A person's no is a failure of kind `rejected`."""
    driven = run(Plan([Task("gate", ask=Ask("Go?"))]), answers={"gate": Answer.reject("too dear")})
    assert driven.root.state.error.kind == "rejected"


@SEEDS
def test_a_plan_waits_only_when_nothing_else_is_left(seed: int) -> None:
    """Independent tasks finish while a question is open; then the plan suspends and names the question."""
    driven = run(Plan([Task("gate", ask=Ask("Go?")), task("a"), task("b", needs=["a"])]), seed=seed)
    assert statuses(driven) == {"gate": "WAITING", "a": "COMPLETED", "b": "COMPLETED"}
    suspended = driven.facts[-1].data
    assert isinstance(suspended, e.TurnSuspended)
    assert (suspended.message, suspended.request_ids) == ("waits for 1 task", (f"{_n(driven, 'gate')}:0.1.1",))


def _n(driven: Driven, key: str) -> int:
    return next(fact.data.n for fact in driven.facts if isinstance(fact.data, e.ChildStarted) and fact.data.key == key)


@pytest.mark.parametrize("after", range(16))
def test_a_plan_can_be_closed_anywhere(after: int) -> None:
    """Every task is settled by a cancel: done, cancelled, or skipped with the reason."""
    plan = Plan(
        [Task("gate", ask=Ask("Go?")), task("a"), task("b", needs=["a"]), task("c", failures=1, retries=2)],
        max_parallel=3,
    )
    driven = run(plan, cancel_after=after, seed=after)
    if driven.status is Status.WAITING_FOR_CHILD:
        driven.cancel("driven to its end")
    assert driven.status is Status.CANCELLED
    assert set(statuses(driven).values()) <= {"COMPLETED", "CANCELLED", "SKIPPED", "FAILED"}
    reasons = {result.reason for result in driven.tasks.values() if result.status == "SKIPPED"}
    assert reasons <= {"the plan ended: driven to its end"}


# ------------------------------------------------------------------------------------------------ outputs


@pytest.mark.parametrize(
    ("tasks", "output", "expected"),
    [
        ([task("a", "x"), task("b", "${tasks.a.output}y")], None, "xy"),
        ([task("a", "x"), task("b", "y")], None, {"a": "x", "b": "y"}),
        ([task("a", "x"), task("b", "y")], {"both": "${tasks.a.output} ${tasks.b.output}"}, {"both": "x y"}),
        ([task("a", "x"), Task("b", tool=double, inputs={"n": 4})], "${tasks.b.output}", 8),
        ([task("a", "x", when="false")], None, None),
    ],
)
def test_the_output_of_a_plan(tasks: list[Task], output: object, expected: object) -> None:
    """The only leaf's output, else a map of the leaves, else what `output` says."""
    assert run(Plan(tasks, output=output)).output == expected


def test_an_output_that_cannot_be_evaluated_fails_the_plan() -> None:
    """The tasks stay done; the failure says that it is the output's."""
    driven = run(Plan([Task("a", tool=double, inputs={"n": 4})], output="${tasks.a.output.field + 1}"))
    assert statuses(driven) == {"a": "COMPLETED"}
    assert (driven.status, driven.root.state.error.kind) == (Status.FAILED, "expression")
    assert driven.root.state.error.message.startswith("output: ")


def test_a_nested_plan_is_a_child() -> None:
    """It gets its declared inputs with defaults; its output and its usage count for the plan above."""
    inner = Plan(
        [task("x", "${inputs.word}"), task("y", "${tasks.x.output}${inputs.end}")],
        name="inner", inputs={"word": "string", "end": {"type": "string", "default": "!"}},
    )  # fmt: skip
    driven = run(Plan([Task("sub", plan=inner, inputs={"word": "hey"}), task("b", "${tasks.sub.output}")]))
    assert driven.output == "hey!"
    assert driven.root.state.usage == Usage(model_calls=3)
    assert max([len(fact.path) for fact in driven.facts]) == 2


def test_inputs_that_a_nested_plan_cannot_take_fail_the_task() -> None:
    """What the plan above works out is held against what the one below declares, before it begins."""
    inner = Plan([task("x")], name="inner", inputs={"n": "integer"})
    driven = run(Plan([Task("sub", plan=inner, inputs={"n": "${inputs.n}"})]), {"n": "one"})
    error = driven.tasks["sub"].error
    assert error is not None
    assert (error.kind, started(driven)) == ("invalid_input", [])


def test_a_plan_says_what_it_does() -> None:
    """The facts of the smallest plan, in full."""
    assert types(run(Plan([task("a")]))) == [
        "TURN_STARTED", "PLAN_CREATED", "TASK_STARTED", "CHILD_STARTED", "CHILD_ENDED", "TASK_COMPLETED",
        "PLAN_COMPLETED", "TURN_COMPLETED",
    ]  # fmt: skip


def test_an_agent_at_its_limit_fails_its_task() -> None:
    """Endings that are neither done nor failed are failures of the task."""
    stuck = attrs.evolve(WORKER, max_iterations=1, output={"type": "object"}, max_mistakes=9)
    driven = run(Plan([Task("a", agent=stuck, prompt="0 x {}no")]))
    assert driven.tasks["a"].error is not None
    assert driven.tasks["a"].error.kind == "limit"
    (failed,) = [fact.data for fact in driven.facts if isinstance(fact.data, TaskFailed)]
    assert failed.error is None, "why stands in CHILD_ENDED already"
