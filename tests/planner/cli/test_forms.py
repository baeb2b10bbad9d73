"""Fields as people write them."""

from pathlib import Path

import pytest

from planner.cli.forms import Field, fields_of, read_pairs
from planner.plan.fields import fields_schema
from runtime.errors import UsageError

SCHEMA = fields_schema(
    {
        "go": "boolean",
        "note": "optional string",
        "level": {"type": "string", "enum": ["low", "high"], "default": "low"},
        "count": {"type": "integer", "min": 1},
        "names": ["string"],
        "sure": "optional boolean",
    }
)
FIELDS = {field.name: field for field in fields_of(SCHEMA)}


@pytest.mark.parametrize(
    ("name", "takes", "default"),
    [
        ("go", "yes or no", None),
        ("note", "a string", "none"),
        ("level", "low | high", "low"),
        ("count", "an integer", None),
        ("sure", "yes or no", "none"),
    ],
)
def test_a_field_says_what_it_takes(name: str, takes: str, default: str | None) -> None:
    """Choices are listed, null is told as the default."""
    assert (FIELDS[name].takes, FIELDS[name].default) == (takes, default)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("go", "Y", True),
        ("sure", "no", False),
        ("sure", "", None),
        ("note", "", None),
        ("note", "007", "007"),
        ("level", "", "low"),
        ("count", "3", 3),
        ("names", '["a"]', ["a"]),
    ],
)
def test_what_is_typed_becomes_a_value(name: str, text: str, value: object) -> None:
    """Nothing stands for the default, and a text is never taken for a number."""
    assert FIELDS[name].read(text) == value


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("go", "", "`go` must be filled in"),
        ("go", "maybe", "`go` must be yes or no, not 'maybe'"),
        ("count", "0", "`count` must be at least 1, not 0"),
        ("level", "mid", '`level` must be one of "low", "high", not "mid"'),
    ],
)
def test_what_does_not_fit_is_explained(name: str, text: str, said: str) -> None:
    """The message says what is asked for."""
    with pytest.raises(UsageError) as caught:
        FIELDS[name].read(text)
    assert str(caught.value) == said


def test_files_hold_values(tmp_path: Path) -> None:
    """JSON files are read as values, other files as text, and @@ begins a text with @."""
    (tmp_path / "names.json").write_text('["a", "b"]')
    (tmp_path / "note.txt").write_text("a long note")
    given = [f"names=@{tmp_path}/names.json", f"note=@{tmp_path}/note.txt", "go=true", "count=1"]
    values = read_pairs(given, SCHEMA, option="-i", what="input")
    assert values == {
        "go": True, "note": "a long note", "level": "low", "count": 1, "names": ["a", "b"], "sure": None,
    }  # fmt: skip
    assert read_pairs(["note=@@home"], fields_schema({"note": "string"}), option="-i", what="input")["note"] == "@home"


@pytest.mark.parametrize(
    ("content", "said"), [(b"{", "bad.json:1:2: not JSON: "), (b"\xff", " is not a text in UTF-8")]
)
def test_broken_files_are_named(tmp_path: Path, content: bytes, said: str) -> None:
    """With the place of the mistake, if there is one."""
    (tmp_path / "bad.json").write_bytes(content)
    with pytest.raises(UsageError) as caught:
        read_pairs([f"note=@{tmp_path}/bad.json"], fields_schema({"note": "string"}), option="-i", what="input")
    assert said in str(caught.value)


def test_a_scenario_without_inputs_takes_none() -> None:
    """And says so."""
    with pytest.raises(UsageError) as caught:
        read_pairs(["a=1"], fields_schema({}), option="-i", what="input")
    assert str(caught.value) == "there is no input `a`; it takes none"


def test_a_field_without_a_type_takes_anything() -> None:
    """JSON if it is JSON, else the text."""
    anything = Field("x", {}, required=True)
    assert [anything.read(text) for text in ("5", "[1]", "five")] == [5, [1], "five"]
