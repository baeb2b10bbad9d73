"""Which rows of a tree are shown when there is not room for all."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from planner.cli.live import table
from planner.cli.rows import all_rows, fitting_rows
from planner.engine import events as p
from planner.inspector import Node, TreeView
from runtime.values import events as e
from runtime.values.failure import Failure
from runtime.values.status import Status
from runtime.values.usage import NO_USAGE
from tests.planner.inspector.stories import ROOT, Story


def big(items: int = 200, *, done: int = 150, failed: int = 3) -> tuple[Node, float]:
    """Return a run with many items, an open question and another task."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    keys = tuple([f"i{n}" for n in range(items)])
    story.tell(ROOT, p.PlanCreated("brief", 3), p.TaskStarted("read", items=list(range(items)), item_keys=keys))
    for n, key in enumerate(keys, 1):
        turn = f"{ROOT}.{n}"
        story.begin(turn, "agent", key=f"read[{key}]", agent="reader")
        story.tell(turn, e.ModelStarted("1.0", 1, "fast"))
        if n <= failed:
            story.tell(turn, e.TurnFailed(Failure("server", "no luck\x1b[2J")))
            story.tell(ROOT, p.TaskFailed("read", n, n - 1))
        elif n <= done:
            story.tell(turn, e.TurnCompleted("ok"))
            story.tell(ROOT, p.TaskCompleted("read", n, n - 1))
    story.begin(f"{ROOT}.{items + 1}", "question", key="gate")
    story.tell(f"{ROOT}.{items + 1}", e.TaskAnswerRequested("0.1.1", "Go on?"))
    story.tell(f"{ROOT}.{items + 1}", e.TurnSuspended("question", None, "Go on?", "FINISHED"))
    story.begin(f"{ROOT}.{items + 2}", "agent", key="side", agent="writer")
    story.tell(f"{ROOT}.{items + 2}", e.ModelStarted("1.0", 1, "fast"))
    root = TreeView.of(story.facts).root
    assert root is not None
    return root, story.time


def test_questions_failures_and_other_tasks_come_first() -> None:
    """In a small window nothing that needs a person is hidden behind two hundred items."""
    root, now = big()
    rows = fitting_rows(root, now, 12)
    labels = [row.label for row in rows]
    assert len(rows) <= 12
    assert labels[0] == "brief"
    assert {"read (reader)", "read[i0]", "read[i1]", "read[i2]", "gate", "side (writer)"} <= set(labels)
    assert next(row.text for row in rows if row.label == "read (reader)") == "147 of 200 done, 3 failed"
    assert next(row.text for row in rows if row.label == "gate") == "asks: Go on?"


def test_what_is_left_out_is_counted() -> None:
    """Shown and counted items together are all that are not done."""
    root, now = big()
    rows = fitting_rows(root, now, 15)
    items = [row for row in rows if row.label.startswith("read[")]
    (rest,) = [row.label for row in rows if row.label.startswith("…")]
    running = len([row for row in items if row.status == "RUNNING"])
    assert rest == f"… {50 - running} running"


@given(st.integers(1, 60), st.integers(0, 40), st.integers(0, 40))
def test_rows_always_fit(height: int, items: int, done: int) -> None:
    """Whatever the tree and the terminal, never more rows than there is room for, and never none."""
    root, now = big(items, done=min(done, items), failed=min(2, items))
    assert 1 <= len(fitting_rows(root, now, height)) <= height


def test_with_room_every_turn_is_shown() -> None:
    """The full list has a row for each Turn, and one for the items together."""
    root, now = big(20, done=5)
    assert len(all_rows(root, now)) == 1 + 1 + 20 + 2


def test_a_failed_attempt_that_will_be_repeated_is_no_failure() -> None:
    """It says when it is tried again."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    story.begin(f"{ROOT}.1", "agent", key="read", agent="reader")
    error = Failure("rate_limit", "slow down")
    story.tell(f"{ROOT}.1", e.TurnFailed(error))
    story.tell(ROOT, e.ChildEnded(1, "read", Status.FAILED, None, NO_USAGE, error))
    story.tell(ROOT, e.RetryScheduled("0.1.2", 2, story.time + 31, error))
    root = TreeView.of(story.facts).root
    assert root is not None
    (_, row) = fitting_rows(root, story.time, 10)
    assert (row.glyph, row.text) == ("↻", "again in 30 s after rate_limit: slow down")


@pytest.mark.parametrize("width", [40, 80, 200])
def test_lines_never_wrap(width: int) -> None:
    """Each row is one line of the terminal, and no text of a model can move its cursor."""
    root, now = big(20, done=5)
    rows = fitting_rows(root, now, 22)
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=False).print(table(rows, width))
    lines = out.getvalue().splitlines()
    assert len(lines) == len(rows)
    assert max(map(len, lines)) <= width
    assert "\x1b" not in out.getvalue()
