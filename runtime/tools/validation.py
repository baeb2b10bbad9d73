"""Check values against a JSON Schema: fast when they fit, in plain words when they do not."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, Final

import orjson

from runtime.errors import UsageError
from runtime.tools.references import needs_new_draft, reference_faults, subschemas

_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_DATE_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ].+")


class Validator:
    """One schema, ready to check values.

    The verdict comes from code that is compiled at the first use and shared by equal schemas. The library that
    explains a fault is only imported when there is one. Of the formats, `date` and `date-time` are checked, the
    latter also without an offset.

    Raises:
        UsageError: A reference leads out of the schema or nowhere.
    """

    __slots__ = ("_fits", "schema")

    def __init__(self, schema: Mapping[str, Any]) -> None:
        if faults := reference_faults(schema):
            raise UsageError(_listing("this is not a JSON Schema that can be used", faults))
        self.schema = schema
        self._fits: Callable[[Any], bool] | None = None

    @staticmethod
    def check_schema(schema: object, *, where: str = "schema") -> None:
        """Hold a schema that someone wrote against the rules for schemas.

        Args:
            schema: What should be a JSON Schema.
            where: What people call it.

        Raises:
            UsageError: It is none; the message names every fault with its place.
        """
        if not isinstance(schema, Mapping):
            raise UsageError(f"{where}: a JSON Schema is an object such as {{'type': 'object'}}, not {schema!r}")
        from runtime.tools.explanation import schema_faults

        if faults := schema_faults(schema) or reference_faults(schema):
            raise UsageError(_listing(f"{where} is not a JSON Schema that can be used", faults))

    def explain(self, value: object) -> str | None:
        """Return every fault of the value in words, each with its path, or None when it fits."""
        if self._fits is None:
            self._fits = _compiled(orjson.dumps(self.schema, option=orjson.OPT_SORT_KEYS))
        if self._fits(value):
            return None
        from runtime.tools.explanation import explain

        return explain(self.schema, value)


def is_date(text: str) -> bool:
    """Tell whether the text is a day of the calendar, as `2024-02-29`."""
    return _DATE.fullmatch(text) is not None and _parses(date.fromisoformat, text)


def is_date_time(text: str) -> bool:
    """Tell whether the text is a day and a time in ISO 8601, as `2024-02-29T12:30:00Z`; the offset may be missing."""
    return _DATE_TIME.fullmatch(text) is not None and _parses(datetime.fromisoformat, text.upper())


FORMATS: Final[dict[str, Callable[[str], bool]]] = {"date": is_date, "date-time": is_date_time}


def _parses(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def _listing(headline: str, faults: list[str]) -> str:
    return headline + "".join(f"\n  {fault}" for fault in faults)


@functools.lru_cache(maxsize=1024)
def _compiled(schema: bytes) -> Callable[[Any], bool]:
    """Return a function that tells whether a value fits; `schema` is the schema's canonical text."""
    parsed = orjson.loads(schema)
    if needs_new_draft(parsed):
        from runtime.tools import explanation

        return functools.partial(explanation.fits, parsed)
    import fastjsonschema

    formats = {
        part["format"]: FORMATS[part["format"]] for _, part in subschemas(parsed) if part.get("format") in FORMATS
    }
    check = fastjsonschema.compile(parsed, formats=formats, use_formats=bool(formats), use_default=False)

    def fits(value: Any) -> bool:
        try:
            check(value)
        except fastjsonschema.JsonSchemaValueException:
            return False
        return True

    return fits
