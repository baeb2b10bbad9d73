"""What holds for every agent in every order: the fold is the live state, the grammar is kept, and every tree ends."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.core.grammar import check_grammar
from runtime.testing import Driven, DrivenTurn, drive
from runtime.testing.strategies import agents
from runtime.values.agent import Agent
from runtime.values.messages import AssistantMessage, ToolMessage
from tests.runtime.core.hand import portrait

RNG = st.integers(0, 9999).map(Random)
pytestmark = pytest.mark.slow


def compare(driven: Driven, turn: DrivenTurn) -> None:
    """Hold the live fold of a Turn against the one that its facts give."""
    assert portrait(turn.machine, driven.refold(turn.turn_id)) == portrait(turn.machine, turn.state)


@given(agents(), RNG)
def test_facts_rebuild_the_state_after_every_batch(agent: Agent, rng: Random) -> None:
    """Messages, calls, usage, requests and status follow from the facts alone, whenever one looks."""
    drive(agent, "go", rng=rng, watch=compare)


@given(agents(), RNG, st.integers(0, 30))
def test_every_history_keeps_the_grammar(agent: Agent, rng: Random, after: int) -> None:
    """Ended by itself, cancelled anywhere, or cut at any batch: what was recorded is valid."""
    driven = drive(agent, "go", rng=rng, cancel_after=after)
    assert driven.status.terminal
    check_grammar(driven.facts, ended=True)
    for cut in driven.batches[:-1]:
        check_grammar(driven.facts[:cut], ended=False)


@given(agents(), RNG, st.integers(0, 30))
def test_every_call_has_one_result(agent: Agent, rng: Random, after: int) -> None:
    """On every path the history of every Turn is tool-complete, in the order of the model's calls."""
    for turn in drive(agent, "go", rng=rng, cancel_after=after).turns.values():
        waiting: list[str] = []
        for message in turn.state.messages:
            if isinstance(message, ToolMessage):
                assert message.call_key == waiting.pop(0)
            else:
                assert not waiting
                waiting = [call.call_key for call in getattr(message, "tool_calls", ())]
        assert not waiting
        assert isinstance(turn.state.messages[-1], AssistantMessage | ToolMessage)


@given(agents(), RNG, RNG)
def test_the_order_makes_no_difference(agent: Agent, one: Random, other: Random) -> None:
    """Which call ends first changes neither the result nor what the model was told."""
    first, second = drive(agent, "go", rng=one), drive(agent, "go", rng=other)
    assert (first.status, first.output, first.root.state.usage) == (
        second.status,
        second.output,
        second.root.state.usage,
    )
    assert contents(first) == contents(second)


def contents(driven: Driven) -> list[Any]:
    """The history of the root, without the message that closes it after a failure: the first one counts."""
    return list(driven.root.state.messages[:-1])
