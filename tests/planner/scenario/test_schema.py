"""The JSON Schema and the check say the same of a file, as far as JSON Schema can say it."""

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from planner.scenario.document import DOCUMENT
from planner.scenario.reader import Source, read_file, read_text
from planner.scenario.schema import scenario_schema
from planner.scenario.shapes import Reading
from tests.planner.scenario.examples import BROKEN, SCENARIOS, TEXTS

SCHEMA = scenario_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
BEYOND_SCHEMA = {"bad-default", "bad-field", "schema-file"}
"""Rules between two values, and files beside the scenario."""
READ = [
    source
    for file in sorted(BROKEN.glob("*.yaml"))
    if not (source := read_file(file, file.name)).findings and isinstance(source.data, dict | list)
]


def refused(source: Source) -> set[str]:
    """Return the sorts of mistakes in the structure of a text that could be read."""
    DOCUMENT.read(source.data, (), Reading(source, Path()))
    return {finding.code for finding in source.findings}


def test_the_schema_is_a_valid_schema() -> None:
    """Editors can use it."""
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_every_example_fits_the_schema(name: str) -> None:
    """What ships is valid for both."""
    source = read_file(SCENARIOS / f"{name}.yaml", name)
    assert VALIDATOR.is_valid(source.data)
    assert refused(source) == set()


@pytest.mark.parametrize("source", READ, ids=lambda source: source.name)
def test_every_broken_file_is_judged_alike(source: Source) -> None:
    """A file whose structure is wrong is wrong for the schema too, and the other way round."""
    found = refused(source) - BEYOND_SCHEMA
    assert VALIDATOR.is_valid(source.data) == (not found)


VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [
        None, True, False, 0, 1, -1, 2.5, 3.0, "", " ", "x", "5m", "20k", "all", "5%", "safe", "ask", "string",
        "optional date", "a.json", "COMPLETED", "web:search", "https://host/v1", [], ["a"], ["string"], [1], {},
        {"a": 1},
        {"a": "string"}, {"type": "integer", "min": 1}, {"schema": "x"}, {"max": 2}, {"min": 1, "max": 5},
        {"agent": "a", "prompt": "b"}, {"attempts": [[{"text": "x"}]]}, [{"text": ""}], [{"calls": [{"t": {}}]}],
    ]
)  # fmt: skip
KEYS = st.sampled_from(["type", "max", "retries", "zzz", "budget", "with", "Upper", "text", "schema", "tool_results"])


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of everything in a value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(below for key, each in pairs for below in paths(each, (*at, key)))]


@given(st.sampled_from(sorted(TEXTS)), st.data())
def test_any_change_of_an_example_is_judged_alike(name: str, data: st.DataObject) -> None:
    """Replacing, deleting or adding anything makes a file right or wrong for both at once."""
    document = copy.deepcopy(read_text(TEXTS[name], name).data)
    *above, last = data.draw(st.sampled_from(paths(document)[1:]))
    holder = document
    for part in above:
        holder = holder[part]
    change = data.draw(st.sampled_from(["replace", "delete", "add"]))
    if change == "delete":
        del holder[last]
    elif change == "add" and isinstance(holder[last], dict):
        holder[last][data.draw(KEYS)] = data.draw(VALUES)
    else:
        holder[last] = data.draw(VALUES)
    found = refused(Source(name, "", document))
    if found <= BEYOND_SCHEMA and found:
        return
    errors = [error.message for error in VALIDATOR.iter_errors(document)]
    assert bool(errors) == bool(found), (errors[:3], found)
