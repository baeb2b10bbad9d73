"""Why a Turn waits or failed."""

from planner.engine import events as p
from planner.inspector import Setting, TreeView, why
from runtime.values import events as e
from runtime.values.failure import Cause, Failure
from runtime.values.status import Status
from runtime.values.usage import NO_USAGE
from tests.planner.inspector.stories import ROOT, Story


def sentences(story: Story, turn: str = ROOT, *, held: bool = True, later: float = 0.0, options: str = "") -> list[str]:
    """Return what is said of a Turn at the end of the story."""
    view = TreeView.of(story.facts)
    return why(view.nodes[turn], Setting(now=story.time + later, held=held, options=options))


def asking() -> Story:
    """Tell of a plan that waits for a person."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    story.begin(f"{ROOT}.1", "question", key="gate")
    form = {"type": "object", "properties": {"go": {"type": "boolean"}}, "required": ["go"]}
    story.tell(f"{ROOT}.1", e.TaskAnswerRequested("0.1.1", "Go on?", None, form))
    story.tell(f"{ROOT}.1", e.TurnSuspended("question", ":0.1.1", "Go on?", "FINISHED", (":0.1.1",)))
    story.tell(ROOT, e.ChildSuspended(1, (":0.1.1",)), e.TurnSuspended("child", None, "waits", "PLAN", ()))
    return story


def test_a_question_comes_with_its_age_and_the_command_that_answers_it() -> None:
    """Whoever reads it can copy the command."""
    assert sentences(asking(), later=180, options=" --db x.db") == [
        "gate waits for an answer to 'Go on?' since 1970-01-01 00:16:42Z, 3 min 4 s ago: "
        "turntree answer k3.1:0.1.1 --db x.db --form go=true",
        "1 of its tasks waits: gate",
    ]


def test_the_asking_turn_speaks_of_itself() -> None:
    """Without a name in front, since the Turn is known."""
    assert sentences(asking(), f"{ROOT}.1")[0].startswith(
        "waits for an answer to 'Go on?' since 1970-01-01 00:16:42Z, 4.0 s ago: turntree answer"
    )


def test_a_retry_says_when_and_after_what() -> None:
    """The time until the next attempt counts from now."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    error = Failure("rate_limit", "slow down")
    story.tell(ROOT, e.ChildEnded(1, "read[a]", Status.FAILED, None, NO_USAGE, error))
    story.tell(ROOT, e.RetryScheduled("1.1.2", 2, story.time + 21, error))
    assert sentences(story) == ["read[a] is tried again in 20 s after rate_limit: slow down (attempt 2)"]
    assert sentences(story, later=60)[0].startswith("read[a] is tried again now")


def test_a_call_in_flight_is_told_apart_from_one_that_was_cut_off() -> None:
    """The same facts mean waiting while a process holds the tree, and a stop when none does."""
    story = Story()
    story.begin(ROOT, "agent", agent="writer")
    story.tell(ROOT, e.ToolStarted("1.1", "search", {"q": "tea"}))
    assert sentences(story) == ['waits for the tool search with {"q": "tea"} since 1970-01-01 00:16:41Z, 1.0 s ago']
    assert sentences(story, held=False) == [
        'waits for the tool search with {"q": "tea"}, which was in flight when the process stopped; '
        "resume it: turntree resume k3"
    ]


def test_a_tree_that_nobody_runs_can_go_on() -> None:
    """A tree whose question was answered meanwhile is resumed, not answered."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    assert sentences(story, held=False) == ["can go on, and nobody runs it: turntree resume k3"]
    assert sentences(story) == ["is at work, and has been for 1.0 s"]


def test_a_failure_leads_to_where_it_began() -> None:
    """The Turns that failed first are named, and not those between them and the root."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    story.begin(f"{ROOT}.1", "plan", key="inner", agent="inner")
    story.begin(f"{ROOT}.1.1", "agent", key="read", agent="reader")
    error = Failure("transport", "connection\nreset")
    for turn in (f"{ROOT}.1.1", f"{ROOT}.1", ROOT):
        story.tell(turn, e.TurnFailed(error))
    assert sentences(story) == [
        "failed after 5.0 s with transport: connection reset",
        "inner/read (turntree show k3.1.1) failed with transport: connection reset",
    ]


def test_endings_are_explained() -> None:
    """Each ending has a sentence of its own."""
    for ending, expected in (
        (e.TurnCompleted(1), "completed after 1.0 s; it waits for nothing"),
        (e.TurnCancelled(Cause("cancelled", "enough", "ann")), "was cancelled by ann after 1.0 s: enough"),
        (
            e.MaxIterationsReached(3),
            "made 3 model calls, all that it may make (max_iterations), and wanted another one",
        ),
        (e.MaxStepsReached(3), "took 3 Steps, all that it may take (max_steps), and wanted another one"),
    ):
        story = Story()
        story.begin(ROOT, "agent", agent="writer")
        story.tell(ROOT, ending)
        assert sentences(story) == [expected]


def test_who_waits_is_named_by_its_path() -> None:
    """Two agents that call a helper of one name are told apart."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    for n, key in enumerate(("a", "b"), 1):
        story.begin(f"{ROOT}.{n}", "agent", key=key, agent="lead")
        story.begin(f"{ROOT}.{n}.1", "agent", key="helper", agent="helper")
        story.tell(f"{ROOT}.{n}.1", e.ModelStarted("1.0", 1, "fast"))
    assert [each.partition(" since ")[0] for each in sentences(story)] == [
        "a/helper waits for the model fast",
        "b/helper waits for the model fast",
    ]


def test_many_causes_are_bounded() -> None:
    """Two hundred waiting calls do not fill the screen."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    story.tell(ROOT, p.PlanCreated("brief", 200))
    for n in range(1, 201):
        story.begin(f"{ROOT}.{n}", "agent", key=f"read[{n}]", agent="reader")
        story.tell(f"{ROOT}.{n}", e.ModelStarted("1.0", 1, "fast"))
    said = sentences(story)
    assert len(said) == 13
    assert said[-1] == "and 188 causes more of the same sorts"
