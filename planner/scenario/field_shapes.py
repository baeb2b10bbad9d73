"""Fields of inputs, outputs and forms: the grammar itself belongs to `planner.plan.fields`."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from planner.plan.fields import FieldsInvalid, JsonSchema, field_schema, fields_schema
from planner.scenario.places import PathKey
from planner.scenario.reader import UNREADABLE
from planner.scenario.records import Schemas
from planner.scenario.shapes import AnyJson, Reading, Shape
from runtime.errors import UsageError
from runtime.tools.validation import Validator

_TYPE = r"(optional\s+)?(string|number|integer|boolean|date|any)"
_WORD = rf"^\s*(({_TYPE})|((optional\s+)?\[\s*{_TYPE}\s*\]))\s*$"


_ANYTHING = JsonSchema({})
"""Stands for fields that could not be read, so that the rest of the plan is judged as if they were right."""


class OneField(Shape):
    """One field, usually an object; read as its JSON Schema."""

    words = "a field"

    def read(self, value: Any, path: PathKey, reading: Reading) -> Any:
        """Read the field; what cannot be read takes anything."""
        found = super().read(value, path, reading)
        return _ANYTHING if found is UNREADABLE else found

    def _take(self, value: Any, path: PathKey, reading: Reading) -> Any:
        """Read the field, each fault at its own place."""
        return _read(field_schema, value, path, reading)

    def schema(self, schemas: Schemas) -> dict[str, Any]:
        """Return the grammar of one field."""
        return _field(schemas)


class Fields(OneField):
    """Fields by name; read as the JSON Schema of an object."""

    words = "a mapping of fields"

    def _take(self, value: Any, path: PathKey, reading: Reading) -> Any:
        """Read the fields, each fault at its own place."""
        if not isinstance(value, Mapping):
            return self.wrong(value, path, reading, "write {name: type}, such as {topic: string}")
        return _read(fields_schema, value, path, reading)

    def schema(self, schemas: Schemas) -> dict[str, Any]:
        """Return the grammar of several fields."""
        return {"type": "object", "additionalProperties": _field(schemas)}


def _read(parse: Callable[..., dict[str, Any]], value: Any, path: PathKey, reading: Reading) -> Any:
    checked = AnyJson().read(value, path, reading)
    if checked is not value:
        return checked
    try:
        return JsonSchema(parse(value, load=lambda name: _load(reading.base, name)))
    except FieldsInvalid as invalid:
        for fault in invalid.faults:
            where = (*path, *fault.path)
            reading.refuse(fault.code, where, fault.message, fault.hint, key=fault.in_key)
        return UNREADABLE


def _load(base: Path, name: str) -> Mapping[str, Any]:
    """Read a JSON Schema beside the scenario. Raises OSError or ValueError with words for a person."""
    try:
        document = json.loads((base / name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError("there is no such file beside the scenario") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    try:
        Validator.check_schema(document, where=name)
    except UsageError as error:
        raise ValueError(str(error)) from error
    schema: Mapping[str, Any] = document
    return schema


def _field(schemas: Schemas) -> dict[str, Any]:
    def make() -> dict[str, Any]:
        field = {"$ref": "#/$defs/Field"}
        return {
            "anyOf": [
                {"type": "string", "pattern": _WORD},
                {"type": "array", "items": field, "minItems": 1, "maxItems": 1},
                {"$ref": "#/$defs/LongField"},
                {
                    "type": "object",
                    "properties": {"schema": {"type": "string", "pattern": "[./]"}},
                    "required": ["schema"],
                    "additionalProperties": False,
                },
                {"type": "object", "additionalProperties": field},
            ]
        }

    schemas.reference("LongField", _long_field)
    return schemas.reference("Field", make)


def _long_field() -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "type": {"$ref": "#/$defs/Field"},
            "default": {},
            "enum": {"type": "array", "minItems": 1},
            "description": {},
            "min": {"type": "number"},
            "max": {"type": "number"},
        },
        "required": ["type"],
        "additionalProperties": False,
    }
