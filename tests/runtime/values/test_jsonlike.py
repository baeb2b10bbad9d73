"""Freezing of JSON-like values at the border."""

import copy
import dataclasses
import json
import math
import os
import pickle
import subprocess
import sys
import uuid
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import attrs
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.values.jsonlike import FrozenDict, FrozenList, Unserialisable, freeze


class Colour(Enum):
    """A plain Enum."""

    RED = "red"
    NONE = None


class Level(IntEnum):
    """An Enum of numbers."""

    HIGH = 3


class Country(StrEnum):
    """An Enum of texts."""

    NORWAY = "no"


@dataclasses.dataclass
class Found:
    """A dataclass with a value that needs converting."""

    url: str
    when: date


@attrs.define
class Patch:
    """An attrs class with a private field."""

    text: str
    _lines: tuple[int, ...] = ()


class Named(str):
    """A text of a library's own."""

    __slots__ = ()


class Number(int):
    """An integer of a library's own."""


class Fraction(float):
    """A float of a library's own."""


class Point(NamedTuple):
    """A tuple with names."""

    x: int
    y: int


TABLE: list[tuple[Any, Any]] = [
    (datetime(2024, 2, 29, 12, 30, tzinfo=UTC), "2024-02-29T12:30:00+00:00"),
    (date(2024, 2, 29), "2024-02-29"),
    (time(12, 30), "12:30:00"),
    (Decimal("0.10"), "0.10"),
    (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
    (PurePosixPath("a/b.txt"), "a/b.txt"),
    (Colour.RED, "red"),
    (Colour.NONE, None),
    (Level.HIGH, 3),
    (Country.NORWAY, "no"),
    (b"\x00\xff", {"base64": "AP8="}),
    (bytearray(b"a"), {"base64": "YQ=="}),
    (Found("a.org", date(2024, 1, 1)), {"url": "a.org", "when": "2024-01-01"}),
    (Patch("x", (1, 2)), {"text": "x", "lines": [1, 2]}),
    ({3, 1, 2}, [1, 2, 3]),
    (frozenset({"b", 2, (1, 2), "a"}), [2, "a", "b", [1, 2]]),
    ((1, "a"), [1, "a"]),
    (Point(1, 2), [1, 2]),
    (math.nan, "NaN"),
    (math.inf, "Infinity"),
    (-math.inf, "-Infinity"),
    (2**64 - 1, 2**64 - 1),
    (2**64, "18446744073709551616"),
    (-(2**63) - 1, "-9223372036854775809"),
    ("a\x00b", "a\ufffdb"),
    ("a\ud800b", "a\ufffdb"),
    ("\ud83d\ude00", "😀"),
    (OrderedDict(a=1), {"a": 1}),
    (Named("no\0"), "no\ufffd"),
    (Number(5), 5),
    (Fraction(0.5), 0.5),
    (Fraction("inf"), "Infinity"),
    (True, True),
    (None, None),
    ("no", "no"),
]


@pytest.mark.parametrize(
    ("value", "kept"), TABLE, ids=[f"{type(value).__name__}-{n}" for n, (value, _) in enumerate(TABLE)]
)
def test_each_convertible_value_has_one_form(value: object, kept: object) -> None:
    """The table of conversions holds, at the top and inside a container."""
    assert freeze(value) == kept
    assert freeze({"in": [value]}) == {"in": [kept]}
    assert type(freeze(value)) in {str, int, float, bool, type(None), FrozenDict, FrozenList}


texts = st.text(st.characters(codec=None, categories=None), max_size=8)
keys = st.text(st.characters(exclude_characters="\0"), max_size=5)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_what_was_frozen_survives_the_wire(value: object) -> None:
    """Whatever enters, its frozen form is the same after writing and reading it, in both JSON libraries."""
    frozen = freeze(value)
    assert orjson.loads(orjson.dumps(frozen)) == frozen
    assert json.loads(json.dumps(frozen, allow_nan=False)) == frozen


@given(json_values)
def test_freezing_twice_changes_nothing(value: object) -> None:
    """A frozen container is returned as the very same object, so that freezing again is free."""
    frozen = freeze([value])
    assert freeze(frozen) is frozen
    assert freeze({"a": frozen})["a"] is frozen


CHANGES: list[Callable[[Any], object]] = [
    lambda v: v["o"].update(a=1),
    lambda v: v["o"].__setitem__("a", 1),
    lambda v: v["o"].__delitem__("a"),
    lambda v: v["o"].pop("a"),
    lambda v: v["o"].popitem(),
    lambda v: v["o"].clear(),
    lambda v: v["o"].setdefault("z", 1),
    lambda v: v["o"].__ior__({"z": 1}),
    lambda v: v["l"].append(1),
    lambda v: v["l"].extend([1]),
    lambda v: v["l"].insert(0, 1),
    lambda v: v["l"].__setitem__(0, 1),
    lambda v: v["l"].__delitem__(0),
    lambda v: v["l"].remove(1),
    lambda v: v["l"].pop(),
    lambda v: v["l"].clear(),
    lambda v: v["l"].sort(),
    lambda v: v["l"].reverse(),
    lambda v: v["l"].__iadd__([1]),
    lambda v: v["l"].__imul__(2),
]


@pytest.mark.parametrize("change", CHANGES)
def test_no_way_of_changing_a_frozen_value_works(change: Callable[[Any], object]) -> None:
    """Every mutator raises and says how to get a copy that may be changed."""
    frozen = freeze({"o": {"a": 1}, "l": [1]})
    with pytest.raises(TypeError, match=r"frozen.*change a copy: (dict|list)\(value\)"):
        change(frozen)
    assert frozen == {"o": {"a": 1}, "l": [1]}


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_deep_copies_may_be_changed(duplicate: Callable[[Any], Any]) -> None:
    """A deep copy is plain at every depth, for whoever wants to change it."""
    plain = duplicate(freeze({"a": [{"b": 1}]}))
    plain["a"][0]["b"] = 2
    plain["a"].append(3)
    assert plain == {"a": [{"b": 2}, 3]}
    assert type(dict(freeze({"a": 1}))) is dict


def test_the_input_is_not_touched() -> None:
    """The caller may go on changing what it handed over; the frozen value does not notice."""
    value = {"a": [1]}
    frozen = freeze(value)
    value["a"].append(2)
    assert frozen == {"a": [1]}


class Model:
    """Has a method that gives its data, as validation libraries' models have."""

    def model_dump(self) -> dict[str, int]:
        """Give the data."""
        return {}


async def later() -> None:
    """Something that a tool forgot to await."""


REFUSED: list[tuple[Any, str, str]] = [
    ({"a": [1, {"b": object()}]}, "result.a[1].b", "is of type object, which has no JSON form; return a dict, a list"),
    (Found("a", complex(1)), "result.when", "complex"),  # type: ignore[arg-type]
    ({"a b": [lambda: 1]}, 'result["a b"][0]', "return what it returns"),
    (timedelta(1), "result", "value.total_seconds()"),
    (Model(), "result", "value.model_dump()"),
    (iter([1]), "result", "list(value)"),
    ([Model], "result[0]", "is the class Model"),
    ({1: 2}, "result", "the key 1 of type int; keys must be text"),
    ({"a": {True: 2}}, "result.a", "the key True of type bool"),
    ({None: 2}, "result", "the key None"),
    ({Country.NORWAY: 2}, "result", "Country"),
    ({"a\x00": 1, "a\ufffd": 2}, "result", "two keys that are the same"),
]


@pytest.mark.parametrize(("value", "path", "words"), REFUSED)
def test_a_value_without_json_form_is_refused_with_its_place(value: object, path: str, words: str) -> None:
    """Report 38: the error names the exact place and type, not only the outermost one, and what to do."""
    with pytest.raises(Unserialisable) as caught:
        freeze(value, where="result")
    assert caught.value.path == path
    assert words in str(caught.value)


def test_an_awaitable_is_refused_with_the_advice_to_await_it() -> None:
    """A forgotten `await` is the likeliest reason for a coroutine in a result."""
    coroutine = later()
    with pytest.raises(Unserialisable, match="await it"):
        freeze({"a": coroutine})
    coroutine.close()


def test_a_value_that_contains_itself_is_refused_where_the_loop_begins() -> None:
    """A loop is named as a loop, at the outermost place that belongs to it."""
    looped: dict[str, Any] = {}
    looped["items"] = [1, looped]
    with pytest.raises(Unserialisable, match=r"^result\.ok(\.items)? contains itself"):
        freeze({"ok": looped}, where="result")


@pytest.mark.parametrize("levels", [201, 100_000])
def test_too_many_levels_are_refused(levels: int) -> None:
    """Depth ends in our own error, never in a RecursionError."""
    lists: list[Any] = []
    objects: dict[str, Any] = {}
    for _ in range(levels):
        lists, objects = [lists], {"a": objects}
    for value in (lists, objects):
        with pytest.raises(Unserialisable, match="nested deeper than 200 levels"):
            freeze(value)


def test_a_long_way_is_told_by_its_ends() -> None:
    """Where something stands so deep that nobody would read the whole way, its beginning and its end are named."""
    value: Any = {"bad": object()}
    for _ in range(150):
        value = [value]
    with pytest.raises(Unserialisable) as caught:
        freeze({"rows": value}, where="result")
    assert caught.value.path == "result.rows[0][0][0][0][0]…[0][0][0][0][0].bad"


def test_the_deepest_allowed_value_can_be_written() -> None:
    """200 levels pass, and the JSON library can write and read them."""
    value: Any = "bottom"
    for _ in range(200):
        value = {"a": value}
    assert orjson.loads(orjson.dumps(freeze(value))) == value


def test_sets_come_in_the_same_order_in_every_process() -> None:
    """The order of a set's members never depends on the process's hash seed."""
    program = "from runtime.values.jsonlike import freeze; print(freeze({'a', 'b', 'c', (1, 'x'), ('y', 1), 3, None}))"
    root = Path(__file__).parents[3]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], cwd=root, env={**os.environ, "PYTHONHASHSEED": seed}, text=True,
            capture_output=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert outputs == {"[3, 'a', 'b', 'c', None, ['y', 1], [1, 'x']]\n"}


def test_a_lone_surrogate_becomes_a_replacement_character() -> None:
    """Report 56: half a character in a tool's result is replaced, so that the stream of events goes on."""
    frozen = freeze({"\udc80key": ["ok\udfff", "\ud83d\ude00\ud83d"]})
    assert frozen == {"\ufffdkey": ["ok\ufffd", "😀\ufffd"]}
    assert orjson.loads(orjson.dumps(frozen)) == frozen


def test_nothing_missing_and_nothing_given_stay_apart() -> None:
    """Report 11: no value, an empty object and a missing key are three things before and after."""
    assert [freeze({"args": None}), freeze({"args": {}}), freeze({})] == [{"args": None}, {"args": {}}, {}]


@pytest.mark.parametrize("text", ["no", "on", "yes", "1:30", "012", "null"])
def test_texts_that_look_like_something_else_stay_texts(text: str) -> None:
    """Report 49: the country code `no` is never taken for False, whichever container it stands in."""
    assert freeze([text, {text: text}]) == [text, {text: text}]
