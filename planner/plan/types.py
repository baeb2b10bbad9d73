"""What is known of a value before it exists, as JSON Schema: what it is called and which fields it has.

A keyword that is not understood means "could be anything".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from runtime.values.jsonlike import Unserialisable, freeze

Schema = Mapping[str, Any]

ANYTHING: Schema = {}
TEXT: Schema = {"type": "string"}
DEEPEST = 12
"""A schema may refer to itself, so every walk down a schema ends somewhere."""

_ONE = {
    "string": "a string", "integer": "an integer", "number": "a number", "boolean": "true or false", "null": "null",
    "object": "an object", "array": "a list", "date": "a date",
}  # fmt: skip
_MANY = {
    "string": "strings", "integer": "integers", "number": "numbers", "boolean": "booleans", "null": "nulls",
    "object": "objects", "array": "lists", "date": "dates",
}  # fmt: skip


@attrs.frozen
class Missing:
    """A part of a path that leads nowhere."""

    holder: Schema
    """What should have had the part."""
    names: tuple[str, ...] = ()
    """What is there instead."""
    depth: int = 0
    """Which of the parts it is, from 0."""


def alternatives(schema: Schema, _depth: int = 0) -> Iterator[Schema]:
    """Yield the simple schemas of which a value has to fit one: `anyOf`, lists of types and references taken apart.

    Examples:
        >>> list(alternatives({"type": ["string", "null"]}))
        [{'type': 'string'}, {'type': 'null'}]
    """
    schema = _resolved(schema)
    several = schema.get("anyOf") or schema.get("oneOf")
    types = schema.get("type")
    # Nearly every schema has neither, so the tests that cost something come second.
    if several and isinstance(several, Sequence):
        if _depth > DEEPEST:
            yield ANYTHING
            return
        for one in several:
            yield from alternatives(within(schema, one), _depth + 1)
    elif types is not None and not isinstance(types, str) and isinstance(types, Sequence):
        yield from ({**schema, "type": one} for one in types)
    else:
        yield schema


def type_at(schema: Schema | None, parts: Sequence[str | int]) -> Schema | Missing | None:
    """Follow a path through a schema.

    Null is left out on the way: whether a value is there at all is not known before the run.

    Returns:
        The schema of what the path leads to, None where nothing is known of it, or what is missing.

    Examples:
        >>> type_at({"type": "array", "items": {"type": "string"}}, [0])
        {'type': 'string'}
        >>> type_at({"type": "object"}, ["url"]) is None
        True
        >>> type_at({"properties": {"url": {}}, "additionalProperties": False}, ["ulr"]).names
        ('url',)
    """
    for depth, part in enumerate(parts):
        if schema is None:
            return None
        found = _step(schema, part)
        if isinstance(found, Missing):
            return attrs.evolve(found, depth=depth)
        schema = found
    return schema


def type_name(schema: Schema | None, _depth: int = 0) -> str:
    """Say in words what a schema takes.

    Examples:
        >>> type_name({"type": ["array", "null"], "items": {"type": "string"}})
        'a list of strings or null'
        >>> type_name({"enum": ["a", "b"]})
        'one of "a", "b"'
    """
    options = list(alternatives(schema or ANYTHING))
    names = [_simple_name(option, _ONE, _depth) for option in options]
    return " or ".join(dict.fromkeys(names)) if "" not in names else "anything"


def data_type(value: Any, text: Callable[[str], Schema | None] = lambda text: {"const": text}) -> Schema:
    """The narrowest schema of a value, in the form in which the journal will keep it.

    Args:
        value: A tree of dicts, lists and scalars, such as the `with:` of a task.
        text: Says what a text in it stands for; by default itself, but it may be a template.
            Not asked for texts in other objects, since no template is looked for there.

    Examples:
        >>> data_type([1])
        {'type': 'array', 'prefixItems': [{'const': 1}], 'items': False}
    """
    if isinstance(value, str):
        found = text(value)
        return ANYTHING if found is None else found
    if isinstance(value, dict):
        fields = {str(name): data_type(one, text) for name, one in value.items()}
        return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    if isinstance(value, list):
        return {"type": "array", "prefixItems": [data_type(one, text) for one in value], "items": False}
    try:
        kept = freeze(value)
    except Unserialisable:
        return ANYTHING  # what becomes of it is known when its task fails
    return data_type(kept) if isinstance(kept, dict | list) else {"const": kept}


def sort_of(schema: Schema) -> str | None:
    """The JSON type of a simple schema's values (`string`, `integer`, …), or None if they may be of several."""
    if isinstance(found := schema.get("type"), str):
        return found
    if "const" in schema:
        return _sort_of_value(schema["const"])
    sorts = {_sort_of_value(value) for value in schema.get("enum") or ()}
    return sorts.pop() if len(sorts) == 1 else None


def _sort_of_value(value: Any) -> str | None:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case Mapping():
            return "object"
        case Sequence():
            return "array"
        case _:
            return None


def _resolved(schema: Schema) -> Schema:
    """Follow references to definitions in the same schema; anything else that is referred to is unknown."""
    for _ in range(DEEPEST):
        reference = schema.get("$ref")
        if reference is None:
            return schema
        target: Any = schema
        for part in str(reference).removeprefix("#/").split("/"):
            target = target.get(part) if isinstance(target, Mapping) else None
        schema = within(schema, target)
    return ANYTHING


def within(schema: Schema, part: Any) -> Schema:
    """A schema that stands inside another one, with the definitions that it may refer to."""
    if not isinstance(part, Mapping):
        return ANYTHING  # `true` and everything that is no schema
    if "$defs" not in schema and "definitions" not in schema:
        return part
    kept = {key: {**schema[key], **part.get(key, {})} for key in ("$defs", "definitions") if key in schema}
    return {**part, **kept}


def _step(schema: Schema, part: str | int) -> Schema | Missing | None:
    found: list[Schema] = []
    missing: list[Missing] = []
    for option in alternatives(schema):
        if sort_of(option) == "null":
            continue
        one = _field(option, part) if isinstance(part, str) else _item(option, part)
        if one is None:
            return None
        if isinstance(one, Missing):
            missing.append(one)
        else:
            found.append(one)
    if found:
        return found[0] if len(found) == 1 else {"anyOf": found}
    if missing:
        return Missing(schema, tuple(dict.fromkeys(name for one in missing for name in one.names)))
    return None


def _field(schema: Schema, name: str) -> Schema | Missing | None:
    if sort_of(schema) not in (None, "object"):
        return Missing(schema)
    fields = schema.get("properties") or {}
    if name in fields:
        return within(schema, fields[name])
    others = schema.get("additionalProperties")
    if others is False and "patternProperties" not in schema:
        return Missing(schema, tuple(fields))
    return within(schema, others) if isinstance(others, Mapping) else None


def _item(schema: Schema, index: int) -> Schema | Missing | None:
    sort = sort_of(schema)
    if sort == "string":
        return TEXT
    if sort not in (None, "array"):
        return Missing(schema)
    first = schema.get("prefixItems") or ()
    if 0 <= index < len(first):
        return within(schema, first[index])
    rest = schema.get("items")
    if rest is False and index >= len(first):
        return Missing(schema)
    return within(schema, rest) if isinstance(rest, Mapping) and index >= 0 else item_type(schema)


def item_type(schema: Schema) -> Schema | None:
    """What is known of every item of a list.

    Examples:
        >>> item_type({"type": "array", "items": {"type": "string"}})
        {'type': 'string'}
    """
    first = [within(schema, one) for one in schema.get("prefixItems") or ()]
    rest = schema.get("items")
    if isinstance(rest, Mapping):
        return {"anyOf": [*first, within(schema, rest)]} if first else within(schema, rest)
    return {"anyOf": first} if first and rest is False else None


def _simple_name(schema: Schema, words: Mapping[str, str], depth: int) -> str:
    """The name of a simple schema, or nothing if it takes anything."""
    if "const" in schema:
        return shown(schema["const"])
    if "enum" in schema and words is _ONE:
        return "one of " + ", ".join(shown(value) for value in schema["enum"])
    sort = sort_of(schema) or ("object" if "properties" in schema else "")
    if sort == "array" and depth < DEEPEST:
        items = [item for item in alternatives(item_type(schema) or ANYTHING) if sort_of(item) != "null"]
        inner = _simple_name(items[0], _MANY, depth + 1) if len(items) == 1 else ""
        return words["array"] + (f" of {inner}" if inner else "")
    if sort == "string" and schema.get("format") == "date":
        sort = "date"
    return words.get(sort, "")


def shown(value: Any) -> str:
    """A value as JSON, cut to a length that fits into a message."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 60 else text[:57] + "…"
