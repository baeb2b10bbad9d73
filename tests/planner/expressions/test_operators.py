"""What the signs of an expression do, and what they refuse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.expressions import EvaluationFault, parse_expression

SCOPE: dict[str, object] = {
    "inputs": {"n": 7, "f": 0.5, "t": "ab", "xs": [1, 2], "m": {"k": 1}, "no": None, "yes": True}
}


def evaluate(text: str) -> object:
    """The value of an expression over the common scope."""
    return parse_expression(text).evaluate(SCOPE)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("inputs.t + 'c'", "abc"),
        ("inputs.xs + [3]", [1, 2, 3]),
        ("inputs.t * 2", "abab"),
        ("2 * inputs.xs", [1, 2, 1, 2]),
        ("inputs.t * -1", ""),
        ("inputs.n / 2", 3.5),
        ("inputs.n // inputs.f", 14.0),
        ("'%s|%05d|%.2f|%x|100%%' % [inputs.xs, inputs.n, inputs.f, 255]", "[1,2]|00007|0.50|ff|100%"),
        ("'%-4s!' % 'x'", "x   !"),
        ("'%e' % 1", "1.000000e+00"),
        ("'%s' % [[none]]", "[null]"),
        ("'100%%' % []", "100%"),
        ("inputs.m == {'k': 1}", True),
        ("inputs.xs != [1, 2.0]", False),
        ("inputs.xs == 'x'", False),
        ("'a' < 'b' <= 'b'", True),
        ("1 >= 0.5 > 0", True),
        ("'k' in inputs.m and 'b' in inputs.t and none not in inputs.xs", True),
        ("range(3)", [0, 1, 2]),
        ("range(1, inputs.n, 3)", [1, 4]),
        ("range(3, 0, -1)", [3, 2, 1]),
        ("range(3, 0)", []),
        ("inputs.xs[-5:5:1]", [1, 2]),
    ],
)
def test_operators_of_texts_numbers_lists_and_maps(text: str, value: object) -> None:
    """Each sign works on the sorts of values that it is meant for."""
    assert evaluate(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("inputs.n + inputs.t", "cannot add with `+`: the left side is a number, the right a text; `~` joins texts"),
        ("inputs.xs - 1", "cannot subtract with `-`: the left side is a list of 2 items"),
        ("inputs.yes + 1", "the left side is true or false"),
        ("inputs.t * inputs.t", "cannot multiply"),
        ("inputs.no / 2", "the left side is null"),
        ("1 / 0", "cannot divide by zero with `/`"),
        ("1 // 0.0", "cannot divide by zero with `//`"),
        ("inputs.n % 0", "cannot divide by zero with `%`"),
        ("-inputs.t", "cannot negate a value that is a text"),
        ("+inputs.t", "means nothing"),
        ("inputs.n < inputs.t", "cannot order a value that is a number and one that is a text"),
        ("inputs.no >= 1", "cannot order"),
        ("1 in inputs.t", "`in` cannot look for a value that is a number in one that is a text"),
        ("'a' in inputs.n", "`in` cannot look"),
        ("{1: 2}", "the keys of a map are texts"),
        ("inputs.n[1:]", "cannot take `[start:stop]`"),
        ("inputs.xs['a':]", "must be whole numbers"),
        ("inputs.xs[::0]", "must not be 0"),
        ("inputs.xs[inputs.n > 1]", "cannot be looked into with true or false"),
        ("inputs.m[inputs.t]", "this value has no key `ab`; it has `k`"),
        ("range('a')", "`range` takes whole numbers"),
        ("range(1, 2, 0)", "a step that is not 0"),
        ("'%d %d' % [1]", "2 places for values, but there are 1 values"),
        ("'%d' % 'x'", "`%d` cannot show a value that is a text"),
        ("'%d' % 1.5", "`%d` cannot show"),
        ("'%(a)s' % inputs.m", "this `%` pattern cannot be used here"),
        ("'%*d' % [9, 1]", "this `%` pattern cannot be used here"),
    ],
)
def test_operators_refuse_what_does_not_fit(text: str, message: str) -> None:
    """Values of the wrong sort are named by their sort, never shown, and never end in Python's own words."""
    with pytest.raises(EvaluationFault) as caught:
        evaluate(text)
    assert message in caught.value.message
    assert caught.value.expression == text


@given(
    st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), st.sampled_from(["+", "-", "*", "//", "%", "<", "=="])
)
def test_whole_numbers_are_computed_exactly(left: int, right: int, sign: str) -> None:
    """Arithmetic and comparison of whole numbers are Python's."""
    if right == 0 and sign in ("//", "%"):
        return
    expected = eval(f"{left} {sign} ({right})")  # numbers and a sign, from this test
    assert parse_expression(f"item {sign} index").evaluate({"item": left, "index": right}) == expected
