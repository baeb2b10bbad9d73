"""Whether a value of which only the type is known can go where another type is asked for.

This errs on the side of silence: a fault is only ever reported for values that cannot be right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import attrs

from planner.plan.types import DEEPEST, Schema, alternatives, shown, sort_of, type_name, within

_NUMBERS = ("integer", "number")


def mismatch(expected: Schema, given: Schema, name: str) -> str | None:
    """Say why no value of type `given` can stand where `expected` is asked for, or return None if one could.

    Args:
        expected: What the place takes.
        given: What is known of the value.
        name: What the message calls the value.

    Examples:
        >>> mismatch({"type": "integer"}, {"type": "number"}, "count") is None
        True
        >>> mismatch({"type": "integer", "maximum": 9}, {"const": 10}, "count")
        '`count` must be at most 9, not 10'
    """
    return Place.of(expected).mismatch(given, name)


@attrs.frozen(eq=False)
class Place:
    """Where values of one type are asked for: the type is taken apart once for everything that may go there."""

    expected: Schema
    wanted: Sequence[tuple[Schema, str | None]]
    """The simple types that will do, each with its sort."""

    @classmethod
    def of(cls, expected: Schema) -> Place:
        """Take a type apart."""
        return cls(expected, [(want, sort_of(want)) for want in alternatives(expected)])

    def mismatch(self, given: Schema, name: str, depth: int = 0) -> str | None:
        """Say why no value of type `given` can stand here, or return None if one could."""
        if not given or depth > DEEPEST:
            return None
        first = None
        # A constant has no alternatives, and is what stands in most places.
        for have in (given,) if "const" in given else alternatives(given):
            sort = sort_of(have)
            near = None
            for want, other in self.wanted:
                alike = _alike(other, sort)
                if alike or other is None or sort is None:
                    clash = _clash(want, have, name, depth)
                    if clash is None:
                        return None
                    # Of several alternatives, only one of the same sort says more than that none of them fits.
                    near = near or (clash if alike else None)
            first = first or near or _differs(self.expected, given, name)
        return first


def _differs(expected: Schema, given: Schema, name: str) -> str:
    return f"`{name}` must be {type_name(expected)}, not {type_name(given)}"


def _clash(want: Schema, have: Schema, name: str, depth: int) -> str | None:
    """Say why nothing of one simple type fits another one that is of the same sort, as far as sorts are known."""
    sort = sort_of(have)
    if "const" in have:
        if sort == "number" and sort_of(want) == "integer":  # a number may turn out to be whole; 1.5 will not
            return _differs(want, have, name)
        return _constant_clash(want, have["const"], name)
    if "enum" in want and "enum" in have and not any(_same(a, b) for a in want["enum"] for b in have["enum"]):
        return _differs(want, have, name)
    if sort == "object":
        return _object_clash(want, have, name, depth)
    if sort == "array":
        return _list_clash(want, have, name, depth)
    return None


def _alike(one: str | None, other: str | None) -> bool:
    return one == other or (one in _NUMBERS and other in _NUMBERS)


def _constant_clash(want: Schema, value: Any, name: str) -> str | None:
    if "const" in want and not _same(want["const"], value):
        return _differs(want, {"const": value}, name)
    if "enum" in want and not any(_same(one, value) for one in want["enum"]):
        return _differs(want, {"const": value}, name)
    if isinstance(value, str):
        if want.get("format") == "date" and not _is_date(value):
            return f"`{name}` must be a date such as 2026-01-31, not {shown(value)}"
        return _size_clash(want, "Length", len(value), f"`{name}`", " characters long")
    if isinstance(value, int | float) and not isinstance(value, bool):
        least, most = want.get("minimum"), want.get("maximum")
        if least is not None and value < least:
            return f"`{name}` must be at least {least}, not {shown(value)}"
        if most is not None and value > most:
            return f"`{name}` must be at most {most}, not {shown(value)}"
    return None


def _object_clash(want: Schema, have: Schema, name: str, depth: int) -> str | None:
    fields, given = want.get("properties") or {}, have.get("properties") or {}
    sure = have.get("required") or ()
    for field in want.get("required") or ():
        if field not in given and have.get("additionalProperties") is False:
            return f"`{name}` has no `{field}`"
    for field in sure:
        if field in fields:
            place = Place.of(within(want, fields[field]))
            if problem := place.mismatch(within(have, given.get(field)), f"{name}.{field}", depth + 1):
                return problem
        elif want.get("additionalProperties") is False and "patternProperties" not in want:
            return f"`{name}` has a field `{field}` that is not asked for"
    return None


def _list_clash(want: Schema, have: Schema, name: str, depth: int) -> str | None:
    wanted = want.get("items")
    known = have.get("prefixItems") or ()
    if have.get("items") is False and (clash := _size_clash(want, "Items", len(known), f"`{name}`", " items long")):
        return clash
    if not isinstance(wanted, Mapping) or "prefixItems" in want:
        return None
    inner = Place.of(within(want, wanted))
    for index, item in enumerate(known):
        if problem := inner.mismatch(within(have, item), f"{name}[{index}]", depth + 1):
            return problem
    rest = have.get("items")
    if not isinstance(rest, Mapping) or inner.mismatch(within(have, rest), name, depth + 1) is None:
        return None
    return _differs(want, have, name)


def _size_clash(want: Schema, what: str, size: int, name: str, unit: str) -> str | None:
    least, most = want.get(f"min{what}"), want.get(f"max{what}")
    if least is not None and size < least:
        return f"{name} must be at least {least}{unit}, not {size}"
    if most is not None and size > most:
        return f"{name} must be at most {most}{unit}, not {size}"
    return None


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return len(text) == len("2026-01-31")
