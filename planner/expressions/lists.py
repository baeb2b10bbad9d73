"""Filters of lists and maps. Whatever they make is a list, never something that computes later."""

import json
from collections.abc import Callable, Iterable
from typing import TypeVar, cast

from planner.expressions.operators import less
from planner.expressions.paths import Missing, NotThereError, describe, step
from planner.expressions.run import Operation, Run
from planner.expressions.scalars import number, text_of, whole

_Item = TypeVar("_Item")


class _NoDefault:
    def __repr__(self) -> str:
        return "…"


_NO_DEFAULT = _NoDefault()
"""Tells `map(attribute=…)` without a default from one whose default is none."""


def _items_of(run: Run, value: object, what: str) -> list[object]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return list(value)
    hint = "; `split` makes a list of a text" if isinstance(value, str) else ""
    raise run.refusal(f"{what} needs a list, and got a value that is {describe(value)}{hint}")


def _mapping_of(run: Run, value: object, what: str) -> dict[str, object]:
    if isinstance(value, dict):
        return value
    raise run.refusal(f"{what} needs a map, and got a value that is {describe(value)}")


def _attribute(run: Run, item: object, path: object) -> object:
    """The field `a.b.0` of an item, or a `Missing`."""
    steps: list[str | int] = [path] if isinstance(path, int) else _split_path(text_of(run, path, "`attribute`"))
    found = item
    run.spend(len(steps))
    try:
        for key in steps:
            found = step(found, key, "an item")
    except NotThereError as error:
        return run.missing(str(error), str(path))
    return found


def _split_path(path: str) -> list[str | int]:
    return [int(key) if key.isdecimal() and len(key) < 10 else key for key in path.split(".")]


def _chosen(run: Run, item: object, attribute: object) -> object:
    return item if attribute is None else run.settled(_attribute(run, item, attribute))


def _length(run: Run, value: object) -> int:
    if isinstance(value, list | dict | str):
        return len(value)
    raise run.refusal(f"`length` needs a list, a map or a text, and got a value that is {describe(value)}")


def _first(run: Run, value: object) -> object:
    return _end(run, value, 0, "first")


def _last(run: Run, value: object) -> object:
    return _end(run, value, -1, "last")


def _end(run: Run, value: object, index: int, name: str) -> object:
    here = value if isinstance(value, list | str) else _items_of(run, value, f"`{name}`")
    return here[index] if here else run.missing(f"there is no {name} item: the value is {describe(value)}")


def _list(run: Run, value: object) -> list[object]:
    return list(_items_of(run, value, "`list`"))


def _reverse(run: Run, value: object) -> object:
    return value[::-1] if isinstance(value, str) else _items_of(run, value, "`reverse`")[::-1]


def _join(run: Run, value: object, d: object = "", attribute: object = None) -> str:
    items = _items_of(run, value, "`join`")
    between = text_of(run, d, "the separator of `join`")
    texts = [run.text(_chosen(run, item, attribute)) for item in items]
    run.reserve_text(sum(map(len, texts)) + len(between) * len(texts))
    return between.join(texts)


def _sort(
    run: Run, value: object, *, reverse: object = None, case_sensitive: object = None, attribute: object = None
) -> list[object]:
    items = _items_of(run, value, "`sort`")
    keys = _sort_keys(run, items, case_sensitive, attribute)
    # An order of a million items takes about twenty comparisons of each.
    run.spend(20 * len(items))
    order = sorted(range(len(items)), key=keys.__getitem__, reverse=bool(reverse))
    return [items[index] for index in order]


def _sort_keys(run: Run, items: list[object], case_sensitive: object, attribute: object) -> list[str] | list[float]:
    keys = [_folded(_chosen(run, item, attribute), case_sensitive) for item in items]
    for key in keys:
        # Refuses what cannot be ordered, with the words that a comparison would use.
        less(run, keys[0], key)
    run.spend(sum(len(key) for key in keys if isinstance(key, str)) // 5)
    return cast("list[str] | list[float]", keys)


def _folded(key: object, case_sensitive: object) -> object:
    return key.lower() if isinstance(key, str) and not case_sensitive else key


def _unique(run: Run, value: object, *, case_sensitive: object = None, attribute: object = None) -> list[object]:
    seen: set[tuple[type, object]] = set()
    kept: list[object] = []
    for item in _items_of(run, value, "`unique`"):
        found = _folded(_chosen(run, item, attribute), case_sensitive)
        key = (object, found)
        if isinstance(found, list | dict):
            run.measure(found)
            key = (type(found), json.dumps(found, sort_keys=True))
        elif isinstance(found, bool):
            key = (bool, found)
        if key not in seen:
            seen.add(key)
            kept.append(item)
    return kept


def _batch(run: Run, value: object, linecount: object, fill_with: object = None) -> list[object]:
    items = _items_of(run, value, "`batch`")
    width = whole(run, linecount, "`batch`", least=1, most=10**9)
    lines: list[list[object]] = [items[start : start + width] for start in range(0, len(items), width)]
    if fill_with is not None and lines:
        run.reserve_items(width)
        lines[-1] += [fill_with] * (width - len(lines[-1]))
    return list(lines)


def _extreme(run: Run, value: object, name: str, case_sensitive: object, attribute: object) -> object:
    items = _items_of(run, value, f"`{name}`")
    if not items:
        return run.missing(f"there is no {name}: the value is {describe(value)}")
    keys = _sort_keys(run, items, case_sensitive, attribute)
    pick: Callable[..., int] = min if name == "min" else max
    return items[pick(range(len(items)), key=keys.__getitem__)]


def _min(run: Run, value: object, *, case_sensitive: object = None, attribute: object = None) -> object:
    return _extreme(run, value, "min", case_sensitive, attribute)


def _max(run: Run, value: object, *, case_sensitive: object = None, attribute: object = None) -> object:
    return _extreme(run, value, "max", case_sensitive, attribute)


def _sum(run: Run, value: object, attribute: object = None, start: object = 0) -> object:
    total = number(run, start, "the start of `sum`")
    for item in _items_of(run, value, "`sum`"):
        total += number(run, _chosen(run, item, attribute), "`sum`")
    return total


def _keys(run: Run, value: object) -> list[object]:
    return list(_mapping_of(run, value, "`keys`"))


def _values(run: Run, value: object) -> list[object]:
    return list(_mapping_of(run, value, "`values`").values())


def _items(run: Run, value: object) -> list[object]:
    return [[key, held] for key, held in _mapping_of(run, value, "`items`").items()]


def _map(
    run: Run, value: object, *filter_and_arguments: object, attribute: object = None, default: object = _NO_DEFAULT
) -> list[object]:
    """A field of every item, or every item through another filter."""
    items = _items_of(run, value, "`map`")
    if filter_and_arguments:
        name, *arguments = filter_and_arguments
        return [run.settled(run.call(f"|{name}", item, *arguments)) for item in items]
    found = (_attribute(run, item, attribute) for item in items)
    if default is _NO_DEFAULT:
        return [run.settled(field) for field in found]
    return [default if isinstance(field, Missing) else field for field in found]


def _kept(run: Run, items: Iterable[_Item], test: tuple[object, ...], of: Callable[[_Item], object]) -> list[_Item]:
    if not test:
        return [item for item in items if of(item)]
    name, *arguments = test
    return [item for item in items if run.call(f"is {name}", of(item), *arguments)]


def _dropped(run: Run, items: list[object], test: tuple[object, ...], of: Callable[[object], object]) -> list[object]:
    numbered = _kept(run, range(len(items)), test, lambda index: of(items[index]))
    dropped = set(numbered)
    return [item for index, item in enumerate(items) if index not in dropped]


def _select(run: Run, value: object, *test: object) -> list[object]:
    return _kept(run, _items_of(run, value, "`select`"), test, lambda item: item)


def _reject(run: Run, value: object, *test: object) -> list[object]:
    return _dropped(run, _items_of(run, value, "`reject`"), test, lambda item: item)


def _selectattr(run: Run, value: object, attribute: object, *test: object) -> list[object]:
    return _kept(run, _items_of(run, value, "`selectattr`"), test, lambda item: _attribute(run, item, attribute))


def _rejectattr(run: Run, value: object, attribute: object, *test: object) -> list[object]:
    return _dropped(run, _items_of(run, value, "`rejectattr`"), test, lambda item: _attribute(run, item, attribute))


LIST_FILTERS: dict[str, Operation] = {
    "batch": _batch,
    "first": _first,
    "items": _items,
    "join": _join,
    "keys": _keys,
    "last": _last,
    "length": _length,
    "list": _list,
    "map": _map,
    "max": _max,
    "min": _min,
    "reject": _reject,
    "rejectattr": _rejectattr,
    "reverse": _reverse,
    "select": _select,
    "selectattr": _selectattr,
    "sort": _sort,
    "sum": _sum,
    "unique": _unique,
    "values": _values,
}
