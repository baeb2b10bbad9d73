"""Checking values against JSON Schema, and the words for what does not fit."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import UsageError
from runtime.tools.validation import Validator
from runtime.values.jsonlike import freeze

REFUND: dict[str, Any] = {
    "type": "object",
    "properties": {
        "amount_cents": {"type": "integer"},
        "when": {"type": "string", "format": "date"},
        "speed": {"enum": ["fast", "slow"]},
        "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "items": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "number"}}}},
    },
    "required": ["amount_cents", "when"],
    "additionalProperties": False,
}
GOOD = {"amount_cents": 5, "when": "2024-02-29"}


@pytest.mark.parametrize(
    ("change", "explanation"),
    [
        ({}, None),
        ({"amount_cents": 1.0}, None),
        ({"limit": None, "items": [{"n": 1}, {}]}, None),
        ({"amount_cents": "many"}, "amount_cents: 'many' is not an integer"),
        ({"amount_cents": True}, "amount_cents: true is not an integer"),
        ({"amount_cents": 1.5}, "amount_cents: 1.5 is not an integer"),
        ({"when": "2024-02-31"}, "when: '2024-02-31' is not a date such as 2024-02-29"),
        ({"speed": "fats"}, "speed: 'fats' is not one of 'fast', 'slow'; did you mean 'fast'?"),
        ({"limit": "x"}, "limit: 'x' is not an integer or null"),
        ({"items": [{}, {"n": "x"}]}, "items[1].n: 'x' is not a number"),
        ({"amount_cent": 5}, "amount_cent: not known; did you mean 'amount_cents'?"),
        ({"zzz": 5}, "zzz: not known; known are amount_cents, when, speed, limit, items"),
        (
            {"amount_cents": None, "speed": 1},
            "amount_cents: null is not an integer; speed: 1 is not one of 'fast', 'slow'",
        ),
    ],
)
def test_every_fault_is_named_with_its_place(change: dict[str, Any], explanation: str | None) -> None:
    """A value that does not fit is explained in plain words, all faults at once; one that fits is None."""
    assert Validator(REFUND).explain(freeze(GOOD | change)) == explanation


def test_missing_properties_are_each_named() -> None:
    """What is required and absent is told by name."""
    assert Validator(REFUND).explain({}) == "amount_cents: missing (required); when: missing (required)"


def test_missing_null_and_empty_are_three_things() -> None:
    """Report 11: an absent value, null and {} each get their own verdict."""
    schema = Validator({"type": "object", "properties": {"args": {"type": "object"}}, "required": ["args"]})
    assert schema.explain({"args": {}}) is None
    assert schema.explain({"args": None}) == "args: null is not an object"
    assert schema.explain({}) == "args: missing (required)"
    assert schema.explain(None) == "null is not an object"


@pytest.mark.parametrize(
    ("schema", "value", "words"),
    [
        ({"const": "a"}, "b", "'b' is not 'a'"),
        ({"minimum": 3}, 2, "2 is less than 3"),
        ({"maximum": 3}, 4, "4 is more than 3"),
        ({"exclusiveMinimum": 3}, 3, "3 is not more than 3"),
        ({"exclusiveMaximum": 3}, 3, "3 is not less than 3"),
        ({"minLength": 2}, "a", "'a' is shorter than 2 characters"),
        ({"maxLength": 2}, "abc", "'abc' is longer than 2 characters"),
        ({"minItems": 1}, [], "[] has fewer than 1 items"),
        ({"maxItems": 1}, [1, 2], "[1, 2] has more than 1 items"),
        ({"uniqueItems": True}, [1, 1], "[1, 1] has the same item twice"),
        ({"pattern": "^a"}, "b", "'b' does not match ^a"),
        ({"multipleOf": 2}, 3, "3 is not a multiple of 2"),
        ({"format": "date-time"}, "noon", "'noon' is not a date and time such as 2024-02-29T12:30:00Z"),
        ({"type": "array"}, "x" * 99, f"'{'x' * 78}… is not a list"),
        ({"type": "object", "additionalProperties": False}, {"a": 1}, "a: not known; nothing is expected here"),
        (
            {"patternProperties": {"^x": {}}, "additionalProperties": False},
            {"x1": 1, "y": 1},
            "y: not known; nothing is expected here",
        ),
        ({"anyOf": [{"enum": ["a", "b"]}, {"const": 5}]}, "c", "'c' is not 'a' or 'b' or 5"),
        (
            {"anyOf": [{"type": "string", "format": "date"}, {"type": "object", "title": "Span"}]},
            5,
            "5 is not a date or an object",
        ),
        ({"anyOf": [{"type": "object", "required": ["a"]}, {"type": "null"}]}, {}, "a: missing (required)"),
        ({"anyOf": [{"type": "null"}, False]}, "c", "'c' is not null or nothing at all"),
        (
            {"anyOf": [{"type": "null"}, {"minimum": 3, "type": ["integer", "null"]}]},
            "c",
            "'c' is not null or an integer or null",
        ),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, 1, "1 fits more than one of its forms"),
        ({"prefixItems": [{"type": "string"}]}, [1], "[0]: 1 is not text"),
        ({"not": {"type": "string"}}, "a", "'a' should not be valid under {'type': 'string'}"),
    ],
)
def test_keywords_are_explained(schema: dict[str, Any], value: object, words: str) -> None:
    """Each keyword has words of its own."""
    assert Validator(schema).explain(value) == words


@pytest.mark.parametrize(
    "text", ["2024-02-29T12:30:00Z", "2024-02-29T12:30:00", "2024-02-29 12:30:00+02:00", "2024-02-29t12:30:00.5z"]
)
def test_date_times_may_lack_an_offset(text: str) -> None:
    """Models and people often leave the offset out."""
    assert Validator({"format": "date-time"}).explain(text) is None


def test_other_formats_are_not_checked() -> None:
    """Formats beside dates describe, they do not refuse."""
    assert Validator({"type": "string", "format": "email"}).explain("no address") is None


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (5, "schema: a JSON Schema is an object such as {'type': 'object'}, not 5"),
        ({"type": "objekt"}, "\n  type: 'objekt' is not one of"),
        ({"properties": {"a": {"type": "strng"}}}, "\n  properties.a.type: 'strng' is not one of"),
        ({"properties": {"a": {"pattern": "("}}}, "\n  properties.a.pattern: '(' is not a regular expression"),
        ({"patternProperties": {"(": {}}}, "\n  patternProperties: '(' is not a regular expression"),
        ({"required": "a"}, "\n  required: 'a' is not a list"),
        ({"$ref": "https://example.com/x"}, "\n  $ref: 'https://example.com/x' points outside this schema"),
        ({"$ref": "other.json"}, "points outside this schema; copy its target to $defs"),
        (
            {"items": {"$ref": "#/$defs/Ab"}, "$defs": {"Abc": {}}},
            "\n  items.$ref: '#/$defs/Ab' leads nowhere; did you mean 'Abc'?",
        ),
        ({"$ref": "#/anyOf/1", "anyOf": [{}]}, "leads nowhere"),
        ({"items": {"$id": "https://example.com/x"}}, "\n  items.$id: a part of a schema cannot have an address"),
        ({"$dynamicRef": "#x"}, "$dynamicRef: $dynamicRef is not supported"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused_with_the_place(schema: object, words: str) -> None:
    """A user's schema is held against the rules once, and every fault has its place."""
    with pytest.raises(UsageError) as caught:
        Validator.check_schema(schema)
    assert words in str(caught.value)


@pytest.mark.parametrize(("reference", "words"), [(5, "5 is not text"), ("#/anyOf/0", None), ("#/$defs/a~1b", None)])
def test_references_are_pointers(reference: object, words: str | None) -> None:
    """They go through objects and lists, with slashes in names escaped."""
    schema = {"$defs": {"a/b": {}}, "anyOf": [{"type": "integer"}], "properties": {"x": {"$ref": reference}}}
    if words is None:
        assert Validator(schema).explain("x") == "'x' is not an integer"
    else:
        with pytest.raises(UsageError, match=words):
            Validator(schema)


def test_references_never_lead_outside() -> None:
    """A schema that asks to read an address is refused before anything is compiled, also unchecked ones."""
    with pytest.raises(UsageError, match="points outside this schema"):
        Validator({"properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}})


@pytest.mark.parametrize("name", ["$ref", "default", "enum"])
def test_properties_may_be_named_like_keywords(name: str) -> None:
    """A property called `$ref` is a property, and one called `default` is still a schema."""
    schema = {"properties": {name: {"type": "integer"}}}
    Validator.check_schema(schema)
    assert Validator(schema).explain({name: "x"}) is not None


def test_recursive_schemas_work() -> None:
    """A local reference to the schema itself checks trees."""
    schema = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}, "required": ["kids"]}
    assert Validator(schema).explain({"kids": [{"kids": []}]}) is None
    assert Validator(schema).explain({"kids": [{"kids": [{}]}]}) == "kids[0].kids[0].kids: missing (required)"


def test_rules_beside_a_reference_count() -> None:
    """What stands beside `$ref` applies too, as the newest draft says."""
    schema = {"$defs": {"N": {"type": "integer"}}, "$ref": "#/$defs/N", "minimum": 3}
    assert Validator(schema).explain(2) == "2 is less than 3"
    assert Validator(schema).explain(3) is None


plain_schemas = st.recursive(
    st.sampled_from([{"type": t} for t in ("integer", "number", "string", "boolean", "null", "object", "array")])
    | st.sampled_from(
        [{}, {"enum": [1, "a", None]}, {"const": False}, {"enum": [0]}, {"minimum": 1}, {"maxLength": 1}]
    ),
    lambda inner: (
        st.builds(lambda s: {"type": "array", "items": s}, inner)
        | st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner)
        | st.builds(lambda a, b: {"type": "object", "properties": {"a": a, "b": b}, "required": ["a"]}, inner, inner)
    ),
    max_leaves=6,
)
plain_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.sampled_from([0.0, 1.0, 1.5])
    | st.sampled_from(["", "a", "ab"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


@given(plain_schemas, plain_values)
def test_the_verdict_is_that_of_the_reference_library(schema: dict[str, Any], value: object) -> None:
    """The compiled check and the explaining library never disagree."""
    fits = jsonschema.Draft202012Validator(schema).is_valid(value)
    assert (Validator(schema).explain(freeze(value)) is None) == fits


def test_a_value_that_fits_costs_no_import() -> None:
    """The explaining library is loaded only when there is something to explain."""
    program = (
        "import sys; from runtime.tools.validation import Validator; v = Validator({'type': 'object'});"
        "assert v.explain({}) is None; print('jsonschema' in sys.modules)"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
