"""What tasks give their tools is held against what these take, when a run is about to start."""

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Any

import attrs
import pytest

from planner.plan import START_CODES, Ask, Fault, ForEach, Plan, PlanInvalid, Task, check_plan, checked_graph
from runtime.errors import UsageError
from runtime.values.capabilities import ToolSpec
from tests.planner.plan.plans import lookup, write

OPEN: Mapping[str, Any] = {"type": "object"}
TAKES: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "word": {"type": "string"},
        "times": {"type": "integer"},
        "day": {"type": "string", "format": "date"},
        "where": {"$ref": "#/$defs/place"},
    },
    "required": ["word"],
    "additionalProperties": False,
    "$defs": {"place": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}},
}
ASKED = Task("how", ask=Ask("How?", form={"n": "integer", "s": "string"}))


def faults(*tasks: Task, takes: Mapping[str, Any] = TAKES, **plan: Any) -> list[Fault]:
    """Return the faults of a plan whose tools all take the same."""
    return check_plan(Plan(tasks, **plan), lambda _: ToolSpec("look", "Looks.", takes))


def call(key: str = "a", for_each: ForEach | None = None, **inputs: Any) -> Task:
    """A task that calls the tool with these arguments."""
    return Task(key, for_each, tool=lookup, inputs=inputs)


@attrs.frozen
class Point:
    """A place as programs have them."""

    x: int


@pytest.mark.parametrize(
    ("task", "code", "path", "said"),
    [
        (call(word=1), "argument-type", ("with", "word"), "tool `look`: `word` must be a string, not 1"),
        (
            call(word="x", times="${tasks.how.output.s}"), "argument-type", ("with", "times"),
            "tool `look`: `times` must be an integer, not a string",
        ),
        (
            call(word="x", times="${tasks.how.output.n} times"), "argument-type", ("with", "times"),
            "tool `look`: `times` must be an integer, not a string",
        ),
        (call(word="x", times="${inputs.day}"), "argument-type", ("with", "times"), "not a date"),
        (call(for_each=ForEach([1, 2]), word="${item}"), "argument-type", ("with", "word"), "not 1 or 2"),
        (call(word="x", where={"x": "far"}), "argument-type", ("with", "where"), "`where.x` must be an integer"),
        (call(word="x", where=Point(1), times=("${",)), "argument-type", ("with", "times"), "not a list"),
        (call(word=b"raw"), "argument-type", ("with", "word"), "must be a string, not an object"),
        (
            call(word="x", tims=2), "unknown-argument", ("with", "tims"),
            "tool `look` has no argument `tims`; did you mean `times`?",
        ),
        (
            call(), "missing-argument", ("with",),
            "tool `look` is not given its argument `word`; add it under `with` (`inputs` in Python): `word: …`",
        ),
        (Task("a", tool=lookup), "missing-argument", ("tool",), "tool `look` is not given its argument `word`"),
    ],
)  # fmt: skip
def test_what_does_not_fit(task: Task, code: str, path: tuple[str, ...], said: str) -> None:
    """A literal value, a reference of known type and a name are each wrong at their place."""
    (fault,) = faults(ASKED, task, inputs={"day": "date"})
    assert (fault.code, fault.path) == (code, ("tasks", "a", *path))
    assert said in str(fault)


@pytest.mark.parametrize(
    "inputs",
    [
        {"word": "x", "times": 2, "day": "2026-01-31", "where": {"x": 1}},
        {"word": "${tasks.how.output}", "times": "${tasks.how.output.n}", "day": "${inputs.day}"},
        {"word": "${tasks.how.output.s}", "times": "${tasks.how.output.n + 1}", "where": "${inputs.day | upper}"},
        {"word": 2**70, "day": date(2026, 1, 31), "where": Point(1)},
        {"word": float("nan"), "times": object()},
        MappingProxyType({"word": "${tasks.how.output.s}"}),
    ],
)
def test_what_fits_or_cannot_be_known(inputs: Mapping[str, Any]) -> None:
    """Python's own values count in the form in which they are kept; what is not known yet is left to the run."""
    task = Task("a", tool=lookup, inputs=inputs)
    assert faults(Task("how", ask=Ask("How?")), task, inputs={"day": "any"}) == []


@pytest.mark.parametrize("takes", [OPEN, {**TAKES, "patternProperties": {"^x": {}}}])
def test_an_open_tool_takes_other_names(takes: Mapping[str, Any]) -> None:
    """Only where other names are excluded is a name unknown."""
    assert faults(call(word="x", xyz=1), takes=takes) == []


def test_a_tool_that_takes_nothing_says_so() -> None:
    """There is no name to offer then."""
    (fault,) = faults(call(n=1), takes={**OPEN, "additionalProperties": False})
    assert fault.hint == "it takes none"


def test_plans_in_plans_are_looked_into() -> None:
    """A tool deep inside is found out too, at its path from the top."""
    inner = Plan([call("deep", word=1)])
    (fault,) = faults(Task("sub", plan=inner))
    assert fault.path == ("tasks", "sub", "plan", "tasks", "deep", "with", "word")


def test_tools_are_left_alone_unless_asked_for() -> None:
    """Checking a plan looks at no tool, since that may run a user's code."""
    assert check_plan(Plan([call(n=1)])) == []


def test_texts_that_cannot_be_read_are_the_only_fault_of_their_task() -> None:
    """What a broken template would give is not judged."""
    assert [fault.code for fault in faults(call(word="${", n=1))] == ["bad-expression"]
    assert [fault.code for fault in faults(Task("a", tool=lookup, inputs="x"))] == ["bad-value"]  # type: ignore[arg-type]


def test_a_tool_is_asked_once_and_its_trouble_said_once() -> None:
    """However many tasks use a tool, it is read once; when it cannot be used, its first task says so."""
    asked = []

    def refuse(tool: Any) -> ToolSpec:
        asked.append(tool)
        raise UsageError("it is no tool; write one")

    plan = Plan([call("a", word="x"), call("b", word="x"), write("c")], name="brief")
    with pytest.raises(PlanInvalid) as caught:
        checked_graph(plan, refuse)
    assert str(caught.value).splitlines()[1:] == ["  tasks.a.tool: it is no tool; write one"]
    assert asked == [lookup]
    assert caught.value.faults[0].code in START_CODES
