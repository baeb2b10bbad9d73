"""Where keys and values stand, found apart from what they mean."""

from collections.abc import Iterator
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from planner.scenario.places import PathKey, find_places
from planner.scenario.reader import read_text

DOCUMENTS = st.recursive(
    st.none() | st.integers(-9, 9) | st.sampled_from(["x", "a b", "- x", "1", "", "it's\ntwo lines"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "<<", "1"]), inner),
    max_leaves=12,
)


def paths(value: Any, path: PathKey = ()) -> Iterator[PathKey]:
    """Yield the path of every value in a document."""
    yield path
    held = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in held:
        yield from paths(below, (*path, key))


def shown(text: str) -> dict[PathKey, str]:
    """Return what stands at the place of each value."""
    return {path: text[mark.start : mark.end] for path, mark in find_places(text).values.items()}


def test_every_key_and_value_has_its_place() -> None:
    """Keys, values and items are found again in the text by their path."""
    text = "a: {b: [x, 'y z']}\nc: |\n  text\n"
    found = shown(text)
    assert found[()] == text
    assert found["a", "b"] == "[x, 'y z']"
    assert found["a", "b", 1] == "'y z'"
    assert text[find_places(text).keys["c",].start :].startswith("c: |")


@given(DOCUMENTS, st.booleans())
def test_what_is_read_has_a_place(document: Any, in_brackets: bool) -> None:
    """Whatever a text says, exactly the paths of its data have places, and each key has one too."""
    text = yaml.safe_dump(document, default_flow_style=in_brackets, default_style='"' if in_brackets else None)
    source = read_text(text, "x.yaml")
    places = find_places(text)
    if not source.findings:
        assert set(places.values) == set(paths(source.data))
        assert set(places.keys) == {path for path in places.values if path and isinstance(path[-1], str)}


def test_what_is_refused_takes_no_place_of_what_stays() -> None:
    """Aliases and keys that are no text are passed over; of two equal keys the first one has the place."""
    text = "a: &x {b: 1}\nc: *x\n? [k]\n: 2\n? {b: 3}\n: 4\n*x : 5\na: {b: 6, d: 7}\n"
    found = shown(text)
    assert found["a",] == "&x {b: 1}"
    assert found["a", "b"] == "1"
    assert found["c",] == "*x"
    assert ("a", "d") not in found


def test_an_error_of_yaml_ends_the_places() -> None:
    """What stands before the error can still be pointed at."""
    assert shown("a: 1\nb: [2, 3\nc: 4\n")["b", 0] == "2"
