"""Shapes read strictly and say in words what they would take."""

from pathlib import Path
from typing import Any

import pytest

from planner.scenario.reader import UNREADABLE, Source
from planner.scenario.rehearsal import BOUNDS, COUNT, DURATION
from planner.scenario.shapes import (
    AnyJson,
    AnyMap,
    Choice,
    Either,
    ListOf,
    MapOf,
    Number,
    Reading,
    Shape,
    Text,
    Whole,
    is_list,
    is_text,
)  # fmt: skip


def read(shape: Shape, value: Any) -> tuple[Any, list[str]]:
    """Return what a shape makes of a value at the key `k`, and the messages."""
    source = Source("x", "k: v", {"k": value})
    result = shape.read(value, ("k",), Reading(source, Path()))
    return result, [finding.message for finding in source.findings]


@pytest.mark.parametrize(
    ("shape", "value", "meant"),
    [
        (Text(), "x", "x"), (Text(blank=True), "", ""), (Whole(), 3, 3), (Whole(), 3.0, 3), (Number(), 2, 2.0),
        (DURATION, "5m", 300.0), (DURATION, 2, 2.0), (COUNT, "20k", 20_000), (COUNT, 3.0, 3),
        (Choice(("a", "b")), "b", "b"),
        (ListOf(Text()), ["a"], ["a"]), (MapOf(Whole()), {"a": 1}, {"a": 1}), (AnyJson(), [{"a": None}], [{"a": None}]),
        (AnyMap(), {"a": 1}, {"a": 1}), (BOUNDS, 5, 5),
    ],
)  # fmt: skip
def test_what_fits_is_read(shape: Shape, value: Any, meant: Any) -> None:
    """A value of the right shape comes back as the program uses it."""
    assert read(shape, value) == (meant, [])


@pytest.mark.parametrize(
    ("shape", "value", "said"),
    [
        (Text(), 5, "`k` must be text, not the number 5"),
        (Text(), None, "`k` must be text, not empty"),
        (Text(), True, "`k` must be text, not true"),
        (Text(), {}, "`k` must be text, not a mapping"),
        (Text("a+"), "b", "`k` cannot be 'b'"),
        (Whole(), True, "`k` must be a whole number, not true"),
        (Whole(), 1.5, "`k` must be a whole number, not the number 1.5"),
        (Whole(), "x" * 50, "`k` must be a whole number, not text"),
        (Number(), False, "`k` must be a number, not false"),
        (Number(), -1, "`k` must not be negative, and it is -1"),
        (DURATION, True, "`k` must be seconds, or a duration such as 30s, not true"),
        (DURATION, "5 years", "`k`: '5 years' is not a duration"),
        (Choice(("a", "b")), True, "`k` cannot be true"),
        (Choice((1,)), True, "`k` cannot be true"),
        (ListOf(Text()), "a", "`k` must be a list, each item text, not the text 'a'"),
        (MapOf(Whole()), [], "`k` must be a mapping, not a list"),
        (AnyMap(), 5, "`k` must be a mapping, not the number 5"),
        (
            Either(((is_text, Text()), (is_list, AnyJson())), "this or that"), 5,
            "`k` must be this or that, not the number 5",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_in_words(shape: Shape, value: Any, said: str) -> None:
    """Nothing is guessed: a value of another sort is refused with what was meant and what came."""
    assert read(shape, value) == (UNREADABLE, [said])


def test_what_cannot_be_read_is_left_out_of_its_collection() -> None:
    """The other items and names are still there."""
    assert read(MapOf(Whole()), {"a": "x", "b": 1})[0] == {"b": 1}
    assert read(ListOf(Whole()), ["x", 1])[0] == [1]


def test_what_yaml_refused_is_refused_in_silence() -> None:
    """A value that holds something unreadable is not blamed a second time."""
    source = Source("x", "", {})
    reading = Reading(source, Path())
    assert Text().read(UNREADABLE, ("a",), reading) is UNREADABLE
    reading.refuse("anchor", ("b",), "no aliases")
    assert AnyJson().read({"x": [1, UNREADABLE]}, ("c",), reading) is UNREADABLE
    assert AnyJson().read({"x": [1, {}]}, ("d",), reading) == {"x": [1, {}]}
    assert len(source.findings) == 1
    assert reading.refused == {("a",), ("b",), ("c",)}
    assert repr(UNREADABLE) == "UNREADABLE"
