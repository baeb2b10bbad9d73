"""The table of legal facts, and the page that shows it."""

import os
from pathlib import Path

import pytest

from runtime.core.legality import ENDED_AS, LEGAL, Position, diagram, following, transitions
from runtime.values.payloads import FACTS
from runtime.values.status import TERMINAL

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "states.md"
INTRODUCTION = """# States of a Turn

Every kind of Turn moves through the same positions; its facts move it. This page is made from the table in
`runtime/core/legality.py`, which `check_grammar` holds every history against. What an interface shows as a Turn's
status, such as `WAITING_FOR_USER`, is derived from its facts and stands in `runtime/values/status.py`.
"""
STAYS = {
    Position.RUNNING: "A running Turn records anything that is not an arrow above, types of other kinds included.",
    Position.SUSPENDED: "A suspended Turn records what reaches it from outside, and what closes it:",
}


def page() -> str:
    """The page as it should be."""
    parts = [INTRODUCTION, f"```mermaid\n{diagram()}\n```\n"]
    for position, sentence in STAYS.items():
        types = [type for before, type, after in transitions() if before is after is position]
        listed = ", ".join([f"`{type}`" for type in types])
        parts.append(f"{sentence}\n\n{listed}\n" if position is Position.SUSPENDED else f"{sentence}\n")
    return "\n".join(parts)


def test_the_page_shows_the_table() -> None:
    """docs/reference/states.md is what the table gives; TURNTREE_UPDATE=1 writes it anew."""
    if os.environ.get("TURNTREE_UPDATE"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page(), "run this test with TURNTREE_UPDATE=1 and read the difference"


def test_only_a_start_makes_a_turn() -> None:
    """TURN_STARTED is the first fact of a Turn and no later one."""
    assert [type for before, type, _ in transitions() if before is Position.NEW] == ["TURN_STARTED"]
    assert not [before for before, type, _ in transitions() if type == "TURN_STARTED" and before is not Position.NEW]


def test_nothing_follows_an_ending() -> None:
    """A Turn that has ended records nothing, whatever it is."""
    assert not [type for before, type, _ in transitions() if before is Position.ENDED]
    assert following(Position.ENDED, "TYPE_OF_ANOTHER_KIND") is None


@pytest.mark.parametrize("type", ENDED_AS)
def test_a_running_turn_can_end(type: str) -> None:
    """Every terminal fact ends a running Turn with a terminal status."""
    assert following(Position.RUNNING, type) is Position.ENDED
    assert ENDED_AS[type] in TERMINAL


def test_a_suspended_turn_is_closed_from_outside_only() -> None:
    """While it waits a Turn can be cancelled or run out of time; it cannot complete or reach a limit."""
    ends = {type for before, type, after in transitions() if (before, after) == (Position.SUSPENDED, Position.ENDED)}
    assert ends == {"TURN_CANCELLED", "TURN_FAILED"}


def test_types_of_other_kinds_are_progress() -> None:
    """A type that nobody here knows may be recorded by a running Turn and by no other."""
    places = [place for place in Position if following(place, "BELL_RANG") is not None]
    assert places == [Position.RUNNING]


def test_the_table_names_types_that_exist() -> None:
    """Each type in the table is a fact of this package or of a plan."""
    known = {payload.type for payload in FACTS} | {"UNKNOWN"}
    foreign = {type for row in LEGAL.values() for type in row if type not in known}
    assert foreign == {"TASK_COMPLETED", "TASK_FAILED", "TASK_SKIPPED", "TASK_CANCELLED"}
