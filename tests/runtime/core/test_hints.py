"""Words that steer a running agent enter its history where the model can read them, and break no pair."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.testing import call, say
from runtime.values import events as e
from runtime.values import signals as s
from runtime.values.failure import Failure
from runtime.values.messages import AssistantMessage, ToolMessage, UserMessage
from runtime.values.status import Status
from tests.runtime.core.hand import Hand
from tests.runtime.core.scripts import ADD, agent

SHORT = s.Hinted("be brief", "ana")


def started(**options: Any) -> Hand:
    """An agent whose first model call is open."""
    hand = Hand(agent(**options))
    hand.signal(s.Start("go"))
    return hand


def reply(hand: Hand, key: str, text: Any) -> list[str]:
    """The model answers."""
    answer = text if not isinstance(text, str) else say(text)
    return hand.signal(hand.machine.judge(hand.state, key, answer, 0.0))


def history(hand: Hand) -> list[str]:
    """Who said something, and what users said."""
    said = []
    for message in hand.state.messages:
        if isinstance(message, UserMessage):
            said.append(str(message.content))
        else:
            said.append({AssistantMessage: "assistant", ToolMessage: "tool"}[type(message)])
    return said


def test_a_hint_while_the_model_answers_makes_it_answer_again() -> None:
    """The answer stands in the history; the one that counts was made with the hint."""
    hand = started()
    assert hand.signal(SHORT) == ["HINT_ADDED"]
    assert history(hand) == ["go"]
    assert reply(hand, "1.0", "a long answer") == ["MODEL_COMPLETED", "STEP_COMPLETED", "STEP_STARTED", "MODEL_STARTED"]
    assert history(hand) == ["go", "assistant", "be brief"]
    reply(hand, "2.0", "short")
    assert (hand.state.status, hand.state.output) == (Status.COMPLETED, "short")
    hand.check()


def test_a_hint_while_tools_run_comes_after_their_results() -> None:
    """In the order in which hints came, before the next model call."""
    hand = started()
    reply(hand, "1.0", call(("add", {"a": 1, "b": 2}), ("add", {"a": 3, "b": 4})))
    hand.signal(s.ToolReturned("1.1", 3))
    hand.signal(SHORT)
    hand.signal(s.Hinted("in French"))
    assert history(hand) == ["go", "assistant"]
    hand.signal(s.ToolReturned("1.2", 7))
    assert history(hand) == ["go", "assistant", "tool", "tool", "be brief", "in French"]
    assert list(hand.state.open) == ["2.0"]
    hand.check()


def test_a_hint_before_a_model_call_is_in_it() -> None:
    """A Turn that waits for a place has not asked yet."""
    hand = Hand(agent(), lambda want: False)
    hand.signal(s.Start("go"))
    hand.signal(SHORT)
    assert history(hand) == ["go", "be brief"]
    hand.check()


def test_a_hint_does_not_lift_a_limit() -> None:
    """One more model call is one too many: the Turn ends by its limit."""
    hand = started(max_iterations=1)
    hand.signal(SHORT)
    assert reply(hand, "1.0", "done")[-1] == "MAX_ITERATIONS_REACHED"
    assert history(hand) == ["go", "assistant", "be brief", "assistant"]
    hand.check()


def test_a_hint_to_a_turn_that_waits_is_kept() -> None:
    """It enters the history once the child that the Turn waits for has come."""
    hand = started(agents=[agent(name="reader")])
    reply(hand, "1.0", call(("reader", {"task": "x"})))
    hand.signal(s.ChildParked(1, (":0.1.1",)))
    assert hand.signal(SHORT) == ["HINT_ADDED"]
    assert hand.state.suspended
    hand.signal(s.ChildWoke(1))
    hand.signal(hand.came(1, output="read"))
    assert history(hand) == ["go", "assistant", "tool", "be brief"]
    hand.check()


@pytest.mark.parametrize("when", ["model", "tools"])
def test_a_hint_that_nobody_read_is_in_the_history_of_an_ended_turn(when: str) -> None:
    """A closed history has everything that was said, and one closing message at the end."""
    hand = started()
    if when == "tools":
        reply(hand, "1.0", ADD)
    hand.signal(SHORT)
    hand.close()
    assert history(hand)[-2:] == ["be brief", "assistant"]
    hand.check()


def test_a_failing_model_call_takes_no_notice_of_hints() -> None:
    """The Turn fails as it would have."""
    hand = started()
    hand.signal(SHORT)
    hand.signal(s.ModelBroke("1.0", Failure("transport", "down")))
    assert hand.state.status is Status.FAILED
    assert any(isinstance(fact, e.HintAdded) for fact in hand.facts)
    hand.check()
