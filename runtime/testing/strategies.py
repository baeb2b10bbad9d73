"""Hypothesis strategies for agents that do all that agents can do, right and wrong. Needs the package `hypothesis`.

>>> import random
>>> from hypothesis import given, settings
>>> from hypothesis import strategies as st
>>> from runtime.testing import drive
>>> @settings(max_examples=5)
... @given(agents(), st.integers())
... def every_agent_ends(agent, seed):
...     assert drive(agent, "go", rng=random.Random(seed)).status.terminal
>>> every_agent_ends()
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import attrs
from hypothesis import strategies as st

from runtime.errors import ModelError, ToolError
from runtime.testing.fakes import FunctionModel, call, say
from runtime.tools.function import tool
from runtime.values.agent import Agent
from runtime.values.usage import Usage

if TYPE_CHECKING:
    from runtime.core.ports import ModelReply, ModelRequest

OUTPUT = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
"""What an agent with structured output must answer."""


@tool(replay="safe")
def echo(text: str) -> str:
    """Give the text back."""
    return text


@tool(replay="safe", max_concurrent=1)
def fail(text: str) -> str:
    """Fail with the text, one call at a time."""
    raise ToolError(text, kind="tool_error")


@cache
def _calls(below: tuple[str, ...]) -> st.SearchStrategy[tuple[str, Any]]:
    words = st.sampled_from(["a", "b", "c"])
    good = st.tuples(st.sampled_from(["echo", "fail"]), st.builds(lambda text: {"text": text}, words))
    wrong = st.sampled_from([("echo", {}), ("echo", "{no JSON"), ("echo", "[1]"), ("ghost", {"text": "a"})])
    if not below:
        return st.one_of(good, good, wrong)
    return st.one_of(good, wrong, st.tuples(st.sampled_from(below), st.builds(lambda text: {"task": text}, words)))


@cache
def _scripts(below: tuple[str, ...]) -> st.SearchStrategy[list[Any]]:
    """Make scripts: a list of calls, a text, or None for a model that fails."""
    replies = st.one_of(st.lists(_calls(below), min_size=1, max_size=4), st.sampled_from(["{}", '{"ok": true}', None]))
    return st.lists(replies, max_size=4)


@st.composite
def _agents(draw: st.DrawFn, depth: int) -> Agent:
    below = draw(st.lists(agents(depth=depth - 1), max_size=2)) if depth else []
    names = tuple([f"sub{k}" for k in range(len(below))])
    script = draw(_scripts(names))

    def reply(request: ModelRequest) -> ModelReply:
        usage = Usage(input_tokens=request.number, output_tokens=1)
        entry = script[request.number - 1] if request.number <= len(script) else '{"ok": true}'
        if entry is None:
            raise ModelError("the script says so", kind="server")
        return say(entry, usage=usage) if isinstance(entry, str) else call(*entry, usage=usage)

    return Agent(
        f"agent{depth}",
        model=FunctionModel(reply, max_concurrent=1 if draw(st.booleans()) else None),
        tools=[echo, fail],
        agents=[attrs.evolve(agent, name=name) for agent, name in zip(below, names, strict=True)],
        **draw(_LIMITS),
    )


_LIMITS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "output": st.sampled_from([None, OUTPUT]),
        "max_iterations": st.sampled_from([100, 2]),
        "max_steps": st.sampled_from([100, 3]),
        "max_mistakes": st.sampled_from([2, 1]),
        "tool_errors": st.sampled_from(["return", "fail"]),
    }
)


@cache
def agents(*, depth: int = 2) -> st.SearchStrategy[Agent]:
    """Make agents that play a random script, with tools that work and fail, and agents below them.

    Args:
        depth: Levels of agents under the agent, at most.
    """
    return _agents(depth)
