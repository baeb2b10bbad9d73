"""The plain lines of a run that has no terminal."""

import io

from planner.cli.screen import Lines
from planner.inspector import TreeView
from runtime.values import events as e
from runtime.values.failure import Failure
from runtime.values.status import Status
from runtime.values.usage import NO_USAGE
from tests.planner.inspector.stories import ROOT, Story


def lines(story: Story) -> list[str]:
    """Return what is written of a story, without the times."""
    view, out = TreeView(), io.StringIO()
    screen = Lines(view, out)
    for event in story.facts:
        view.fold(event)
        screen.show(event)
    return [line[11:] for line in out.getvalue().splitlines()]


def test_a_turn_that_was_taken_over_names_what_runs_again() -> None:
    """Models and tools are called by their names; calls that had ended are not among them."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    story.begin(f"{ROOT}.1", "agent", key="read", agent="reader")
    story.tell(f"{ROOT}.1", e.ModelStarted("1.0", 1, "fast"), e.TurnRecovered(("1.0",)))
    story.begin(f"{ROOT}.2", "agent", key="write", agent="writer")
    for key, name in (("1.1", "search"), ("1.2", "fetch"), ("1.3", "save")):
        story.tell(f"{ROOT}.2", e.ToolStarted(key, name, {}))
    story.tell(f"{ROOT}.2", e.ToolCompleted("1.2", "ok"), e.TurnRecovered(("1.1", "1.3")))
    assert [line for line in lines(story) if "goes on" in line] == [
        "read goes on where it stopped; the model fast runs again",
        "write goes on where it stopped; the tool search, the tool save run again",
    ]


def test_a_plan_that_was_taken_over_names_what_it_will_try_again() -> None:
    """A pause before another attempt goes on as well."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    story.begin(f"{ROOT}.1", "agent", key="read", agent="reader")
    busy = Failure("rate_limit", "busy", retryable=True)
    story.tell(f"{ROOT}.1", e.TurnFailed(busy))
    story.tell(ROOT, e.ChildEnded(1, "read", Status.FAILED, None, NO_USAGE, busy))
    story.tell(ROOT, e.RetryScheduled("0.2", 2, story.time + 60, busy), e.TurnRecovered(("0.2",)))
    assert lines(story)[-1] == "brief goes on where it stopped; read is still to be tried again"


def test_each_ending_has_its_line() -> None:
    """A Turn that ends is reported once, whatever its ending is."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    story.begin(f"{ROOT}.1", "agent", key="read", agent="reader")
    story.tell(f"{ROOT}.1", e.MaxStepsReached(3))
    story.tell(ROOT, e.TurnCompleted("ok"))
    assert [line for line in lines(story) if "after" in line] == [
        "read MAX_STEPS_REACHED after 1.0 s",
        "brief is done after 3.0 s",
    ]
