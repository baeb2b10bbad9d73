"""Whether something of a known type can go where another type is asked for."""

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.plan.fields import field_schema
from planner.plan.fit import mismatch
from planner.plan.types import data_type
from tests.planner.plan.test_fields import TREE, specs

POINT = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"], "additionalProperties": False}
TEXTS = {"type": "array", "items": {"type": "string"}}
NUMBERS = {"type": "array", "items": {"type": "number"}}


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ({}, {"type": "string"}),
        ({"type": "string"}, {}),
        ({"type": "number"}, {"type": "integer"}),
        ({"type": "integer"}, {"type": "number"}),
        ({"type": "integer"}, {"const": 2.0}),
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"anyOf": [{"type": "string"}, POINT]}, {"const": "x"}),
        ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}),
        ({"enum": ["a"]}, {"type": "string"}),
        ({"const": 1}, {"const": 1}),
        ({"type": "string"}, data_type(object())),
        ({"type": "string", "format": "date"}, {"type": "string"}),
        ({"type": "string", "format": "date"}, {"const": "2026-01-31"}),
        ({"minimum": 1, "maximum": 3}, {"const": 2}),
        ({"type": "boolean"}, {"const": True}),
        (POINT, {"type": "object"}),
        (POINT, data_type({"x": 1})),
        ({"type": "object"}, data_type({"x": 1})),
        ({**POINT, "patternProperties": {"^y": {}}}, data_type({"x": 1, "y": 2})),
        (TEXTS, {"type": "array"}),
        (TEXTS, TEXTS),
        ({"type": "array"}, data_type([1])),
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": {}}, data_type(["a"])),
        ({"type": "array", "maxItems": 1}, {"type": "array", "prefixItems": [{}, {}]}),
        (TREE, {"type": "object"}),
    ],
)
def test_what_could_be_right_is_let_through(wanted: Any, given: Any) -> None:
    """Nothing is said unless no value of the one type is right for the other."""
    assert mismatch(wanted, given, "n") is None


@pytest.mark.parametrize(
    ("wanted", "given", "said"),
    [
        ({"type": "string"}, {"type": "integer"}, "`n` must be a string, not an integer"),
        ({"type": "integer"}, {"const": 1.5}, "`n` must be an integer, not 1.5"),
        ({"type": "integer"}, {"const": True}, "`n` must be an integer, not true"),
        ({"type": ["string", "null"]}, {"const": 3}, "`n` must be a string or null, not 3"),
        ({"const": 1}, {"const": 2}, "`n` must be 1, not 2"),
        ({"const": 1}, {"const": True}, "`n` must be 1, not true"),
        ({"enum": [0, 1]}, {"const": 2}, "`n` must be one of 0, 1, not 2"),
        ({"enum": ["a"]}, {"enum": ["b"]}, '`n` must be one of "a", not one of "b"'),
        ({"type": "string", "format": "date"}, {"const": "31.1.26"}, "`n` must be a date such as 2026-01-31, not"),
        ({"type": "string", "format": "date"}, {"const": "20260131"}, "`n` must be a date such as 2026-01-31, not"),
        ({"type": "string", "minLength": 2}, {"const": "x"}, "`n` must be at least 2 characters long, not 1"),
        ({"type": "string", "maxLength": 2}, {"const": "xxx"}, "`n` must be at most 2 characters long, not 3"),
        ({"type": "number", "minimum": 2}, {"const": 1}, "`n` must be at least 2, not 1"),
        ({"type": "array", "minItems": 1}, data_type([]), "`n` must be at least 1 items long, not 0"),
        (POINT, data_type({}), "`n` has no `x`"),
        (POINT, data_type({"x": 1, "y": 1}), "`n` has a field `y` that is not asked for"),
        ({"anyOf": [POINT, {"type": "null"}]}, data_type({"x": "a"}), '`n.x` must be an integer, not "a"'),
        (TEXTS, data_type(["a", 1]), "`n[1]` must be a string, not 1"),
        ({"type": "string"}, {"enum": [[1], [2]]}, "`n` must be a string, not one of [1], [2]"),
        ({"type": "string"}, {"enum": [{}, {"a": 1}]}, '`n` must be a string, not one of {}, {"a": 1}'),
        (TEXTS, NUMBERS, "`n` must be a list of strings, not a list of numbers"),
    ],
)
def test_what_cannot_be_right_is_explained(wanted: Any, given: Any, said: str) -> None:
    """The message names the value, what it must be, and what it is."""
    problem = mismatch(wanted, given, "n")
    assert problem is not None
    assert problem.startswith(said)


def test_types_without_an_end_are_compared_as_far_as_it_makes_sense() -> None:
    """A type that contains itself is not compared for ever."""
    endless = {
        "$defs": {"a": {"type": "object", "properties": {"n": {"$ref": "#/$defs/a"}}, "required": ["n"]}},
        "$ref": "#/$defs/a",
    }
    assert mismatch(endless, endless, "n") is None


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, "a", "2026-01-31", "2026-01-32"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


@given(specs, values)
def test_values_are_judged_as_json_schema_judges_them(spec: Any, value: Any) -> None:
    """For a value that is known, what the field grammar says is what a JSON Schema validator says."""
    schema = field_schema(spec)
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker(["date"]))
    assert (mismatch(schema, data_type(value), "n") is None) == validator.is_valid(value)
