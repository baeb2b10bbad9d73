"""The field grammar of inputs, outputs and forms, and its values.

A field is written in one of these ways:

- `string`, `number`, `integer`, `boolean`, `date`, `any`;
- `optional T`: it may be left out, and is then null;
- `[T]`: a list; `{name: T, …}`: an object with these fields and no others;
- `{type: T, default, enum, description, min, max}`: the long form. `min` and `max` bound a number, the length of a
  string, or the number of items of a list. `default: null` makes the field optional too;
- `{schema: file.json}`: a full JSON Schema.

A map is the long form if it has a key `type` and all its keys are words of the long form. With other keys beside
`type` it is an object if the value of every key is a field, else a long form with a mistake in it. A lone `schema` is a
file if its text has a dot or a slash, which no type has. An object whose fields are called just like words of the long
form needs a JSON Schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from planner.plan.faults import Fault, Path, did_you_mean
from planner.plan.fit import mismatch
from planner.plan.types import Schema, alternatives, data_type, sort_of, type_name
from runtime.errors import UsageError

Load = Callable[[str], Mapping[str, Any]]
"""Reads the JSON Schema that a field names as `{schema: file.json}`; may raise OSError or ValueError."""

_SCALARS: Mapping[str, Schema] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "any": {},
}
_LONG = ("type", "default", "enum", "description", "min", "max")
_BOUNDS = {"number": ("minimum", "maximum"), "integer": ("minimum", "maximum"),
           "string": ("minLength", "maxLength"), "array": ("minItems", "maxItems")}  # fmt: skip
_SAID_ELSEWHERE = {
    "str": "string", "text": "string", "int": "integer", "float": "number", "double": "number", "decimal": "number",
    "bool": "boolean", "datetime": "date", "object": "{name: type}", "dict": "{name: type}", "map": "{name: type}",
    "list": "[type]", "array": "[type]", "null": "optional type", "none": "optional type",
}  # fmt: skip


@attrs.frozen
class JsonSchema:
    """A full JSON Schema where a field, or all fields of an object, may stand."""

    document: Schema


class FieldsInvalid(UsageError):
    """Fields are not written in the grammar; `faults` says what is wrong with which."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("\n".join(map(str, faults)))
        self.faults = tuple(faults)


def fields_schema(fields: Any, *, load: Load | None = None) -> dict[str, Any]:
    """Turn the fields of an object into JSON Schema.

    Raises:
        FieldsInvalid: With every fault in them; paths lead into `fields`.

    Examples:
        >>> fields_schema({"go": "boolean", "note": "optional string"})["required"]
        ['go']
    """
    return _read(lambda reader: reader.fields(fields, ()), load)


def field_schema(spec: Any, *, load: Load | None = None) -> dict[str, Any]:
    """Turn one field into JSON Schema.

    Raises:
        FieldsInvalid: With every fault in it; paths lead into `spec`.

    Examples:
        >>> field_schema(["string"])
        {'type': 'array', 'items': {'type': 'string'}}
        >>> field_schema("optional date")
        {'type': ['string', 'null'], 'format': 'date', 'default': None}
    """
    return _read(lambda reader: reader.field(spec, ()), load)


def apply_defaults(schema: Schema, value: Any) -> Any:
    """Fill in what was left out and has a default, at every depth; what is there stays, and nothing is checked.

    Examples:
        >>> apply_defaults(fields_schema({"n": {"type": "integer", "default": 6}, "note": "optional string"}), {})
        {'n': 6, 'note': None}
    """
    if isinstance(value, Mapping):
        filled = dict(value)
        for name, field in (schema.get("properties") or {}).items():
            if not isinstance(field, Mapping):
                continue
            if name in filled:
                filled[name] = apply_defaults(field, filled[name])
            elif "default" in field:
                filled[name] = field["default"]
        return filled
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, Mapping):
        return [apply_defaults(items, item) for item in value]
    return value


def parse_option(schema: Schema, text: str, *, name: str = "value") -> Any:
    """Read the value of one field from a command line: texts as they are, everything else as JSON.

    Raises:
        UsageError: The text is no such value; the message says what is asked for.

    Examples:
        >>> parse_option({"type": "string"}, "007"), parse_option({"type": "integer"}, "7")
        ('007', 7)
    """
    sorts = {sort_of(option) for option in alternatives(schema)}
    value: Any = text
    if "string" not in sorts:
        try:
            value = json.loads(text)
        except ValueError:
            if None not in sorts:
                hint = '; write lists and objects as JSON, such as ["a", "b"]' if sorts & {"array", "object"} else ""
                raise UsageError(f"`{name}` must be {type_name(schema)}, not {text!r}{hint}") from None
    if problem := mismatch(schema, data_type(value), name):
        raise UsageError(problem)
    return value


def _read(read: Callable[[_Reader], dict[str, Any]], load: Load | None) -> dict[str, Any]:
    reader = _Reader(load)
    schema = read(reader)
    if reader.faults:
        raise FieldsInvalid(reader.faults)
    return {**schema, "$defs": reader.definitions} if reader.definitions else schema


@attrs.frozen(eq=False)
class _Reader:
    """Turns fields into schemas and collects what is wrong with them; what is wrong takes anything."""

    load: Load | None
    faults: list[Fault] = attrs.field(factory=list)
    definitions: dict[str, Any] = attrs.field(factory=dict)

    def fields(self, fields: Any, path: Path) -> dict[str, Any]:
        if isinstance(fields, JsonSchema) or _names_file(fields):
            return self.field(fields, path)
        if not isinstance(fields, Mapping):
            return self._wrong(path, "fields are a map of names to types", hint="write `{name: type}`")
        properties = {}
        for name, spec in fields.items():
            if not isinstance(name, str) or not name:
                self._wrong((*path, name), "the name of a field must be a text", in_key=True)
            else:
                properties[name] = self.field(spec, (*path, name))
        required = [name for name, field in properties.items() if "default" not in field]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

    def field(self, spec: Any, path: Path) -> dict[str, Any]:
        if isinstance(spec, JsonSchema):
            return self._embedded(spec.document, path)
        if isinstance(spec, str):
            return self._word(spec.strip(), path)
        if isinstance(spec, list | tuple):
            if len(spec) == 1:
                return {"type": "array", "items": self.field(spec[0], (*path, 0))}
            return self._wrong(path, "a list has one type for all of its items", hint="write `[string]`")
        if not isinstance(spec, Mapping):
            return self._wrong(path, f"{spec!r} is not a type", hint=did_you_mean("", _SCALARS), code="unknown-type")
        if _names_file(spec):
            return self._file(spec["schema"], (*path, "schema"))
        return self._long(spec, path) if self._is_long(spec) else self.fields(spec, path)

    def _wrong(
        self, path: Path, message: str, *, hint: str = "", code: str = "bad-field", in_key: bool = False
    ) -> dict[str, Any]:
        self.faults.append(Fault(path, message, code=code, hint=hint, in_key=in_key))
        return {}

    def _word(self, word: str, path: Path) -> dict[str, Any]:
        if word in _SCALARS:
            return dict(_SCALARS[word])
        if word.startswith("optional "):
            return _nullable(self._word(word.removeprefix("optional ").strip(), path))
        if word.startswith("[") and word.endswith("]"):
            return {"type": "array", "items": self._word(word[1:-1].strip(), path)}
        if word.endswith("?"):
            hint = f"write `optional {word.rstrip('?').strip() or 'string'}`"
        elif word.lower() in _SAID_ELSEWHERE:
            hint = f"write `{_SAID_ELSEWHERE[word.lower()]}`"
        else:
            hint = did_you_mean(word, _SCALARS)
        return self._wrong(path, f"there is no type `{word}`", hint=hint, code="unknown-type")

    def _file(self, name: str, path: Path) -> dict[str, Any]:
        if self.load is None:
            hint = "write the fields here, or give a JsonSchema"
            return self._wrong(path, f"{name} cannot be read from here", hint=hint, code="schema-file")
        try:
            document = self.load(name)
        except (OSError, ValueError) as error:
            return self._wrong(path, f"{name} cannot be read: {error}", code="schema-file")
        return self._embedded(document, path[:-1])

    def _embedded(self, document: Schema, path: Path) -> dict[str, Any]:
        """A full schema as a part of ours: one that refers to itself goes among the definitions."""
        if not path or not _has_references(document):
            return dict(document)
        place = f"#/$defs/{(name := f'field{len(self.definitions) + 1}')}"
        self.definitions[name] = _moved(document, place)
        return {"$ref": place}

    def _is_long(self, spec: Mapping[Any, Any]) -> bool:
        if "type" not in spec:
            return False
        if all(key in _LONG for key in spec):
            return True
        trial = _Reader(self.load)
        trial.fields({key: value for key, value in spec.items() if key != "type"}, ())
        return bool(trial.faults)

    def _long(self, spec: Mapping[str, Any], path: Path) -> dict[str, Any]:
        for key in spec:
            if key not in _LONG:
                hint = did_you_mean(str(key), _LONG)
                self._wrong((*path, key), f"a field has no `{key}`", hint=hint, in_key=True)
        before = len(self.faults)
        schema = self.field(spec["type"], (*path, "type"))
        if len(self.faults) > before:
            return {}
        if "description" in spec:
            schema["description"] = str(spec["description"])
        self._bounds(schema, spec, path)
        if "enum" in spec:
            self._enum(schema, spec["enum"], (*path, "enum"))
        if "default" in spec:
            return self._default(schema, spec["default"], (*path, "default"))
        return schema

    def _bounds(self, schema: dict[str, Any], spec: Mapping[str, Any], path: Path) -> None:
        sort = next((found for found in map(sort_of, alternatives(schema)) if found != "null"), None)
        names = None if schema.get("format") == "date" else _BOUNDS.get(sort or "")
        right = True
        for key, index in (("min", 0), ("max", 1)):
            if key not in spec:
                continue
            bound = spec[key]
            if names is None:
                message = f"`{key}` bounds numbers, the length of a string and the items of a list, nothing else"
                self._wrong((*path, key), message)
                right = False
            elif not isinstance(bound, int if sort in ("string", "array") else int | float) or isinstance(bound, bool):
                self._wrong((*path, key), f"`{key}` must be a number, not {bound!r}")
                right = False
            else:
                schema[names[index]] = bound
        if right and "min" in spec and "max" in spec and spec["min"] > spec["max"]:
            self._wrong((*path, "min"), f"`min` is above `max`: {spec['min']} > {spec['max']}")

    def _enum(self, schema: dict[str, Any], values: Any, path: Path) -> None:
        if not isinstance(values, list | tuple) or not values:
            self._wrong(path, "`enum` must list at least one value")
            return
        for index, value in enumerate(values):
            if problem := mismatch(schema, data_type(value), "enum"):
                self._wrong((*path, index), problem)
        may_be_null = "default" in schema and None not in values
        schema["enum"] = [*values, None] if may_be_null else list(values)

    def _default(self, schema: dict[str, Any], value: Any, path: Path) -> dict[str, Any]:
        if value is None:
            return _nullable(schema)
        if problem := mismatch(schema, data_type(value), "default"):
            return self._wrong(path, problem, code="bad-default")
        return {**schema, "default": value}


def _names_file(spec: Any) -> bool:
    """Whether a field is `{schema: file.json}`, and not an object with a field called `schema`."""
    if not isinstance(spec, Mapping) or list(spec) != ["schema"]:
        return False
    name = spec["schema"]
    return isinstance(name, str) and ("." in name or "/" in name)


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with null allowed and as default, without saying so twice."""
    if "enum" in schema and None not in schema["enum"]:
        schema = {**schema, "enum": [*schema["enum"], None]}
    sort = schema.get("type")
    if isinstance(sort, str):
        return {**schema, "type": [sort, "null"], "default": None}
    if not schema or sort is not None:
        return {**schema, "default": None}
    return {"anyOf": [schema, {"type": "null"}], "default": None}


def _has_references(value: Any) -> bool:
    if isinstance(value, Mapping):
        return "$ref" in value or any(map(_has_references, value.values()))
    return isinstance(value, list) and any(map(_has_references, value))


def _moved(value: Any, to: str) -> Any:
    """A schema whose references to itself are right once it stands at `to`."""
    if isinstance(value, Mapping):
        return {
            key: to + held[1:] if key == "$ref" and isinstance(held, str) and held[:1] == "#" else _moved(held, to)
            for key, held in value.items()
        }
    return [_moved(held, to) for held in value] if isinstance(value, list) else value
