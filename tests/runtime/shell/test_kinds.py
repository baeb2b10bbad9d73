"""Agents as a kind: their tools by name, and what counts as another version."""

from typing import Any

import pytest

from runtime import Agent, UsageError
from runtime.shell.kinds import describe_agent, kit_of
from runtime.testing import FunctionModel

MODEL = FunctionModel(lambda _: "x")


async def look(name: str) -> str:
    """Look."""
    return name


def test_two_of_one_name_are_refused() -> None:
    """A tool and an agent of one name could not be told apart by a model."""
    with pytest.raises(UsageError, match="agent 'a' has two tools or agents named 'look'"):
        kit_of(Agent("a", model=MODEL, tools=[look], agents=[Agent("look", model=MODEL)]))


@pytest.mark.parametrize(
    "change",
    [{"instructions": "other"}, {"version": "2"}, {"max_steps": 3}, {"tools": [look]}, {"output": {"type": "string"}}],
)
def test_what_changes_an_agent_changes_its_description(change: dict[str, Any]) -> None:
    """A stored tree does not go on with an agent that behaves differently, also when it is one below."""
    one, other = Agent("a", model=MODEL), Agent("a", model=MODEL, **change)
    assert describe_agent(one) != describe_agent(other)
    above = [describe_agent(Agent("top", model=MODEL, agents=[below])) for below in (one, other)]
    assert above[0] != above[1]
    assert describe_agent(one) == describe_agent(Agent("a", model=MODEL))


def test_agents_may_call_themselves() -> None:
    """A cycle of agents is described and resolved like any other."""
    below: list[Agent] = []
    agent = Agent("a", model=MODEL, agents=below)
    below.append(agent)
    assert describe_agent(agent)
    assert set(kit_of(agent).agents) == {"a"}
