"""Sentences that are none, and operators in their order."""

import pytest

from planner.expressions import ExpressionFault, parse_expression

SCOPE: dict[str, object] = {"item": {"a": 1, "b": [1, 2, 3], "t": "x"}, "index": 2}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("not item.a == 2 and index > 1", True),
        ("1 < index < 3", True),
        ("3 > index >= 3", False),
        ("index in item.b and 9 not in item.b", True),
        ("'yes' if index == 2 else 'no'", "yes"),
        ("item.a ~ item.t ~ none ~ true ~ item.b", "1xnulltrue[1,2,3]"),
        ("{'a': {'b': [1, (2, 3)]}}", {"a": {"b": [1, [2, 3]]}}),
        ("item.b[1:]", [2, 3]),
        ("item.b[::-1]", [3, 2, 1]),
        ("'abc'[:2]", "ab"),
        ("item['t']", "x"),
        ("item.b[index]", 3),
        ("item.b[index - 1] + -item.a", 1),
        ("item.b | first + 1", 2),
        ("item\n  .a\n  + 1", 2),
        ("false or none", None),
        ("item.t or item.nope", "x"),
        ("True and None", None),
        ("-7 // 2", -4),
        ("7 % 4", 3),
        ("+1", 1),
    ],
)
def test_sentences_mean_what_jinja_means(text: str, value: object) -> None:
    """Operators bind, chain and stop early as in Jinja2; what they make is made of lists and maps."""
    result = parse_expression(text).evaluate(SCOPE)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ("", 0, "the expression is empty"),
        ("   ", 0, "the expression is empty"),
        ("item.a +", 8, "ends too early"),
        ("item.a == ", 9, "ends too early"),
        ("item |", 6, "ends too early"),
        ("item.a item.b", 7, "`item` is not expected here; an operator is missing"),
        ("item..a", 5, "`.` is not expected here"),
        ("1, 2", 1, "a list stands in `[ ]`"),
        ("[x for x in item.b]", 3, "there are no loops"),
        ("item.a if index", 0, "this `if` has no `else`"),
        ("lambda: 1", 6, "not expected"),
        ("% if x %", 0, "`%` is not expected here"),
        ("item.b[1, 2]\n+\n'x' 'y' z", 23, "`z` is not expected here"),
    ],
)
def test_broken_sentences_are_shown_where_they_break(text: str, offset: int, message: str) -> None:
    """The fault stands at the word that does not fit, in our words."""
    with pytest.raises(ExpressionFault) as caught:
        parse_expression(text)
    assert message in str(caught.value)
    assert caught.value.offset == offset
