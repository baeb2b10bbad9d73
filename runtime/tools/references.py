"""The parts of a JSON Schema, and the references between them.

References are local ones only: checking a value never reads another file or address.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from runtime.values.jsonlike import path_text

Steps = tuple[str | int, ...]

_ONE: Final = (
    "additionalItems", "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_LISTS: Final = ("allOf", "anyOf", "items", "oneOf", "prefixItems")
_MAPS: Final = ("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties")
_NEW: Final = frozenset(
    {
        "dependentRequired", "dependentSchemas", "maxContains", "minContains", "prefixItems", "unevaluatedItems",
        "unevaluatedProperties",
    }
)  # fmt: skip
"""Keywords that came after draft 7."""
_ANNOTATIONS: Final = frozenset({"$comment", "default", "deprecated", "description", "examples", "title"})
_MOVING: Final = ("$dynamicRef", "$recursiveRef")


def subschemas(schema: object, at: Steps = ()) -> Iterator[tuple[Steps, Mapping[str, Any]]]:
    """Yield every schema object inside a schema, itself first, with the way to it."""
    if not isinstance(schema, Mapping):
        return
    yield at, schema
    for word in _ONE:
        yield from subschemas(schema.get(word), (*at, word))
    for word in _LISTS:
        if isinstance(parts := schema.get(word), list | tuple):
            for index, part in enumerate(parts):
                yield from subschemas(part, (*at, word, index))
    for word in _MAPS:
        if isinstance(named := schema.get(word), Mapping):
            for name, part in named.items():
                yield from subschemas(part, (*at, word, name))


def reference_faults(schema: object) -> list[str]:
    """Return what is wrong with the references in a schema, each with its place."""
    faults = []
    for at, part in subschemas(schema):
        if at and "$id" in part:
            faults.append(f"{path_text(at)}.$id: a part of a schema cannot have an address of its own; leave it out")
        faults += [
            f"{path_text((*at, word))}: {word} is not supported; use $ref with '#/$defs/Name'"
            for word in _MOVING
            if word in part
        ]
        if "$ref" in part and (problem := _reference_fault(schema, part["$ref"])):
            faults.append(f"{path_text(at) + '.' if at else ''}$ref: {problem}")
    return faults


def _reference_fault(schema: object, reference: object) -> str | None:
    if not isinstance(reference, str):
        return f"{reference!r} is not text"
    if reference != "#" and not reference.startswith("#/"):
        return f"{reference!r} points outside this schema; copy its target to $defs and write '#/$defs/Name'"
    target = schema
    for raw in reference.split("/")[1:]:
        name = raw.replace("~1", "/").replace("~0", "~")
        if isinstance(target, Mapping) and name in target:
            target = target[name]
        elif isinstance(target, list) and name.isdecimal() and int(name) < len(target):
            target = target[int(name)]
        else:
            known = list(target) if isinstance(target, Mapping) else []
            close = difflib.get_close_matches(name, known, n=1)
            return f"{reference!r} leads nowhere" + (f"; did you mean {close[0]!r}?" if close else "")
    return None


def needs_new_draft(schema: object) -> bool:
    """Tell whether a schema says something that draft 7 would read otherwise: then the fast check would be wrong."""
    for _, part in subschemas(schema):
        if not _NEW.isdisjoint(part):
            return True
        if "$ref" in part and part.keys() - _ANNOTATIONS - {"$ref", "$defs", "definitions", "$schema", "$id"}:
            return True
    return False
