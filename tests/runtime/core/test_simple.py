"""Turns with one command or one request: a tool call and a question."""

import pytest

from runtime.core.simple import Call, Question, describe_question
from runtime.errors import IllegalSignal
from runtime.values import events as e
from runtime.values import signals as s
from runtime.values.failure import Cause, Failure
from runtime.values.requests import Answer
from runtime.values.status import Status
from runtime.values.usage import Usage
from tests.runtime.core.hand import Hand
from tests.runtime.core.scripts import add


def calling() -> Hand:
    """A tool call that runs."""
    hand = Hand(Call(add))
    assert hand.signal(s.Start({"a": 1, "b": 2}, "sum", 2)) == ["TURN_STARTED", "TOOL_STARTED"]
    return hand


def asking() -> Hand:
    """A question that waits for its answer."""
    hand = Hand(Question())
    assert hand.signal(s.Start(describe_question("Go?", {"n": 3}))) == [
        "TURN_STARTED", "TASK_ANSWER_REQUESTED", "TURN_SUSPENDED",
    ]  # fmt: skip
    return hand


def test_a_call_ends_with_its_result() -> None:
    """The tool's result is the Turn's output."""
    hand = calling()
    assert hand.signal(s.ToolReturned("0.1", 3)) == ["TOOL_COMPLETED", "TURN_COMPLETED"]
    assert (hand.state.output, hand.state.usage) == (3, Usage(tool_calls=1))
    hand.check()


def test_a_call_fails_with_its_failure() -> None:
    """The tool's failure is the Turn's, with its kind."""
    hand = calling()
    failure = Failure("transport", "no line", retryable=True)
    assert hand.signal(s.ToolBroke("0.1", failure)) == ["TOOL_FAILED", "TURN_FAILED"]
    assert hand.state.error == failure
    hand.check()


def test_a_call_that_is_closed_is_cancelled() -> None:
    """The tool's ending comes before the Turn's."""
    hand = calling()
    assert hand.close() == ["TOOL_CANCELLED", "TURN_CANCELLED"]
    assert hand.state.error == Failure("cancelled", "enough")
    hand.check()


def test_a_call_cannot_be_stopped_by_its_tool() -> None:
    """There is nothing after the tool's Step that a stop could leave out."""
    assert calling().signal(s.ToolAskedToStop("0.1", "found")) == []


def test_a_call_records_what_its_tool_emits() -> None:
    """A tool's own events are facts of the call."""
    hand = calling()
    assert hand.signal(s.ToolEmitted("0.1", "page", 1)) == ["CUSTOM"]
    hand.check()


def test_a_recovered_call_runs_again() -> None:
    """The call in flight is named, and stays open."""
    hand = calling()
    assert hand.signal(s.Recovered()) == ["TURN_RECOVERED"]
    assert list(hand.state.open) == ["0.1"]
    hand.check()


def test_names_of_the_definitions() -> None:
    """A call is called after its tool; neither has tasks."""
    assert (Call(add).name, Question().name) == ("add", "question")
    assert calling().machine.summary(None) == asking().machine.summary(None) == {}


@pytest.mark.parametrize(
    ("answer", "output"),
    [(Answer.approve(), True), (Answer.of(7), 7), (Answer.form({"go": True}), {"go": True})],
)
def test_an_answer_is_the_output(answer: Answer, output: object) -> None:
    """The question resumes and ends in the same batch as the answer."""
    hand = asking()
    assert hand.state.status is Status.WAITING_FOR_USER
    assert hand.signal(s.Answered("0.1.1", answer, "ann")) == ["REQUEST_ANSWERED", "TURN_RESUMED", "TURN_COMPLETED"]
    assert hand.state.output == output
    hand.check()


def test_a_rejection_fails_the_question() -> None:
    """The failure names the person and the reason."""
    hand = asking()
    hand.signal(s.Answered("0.1.1", Answer.reject("too dear"), "ann"))
    assert hand.state.error == Failure("rejected", "ann said no: too dear")
    hand.check()


def test_a_question_shows_what_it_asks() -> None:
    """Message and data are in the request, and the suspension names it."""
    hand = asking()
    asked = hand.state.requests["0.1.1"]
    assert (asked.message, asked.show, asked.form) == ("Go?", {"n": 3}, None)
    assert isinstance(hand.facts[-1], e.TurnSuspended)
    assert hand.facts[-1].request_ids == (":0.1.1",)


def test_a_question_that_is_closed_withdraws_its_request() -> None:
    """Nobody can answer it afterwards."""
    hand = asking()
    assert hand.close(cause=Cause("cancelled", "enough", "ann")) == ["REQUEST_WITHDRAWN", "TURN_CANCELLED"]
    with pytest.raises(IllegalSignal):
        hand.signal(s.Answered("0.1.1", Answer.approve(), "ann"))
    hand.check()


def test_only_its_own_request_can_be_answered() -> None:
    """An answer to a request that is not open is refused."""
    with pytest.raises(IllegalSignal):
        asking().signal(s.Answered("0.9.9", Answer.approve(), "ann"))
