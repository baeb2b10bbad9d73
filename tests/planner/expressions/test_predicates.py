"""What can stand after `is`."""

import pytest

from planner.expressions import EvaluationFault, parse_expression

SCOPE: dict[str, object] = {"inputs": {"n": 4, "f": 0.5, "t": "x", "no": None, "yes": True, "xs": [], "m": {}}}


@pytest.mark.parametrize(
    "text",
    [
        "inputs.n is defined",
        "inputs.nope is undefined",
        "inputs.nope is not defined",
        "inputs.nope.deeper[inputs.n] is undefined",
        "inputs.m[inputs.t].y is undefined",
        "inputs.no is defined",
        "inputs.no is none",
        "inputs.n is not none",
        "inputs.yes is boolean and inputs.n is not boolean",
        "inputs.n is number and inputs.f is number and inputs.yes is not number",
        "inputs.n is integer and inputs.f is not integer and inputs.yes is not integer",
        "inputs.f is float and inputs.n is not float",
        "inputs.t is string and inputs.xs is not string",
        "inputs.m is mapping and inputs.xs is not mapping",
        "inputs.xs is sequence and inputs.t is not sequence",
        "inputs.n is even and 3 is odd and -3 is odd",
        "inputs.n is divisibleby 2 and inputs.n is not divisibleby(3)",
        "inputs.n is eq 4 and inputs.n is equalto 4.0 and inputs.n is ne 5",
        "inputs.n is lt 5 and inputs.n is le 4 and inputs.n is gt 3 and inputs.n is ge 4",
        "inputs.t is in ['x', 'y'] and inputs.t is not in 'abc'",
    ],
)
def test_what_holds(text: str) -> None:
    """Each of these is true over the common scope."""
    assert parse_expression(text).evaluate(SCOPE) is True


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("inputs.t is even", "this test needs a whole number"),
        ("inputs.n is divisibleby 0", "`divisibleby` needs a whole number from 1"),
        ("inputs.t is gt 1", "cannot order"),
        ("inputs.nope is none", "`inputs` has no key `nope`"),
        ("not inputs.nope", "`inputs` has no key `nope`"),
        ("inputs.nope or 1", "`inputs` has no key `nope`"),
        ("1 if inputs.nope else 2", "`inputs` has no key `nope`"),
        ("inputs.nope == 1", "`inputs` has no key `nope`"),
        ("false or inputs.nope", "`inputs` has no key `nope`"),
        ("inputs[inputs.nope] is defined", "`inputs` has no key `nope`"),
    ],
)
def test_what_cannot_be_asked(text: str, message: str) -> None:
    """A missing value is neither true nor false nor none: only `defined`, `undefined` and `default` may meet it."""
    with pytest.raises(EvaluationFault) as caught:
        parse_expression(text).evaluate(SCOPE)
    assert message in caught.value.message
