"""Agents that play a list of replies, and tools for them."""

from typing import Any

from runtime.core.ports import ModelReply, ModelRequest
from runtime.errors import ToolError
from runtime.testing import FunctionModel, call, say
from runtime.tools.function import tool
from runtime.values.agent import Agent


@tool(replay="safe")
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool(replay="safe")
def boom(text: str) -> str:
    """Fail."""
    raise ToolError(text, kind="transport", retryable=True)


def plays(*replies: Any) -> FunctionModel:
    """A model that gives these replies in turn: texts, whole replies, errors to raise; calls are made by `call`."""

    def reply(request: ModelRequest) -> ModelReply:
        entry = replies[request.number - 1]
        if isinstance(entry, Exception):
            raise entry
        return entry if isinstance(entry, ModelReply) else say(entry)

    return FunctionModel(reply)


def agent(*replies: Any, name: str = "lead", **options: Any) -> Agent:
    """An agent whose model gives these replies in turn; it has both tools."""
    return Agent(name, model=plays(*replies), **{"tools": [add, boom], **options})


ADD = call(("add", {"a": 1, "b": 2}))
BOOM = call(("boom", {"text": "no line"}))
GHOST = call(("ghost", {}))
