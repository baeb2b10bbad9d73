"""What an agent Turn does with single signals: parks and wakes, a tool that speaks or stops, and closing."""

import attrs
import pytest

from runtime.core.ports import ModelReply
from runtime.errors import IllegalSignal
from runtime.testing import call, say
from runtime.values import events as e
from runtime.values import signals as s
from runtime.values.agent import Agent
from runtime.values.commands import Want
from runtime.values.failure import Cause, Failure
from runtime.values.messages import AssistantMessage, Text, ToolCall, ToolMessage
from runtime.values.status import Status
from runtime.values.usage import Usage
from tests.runtime.core.hand import Hand
from tests.runtime.core.scripts import add, agent

TWO = call(("add", {"a": 1, "b": 2}), ("add", {"a": 3, "b": 4}))
BOTH = call(("add", {"a": 1, "b": 2}), ("reader", {"task": "x"}))


def begun(reply: ModelReply, what: Agent | None = None) -> Hand:
    """An agent that was asked, whose model has replied."""
    hand = Hand(what or agent(agents=[agent(name="reader")]))
    hand.signal(s.Start("go"))
    hand.signal(hand.machine.judge(hand.state, "1.0", reply, 0.5))
    return hand


def reply(hand: Hand, key: str, answer: ModelReply) -> list[str]:
    """Let the open model call bring an answer."""
    return hand.signal(hand.machine.judge(hand.state, key, answer, 0.5))


# ------------------------------------------------------------------------------------------------ tools that speak


def test_a_tool_records_events_of_its_own() -> None:
    """What a running tool emits is a fact and changes nothing else."""
    hand = begun(TWO)
    assert hand.signal(s.ToolEmitted("1.1", "page", {"n": 1})) == ["CUSTOM"]
    hand.check()


def test_a_tool_may_ask_to_stop() -> None:
    """The Turn ends after this Step with that tool's result as its output; its siblings finish first."""
    hand = begun(TWO)
    assert hand.signal(s.ToolAskedToStop("1.2", "found")) == ["STOP_REQUESTED"]
    assert hand.signal(s.ToolAskedToStop("1.1", "me too")) == []
    hand.signal(s.ToolReturned("1.2", 7))
    assert hand.signal(s.ToolReturned("1.1", 3)) == ["TOOL_COMPLETED", "STEP_COMPLETED", "TURN_COMPLETED"]
    assert hand.state.output == 7
    hand.check()


def test_a_tool_that_asks_to_stop_and_fails_does_not_stop_the_turn() -> None:
    """There is no result to end with, so the model hears of the failure and goes on."""
    hand = begun(TWO)
    hand.signal(s.ToolAskedToStop("1.2", "found"))
    hand.signal(s.ToolReturned("1.1", 3))
    assert hand.signal(s.ToolBroke("1.2", Failure("tool_error", "no"))) == [
        "TOOL_FAILED", "STEP_COMPLETED", "STEP_STARTED", "MODEL_STARTED",
    ]  # fmt: skip
    hand.check()


@pytest.mark.parametrize("signal", [s.ToolEmitted("1.3", "x", 1), s.ToolAskedToStop("1.3", "x")])
def test_a_call_that_does_not_run_cannot_speak(signal: s.Signal) -> None:
    """A tool that has ended, or never ran, records nothing more."""
    with pytest.raises(IllegalSignal):
        begun(TWO).signal(signal)


# ------------------------------------------------------------------------------------------------ admission


def test_calls_wait_for_their_places() -> None:
    """An allowed call that admission holds back is wanted until it is granted; nothing else is lost meanwhile."""
    full = True

    def grant(want: Want) -> bool:
        return want.call_key == "1.0" or not full

    hand = Hand(agent(), grant)
    hand.signal(s.Start("go"))
    assert reply(hand, "1.0", TWO) == ["MODEL_COMPLETED"]
    assert [want.call_key for want in hand.machine.wants(hand.state, ())] == ["1.1", "1.2"]
    full = False
    assert hand.signal(s.CancelRequested("not yet")) == ["CANCELLATION_REQUESTED", "TOOL_STARTED", "TOOL_STARTED"]
    assert hand.signal(s.CancelRequested("again")) == []
    hand.check()


def test_a_model_call_waits_for_its_place() -> None:
    """A Turn whose model is busy has one want, and what is granted must be that."""
    hand = Hand(agent(), lambda want: False)
    hand.signal(s.Start("go"))
    assert [want.call_key for want in hand.machine.wants(hand.state, ())] == ["1.0"]
    with pytest.raises(IllegalSignal):
        hand.signal(s.Granted("1.1"))
    assert hand.state.status is Status.RUNNING


# ------------------------------------------------------------------------------------------------ park and wake


def parked() -> Hand:
    """An agent whose only open call is an agent that waits for a person."""
    hand = begun(BOTH)
    hand.signal(s.ToolReturned("1.1", 3))
    hand.signal(s.ChildParked(1, (":0.1.1", "2:0.1.1"), 4.5))
    return hand


def test_a_turn_suspends_when_only_children_wait() -> None:
    """The Step ends, then the Turn suspends and names the requests below it relative to itself."""
    hand = parked()
    assert [fact.type for fact in hand.facts[-3:]] == ["CHILD_SUSPENDED", "STEP_COMPLETED", "TURN_SUSPENDED"]
    suspended = hand.facts[-1]
    assert isinstance(suspended, e.TurnSuspended)
    assert suspended.request_ids == ("1:0.1.1", "1.2:0.1.1")
    assert (suspended.message, hand.state.status) == ("waits for 1 of its agents", Status.WAITING_FOR_CHILD)
    hand.check()


def test_a_turn_does_not_suspend_while_a_call_runs() -> None:
    """A parked child alone suspends nobody."""
    hand = begun(BOTH)
    assert hand.signal(s.ChildParked(1, (":0.1.1",))) == ["CHILD_SUSPENDED"]
    assert hand.signal(s.ChildWoke(1)) == ["CHILD_RESUMED"]
    assert set(hand.state.open) == {"1.1", "1.2"}
    hand.check()


def test_a_woken_turn_goes_on_in_a_new_step_with_the_same_call() -> None:
    """The child keeps its call key and the time it has used; its result completes the history."""
    hand = parked()
    assert hand.signal(s.ChildWoke(1)) == ["TURN_RESUMED", "STEP_STARTED", "CHILD_RESUMED"]
    assert hand.state.attached[1].active == 4.5
    assert hand.signal(hand.came(1, output="read")) == ["CHILD_ENDED", "MODEL_STARTED"]
    assert [message.call_key for message in hand.state.messages if isinstance(message, ToolMessage)] == ["1.1", "1.2"]
    reply(hand, "2.0", say("done"))
    assert (hand.state.output, hand.state.usage) == ("done", Usage(model_calls=3, tool_calls=1))


def test_a_child_may_wait_again() -> None:
    """A child that asks a second question suspends its parent again, in a Step of its own."""
    hand = parked()
    hand.signal(s.ChildWoke(1))
    assert hand.signal(s.ChildParked(1, (":0.2.1",))) == ["CHILD_SUSPENDED", "STEP_COMPLETED", "TURN_SUSPENDED"]
    hand.check()


@pytest.mark.parametrize("signal", [s.ChildParked(1, ()), s.ChildWoke(2), s.Granted("1.2"), s.ToolReturned("1.1", 3)])
def test_a_suspended_turn_takes_only_news_from_outside(signal: s.Signal) -> None:
    """Whatever a running Turn would take is refused while the Turn waits."""
    with pytest.raises(IllegalSignal, match="a Turn that is WAITING_FOR_CHILD cannot take"):
        parked().signal(signal)


# ------------------------------------------------------------------------------------------------ recovery, closing


def test_recovery_names_the_calls_that_run_again() -> None:
    """Model and tool calls that were in flight are named; children go on by themselves."""
    hand = begun(BOTH)
    hand.signal(s.Recovered())
    recovered = hand.facts[-1]
    assert recovered == e.TurnRecovered(("1.1",))
    hand.check()


def test_closing_ends_calls_children_and_step() -> None:
    """A close records children first, then what else is open, then the Step, then the cause."""
    hand = begun(BOTH)
    types = hand.close(hand.came(1, Status.CANCELLED), abandoned=frozenset({"1.1"}))
    assert types == ["CHILD_ENDED", "TOOL_CANCELLED", "STEP_COMPLETED", "TURN_CANCELLED"]
    cancelled = hand.facts[-3]
    assert isinstance(cancelled, e.ToolCancelled)
    assert cancelled.may_still_run
    hand.check()


def test_closing_ends_a_model_call() -> None:
    """A model call that was cut off counts as one call."""
    hand = Hand(agent())
    hand.signal(s.Start("go"))
    assert hand.close() == ["MODEL_FAILED", "STEP_COMPLETED", "TURN_CANCELLED"]
    assert hand.state.usage == Usage(model_calls=1)
    hand.check()


def test_closing_a_suspended_turn_ends_what_is_parked() -> None:
    """No Step is open while a Turn waits, so none is completed."""
    assert parked().close(s.ChildCame(1, Status.CANCELLED, None, Usage(), None, 0.0)) == [
        "CHILD_ENDED",
        "TURN_CANCELLED",
    ]


def test_a_deadline_fails_the_turn() -> None:
    """A Turn that took too long has failed with a failure that is worth a retry."""
    hand = begun(TWO)
    hand.close(cause=Cause("timeout", "took longer than 5 s"))
    assert hand.state.status is Status.FAILED
    assert hand.state.error == Failure("timeout", "took longer than 5 s", retryable=True)
    last = hand.state.messages[-1]
    assert isinstance(last, AssistantMessage)
    assert last.text == "[failed] took longer than 5 s"
    hand.check()


def test_calls_that_never_started_have_a_result() -> None:
    """A call that still waited for its place is answered as not run."""
    hand = Hand(agent(), lambda want: want.call_key == "1.0")
    hand.signal(s.Start("go"))
    reply(hand, "1.0", TWO)
    hand.close()
    contents = [message.content for message in hand.state.messages if isinstance(message, ToolMessage)]
    assert [content["error"] for content in contents] == ["not_run", "not_run"]
    hand.check()


def test_results_that_are_in_are_kept() -> None:
    """A result that came before the Turn ended stays; only what has none is answered as not run."""
    hand = Hand(agent(), lambda want: want.call_key in ("1.0", "1.1"))
    hand.signal(s.Start("go"))
    reply(hand, "1.0", TWO)
    hand.signal(s.ToolReturned("1.1", 3))
    hand.close()
    first, second = [message.content for message in hand.state.messages if isinstance(message, ToolMessage)]
    assert (first, second["error"]) == (3, "not_run")
    hand.check()


def test_a_reply_keeps_its_text_beside_its_calls() -> None:
    """Text and calls stay in the model's order; text that is not valid Unicode is mended, so that it can be kept."""
    blocks = (Text("caf\u00e9 \ud800"), ToolCall("", "id", "add", {"a": 1, "b": 2}), Text("then"))
    hand = begun(ModelReply(message=AssistantMessage(blocks)))
    kept = hand.state.messages[1]
    assert [type(block) for block in kept.blocks] == [Text, ToolCall, Text]
    assert kept.text.startswith("caf\u00e9 ")
    kept.text.encode()


def test_a_request_shows_what_the_model_needs() -> None:
    """A model call carries instructions, tools, history and its number."""
    hand = begun(TWO, attrs.evolve(agent(), instructions="Be brief.", tools=[add]))
    hand.signal(s.ToolReturned("1.1", 3))
    hand.signal(s.ToolReturned("1.2", 7))
    request = hand.machine.request(hand.state)
    assert (request.instructions, request.number, request.agent) == ("Be brief.", 2, "lead")
    assert [spec.name for spec in request.tools] == ["add"]
    assert [message.role for message in request.messages] == ["user", "assistant", "tool", "tool"]


def test_an_agent_has_no_tasks() -> None:
    """The summary of tasks is empty."""
    hand = begun(TWO)
    assert hand.machine.summary(hand.state) == {}
