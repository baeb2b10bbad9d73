"""Fields of forms and inputs as people write them: on the command line, or at a prompt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from planner.inspector.hints import example
from planner.plan.faults import did_you_mean
from planner.plan.fields import apply_defaults, parse_option
from planner.plan.types import type_name
from runtime.errors import UsageError

_YES: Final = {"y": True, "yes": True, "true": True, "n": False, "no": False, "false": False}


@attrs.frozen
class Field:
    """One field that a person fills in."""

    name: str
    schema: Mapping[str, Any]
    required: bool

    @property
    def default(self) -> str | None:
        """What stands for nothing, in words; None if it must be filled in."""
        if self.required:
            return None
        value = self.schema.get("default")
        return "none" if value is None else (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))

    @property
    def takes(self) -> str:
        """What may be written, in words.

        Examples:
            >>> Field("go", {"type": "boolean"}, required=True).takes
            'yes or no'
            >>> Field("angle", {"type": "string", "enum": ["buyers", "makers"]}, required=True).takes
            'buyers | makers'
        """
        values = [value for value in self.schema.get("enum") or () if value is not None]
        if values:
            return " | ".join([value if isinstance(value, str) else json.dumps(value) for value in values])
        if self._is("boolean"):
            return "yes or no"
        sort = self.schema.get("type")
        if isinstance(sort, list | tuple):  # what stands for null is told as the default
            sort = [each for each in sort if each != "null"]
            return type_name({**self.schema, "type": sort[0] if len(sort) == 1 else sort})
        return type_name(self.schema)

    def read(self, text: str) -> Any:
        """Return the value that was typed at a prompt.

        Raises:
            UsageError: It is no such value; the message says what is asked for.
        """
        if not text and not self.required:
            return self.schema.get("default")
        if not text:
            raise UsageError(f"`{self.name}` must be filled in")
        if self._is("boolean"):
            if text.lower() not in _YES:
                raise UsageError(f"`{self.name}` must be yes or no, not {text!r}")
            return _YES[text.lower()]
        return parse_option(self.schema, text, name=self.name)

    def _is(self, sort: str) -> bool:
        found = self.schema.get("type")
        return found == sort or (isinstance(found, list | tuple) and set(found) == {sort, "null"})


def fields_of(schema: Mapping[str, Any]) -> list[Field]:
    """Return the fields of a form, in its order."""
    required = schema.get("required") or ()
    return [Field(name, field, name in required) for name, field in (schema.get("properties") or {}).items()]


def read_pairs(given: Sequence[str], schema: Mapping[str, Any], *, option: str, what: str) -> dict[str, Any]:
    """Return the values of `name=value` options, each read as its field says, with defaults filled in.

    Args:
        given: The options as written; a value `@file.json` is read from that file, `@@…` begins with a plain `@`.
        schema: JSON Schema of the object that they fill in.
        option: What stands before each, such as `-i`.
        what: What one is called, such as `input`.

    Raises:
        UsageError: With everything that is wrong with them.
    """
    known: Mapping[str, Any] = schema.get("properties") or {}
    values: dict[str, Any] = {}
    wrong: list[str] = []
    for pair in given:
        name, equals, text = pair.partition("=")
        try:
            if not equals:
                raise UsageError(f"{option} {pair}: write it as name=value")
            if name in values:
                raise UsageError(f"{option} {name} is given twice; give it once")
            values[name] = None  # so that it does not count as missing if it cannot be read
            values[name] = _value(name, text, known, what)
        except UsageError as error:
            wrong.append(str(error))
    wrong += [
        f"{what} `{name}` is missing; add {option} {name}={example(known.get(name))}"
        for name in schema.get("required") or ()
        if name not in values
    ]
    if wrong:
        raise UsageError("\n".join(wrong))
    filled: dict[str, Any] = apply_defaults(schema, values)
    return filled


def _value(name: str, text: str, known: Mapping[str, Any], what: str) -> Any:
    if name not in known:
        hint = did_you_mean(name, known, otherwise="" if known else "it takes none")
        raise UsageError(f"there is no {what} `{name}`" + (f"; {hint}" if hint else ""))
    if text.startswith("@@"):
        return parse_option(known[name], text[1:], name=name)
    if not text.startswith("@"):
        return parse_option(known[name], text, name=name)
    file = Path(text[1:])
    try:
        content = file.read_text(encoding="utf-8")
        return json.loads(content) if file.suffix == ".json" else parse_option(known[name], content, name=name)
    except OSError as error:
        hint = f"a value that begins with @ is written @{text}"
        raise UsageError(f"{what} `{name}`: cannot read {file}: {error.strerror}; {hint}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{what} `{name}`: {file} is not a text in UTF-8") from error
    except json.JSONDecodeError as error:
        raise UsageError(f"{what} `{name}`: {file}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from error
