"""Say in plain words why a value does not fit its schema. Imports jsonschema, so it is imported when it is needed."""

from __future__ import annotations

import difflib
import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.validators import validator_for

from runtime.tools.references import subschemas
from runtime.tools.validation import FORMATS
from runtime.values.jsonlike import path_text

if TYPE_CHECKING:
    from jsonschema.protocols import Validator as Checker

Fault: TypeAlias = Any
"""A jsonschema ValidationError; its stubs say of every field that it may be unset, which it never is here."""

_LONGEST: Final = 80
_NOUNS: Final = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "text",
}


def _in_format(test: Callable[[str], bool], value: object) -> bool:
    return not isinstance(value, str) or test(value)


_CHECKER: Final = FormatChecker(formats=())
for _name, _function in FORMATS.items():
    _CHECKER.checks(_name)(functools.partial(_in_format, _function))


def fits(schema: Mapping[str, Any], value: Any) -> bool:
    """Tell whether the value fits, by the newest rules that the schema asks for."""
    return bool(_checker(schema).is_valid(value))


def explain(schema: Mapping[str, Any], value: Any) -> str | None:
    """Return every fault of the value with its path, parted by semicolons, or None when there is none."""
    return "; ".join(dict.fromkeys(_faults(_checker(schema).iter_errors(value)))) or None


def schema_faults(schema: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with a schema by the rules for schemas, each with its place."""
    kind = validator_for(schema, default=Draft202012Validator)
    faults = list(dict.fromkeys(_faults(kind(kind.META_SCHEMA).iter_errors(schema))))
    return faults or list(_pattern_faults(schema))


def _pattern_faults(schema: Mapping[str, Any]) -> Iterator[str]:
    for at, part in subschemas(schema):
        patterns = [((*at, "patternProperties"), name) for name in part.get("patternProperties", ())]
        if "pattern" in part:
            patterns.append(((*at, "pattern"), part["pattern"]))
        for place, pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as problem:
                yield f"{path_text(place)}: {_shown(pattern)} is not a regular expression: {problem}"


def _checker(schema: Mapping[str, Any]) -> Checker:
    kind = validator_for(schema, default=Draft202012Validator)
    return kind(schema, format_checker=_CHECKER)


def _faults(errors: Iterable[Fault]) -> Iterator[str]:
    for error in errors:
        steps = list(error.absolute_path)
        if error.validator in {"anyOf", "oneOf"} and error.context:
            yield from _alternatives(error)
        elif error.validator in _SEVERAL:
            for name, problem in _SEVERAL[error.validator](error):
                yield f"{path_text([*steps, name])}: {problem}"
        else:
            place = path_text(steps)
            yield f"{place}: {_problem(error)}" if place else _problem(error)


def _problem(error: Fault) -> str:
    """Word a fault that concerns one value."""
    word, allowed, value = str(error.validator), error.validator_value, error.instance
    if word == "type":
        return f"{_shown(value)} is not {_kinds([allowed] if isinstance(allowed, str) else allowed)}"
    if word == "enum":
        return f"{_shown(value)} is not one of {', '.join(map(_shown, allowed))}{_nearest(value, allowed)}"
    if word == "format" and allowed in FORMATS:
        form = "a date such as 2024-02-29" if allowed == "date" else "a date and time such as 2024-02-29T12:30:00Z"
        return f"{_shown(value)} is not {form}"
    if word in _PHRASES:
        return _PHRASES[word](_shown(value), allowed)
    return str(error.message)


def _nearest(value: object, allowed: Iterable[object]) -> str:
    if not isinstance(value, str):
        return ""
    close = difflib.get_close_matches(value, [choice for choice in allowed if isinstance(choice, str)], n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


_PHRASES: Final[dict[str, Callable[[str, Any], str]]] = {
    "const": lambda value, allowed: f"{value} is not {_shown(allowed)}",
    "minimum": lambda value, allowed: f"{value} is less than {allowed}",
    "maximum": lambda value, allowed: f"{value} is more than {allowed}",
    "exclusiveMinimum": lambda value, allowed: f"{value} is not more than {allowed}",
    "exclusiveMaximum": lambda value, allowed: f"{value} is not less than {allowed}",
    "minLength": lambda value, allowed: f"{value} is shorter than {allowed} characters",
    "maxLength": lambda value, allowed: f"{value} is longer than {allowed} characters",
    "minItems": lambda value, allowed: f"{value} has fewer than {allowed} items",
    "maxItems": lambda value, allowed: f"{value} has more than {allowed} items",
    "uniqueItems": lambda value, _: f"{value} has the same item twice",
    "oneOf": lambda value, _: f"{value} fits more than one of its forms",
    "pattern": lambda value, allowed: f"{value} does not match {allowed}",
    "multipleOf": lambda value, allowed: f"{value} is not a multiple of {allowed}",
}


def _missing(error: Fault) -> Iterator[tuple[str, str]]:
    return ((name, "missing (required)") for name in error.validator_value if name not in error.instance)


def _unknown(error: Fault) -> Iterator[tuple[str, str]]:
    known = list(error.schema.get("properties", {}))
    patterns = list(error.schema.get("patternProperties", {}))
    for name in error.instance:
        if name in known or any(re.search(pattern, name) for pattern in patterns):
            continue
        close = difflib.get_close_matches(name, known, n=1)
        if close:
            yield name, f"not known; did you mean {close[0]!r}?"
        else:
            yield name, f"not known; {'known are ' + ', '.join(known) if known else 'nothing is expected here'}"


_SEVERAL: Final[dict[str, Callable[[Fault], Iterator[tuple[str, str]]]]] = {
    "required": _missing,
    "additionalProperties": _unknown,
}
"""Faults of an object that concern several of its properties, each of which gets a line of its own."""


def _alternatives(error: Fault) -> Iterator[str]:
    """Explain why none of several forms fits: by the form that was meant, if one can be told, else by naming all."""
    branches: dict[int, list[Fault]] = {}
    for fault in error.context:
        if fault.relative_schema_path:  # the fault of a form that is just `false` has no place and nothing to tell
            branches.setdefault(int(fault.relative_schema_path[0]), []).append(fault)
    meant = [
        faults
        for faults in branches.values()
        if not any(fault.validator == "type" and not fault.relative_path for fault in faults)
    ]
    if len(meant) == 1:
        yield from _faults(meant[0])
        return
    place = path_text(error.absolute_path)
    forms = dict.fromkeys(_form(branch) for branch in error.validator_value)
    problem = f"{_shown(error.instance)} is not {' or '.join(forms)}"
    yield f"{place}: {problem}" if place else problem


def _form(schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return "nothing at all"  # `false`; `true` would have fitted
    if "enum" in schema:
        return " or ".join(map(_shown, schema["enum"]))
    if "const" in schema:
        return _shown(schema["const"])
    kind = schema.get("type")
    if kind == "string" and schema.get("format") in FORMATS:
        return "a date" if schema["format"] == "date" else "a date and time"
    if kind is None:
        return str(schema.get("title", "another form"))
    return _kinds([kind] if isinstance(kind, str) else kind)


def _kinds(kinds: Iterable[str]) -> str:
    return " or ".join(_NOUNS.get(kind, str(kind)) for kind in kinds)


def _shown(value: object) -> str:
    """Show a value the way JSON writes it, text in single quotes, not too long."""
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
