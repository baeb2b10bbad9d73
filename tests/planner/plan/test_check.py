"""Every fault that a plan can have, with its place and its hint."""

import json
import time
from pathlib import Path
from typing import Any

import attrs
import pytest

from planner.plan import CODES, Ask, ForEach, JsonSchema, Plan, PlanInvalid, Task, check_plan, checked_graph
from tests.planner.plan.cases import CASES, INNER, Case
from tests.planner.plan.plans import agent, lookup, needing, write


def nested(depth: int) -> Plan:
    """A plan in a plan, and so on."""
    plan = Plan([write("a")])
    for _ in range(depth):
        plan = Plan([Task("a", plan=plan)])
    return plan


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}: {case.said}")
def test_fault(case: Case) -> None:
    """The fault is the only one, and says what is wrong, where, and what to write instead."""
    (fault,) = check_plan(Plan(case.tasks, **case.plan))
    found = (fault.code, fault.path, fault.message, fault.hint, fault.offset, fault.in_key)
    assert found == (case.code, case.path, case.said, case.hint, case.offset, case.in_key)


def test_a_plan_cannot_contain_itself() -> None:
    """A plan that runs itself, directly or through others, is refused with the chain of names."""
    inner = Plan([write("x")], name="inner")
    outer = Plan([Task("go", plan=inner)], name="outer")
    object.__setattr__(inner, "tasks", (Task("back", plan=outer),))
    (fault,) = check_plan(outer)
    assert fault.code == "plan-in-itself"
    assert fault.path == ("tasks", "go", "plan", "tasks", "back", "plan")
    assert fault.message == "plan `outer` contains itself: outer -> inner -> outer"


def test_plans_in_plans_have_an_end() -> None:
    """Plans nested absurdly deep are a fault, not a crash."""
    assert check_plan(nested(31)) == []
    assert [fault.code for fault in check_plan(nested(2000))] == ["nested-too-deep"]


def test_every_code_has_a_test() -> None:
    """The published list of codes is exactly what the tests above have seen."""
    assert {case.code for case in CASES} | {"plan-in-itself", "nested-too-deep"} == set(CODES)


def test_values_have_an_end() -> None:
    """A value that contains itself is a fault, not a crash."""
    endless: list[Any] = []
    endless.append(endless)
    (fault,) = check_plan(Plan([Task("a", plan=INNER, inputs={"n": 1, "s": endless})]))
    assert (fault.code, fault.message) == ("bad-value", "this value is nested more than 100 levels deep")


def test_all_faults_come_at_once_in_the_order_of_the_plan() -> None:
    """One check finds everything, from the plan's settings over its tasks to its output."""
    plan = Plan(
        [write("B", needs=["x"]), Task("a"), write("c", "${tasks.d.output}"), write("d", needs=["c"], timeout=-1)],
        max_parallel=0,
        output="${tasks.z.output}",
    )
    codes = [fault.code for fault in check_plan(plan)]
    assert codes == ["bad-value", "bad-name", "unknown-task", "nothing-to-run", "cycle", "bad-value", "unknown-task"]


def test_an_invalid_plan_is_refused_with_every_fault() -> None:
    """PlanInvalid says what, where and what to do, one line a fault, and keeps the faults as values."""
    with pytest.raises(PlanInvalid) as caught:
        checked_graph(Plan([write("a", "${tasks.b.output}"), Task("c")], name="brief"))
    assert str(caught.value).splitlines() == [
        "plan 'brief' has 2 faults:",
        "  tasks.a.prompt: there is no task `b`; there is `c`",
        "  tasks.c: this task runs nothing; give it one of `agent`, `tool`, `plan`, `ask`",
    ]
    assert [fault.code for fault in caught.value.faults] == ["unknown-task", "nothing-to-run"]
    with pytest.raises(PlanInvalid, match="has 1 fault:"):
        checked_graph(Plan([Task("c")]))


def test_a_plan_used_twice_is_checked_once() -> None:
    """The faults of a nested plan come under the first task that runs it."""
    inner = Plan([Task("x")])
    faults = check_plan(Plan([Task("a", plan=inner), Task("b", plan=inner)]))
    assert [fault.path for fault in faults] == [("tasks", "a", "plan", "tasks", "x")]


@attrs.frozen
class Page:
    """An output by class."""

    url: str


@attrs.frozen
class Unclear:
    """A class that cannot stand for an output."""

    thing: "complex"


RIGHT = [
    Plan([]),
    Plan([write("a"), write("b", "${tasks.a.status} ${tasks.a.error.kind} ${tasks.a.output | length}")]),
    Plan([write("a", "${inputs.anything.goes}")]),
    Plan([write("a", "${inputs}")], inputs={"n": "string"}),
    Plan(
        [
            Task(
                "a",
                ForEach("inputs.urls", key="item", allow_failures="5%"),
                tool=lookup,
                inputs={"word": "${item}", "n": "${index}"},
            ),
            write(
                "b",
                "${item.item} ${item.output.any.thing} ${item.error}",
                for_each=ForEach("tasks.a.items", key="item.key", allow_failures="all"),
            ),
            write("c", "${tasks.b.items[0].key} ${tasks.b.output[0]}"),
        ],
        inputs={"urls": ["string"]},
    ),
    Plan([Task("a", agent=agent(Page), prompt="x"), write("b", "${tasks.a.output.url}")]),
    Plan([Task("a", agent=agent(Unclear), prompt="x"), write("b", "${tasks.a.output.url}")]),
    Plan(
        [
            write("a", for_each=ForEach("inputs.s | split(',')")),
            write("b", for_each=ForEach([])),
            write("c", for_each=ForEach([1] * 99)),
        ]
    ),
    Plan([write("a", for_each=ForEach("inputs.n"))], inputs={"n": "optional [string]"}),
    Plan([Task("a", plan=Plan([write("x")]), inputs={"any": 1}), write("b", "${tasks.a.output}")]),
    Plan([Task("a", plan=INNER, inputs={"n": "${inputs.n}", "s": "${inputs.n} $${x}"})], inputs={"n": "any"}),
    Plan([Task("a", plan=INNER, inputs={"n": "${inputs.n + 1}", "s": "$${x}"})]),
    Plan([Task("a", plan=Plan([write("x")], inputs=JsonSchema({"type": "object"})), inputs={"more": 1})]),
    Plan(
        [
            Task("a", ask=Ask("Go?", show=["${inputs.x}"], form={"note": "optional string"})),
            write("b", "${tasks.a.output.note}"),
        ]
    ),
    Plan([Task("a", ask=Ask("Go?")), write("b", "${tasks.a.output.at.all}")]),
]


@pytest.mark.parametrize("plan", RIGHT)
def test_right_plans_have_no_faults(plan: Plan) -> None:
    """What is right, or cannot be known to be wrong, is left alone."""
    assert check_plan(plan) == []
    assert list(checked_graph(plan).tasks) == [task.key for task in plan.tasks]


@pytest.mark.parametrize(
    ("tasks", "output", "wrong", "holder"),
    [
        ([write("x"), write("y", needs=["x"])], None, "tasks.p.output.z", "a string"),
        ([write("x")], {"n": 1, "x": "${tasks.x.output}"}, "tasks.p.output.x.z", "a string"),
        ([write("x")], "Said: ${tasks.x.output}", "tasks.p.output.z", "a string"),
        ([write("x"), write("y")], None, "tasks.p.output.y.z", "a string"),
    ],
)
def test_the_output_of_a_plan_is_known(tasks: list[Task], output: Any, wrong: str, holder: str) -> None:
    """A plan gives its `output`, else what its only leaf gives, else a map of its leaves."""
    plan = Plan([Task("p", plan=Plan(tasks, output=output)), write("b", f"${{{wrong}}}")])
    (fault,) = check_plan(plan)
    assert fault.message == f"`{wrong.removesuffix('.z')}` is {holder}, so it has no field `z`"


def test_broken_inner_plans_do_not_spread() -> None:
    """Whoever uses a broken plan, inputs or a form is not blamed for it."""
    inner = Plan([Task("x")], inputs={"n": "strng"})
    form = {"n": "strng"}
    faults = check_plan(
        Plan(
            [
                Task("p", plan=inner, inputs={"m": 1}),
                Task("q", ask=Ask("?", form=form)),
                write("b", "${tasks.p.output.z} ${tasks.q.output.z}"),
                write("c", for_each=ForEach("tasks.d.output | | x"), when="item.any"),
            ]
        )
    )
    assert [fault.code for fault in faults] == ["unknown-type", "nothing-to-run", "unknown-type", "bad-expression"]


@pytest.mark.slow
def test_a_large_plan_is_checked_at_once() -> None:
    """A plan of 10,000 tasks with three needs each is checked in about a second, or three on a busy machine."""

    def prompt(index: int) -> str:
        layer, place = divmod(index, 100)
        return (
            " ".join(f"${{tasks.t{(layer - 1) * 100 + (place + k) % 100}.output}}" for k in range(3)) if layer else ""
        )

    plan = Plan([write(f"t{index}", f"Do {prompt(index)}") for index in range(10_000)])
    began = time.process_time()
    graph = checked_graph(plan)
    assert time.process_time() - began < 3
    assert (len(graph.order), len(graph.levels())) == (10_000, 100)


@pytest.mark.parametrize(("name", "cyclic"), [("tmdb/data.json", 1), ("ultratool/data_test_two_thirds.json", 3)])
def test_gold_plans_that_link_by_name(data_folder: Path, name: str, cyclic: int) -> None:
    """Of the real plans, only those that use one tool twice turn in circles, because their links name tools."""
    lines = (data_folder / "plans" / "taskbench-format" / name).read_text(encoding="utf-8").splitlines()
    circles = 0
    for plan in map(json.loads, lines):
        names = {node["task"]: f"t{index}" for index, node in enumerate(plan["task_nodes"])}
        needs: dict[str, list[str]] = {key: [] for key in names.values()}
        for link in plan["task_links"]:
            needs[names[link["target"]]].append(names[link["source"]])
        codes = {fault.code for fault in check_plan(needing(needs))}
        assert codes <= {"cycle", "self-reference"}
        circles += bool(codes)
    assert circles == cyclic
