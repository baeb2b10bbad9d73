"""Filters of lists and maps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.expressions import EvaluationFault, parse_expression

ROWS = [{"k": "b", "n": 2, "in": {"x": [1]}}, {"k": "A", "n": 1}, {"k": "a", "n": 3, "ok": True}]
SCOPE: dict[str, object] = {
    "inputs": {"rows": ROWS, "xs": [3, 1, 2, 1], "m": {"b": 1, "a": [2]}, "empty": [], "t": "abc"}
}


def evaluate(text: str) -> object:
    """The value of an expression over the common scope."""
    return parse_expression(text).evaluate(SCOPE)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(inputs.xs | length) ~ (inputs.m | length) ~ (inputs.t | length)", "423"),
        ("(inputs.xs | first) ~ (inputs.xs | last) ~ (inputs.t | first) ~ (inputs.m | first)", "31ab"),
        ("inputs.empty | first | default('none there')", "none there"),
        ("inputs.empty | max is defined", False),
        ("inputs.m | list", ["b", "a"]),
        ("inputs.xs | reverse", [1, 2, 1, 3]),
        ("inputs.t | reverse", "cba"),
        ("inputs.xs | join(', ')", "3, 1, 2, 1"),
        ("[none, true, [1], 'é'] | join", "nulltrue[1]é"),
        ("inputs.rows | join('/', attribute='k')", "b/A/a"),
        ("inputs.xs | sort", [1, 1, 2, 3]),
        ("['b', 'A', 'a'] | sort", ["A", "a", "b"]),
        ("['b', 'A', 'a'] | sort(case_sensitive=true, reverse=true)", ["b", "a", "A"]),
        ("inputs.rows | sort(attribute='n') | map(attribute='k') | list", ["A", "b", "a"]),
        ("inputs.empty | sort", []),
        ("['a', 'A', 1, true, 1.0, [1], [1], {'x': 1, 'y': 2}, {'y': 2, 'x': 1}] | unique",
         ["a", 1, True, [1], {"x": 1, "y": 2}]),
        ("['a', 'A'] | unique(case_sensitive=true)", ["a", "A"]),
        ("inputs.rows | unique(attribute='k') | map(attribute='n')", [2, 1]),
        ("inputs.xs | batch(3)", [[3, 1, 2], [1]]),
        ("inputs.xs | batch(3, 0)", [[3, 1, 2], [1, 0, 0]]),
        ("inputs.empty | batch(3, 0)", []),
        ("(inputs.xs | min) ~ (inputs.xs | max)", "13"),
        ("inputs.rows | max(attribute='n')", ROWS[2]),
        ("['b', 'A'] | min", "A"),
        ("inputs.xs | sum", 7),
        ("inputs.rows | sum('n', 0.5)", 6.5),
        ("inputs.m | keys", ["b", "a"]),
        ("inputs.m | values", [1, [2]]),
        ("inputs.m | items", [["b", 1], ["a", [2]]]),
        ("inputs.rows | map(attribute='n')", [2, 1, 3]),
        ("inputs.rows | map(attribute='in.x.0', default=none)", [1, None, None]),
        ("[[1, 2], [3, 4]] | map(attribute=1)", [2, 4]),
        ("['a', 'b'] | map('upper')", ["A", "B"]),
        ("['a-b', 'c'] | map('replace', '-', '+')", ["a+b", "c"]),
        ("[[2, 1], [4, 3]] | map('map', 'string') | map('join', '|')", ["2|1", "4|3"]),
        ("[0, 1, '', 'x', none, []] | select", [1, "x"]),
        ("[0, 1, ''] | reject", [0, ""]),
        ("inputs.xs | select('odd')", [3, 1, 1]),
        ("inputs.xs | reject('in', [1, 2])", [3]),
        ("inputs.rows | selectattr('n', 'gt', 1) | map(attribute='k')", ["b", "a"]),
        ("inputs.rows | selectattr('ok', 'defined') | map(attribute='k')", ["a"]),
        ("inputs.rows | rejectattr('ok', 'defined') | map(attribute='n')", [2, 1]),
        ("inputs.rows | selectattr('n') | length", 3),
        ("inputs.rows | rejectattr('n') | list", []),
    ],
)  # fmt: skip
def test_filters_of_lists_and_maps(text: str, value: object) -> None:
    """They do what Jinja2's filters of the same name do, and what comes out is always a list or a plain value."""
    result = evaluate(text)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("inputs.t | list", "`list` needs a list, and got a value that is a text; `split` makes a list of a text"),
        ("1 | length", "`length` needs a list, a map or a text"),
        ("none | join", "`join` needs a list, and got a value that is null"),
        ("inputs.xs | join(1)", "the separator of `join` needs a text"),
        ("inputs.empty | first", "there is no first item: the value is an empty list"),
        ("inputs.empty | min", "there is no min"),
        ("'' | last | upper", "there is no last item: the value is an empty text"),
        ("[1, 'a'] | sort", "cannot order a value that is a number and one that is a text"),
        ("[none] | sort", "cannot order a value that is null"),
        ("[[1], [2]] | max", "cannot order"),
        ("inputs.rows | sort(attribute='ok')", "an item has no key `ok`; it has `k`, `n`"),
        ("inputs.rows | map(attribute='in.x')", "an item has no key `in`"),
        ("inputs.rows | map(attribute=none)", "`attribute` needs a text, and got a value that is null"),
        ("inputs.rows | selectattr('ok')", "an item has no key `ok`"),
        ("['a'] | sum", "`sum` needs a number, and got a value that is a text"),
        ("inputs.xs | batch(0)", "`batch` needs a whole number from 1"),
        ("inputs.xs | keys", "`keys` needs a map, and got a value that is a list of 4 items"),
        ("[inputs.nope]", "`inputs` has no key `nope`"),
        ("{'a': inputs.nope}", "`inputs` has no key `nope`"),
        ("inputs.nope | list", "`inputs` has no key `nope`"),
    ],
)
def test_filters_refuse_what_does_not_fit(text: str, message: str) -> None:
    """A value of the wrong sort, an item that cannot be ordered and a missing field are faults."""
    with pytest.raises(EvaluationFault) as caught:
        evaluate(text)
    assert message in caught.value.message


def test_filters_change_nothing_in_the_scope() -> None:
    """A filter makes a new list; the one that it reads stays as it was."""
    rows = [3, 1, 2]
    parse_expression("item | sort | reverse | batch(2, 0) | list").evaluate({"item": rows})
    assert rows == [3, 1, 2]


@given(st.lists(st.integers()))
def test_order_and_choice_are_pythons(numbers: list[int]) -> None:
    """Sorting, selecting and counting agree with Python for any whole numbers."""
    scope = {"item": numbers}
    assert parse_expression("item | sort(reverse=true)").evaluate(scope) == sorted(numbers, reverse=True)
    assert parse_expression("item | unique").evaluate(scope) == list(dict.fromkeys(numbers))
    assert parse_expression("((item | select('gt', 0)) + (item | reject('gt', 0))) | length").evaluate(scope) == len(
        numbers
    )
