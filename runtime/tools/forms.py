"""Annotations as JSON Schema, and the way from a JSON value back to what the annotation says."""

from __future__ import annotations

import collections.abc
import contextlib
import dataclasses
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from enum import Enum
from typing import Annotated, Any, Final, Literal, NotRequired, Required, Union, get_args, get_origin, is_typeddict

import attrs

from runtime.tools.docstring import read_docstring
from runtime.tools.validation import Validator
from runtime.values.jsonlike import Unserialisable, freeze

Convert = Callable[[Any], Any]
Schema = dict[str, Any]

_REMEDY: Final = (
    "write str, int, float, bool, None, Any, list[T], tuple[T, ...], dict[str, T], Literal, an Enum, date, datetime, "
    "or a dataclass, attrs class or TypedDict of these"
)
_SCALARS: Final = (str, int, float, bool, type(None))
_PLAIN: Final[dict[Any, Schema]] = {
    Any: {},
    None: {"type": "null"},
    bool: {"type": "boolean"},
    dict: {"type": "object"},
    float: {"type": "number"},
    int: {"type": "integer"},
    list: {"type": "array"},
    str: {"type": "string"},
    type(None): {"type": "null"},
}


@attrs.frozen
class Form:
    """What one annotation says."""

    schema: Schema
    convert: Convert | None = None
    """Makes the annotated value of a JSON value that fits; None where the JSON value itself will do."""


class NoForm(Exception):
    """An annotation has no form in JSON; `steps` lead to it through the fields of classes."""

    def __init__(self, problem: str, remedy: str = _REMEDY) -> None:
        super().__init__(f"{problem}; {remedy}")
        self.steps: list[str] = []


@attrs.frozen
class Field:
    """One property of an object: a field of a class, or a parameter of a function."""

    name: str
    annotation: Any
    required: bool
    default: Any
    """What it is when it is left out; `attrs.NOTHING` where that is unknown."""


class FormReader:
    """Reads annotations that belong together; classes that contain themselves end up in `definitions`."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}
        self._open: list[type] = []
        self._recursive: dict[str, type] = {}
        self._converters: dict[type, Convert] = {}

    def read(self, annotation: Any) -> Form:
        """Return the form of an annotation whose names are resolved.

        Raises:
            NoForm: It has none.
        """
        origin = get_origin(annotation)
        if origin is not None:
            return self._generic(annotation, origin, get_args(annotation))
        if isinstance(annotation, collections.abc.Hashable) and annotation in _PLAIN:
            return Form(dict(_PLAIN[annotation]))
        if annotation is date:
            return Form({"type": "string", "format": "date"}, date.fromisoformat)
        if annotation is datetime:
            return Form({"type": "string", "format": "date-time"}, _date_time)
        if isinstance(annotation, type):
            if issubclass(annotation, Enum):
                return Form(_choice([member.value for member in annotation], annotation), annotation)
            if is_typeddict(annotation) or attrs.has(annotation) or dataclasses.is_dataclass(annotation):
                return self._class(annotation)
        raise NoForm(f"{_named(annotation)} cannot come from JSON")

    def _generic(self, annotation: Any, origin: Any, arguments: tuple[Any, ...]) -> Form:
        if origin is Annotated:
            form = self.read(arguments[0])
            texts = [text for text in arguments[1:] if isinstance(text, str)]
            return attrs.evolve(form, schema=form.schema | {"description": texts[0]}) if texts else form
        if origin in {Required, NotRequired}:
            return self.read(arguments[0])
        if origin is Literal:
            return Form(_choice(list(arguments), annotation))
        if origin in {Union, types.UnionType}:
            return self._union([self.read(argument) for argument in arguments])
        if origin in {list, collections.abc.Sequence} or (origin is tuple and arguments[1:] == (...,)):
            return _array(self.read(arguments[0]), tuple if origin is tuple else list)
        if origin in {dict, collections.abc.Mapping} and arguments[0] is str:
            return _mapping(self.read(arguments[1]))
        raise NoForm(f"{_named(annotation)} cannot come from JSON")

    def _union(self, forms: list[Form]) -> Form:
        schema = {"anyOf": [form.schema for form in forms]}
        converters = [form.convert for form in forms if form.convert]
        if not converters:
            return Form(schema)
        if len(converters) == 1 and all(form.convert or form.schema == _PLAIN[None] for form in forms):
            return Form(schema, lambda value: None if value is None else converters[0](value))
        # Definitions of classes are known only once all of them are read, so the members are tried lazily.
        return Form(schema, _Choosing(forms, self.definitions))

    def _class(self, kind: type) -> Form:
        """Read a class by its fields; one that is being read already is referred to."""
        name = kind.__name__
        if kind in self._open:
            if self._recursive.setdefault(name, kind) is not kind:
                raise NoForm(f"two classes that contain themselves are named {name}", "give one of them another name")
            return Form({"$ref": f"#/$defs/{name}"}, lambda value: self._converters[kind](value))
        self._open.append(kind)
        try:
            forms = {field.name: (field, self._field(field)) for field in _fields(kind)}
        finally:
            self._open.pop()
        docs = read_docstring(_own_doc(kind))
        schema = object_schema(forms.values(), docs.parameters)
        if docs.description:
            schema = {"description": docs.description} | schema
        convert = _convert_object(kind, {name: form.convert for name, (_, form) in forms.items() if form.convert})
        if self._recursive.get(name) is not kind:
            return Form(schema, convert)
        self.definitions[name] = schema
        if convert is not None:  # always, since the field that leads back to the class has one
            self._converters[kind] = convert
        return Form({"$ref": f"#/$defs/{name}"}, convert)

    def _field(self, field: Field) -> Form:
        try:
            return self.read(field.annotation)
        except NoForm as error:
            error.steps.insert(0, field.name)
            raise


class _Choosing:
    """Converts a value by the first member of a union that it fits; it is known to fit one of them."""

    def __init__(self, forms: list[Form], definitions: dict[str, Schema]) -> None:
        self._forms = forms
        self._definitions = definitions
        self._checks: list[Validator] = []

    def __call__(self, value: Any) -> Any:
        *others, last = self._forms
        if not self._checks:
            self._checks = [Validator(form.schema | {"$defs": self._definitions}) for form in others]
        fitting = (form for form, check in zip(others, self._checks, strict=True) if check.explain(value) is None)
        convert = next(fitting, last).convert
        return convert(value) if convert else value


def object_schema(fields: Iterable[tuple[Field, Form]], descriptions: Mapping[str, str]) -> Schema:
    """Return the schema of an object with these fields; an annotation's own description goes before `descriptions`."""
    properties: Schema = {}
    required = []
    for field, form in fields:
        schema = dict(form.schema)
        if field.name in descriptions and "description" not in schema:
            schema["description"] = descriptions[field.name]
        if field.required:
            required.append(field.name)
        elif field.default is not attrs.NOTHING:
            # One that JSON cannot hold is the function's own business; the property is optional all the same.
            with contextlib.suppress(Unserialisable):
                schema["default"] = freeze(field.default)
        properties[field.name] = schema
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _fields(kind: type) -> Iterator[Field]:
    """Yield the fields that a class is made from, under the names that its constructor takes."""
    try:
        hints = typing.get_type_hints(kind, include_extras=True)
    except NameError as error:
        problem = f"{kind.__name__} names {error.name!r} in an annotation, and nothing has that name"
        raise NoForm(problem, "define it at the top of the module") from error
    if is_typeddict(kind):
        for name, annotation in hints.items():
            yield Field(name, annotation, name in kind.__required_keys__, attrs.NOTHING)  # type: ignore[attr-defined]
    elif attrs.has(kind):
        for field in attrs.fields(kind):
            if field.init:
                default = attrs.NOTHING if isinstance(field.default, attrs.Factory) else field.default  # type: ignore[arg-type]
                yield Field(field.alias, hints.get(field.name, Any), field.default is attrs.NOTHING, default)
    else:
        for part in dataclasses.fields(kind):
            if part.init:
                default = attrs.NOTHING if part.default is dataclasses.MISSING else part.default
                required = default is attrs.NOTHING and part.default_factory is dataclasses.MISSING
                yield Field(part.name, hints[part.name], required, default)


def _convert_object(kind: type, converters: dict[str, Convert]) -> Convert | None:
    if is_typeddict(kind):
        return (lambda value: convert_some(value, converters)) if converters else None
    return lambda value: kind(**convert_some(value, converters))


def convert_some(value: Mapping[str, Any], converters: Mapping[str, Convert]) -> dict[str, Any]:
    """Return a copy of an object in which the fields that need it are converted."""
    result = dict(value)
    for name, convert in converters.items():
        if name in result:
            result[name] = convert(result[name])
    return result


def _array(item: Form, kind: type[list[Any] | tuple[Any, ...]]) -> Form:
    schema = {"type": "array", "items": item.schema} if item.schema else {"type": "array"}
    convert = item.convert
    if convert is not None:
        return Form(schema, lambda value: kind([convert(one) for one in value]))
    return Form(schema, tuple if kind is tuple else None)


def _mapping(item: Form) -> Form:
    schema: Schema = {"type": "object"} | ({"additionalProperties": item.schema} if item.schema else {})
    convert = item.convert
    if convert is None:
        return Form(schema)
    return Form(schema, lambda value: {key: convert(one) for key, one in value.items()})


def _choice(values: list[Any], annotation: Any) -> Schema:
    if not all(type(value) in _SCALARS for value in values):
        raise NoForm(f"{_named(annotation)} has values that JSON has not", "use texts or numbers")
    if all(type(value) is str for value in values):
        return {"type": "string", "enum": values}
    return {"enum": values}


def _own_doc(kind: type) -> str | None:
    doc = kind.__dict__.get("__doc__")
    # A dataclass without a docstring is given its signature for one.
    return None if doc and doc.startswith(f"{kind.__name__}(") else doc


def _date_time(text: str) -> datetime:
    return datetime.fromisoformat(text.upper())


def _named(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) and get_origin(annotation) is None else str(annotation)
