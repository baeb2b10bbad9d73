"""The view of a tree."""

import pytest
import trio
from trio.testing import MockClock

from planner import Ask, ForEach, Plan, Task
from planner.engine import events as p
from planner.inspector import TreeView, activity
from runtime import Agent, Status, open_runtime
from runtime.models.scripted import ScriptedModel
from runtime.values import events as e
from runtime.values.failure import Cause, Failure
from runtime.values.requests import Answer
from runtime.values.usage import NO_USAGE
from tests.planner.inspector.stories import ROOT, Story


def test_an_agent_is_shown_with_what_it_spent_and_said() -> None:
    """The newest line of a reply and the tokens of all calls stand at the Turn and count upwards."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    story.begin(f"{ROOT}.1", "agent", key="read[a]", agent="reader")
    story.reply(f"{ROOT}.1", "first line\nlast line\n", tokens=30)
    view = TreeView.of(story.facts)
    node = view.nodes[f"{ROOT}.1"]
    assert (node.text, node.tokens, node.usage.model_calls) == ("last line", 30, 1)
    assert view.root is not None
    assert (view.root.tokens, view.root.usage.total_tokens, view.root.total().total_tokens) == (30, 0, 30)
    assert (node.name, node.agent, node.status) == ("read[a]", "reader", Status.RUNNING)


def test_text_is_shown_while_it_arrives() -> None:
    """Pieces of text make up the newest line, whatever the pieces' borders are."""
    story = Story()
    story.begin(ROOT, "agent", agent="writer")
    story.tell(ROOT, e.ModelStarted("1.0", 1, "fast"))
    for piece, line in (
        ("Once", "Once"),
        (" upon\na", "a"),
        (" time\n", "a time"),
        ("there", "there"),
        ("\n\n", "there"),
        ("!", "!"),
    ):
        story.show(ROOT, e.TextBlockDelta(piece))
        root = TreeView.of(story.facts).root
        assert root is not None
        assert root.text.strip() == line


def test_a_preview_of_an_ended_turn_changes_nothing() -> None:
    """What arrives late does not touch how a Turn ended."""
    story = Story()
    story.begin(ROOT, "agent", agent="writer")
    story.tell(ROOT, e.TurnCompleted("done"))
    story.show(ROOT, e.TextBlockDelta("late"))
    root = TreeView.of(story.facts).root
    assert root is not None
    assert (root.text, root.output, root.status) == ("", "done", Status.COMPLETED)


def test_facts_may_come_twice() -> None:
    """A reader that reads on from too early a position spoils nothing."""
    story = Story()
    story.begin(ROOT, "agent", agent="writer")
    story.reply(ROOT, "hello", tokens=7)
    view = TreeView.of([*story.facts, *story.facts])
    assert view.root is not None
    assert view.root.tokens == 7


def test_a_retry_is_shown_until_the_next_attempt_starts() -> None:
    """A child that will be tried again is told apart from one that failed for good, until the next attempt is there."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    story.tell(ROOT, p.PlanCreated("brief", 1), p.TaskStarted("read", 1), e.ChildStarted(1, "read", "0.1", None))
    story.begin(f"{ROOT}.1", "agent", key="read", agent="reader")
    error = Failure("rate_limit", "slow down")
    story.tell(f"{ROOT}.1", e.TurnFailed(error))
    story.tell(ROOT, e.ChildEnded(1, "read", Status.FAILED, None, NO_USAGE, error))
    story.tell(ROOT, e.RetryScheduled("0.1.2", 2, story.time + 20, error))
    view = TreeView.of(story.facts)
    assert view.root is not None
    assert view.root.status is Status.RETRY_SCHEDULED
    assert activity(view.root, story.time) == "tries read again in 19 s after rate_limit"
    story.tell(ROOT, p.TaskStarted("read", 2, 2), e.ChildStarted(2, "read", "0.1.2", None, 2))
    story.begin(f"{ROOT}.2", "agent", key="read", agent="reader", attempt=2)
    view = TreeView.of(story.facts)
    assert view.root is not None
    assert (view.root.retries, view.root.status) == ({}, Status.RUNNING)
    assert [child.attempt for child in view.root.newest()] == [2]


def test_items_are_counted_by_how_they_ended() -> None:
    """A task that runs for each of a list knows how many of its items came to which end."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    story.tell(ROOT, p.TaskStarted("read", items=[1, 2, 3], item_keys=("a", "b", "c")))
    story.tell(ROOT, p.TaskCompleted("read", 1, 0), p.TaskFailed("read", 2, 1), p.TaskSkipped("read", "when: x", 2))
    root = TreeView.of(story.facts).root
    assert root is not None
    task = root.tasks["read"]
    assert dict(task.counts()) == {"COMPLETED": 1, "FAILED": 1, "SKIPPED": 1}
    assert (task.status, task.name(1)) == ("RUNNING", "read[b]")


def test_questions_of_the_whole_tree_stand_at_the_top() -> None:
    """An open question is known by its id until it is answered, with where it was asked."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    story.begin(f"{ROOT}.1", "question", key="gate")
    story.tell(f"{ROOT}.1", e.TaskAnswerRequested("0.1.1", "Go on?"), e.TurnSuspended("question", None, "Go on?", "X"))
    view = TreeView.of(story.facts)
    (request,) = view.requests.values()
    assert (request.id, request.path, request.message) == (f"{ROOT}.1:0.1.1", ("gate",), "Go on?")
    assert view.nodes[f"{ROOT}.1"].status is Status.WAITING_FOR_USER
    story.tell(f"{ROOT}.1", e.RequestAnswered("0.1.1", Answer.approve(), "ann"), e.TurnResumed("answer"))
    view = TreeView.of(story.facts)
    assert view.requests == {}
    assert view.nodes[f"{ROOT}.1"].status is Status.RUNNING


@pytest.mark.parametrize(
    ("ending", "status", "shown"),
    [
        (e.TurnFailed(Failure("timeout", "too slow")), Status.FAILED, "timeout: too slow"),
        (e.TurnCancelled(Cause("cancelled", "enough")), Status.CANCELLED, "cancelled: enough"),
        (e.MaxIterationsReached(3), Status.MAX_ITERATIONS_REACHED, "reached its limit of 3"),
        (e.MaxStepsReached(4), Status.MAX_STEPS_REACHED, "reached its limit of 4"),
    ],
)
def test_every_ending_is_shown(ending: e.EventData, status: Status, shown: str) -> None:
    """An ending closes what was open and says why."""
    story = Story()
    story.begin(ROOT, "agent", agent="writer")
    story.tell(ROOT, e.ModelStarted("1.0", 1, "fast"), ending)
    root = TreeView.of(story.facts).root
    assert root is not None
    assert (root.status, root.calls, activity(root, story.time)) == (status, {}, shown)


async def test_the_view_agrees_with_the_run(autojump_clock: MockClock) -> None:
    """Folding the facts of a real run gives the statuses and the usage that the result gives."""
    model = ScriptedModel(scripts={"reader": [{"text": "hello", "delay": "1s"}]})
    reader = Agent("reader", model=model)
    plan = Plan(
        [
            Task("read", ForEach(["a", "b"], key="item"), agent=reader, prompt="${item}"),
            Task("gate", ask=Ask("Go on?")),
            Task("never", when="tasks.gate.output == 'x'", agent=reader, prompt="x"),
        ]
    )

    async def decide(_: object) -> Answer:
        await trio.sleep(3)
        return Answer.approve()

    async with open_runtime() as runtime:
        result = await runtime.run(plan, on_request=decide)
        view = TreeView.of(await runtime.journal.read(result.turn_id))
    assert view.root is not None
    assert (view.root.status, view.root.total()) == (result.status, result.usage)
    assert view.root.tokens == result.usage.total_tokens
    assert {key: task.status for key, task in view.root.tasks.items()} == {
        key: task.status for key, task in result.tasks.items()
    }
    assert view.root.elapsed(0.0) == pytest.approx(3)
