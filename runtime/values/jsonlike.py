"""JSON-like values: checked, converted and frozen once, where they enter.

`freeze` takes what a tool, a model or a caller hands over and returns a value that can be kept exactly: text, numbers,
booleans, None, and `FrozenList` and `FrozenDict` of them. Some common Python values have one fixed form:

| value | is kept as |
|---|---|
| `datetime`, `date`, `time` | its ISO 8601 text |
| `Decimal`, `UUID`, a path | its text |
| `Enum` | its value |
| `bytes`, `bytearray`, `memoryview` | `{"base64": text}` |
| dataclass, attrs object | an object of its fields, named as its constructor names them |
| `set`, `frozenset` | a list: numbers, then text, then the rest, each sorted |
| `tuple` | a list |
| NaN, infinities | the text `NaN`, `Infinity`, `-Infinity` |
| an integer beyond 64 bits | its text |
| lone surrogates and NUL in text | U+FFFD each |

Anything else is `Unserialisable`, and so are keys that are not text, loops, and more than 200 levels.
"""

from __future__ import annotations

import base64
import dataclasses
import inspect
import math
import re
import sys
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, Final, NoReturn, TypeGuard

import attrs

DEEPEST: Final = 200
"""Levels of lists and objects; the JSON library stops at 254."""
LEAST: Final = -(2**63)
MOST: Final = 2**64 - 1

_STEPS_SHOWN: Final = 6
"""Steps of a path that are shown from its beginning, and from its end, when it is too long to read."""
_REPLACEMENT = "\ufffd"
_UNKEEPABLE = re.compile("[\0\ud800-\udfff]")
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    plain = "dict" if isinstance(self, dict) else "list"
    raise TypeError(f"this value is frozen, because others read it too; change a copy: {plain}(value)")


class FrozenDict(dict[str, Any]):
    """An object that nobody changes. Made by `freeze` only, so everything inside is frozen as well."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        # Copies, deep ones and pickles too, are plain: whoever copies wants to change something.
        return dict, (dict(self),)


class FrozenList(list[Any]):
    """A list that nobody changes. Made by `freeze` only, so everything inside is frozen as well."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = remove = pop = clear = sort = reverse = _refuse

    def __reduce__(self) -> tuple[type[list[Any]], tuple[list[Any]]]:
        return list, (list(self),)


class Unserialisable(ValueError):
    """A value cannot be kept as JSON; the message says where it stands, what it is, and what to give instead."""

    def __init__(self, problem: str, advice: str) -> None:
        super().__init__(problem, advice)
        self.problem = problem
        self.advice = advice
        self._where = ""
        self._steps: list[str | int] = []
        self._culprit: object = None

    @property
    def path(self) -> str:
        """Where it stands, such as `result.a[1].b`; empty when the value itself is meant. A long one is cut."""
        steps = self._steps[::-1]
        if len(steps) <= 2 * _STEPS_SHOWN:
            return path_text(steps, self._where)
        return path_text(steps[-_STEPS_SHOWN:], path_text(steps[:_STEPS_SHOWN], self._where) + "…")

    def _inside(self, value: object, step: str | int) -> None:
        """Take note, on the way up, that the culprit stands at `step` of `value`."""
        self._steps.append(step)
        if value is self._culprit:
            # The object at which the depth ran out stands further up as well: it is inside itself.
            self.problem, self.advice = "contains itself", "return a copy without the loop"
            self._steps.clear()

    def __str__(self) -> str:
        return f"{self.path or 'the value'} {self.problem}; {self.advice}"


def path_text(steps: Iterable[str | int], where: str = "") -> str:
    """Write the way to a value inside another one.

    Examples:
        >>> path_text(["a", 1, "b", "c d"], "result")
        'result.a[1].b["c d"]'
        >>> path_text(["a"])
        'a'
    """
    text = where
    for step in steps:
        if type(step) is int:
            text += f"[{step}]"
        elif _IDENTIFIER.fullmatch(str(step)):
            text += f".{step}" if text else str(step)
        else:
            text += f'["{step}"]'
    return text


def freeze(value: Any, *, where: str = "") -> Any:
    """Return the value as deeply frozen JSON, converted as the table above says.

    What is already frozen is returned as it is, without a look inside.

    Args:
        value: What entered.
        where: What people call it, such as `result`; it begins the path of an error.

    Raises:
        Unserialisable: Some part of it has no JSON form.

    Examples:
        >>> freeze({"day": date(2024, 2, 29), "found": (1, 2)})
        {'day': '2024-02-29', 'found': [1, 2]}
    """
    kind = type(value)
    if kind is str:
        return value if value.isascii() and "\0" not in value else _text(value)
    if kind in _AS_THEY_ARE or (kind is int and LEAST <= value <= MOST):
        return value
    try:
        return _freeze(value, 0)
    except Unserialisable as fault:
        fault._where = where
        fault._culprit = None  # an error that is kept must not keep the value alive
        raise


def _freeze(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind is str:
        return value if value.isascii() and "\0" not in value else _text(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is int:
        return value if LEAST <= value <= MOST else str(value)
    if kind is float:
        return value if math.isfinite(value) else _float_text(value)
    if kind is dict:
        return _object(value, value, depth)
    if kind is list or kind is tuple:
        return _array(value, value, depth)
    return _convert(value, depth)


_AS_THEY_ARE: Final = frozenset({bool, type(None), FrozenDict, FrozenList})


def _object(items: dict[Any, Any], value: object, depth: int) -> FrozenDict:
    """Freeze an object's items; `value` is what they were taken from."""
    if depth >= DEEPEST:
        raise _too_deep(value)
    result: dict[str, Any] = {}
    for key, item in items.items():
        name = key if type(key) is str and key.isascii() and "\0" not in key else _key(key)
        kind = type(item)
        if kind in _AS_THEY_ARE or (kind is str and item.isascii() and "\0" not in item):
            result[name] = item  # most items by far: worth sparing them a call
            continue
        try:
            result[name] = _freeze(item, depth + 1)
        except Unserialisable as fault:
            fault._inside(value, name)
            raise
    if len(result) != len(items):
        raise Unserialisable("has two keys that are the same once written as JSON", "give them different names")
    return FrozenDict(result)


def _array(items: Iterable[Any], value: object, depth: int) -> FrozenList:
    """Freeze a list's items; `value` is what they were taken from."""
    if depth >= DEEPEST:
        raise _too_deep(value)
    result: list[Any] = []
    for index, item in enumerate(items):
        try:
            result.append(item if type(item) in _AS_THEY_ARE else _freeze(item, depth + 1))
        except Unserialisable as fault:
            fault._inside(value, index)
            raise
    return FrozenList(result)


def _convert(value: Any, depth: int) -> Any:
    """Freeze a value of a type that is not JSON's own."""
    if isinstance(value, Enum):
        return _freeze(value.value, depth)
    if isinstance(value, type):
        raise Unserialisable(f"is the class {value.__name__}", "return an object, a list, text or a number")
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal | PurePath) or _is_uuid(value):
        return _text(str(value))
    if isinstance(value, bytes | bytearray | memoryview):
        return FrozenDict({"base64": base64.b64encode(value).decode("ascii")})
    if isinstance(value, set | frozenset):
        return FrozenList(sorted(_array(list(value), value, depth), key=_rank))
    if attrs.has(type(value)):
        fields = attrs.fields(type(value))
        return _object({field.alias: getattr(value, field.name) for field in fields}, value, depth)
    if _is_dataclass(value):
        return _object({field.name: getattr(value, field.name) for field in dataclasses.fields(value)}, value, depth)
    return _subclass(value, depth)


def _subclass(value: Any, depth: int) -> Any:
    """Freeze an instance of a subclass of one of JSON's types as that type itself would be."""
    if isinstance(value, str):
        return _text(str.__str__(value))
    if isinstance(value, int):
        return _freeze(int.__int__(value), depth)
    if isinstance(value, float):
        return _freeze(float.__float__(value), depth)
    if isinstance(value, dict):
        return _object(value, value, depth)
    if isinstance(value, list | tuple):
        return _array(value, value, depth)
    raise Unserialisable(f"is of type {_type_name(value)}, which has no JSON form", _advice(value))


def _key(key: Any) -> str:
    if isinstance(key, str) and not isinstance(key, Enum):
        return _text(str.__str__(key))
    raise Unserialisable(f"has the key {key!r} of type {_type_name(key)}", "keys must be text; write str(key)")


def _text(text: str) -> str:
    """Return the text without what UTF-8 or a store cannot hold; surrogates that make a pair become their character."""
    if not _UNKEEPABLE.search(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _UNKEEPABLE.sub(_REPLACEMENT, joined)


def _float_text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _rank(item: Any) -> tuple[int, float, str]:
    """Order the members of a set the same way in every process."""
    if isinstance(item, int | float):
        return 0, item, ""
    return (1, 0, item) if isinstance(item, str) else (2, 0, repr(item))


def _is_uuid(value: object) -> bool:
    # Nobody can hold a UUID without the module; importing it here would make ids for ourselves look allowed.
    module = sys.modules.get("uuid")
    return module is not None and isinstance(value, module.UUID)


def _is_dataclass(value: object) -> TypeGuard[Any]:
    return dataclasses.is_dataclass(value)


def _too_deep(value: object) -> Unserialisable:
    fault = Unserialisable(f"is nested deeper than {DEEPEST} levels", "return a flatter value")
    fault._culprit = value
    return fault


def _type_name(value: object) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _advice(value: object) -> str:
    """Say what to return instead of a value that has no JSON form."""
    if inspect.isawaitable(value):
        return "await it"
    if isinstance(value, timedelta):
        return "return value.total_seconds()"
    if callable(value):
        return "return what it returns"
    for method in ("model_dump", "to_dict", "tolist"):
        if callable(getattr(value, method, None)):
            return f"return value.{method}()"
    if isinstance(value, Iterable):
        return "return list(value)"
    return "return a dict, a list, text, a number, a boolean or None"
