"""What is known of values from their schemas."""

from typing import Any

import pytest

from planner.plan import Missing, type_at, type_name
from planner.plan.types import data_type, item_type

NUMBER = {"type": "number"}
TEXT = {"type": "string"}
CHAIN = {"$defs": {"node": {"properties": {"next": {"$ref": "#/$defs/node"}, "n": NUMBER}}}, "$ref": "#/$defs/node"}
PAIR = {"type": "array", "prefixItems": [NUMBER, TEXT], "items": False}


@pytest.mark.parametrize(
    ("schema", "parts", "found"),
    [
        (None, ["x"], None),
        ({}, ["x", 0], None),
        ({"type": "object", "properties": {"a": NUMBER}}, ["a"], NUMBER),
        ({"type": "object", "properties": {"a": True}}, ["a"], {}),
        ({"type": "object", "properties": {"a": NUMBER}}, ["b"], None),
        ({"type": "object", "additionalProperties": NUMBER}, ["b"], NUMBER),
        ({"type": "object", "additionalProperties": False, "patternProperties": {"^x": NUMBER}}, ["x1"], None),
        ({"type": ["object", "null"], "properties": {"a": NUMBER}}, ["a"], NUMBER),
        ({"type": "null"}, ["a"], None),
        ({"enum": [object()]}, ["a"], None),
        ({"type": "array", "items": NUMBER}, [-1], NUMBER),
        ({"type": "array"}, [0], None),
        (PAIR, [1], TEXT),
        (PAIR, [-1], {"anyOf": [NUMBER, TEXT]}),
        ({"type": "array", "prefixItems": [NUMBER], "items": TEXT}, [5], TEXT),
        (TEXT, [0], TEXT),
        ({"anyOf": [{"properties": {"a": NUMBER}}, {"properties": {"a": TEXT}}]}, ["a"], {"anyOf": [NUMBER, TEXT]}),
        ({"oneOf": [{"properties": {"a": NUMBER}}, TEXT]}, ["a"], NUMBER),
        ({"$ref": "https://example.org/schema"}, ["a"], None),
        ({"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, ["a"], None),
    ],
)
def test_paths_lead_through_schemas(schema: Any, parts: list[str | int], found: Any) -> None:
    """A path leads to the schema of what is there, or to nothing known."""
    assert type_at(schema, parts) == found


def test_references_inside_a_schema_are_followed() -> None:
    """A schema may refer to itself; a path through it goes as deep as it wants."""
    found = type_at(CHAIN, ["next", "next", "n"])
    assert isinstance(found, dict)
    assert found["type"] == "number"


def test_endless_schemas_are_unknown() -> None:
    """A schema that only refers to itself through alternatives says nothing."""
    endless = {"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"}
    assert type_at(endless, ["x"]) is None
    assert type_name(endless) == "anything"


@pytest.mark.parametrize(
    ("schema", "parts", "depth", "names"),
    [
        ({"properties": {"a": NUMBER}, "additionalProperties": False}, ["b"], 0, ("a",)),
        ({"properties": {"a": NUMBER}, "additionalProperties": False}, ["a", "b"], 1, ()),
        ({"anyOf": [NUMBER, {"properties": {"a": NUMBER}, "additionalProperties": False}]}, ["b"], 0, ("a",)),
        (NUMBER, [0], 0, ()),
        (PAIR, [2], 0, ()),
        ({"enum": ["a", "b"]}, ["x"], 0, ()),
    ],
)
def test_what_is_missing_is_named(schema: Any, parts: list[str | int], depth: int, names: tuple[str, ...]) -> None:
    """A path that leads nowhere says at which part, and what is there instead."""
    found = type_at(schema, parts)
    assert isinstance(found, Missing)
    assert (found.depth, found.names) == (depth, names)


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        (None, "anything"),
        ({}, "anything"),
        (TEXT, "a string"),
        ({"type": "string", "format": "date"}, "a date"),
        ({"type": ["string", "null"]}, "a string or null"),
        ({"type": "array"}, "a list"),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}}, "a list of strings"),
        ({"type": "array", "items": {"type": "array", "items": NUMBER}}, "a list of lists of numbers"),
        ({"type": "array", "items": {"type": ["string", "integer"]}}, "a list"),
        ({"properties": {}}, "an object"),
        ({"enum": [1, "b"]}, 'one of 1, "b"'),
        ({"const": "x" * 99}, '"' + "x" * 56 + "…"),
        ({"const": object}, repr(object).join('""')),
        ({"const": 1.5}, "1.5"),
    ],
)
def test_types_have_names(schema: Any, name: str) -> None:
    """A type is said in words that fit into a message."""
    assert type_name(schema) == name


def test_schemas_without_an_end_have_names() -> None:
    """A list of lists of lists… is named as deep as a message can be read."""
    endless = {"$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}
    assert type_name(endless).startswith("a list of lists of lists")


def test_data_has_a_type() -> None:
    """A value's own type has exactly its fields and items; texts may stand for something else."""
    found = data_type({"a": [1], "b": "x"}, lambda text: None)
    assert found["properties"] == {"a": {"type": "array", "prefixItems": [{"const": 1}], "items": False}, "b": {}}


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"prefixItems": [NUMBER], "items": TEXT}, {"anyOf": [NUMBER, TEXT]}),
        ({"prefixItems": [NUMBER]}, None),
        ({}, None),
    ],
)
def test_items_have_a_type(schema: Any, found: Any) -> None:
    """What goes for every item of a list goes for those in front and for the rest."""
    assert item_type(schema) == found
