"""Tasks that run once for each item of a list."""

from typing import Any

import pytest

from planner import Ask, ForEach, Plan, Retry, Task
from planner.engine import TaskSkipped, TaskStarted
from runtime import Answer, TaskResult
from runtime.testing import Driven
from runtime.values.status import Status
from tests.planner.engine.kit import WORKER, double, run, started, statuses, types

SEEDS = pytest.mark.parametrize("seed", range(6))


def doubles(over: Any = "inputs.items", **options: Any) -> Plan:
    """A plan that doubles each item; the options are those of `for_each` and of the task."""
    each = {name: options.pop(name) for name in ("key", "max_parallel", "allow_failures") if name in options}
    return Plan([Task("x", ForEach(over, **each), tool=double, inputs={"n": "${item}"}, **options)])


def of(driven: Driven) -> TaskResult:
    """How the task stands."""
    task: TaskResult = driven.tasks["x"]
    return task


def items(driven: Driven) -> list[tuple[str, str, Any]]:
    """Key, status and output of each item."""
    return [(item.key, item.status, item.output) for item in of(driven).items]


@SEEDS
def test_outputs_are_in_the_order_of_the_items(seed: int) -> None:
    """Whatever ends first, the output is a list in item order."""
    driven = run(doubles(), {"items": [1, 2, 3]}, seed)
    assert driven.output == [2, 4, 6]
    assert items(driven) == [("0", "COMPLETED", 2), ("1", "COMPLETED", 4), ("2", "COMPLETED", 6)]
    assert sorted(started(driven)) == ["x[0]", "x[1]", "x[2]"]


def test_a_list_may_be_written_down() -> None:
    """The items may stand in the plan itself."""
    assert run(doubles([4, 5])).output == [8, 10]


def test_an_empty_list_is_done_at_once() -> None:
    """No child is started."""
    driven = run(doubles(), {"items": []})
    assert (driven.output, started(driven)) == ([], [])
    assert types(driven, "TASK") == ["TASK_STARTED", "TASK_COMPLETED"]


@pytest.mark.parametrize("value", ["text", 3, {"a": 1}, None])
def test_only_a_list_has_items(value: Any) -> None:
    """Anything else fails the task with the type in words."""
    driven = run(doubles(), {"items": value})
    assert of(driven).status == "FAILED"
    error = of(driven).error
    assert error is not None
    assert "not a list" in error.message


def test_an_expression_that_cannot_be_evaluated_fails_the_task() -> None:
    """The failure says that `for_each` is meant."""
    error = of(run(doubles("inputs.items + 1"), {"items": "x"})).error
    assert error is not None
    assert error.message.startswith("for_each: ")


# ------------------------------------------------------------------------------------------------ keys


@pytest.mark.parametrize(
    ("key", "given", "names"),
    [
        ("item.url", [{"url": "a.org", "n": 1}, {"url": "b.org", "n": 2}], ["a.org", "b.org"]),
        ("item.n", [{"n": 1}, {"n": 2}], ["1", "2"]),
        ("item", [{"n": 1}], ['{"n": 1}']),
        ("index * 10", [{"n": 1}, {"n": 2}], ["0", "10"]),
    ],
)
def test_keys_name_the_children(key: str, given: list[Any], names: list[str]) -> None:
    """A key is a text, or JSON where it is none; the child is called after it."""
    plan = Plan([Task("x", ForEach("inputs.items", key=key), tool=double, inputs={"n": "${item.n}"})])
    driven = run(plan, {"items": given})
    assert [item.key for item in of(driven).items] == names
    assert sorted(started(driven)) == sorted([f"x[{name}]" for name in names])


def test_two_equal_keys_fail_the_task_before_anything_runs() -> None:
    """The failure names the key and what to change."""
    driven = run(doubles(key="item"), {"items": ["a", "b", "a"]})
    error = of(driven).error
    assert error is not None
    assert error.message == "two items of x have the key 'a'"
    assert started(driven) == []


# ------------------------------------------------------------------------------------------------ places


def test_max_parallel_bounds_the_items() -> None:
    """No more items run at a time than the task has places; the places are the task's own."""
    most = 0

    def watch(driven: Driven, turn: object) -> None:
        nonlocal most
        most = max(most, len(driven.root.state.attached))

    for seed in range(5):
        assert run(doubles(max_parallel=2), {"items": [1, 2, 3, 4, 5]}, seed, watch=watch).output == [2, 4, 6, 8, 10]
    assert most == 2


# ------------------------------------------------------------------------------------------------ failures


@pytest.mark.parametrize(
    ("allow", "bad", "status"),
    [
        (0, 0, "COMPLETED"), (0, 1, "FAILED"), (1, 1, "COMPLETED"), (1, 2, "FAILED"),
        ("50%", 2, "COMPLETED"), ("50%", 3, "FAILED"), ("40%", 2, "FAILED"), ("all", 4, "COMPLETED"),
    ],
)  # fmt: skip
def test_so_many_items_may_fail(allow: int | str, bad: int, status: str) -> None:
    """A number, a share of the list (rounded down), or all."""
    given = [-1] * bad + [1] * (4 - bad)
    for seed in range(3):
        driven = run(doubles(allow_failures=allow), {"items": given}, seed)
        assert of(driven).status == status
    if status == "COMPLETED":
        assert driven.output == [None] * bad + [2] * (4 - bad)


def test_a_failed_item_keeps_its_failure() -> None:
    """The item says why; the list goes on."""
    driven = run(doubles(allow_failures=1), {"items": [1, -1]})
    good, bad = of(driven).items
    assert (good.error, bad.status, bad.item) == (None, "FAILED", -1)
    assert bad.error is not None
    assert bad.error.message == "-1 is negative"


@SEEDS
def test_too_many_failures_give_the_list_up(seed: int) -> None:
    """Items that run are cancelled, items that wait are skipped, and the task fails once all are settled."""
    driven = run(doubles(max_parallel=2, allow_failures=1), {"items": [-1, 1, -2, 2, 3, 4]}, seed)
    error = of(driven).error
    assert error is not None
    assert error.kind == "tool_error"
    assert "2 of 6 items failed, and 1 may; x[" in error.message
    assert {item.status for item in of(driven).items} <= {"FAILED", "COMPLETED", "CANCELLED", "SKIPPED"}
    assert types(driven, "TASK_FAILED", "PLAN_COMPLETED")[-2:] == ["TASK_FAILED", "PLAN_COMPLETED"]
    reasons = {fact.data.reason for fact in driven.facts if isinstance(fact.data, TaskSkipped)}
    assert reasons <= {"too many items failed"}


@SEEDS
def test_giving_up_ends_retries_too(seed: int) -> None:
    """An item that sleeps before its next attempt is cancelled when the list is given up."""
    each = ForEach(["9 server x", "1 transport y", "0 k z"], allow_failures=0)
    prompt = Task("x", each, agent=WORKER, prompt="${item}", retries=Retry(3, 60.0, only=frozenset({"transport"})))
    driven = run(Plan([prompt]), seed=seed)
    assert of(driven).status == "FAILED"
    assert of(driven).items[0].status == "FAILED"


@SEEDS
def test_giving_up_closes_questions_of_items(seed: int) -> None:
    """An item that waits for a person is closed with the rest."""
    plan = Plan(
        [
            Task("x", ForEach(["a", "b"]), ask=Ask("${item}?")),
            Task("late", ForEach([-1]), tool=double, inputs={"n": "${item}"}),
        ]
    )
    driven = run(plan, seed=seed)
    assert driven.status is Status.FAILED
    assert not driven.root.state.parked


def test_a_rejected_item_gives_up_the_others() -> None:
    """One person's no closes the questions that are still open."""
    plan = Plan([Task("x", ForEach(["a", "b", "c"], key="item"), ask=Ask("${item}?"))], on_failure="continue")

    def answer(request: Any) -> Answer | None:
        return Answer.reject("no") if request.path == ("x[b]",) else None

    for seed in range(8):
        driven = run(plan, seed=seed, answers=answer)
        assert statuses(driven) == {"x": "FAILED"}
        assert [item.status for item in of(driven).items] == ["CANCELLED", "FAILED", "CANCELLED"]


# ------------------------------------------------------------------------------------------------ when


def test_when_is_asked_for_each_item() -> None:
    """A condition that names the item leaves out those that it does not hold for; their output is null."""
    driven = run(doubles(when="item > 1"), {"items": [1, 2, 3]})
    assert driven.output == [None, 4, 6]
    assert [status for _, status, _ in items(driven)] == ["SKIPPED", "COMPLETED", "COMPLETED"]


def test_all_items_may_be_left_out() -> None:
    """The task is then done, with a list of nulls."""
    driven = run(doubles(when="index > 9"), {"items": [1, 2]})
    assert (of(driven).status, driven.output) == ("COMPLETED", [None, None])


def test_when_without_the_item_is_asked_once() -> None:
    """A condition about something else skips the task as a whole."""
    driven = run(doubles(when="inputs.go"), {"items": [1, 2], "go": False})
    assert (of(driven).status, types(driven, "TASK")) == ("SKIPPED", ["TASK_SKIPPED"])


def test_a_condition_that_fails_for_an_item_fails_the_item() -> None:
    """The others go on, as far as failures are allowed."""
    driven = run(doubles(when="item > 1", allow_failures=1), {"items": ["one", 2]})
    assert [status for _, status, _ in items(driven)] == ["FAILED", "COMPLETED"]


def test_each_item_is_settled_once() -> None:
    """A list that is given up by its first item's condition says one thing about each of the others."""
    driven = run(doubles(when="item > 1"), {"items": ["one", 0, 2, "two"]})
    assert of(driven).status == "FAILED"
    assert [status for _, status, _ in items(driven)] == ["FAILED", "SKIPPED", "SKIPPED", "SKIPPED"]


def test_an_input_that_cannot_be_made_fails_the_item() -> None:
    """An item whose arguments cannot be worked out has no child."""
    plan = Plan([Task("x", ForEach(["a", 2], allow_failures=1), tool=double, inputs={"n": "${item * 2 + 1}"})])
    driven = run(plan)
    assert [status for _, status, _ in items(driven)] == ["FAILED", "COMPLETED"]
    assert started(driven) == ["x[1]"]


def test_items_are_kept_with_the_start() -> None:
    """TASK_STARTED of the list holds items and keys, so that a history needs no expression to be read."""
    driven = run(doubles(key="item"), {"items": [7]})
    first = next(fact.data for fact in driven.facts if isinstance(fact.data, TaskStarted))
    assert (first.n, list(first.items), first.item_keys) == (None, [7], ("7",))


def test_other_tasks_see_items() -> None:
    """`tasks.x.items` holds key, item, status, output and error of each."""
    plan = Plan(
        [
            Task("x", ForEach([1, -1], allow_failures="all"), tool=double, inputs={"n": "${item}"}),
            Task("y", agent=WORKER, prompt="0 k ${tasks.x.items}"),
        ]
    )
    text = run(plan).output
    assert '"key":"0","item":1' in text.replace(" ", "")
    assert '"message":"-1isnegative"' in text.replace(" ", "")
