"""What is wrong with an agent is said before anything is recorded, and never blamed on a model."""

from typing import Any

import pytest
from trio.testing import MockClock

from planner import Task
from runtime import Agent, UsageError, open_runtime
from runtime.journal.memory import MemoryJournal
from runtime.testing import FunctionModel

MODEL = FunctionModel(lambda request: "done")


async def refused(what: Any, given: Any = "go") -> str:
    """Try to run something, and return what is said; nothing may have been recorded."""
    journal = MemoryJournal()
    async with open_runtime(journal) as runtime:
        with pytest.raises(UsageError) as caught:
            await runtime.run(what, given)
        assert await runtime.roots() == []
    return str(caught.value)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ({"type": "objec"}, "output of agent 'lead' is not a JSON Schema"),
        ({"n": "integer"}, "checks nothing"),
        ("x", "cannot come from JSON"),
        ({"type": "array", "items": {"$ref": "#/nowhere"}}, "JSON Schema"),
    ],
)
async def test_a_wrong_output_is_the_callers_mistake(output: Any, said: str, autojump_clock: MockClock) -> None:
    """A schema that is none, or that says nothing, is refused with the agent's name."""
    assert said in await refused(Agent("lead", model=MODEL, output=output))


async def test_an_output_may_be_any_type_that_json_has(autojump_clock: MockClock) -> None:
    """`list[int]` stands for its schema."""
    agent = Agent("lead", model=FunctionModel(lambda request: "[1, 2]"), output=list[int])
    async with open_runtime() as runtime:
        assert (await runtime.run(agent, "go")).output == [1, 2]


@pytest.mark.parametrize("what", [None, "x", Task("a"), Agent])
async def test_what_is_no_definition_is_refused(what: Any, autojump_clock: MockClock) -> None:
    """Only agents, plans and scenarios run."""
    assert "give an Agent, a Plan or a scenario" in await refused(what)


async def test_parts_of_an_agent_are_checked_with_it(autojump_clock: MockClock) -> None:
    """A model or an agent below that is none is named, however deep it is."""
    model: Any = None
    below: Any = "x"
    assert "model of agent 'lead'" in await refused(Agent("lead", model=model))
    middle = Agent("middle", model=MODEL, agents=[below])
    assert "'middle' may call 'x'" in await refused(Agent("lead", model=MODEL, agents=[middle]))


async def test_two_tools_of_one_name_are_refused(autojump_clock: MockClock) -> None:
    """A model could not tell them apart."""

    def add(a: int) -> int:
        """Add."""
        return a

    assert "two tools or agents named 'add'" in await refused(Agent("lead", model=MODEL, tools=[add, add]))


async def test_declared_inputs_hold_for_the_root_too(autojump_clock: MockClock) -> None:
    """What does not fit is refused before the first fact."""
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    agent = Agent("lead", model=MODEL, inputs=schema)
    assert "input of agent 'lead'" in await refused(agent, {"n": "many"})
