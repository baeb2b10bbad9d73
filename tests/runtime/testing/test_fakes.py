"""Fakes for users' own tests."""

import random
from typing import Any

import pytest
from trio.testing import MockClock

from runtime import ModelError, ToolError, open_runtime
from runtime.core.ports import ModelReply, ModelRequest
from runtime.core.simple import Call
from runtime.testing import FunctionModel, SequentialIds, call, drive, say
from runtime.tools.function import tool
from runtime.values.agent import Agent
from runtime.values.usage import Usage


@tool(replay="safe")
def odd(n: int) -> Any:
    """Return something for each number, not all of it good."""
    if n == 1:
        raise ToolError("no line", kind="transport", retryable=True)
    return object() if n == 2 else n


def lead(*replies: ModelReply | Exception) -> Agent:
    """An agent that plays these replies."""

    def reply(request: ModelRequest) -> ModelReply:
        entry = replies[request.number - 1]
        if isinstance(entry, Exception):
            raise entry
        return entry

    return Agent("lead", model=FunctionModel(reply), tools=[odd])


async def test_a_function_plays_a_model_in_both_worlds(autojump_clock: MockClock) -> None:
    """Under the driver and under the runtime the same agent says the same."""
    agent = Agent("lead", model=FunctionModel(lambda request: f"call {request.number}", max_concurrent=1))
    async with open_runtime() as runtime:
        result = await runtime.run(agent, "go")
    assert result.output == drive(agent, "go", rng=random.Random(0)).output == "call 1"


def test_replies_are_short_to_write() -> None:
    """Text stays text, values become JSON, calls get ids of their own."""
    assert say("hello").message.text == "hello"
    assert say({"ok": True}, usage=Usage(input_tokens=2)).message.text == '{"ok": true}'
    asked = call(("add", {"a": 1}), ("add", "{}"))
    assert [(block.id, block.name) for block in asked.message.tool_calls] == [("id0", "add"), ("id1", "add")]
    assert asked.stop_reason == "tool_calls"


@pytest.mark.parametrize(
    ("n", "told"),
    [(1, {"error": "transport", "message": "no line"}), (2, {"error": "unserialisable"}), (3, 3)],
)
def test_tools_are_called_directly(n: int, told: Any) -> None:
    """A tool's value or failure is what the runtime would have made of it."""
    run = drive(lead(call(("odd", {"n": n})), say("done")), "go", rng=random.Random(0))
    content = run.root.state.messages[2].content
    assert content == told if n != 2 else content["error"] == told["error"]


def test_a_tool_of_a_task_is_held_against_its_arguments() -> None:
    """Arguments that no model has checked are checked before the call."""
    run = drive(Call(odd), {"m": 1}, rng=random.Random(0))
    assert run.root.state.error.kind == "invalid_arguments"


@pytest.mark.parametrize(
    ("error", "kind"), [(ModelError("busy", kind="rate_limit"), "rate_limit"), (ValueError("oops"), "model_bug")]
)
def test_a_model_may_raise(error: Exception, kind: str) -> None:
    """A `ModelError` keeps its kind; anything else is the model's bug."""
    run = drive(lead(error), "go", rng=random.Random(0))
    assert run.root.state.error.kind == kind
    assert run.root.state.usage.model_calls == 1


async def test_trees_are_named_in_order(autojump_clock: MockClock) -> None:
    """With sequential ids a test knows the names of its trees."""
    async with open_runtime(ids=SequentialIds()) as runtime:
        names = [(await runtime.run(lead(say("ok")), "go")).turn_id for _ in range(2)]
    assert names == ["t00001", "t00002"]
