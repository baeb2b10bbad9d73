"""Filters of texts and numbers."""

import json
import math

from planner.expressions.operators import is_number
from planner.expressions.paths import Missing, describe
from planner.expressions.run import Operation, Run

_MAX_DIGITS = 400
"""Digits of a text that becomes a number; enough for every number that an expression may hold."""


def text_of(run: Run, value: object, what: str) -> str:
    """The value if it is a text; `what` names it in the fault."""
    if isinstance(value, str):
        return value
    raise run.refusal(f"{what} needs a text, and got a value that is {describe(value)}")


def whole(run: Run, value: object, what: str, *, least: int, most: int) -> int:
    """The value if it is a whole number within bounds; `what` names it in the fault."""
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise run.refusal(f"{what} needs a whole number from {least} to {most}")


def number(run: Run, value: object, what: str) -> int | float:
    """The value if it is a number; `what` names it in the fault."""
    if isinstance(value, int | float) and is_number(value):
        return value
    raise run.refusal(f"{what} needs a number, and got a value that is {describe(value)}")


def _default(_run: Run, value: object, default_value: object = "", boolean: object = None) -> object:
    """The value if it is there (and, with `boolean`, true), else the default."""
    if isinstance(value, Missing) or (boolean and not value):
        return default_value
    return value


def _string(run: Run, value: object) -> str:
    return run.text(value)


def _upper(run: Run, value: object) -> str:
    return text_of(run, value, "`upper`").upper()


def _lower(run: Run, value: object) -> str:
    return text_of(run, value, "`lower`").lower()


def _capitalize(run: Run, value: object) -> str:
    return text_of(run, value, "`capitalize`").capitalize()


def _title(run: Run, value: object) -> str:
    return text_of(run, value, "`title`").title()


def _trim(run: Run, value: object, chars: object = None) -> str:
    return text_of(run, value, "`trim`").strip(None if chars is None else text_of(run, chars, "`trim`"))


def _replace(run: Run, value: object, old: object, new: object, count: object = -1) -> str:
    text, old, new = (text_of(run, part, "`replace`") for part in (value, old, new))
    times = whole(run, count, "the count of `replace`", least=-1, most=len(text) + 1)
    found = text.count(old)
    run.reserve_text(len(text) + max(0, len(new) - len(old)) * (found if times < 0 else min(found, times)))
    return text.replace(old, new, times)


def _truncate(run: Run, value: object, length: object = 255, killwords: object = None, end: object = "...") -> str:
    """The text cut to `length`, at a space unless `killwords`."""
    text, ending = text_of(run, value, "`truncate`"), text_of(run, end, "the end of `truncate`")
    size = whole(run, length, "the length of `truncate`", least=len(ending), most=10**9)
    if len(text) <= size:
        return text
    head = text[: size - len(ending)]
    return (head if killwords else head.rsplit(" ", 1)[0]) + ending


def _split(run: Run, value: object, separator: object = None) -> list[str]:
    text = text_of(run, value, "`split`")
    if separator is None:
        return text.split()
    by = text_of(run, separator, "the separator of `split`")
    if not by:
        raise run.refusal("the separator of `split` must not be empty")
    run.reserve_items(text.count(by) + 1)
    return text.split(by)


def _tojson(run: Run, value: object, indent: object = None) -> str:
    """The value as JSON, a text in quotes too."""
    width = None if indent is None else whole(run, indent, "the indent of `tojson`", least=0, most=8)
    run.reserve_text(run.measure(value) + (_indents(value) * width if width else 0))
    try:
        return json.dumps(
            value,
            ensure_ascii=False,
            allow_nan=False,
            indent=width,
            separators=(",", ":") if width is None else (",", ": "),
        )
    except (TypeError, ValueError):
        raise run.refusal(f"a value that is {describe(value)} cannot be written as JSON") from None


def _indents(value: object) -> int:
    """How many steps of indent all lines of the value have together."""
    steps = 0
    pending = [(value, 1)]
    while pending:
        here, depth = pending.pop()
        if isinstance(here, list | dict):
            steps += depth * (len(here) + 1)
            pending.extend((inner, depth + 1) for inner in (here.values() if isinstance(here, dict) else here))
    return steps


def _int(run: Run, value: object, default: object = None, base: object = 10) -> object:
    """A whole number; what cannot become one is the default, or a fault without one."""
    radix = whole(run, base, "the base of `int`", least=2, most=36)
    try:
        if isinstance(value, int | float):
            return int(value)
        if isinstance(value, str) and len(value) <= _MAX_DIGITS:
            return int(value, radix)
    except (ValueError, OverflowError):
        pass
    return _unconverted(run, "int", value, default)


def _float(run: Run, value: object, default: object = None) -> object:
    """A number with a fraction; what cannot become one is the default, or a fault without one."""
    try:
        if isinstance(value, int | float) or (isinstance(value, str) and len(value) <= _MAX_DIGITS):
            made = float(value)
            if math.isfinite(made):
                return made
    except (ValueError, OverflowError):
        pass
    return _unconverted(run, "float", value, default)


def _unconverted(run: Run, name: str, value: object, default: object) -> object:
    if default is None:
        raise run.refusal(
            f"`{name}` cannot make a number of this value, which is {describe(value)}; give a default: `{name}(0)`"
        )
    return default


def _round(run: Run, value: object, precision: object = 0, method: object = "common") -> int | float:
    amount = number(run, value, "`round`")
    digits = whole(run, precision, "the precision of `round`", least=-15, most=15)
    if method == "common":
        return round(amount, digits)
    if method not in ("ceil", "floor"):
        raise run.refusal("the method of `round` is common, ceil or floor")
    factor = 10.0**digits
    return float((math.ceil if method == "ceil" else math.floor)(amount * factor) / factor)


def _abs(run: Run, value: object) -> int | float:
    return abs(number(run, value, "`abs`"))


SCALAR_FILTERS: dict[str, Operation] = {
    "abs": _abs,
    "capitalize": _capitalize,
    "default": _default,
    "float": _float,
    "int": _int,
    "lower": _lower,
    "replace": _replace,
    "round": _round,
    "split": _split,
    "string": _string,
    "title": _title,
    "tojson": _tojson,
    "trim": _trim,
    "truncate": _truncate,
    "upper": _upper,
}
