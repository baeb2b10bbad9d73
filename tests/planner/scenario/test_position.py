"""From a character of a value back to the character of the file."""

import pytest

from planner.plan.faults import Fault
from planner.scenario.position import locate
from planner.scenario.reader import read_text


@pytest.mark.parametrize(
    "written",
    [
        "plain text ${HERE}",
        "'it''s quoted ${HERE}'",
        '"an \\u00e4 and \\"that\\" \\x41 \\U0001F600 ${HERE}"',
        "plain text that\n  goes on ${HERE}",
        "'quoted text that\n\n  goes on ${HERE}'",
        '"quoted text \\\n   that goes on ${HERE}"',
        "|\n  first\n    indented\n  second ${HERE}",
        "|2\n   indented first\n  second ${HERE}",
        ">\n  folded\n  text ${HERE}\n\n  more",
        ">-\n\n  one\n\n  two\n  three ${HERE}",
        "|\r\n  first\r\n  second ${HERE}",
        "${HERE}",
        "'${HERE}'",
        ">\n  ${HERE}",
    ],
)
def test_a_character_of_a_text_is_found_however_it_is_written(written: str) -> None:
    """Folding, quoting, escapes and indentation are undone, so that the caret stands below the reference."""
    source = read_text(f"a: {written}\nb: 1\n", "x.yaml")
    assert source.findings == []
    offset = source.data["a"].index("HERE")
    at = locate(source, ("a",), Fault(("a",), "", code="x", offset=offset))
    assert source.text[at:].startswith("HERE")


def test_without_an_offset_the_value_or_its_key_is_meant() -> None:
    """A fault of a whole value points at its start, one of a key at the key."""
    source = read_text("a: 'x'\n", "x.yaml")
    assert locate(source, ("a",), Fault(("a",), "", code="x")) == 3
    assert locate(source, ("a",), Fault(("a",), "", code="x", in_key=True)) == 0


def test_an_offset_beyond_the_text_ends_inside_the_value() -> None:
    """A fault at the end of a text points at its last character, not at the next line."""
    source = read_text("a: 'xy'\nb: 1\n", "x.yaml")
    assert locate(source, ("a",), Fault(("a",), "", code="x", offset=2)) == 6


def test_a_block_at_the_end_of_the_file_may_lack_its_line_break() -> None:
    """An offset at its end points at the last character there is."""
    source = read_text("a: |\n  xy", "x.yaml")
    assert locate(source, ("a",), Fault(("a",), "", code="x", offset=len(source.data["a"]))) == 8


def test_an_offset_in_something_that_is_no_text_points_at_it() -> None:
    """A path that leads to nothing, or to a number, still has a place."""
    source = read_text("a: [1, {b: 2}]\n", "x.yaml")
    assert locate(source, ("a", 1, "b"), Fault((), "", code="x", offset=3)) == 11
    assert locate(source, ("a", 5, "b"), Fault((), "", code="x", offset=3)) == 3
