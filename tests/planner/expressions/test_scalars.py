"""Filters of texts and numbers."""

import pytest

from planner.expressions import EvaluationFault, parse_expression

SCOPE: dict[str, object] = {
    "inputs": {"t": " Hello world ", "n": -2.567, "none": None, "m": {"é": [1, "a\n"]}, "big": "a b c d e"}
}


def evaluate(text: str) -> object:
    """The value of an expression over the common scope."""
    return parse_expression(text).evaluate(SCOPE)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("inputs.nope | default", ""),
        ("inputs.nope.deeper[0] | default('d')", "d"),
        ("inputs.none | default('d')", None),
        ("inputs.none | default('d', true)", "d"),
        ("inputs.none | default('d', boolean=true)", "d"),
        ("inputs.t | default(inputs.nope | default(1))", " Hello world "),
        ("inputs.t | trim | upper", "HELLO WORLD"),
        ("inputs.t | trim | lower", "hello world"),
        ("'éa b' | title ~ ('ab C' | capitalize)", "Éa BAb c"),
        ("'xxaxx' | trim('x')", "a"),
        ("'aaa' | replace('a', 'b', 2)", "bba"),
        ("'aaa' | replace('a', 'bc')", "bcbcbc"),
        ("'aaa' | replace('', '-')", "-a-a-a-"),
        ("'a b  c' | split", ["a", "b", "c"]),
        ("'a,b,' | split(',')", ["a", "b", ""]),
        ("inputs.big | truncate(7)", "a b..."),
        ("inputs.big | truncate(6, true, '…')", "a b c…"),
        ("inputs.big | truncate(99)", "a b c d e"),
        ("inputs.m | string", '{"é":[1,"a\\n"]}'),
        ("'é' | string ~ ('é' | tojson)", 'é"é"'),
        ("inputs.m | tojson", '{"é":[1,"a\\n"]}'),
        ("{'a': [1]} | tojson(indent=2)", '{\n  "a": [\n    1\n  ]\n}'),
        ("'42' | int", 42),
        ("-2.9 | int", -2),
        ("'0x1f' | int(base=16)", 31),
        ("'x' | int(0)", 0),
        ("'x' | int(default='none')", "none"),
        ("'1.5' | float", 1.5),
        ("2 | float", 2.0),
        ("'inf' | float(0.0)", 0.0),
        ("inputs.n | abs", 2.567),
        ("inputs.n | round(1)", -2.6),
        ("(2.5 | round) ~ (2.4 | round | int)", "2.02"),
        ("2.1 | round(method='ceil')", 3.0),
        ("2.19 | round(1, 'floor')", 2.1),
    ],
)
def test_filters_of_texts_and_numbers(text: str, value: object) -> None:
    """They do what Jinja2's filters of the same name do; texts of other values are their JSON."""
    result = evaluate(text)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("inputs.none | upper", "`upper` needs a text, and got a value that is null"),
        ("inputs.m | trim", "`trim` needs a text, and got a value that is a map"),
        ("'a' | replace(1, 'b')", "`replace` needs a text"),
        ("'a' | replace('a', 'b', 'c')", "the count of `replace` needs a whole number"),
        ("'a' | split('')", "must not be empty"),
        ("'abcdef' | truncate(2)", "the length of `truncate` needs a whole number from 3"),
        ("'x' | int", "`int` cannot make a number of this value, which is a text; give a default: `int(0)`"),
        ("inputs.m | float", "`float` cannot make a number"),
        ("inputs.none | int", "`int` cannot make a number of this value, which is null"),
        ("'1' | int(base=99)", "the base of `int`"),
        ("'1' | round", "`round` needs a number, and got a value that is a text"),
        ("1 | round(99)", "the precision of `round`"),
        ("1 | round(method='up')", "common, ceil or floor"),
        ("true | abs", "`abs` needs a number"),
        ("'x' | tojson(indent=99)", "the indent of `tojson`"),
        ("inputs.nope | upper", "`inputs` has no key `nope`"),
        ("'a' | replace('a', inputs.nope)", "`inputs` has no key `nope`"),
    ],
)
def test_filters_refuse_what_does_not_fit(text: str, message: str) -> None:
    """A value of the wrong sort or a missing one is a fault; there is no silent default."""
    with pytest.raises(EvaluationFault) as caught:
        evaluate(text)
    assert message in caught.value.message


def test_what_cannot_be_json_is_refused() -> None:
    """A value of the scope that JSON has no form for is named by its type."""
    with pytest.raises(EvaluationFault, match="unsupported type set cannot be written as JSON"):
        parse_expression("item | tojson").evaluate({"item": {1}})
