"""What the facts of model and tool calls change in a view: what is open, what was spent, the newest text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from planner.inspector.nodes import Node, OpenCall
from planner.inspector.words import newest_line, short
from runtime.values import events as e
from runtime.values.usage import Usage

Fold = Callable[[Any, Node, Any], None]

_ONE_TOOL_CALL: Final = Usage(tool_calls=1)


def _spend(node: Node, usage: Usage) -> None:
    node.usage = node.usage + usage
    count = usage.total_tokens
    above: Node | None = node if count else None
    while above is not None:
        above.tokens += count
        above = above.parent


def _model_started(view: Any, node: Node, fact: Any) -> None:
    data = fact.data
    node.calls[data.call_key] = OpenCall("model", data.model, fact.time)


def _model_completed(view: Any, node: Node, fact: Any) -> None:
    data = fact.data
    node.calls.pop(data.call_key, None)
    _spend(node, data.usage)
    text = newest_line(data.message.text)
    if text:
        node.text = text
    elif data.message.tool_calls:
        node.text = ", ".join([f"{call.name}({short(call.arguments, 60)})" for call in data.message.tool_calls[:4]])


def _model_failed(view: Any, node: Node, fact: Any) -> None:
    data = fact.data
    node.calls.pop(data.call_key, None)
    _spend(node, data.usage)
    node.text = f"{data.error.kind}: {data.error.message}"


def _tool_started(view: Any, node: Node, fact: Any) -> None:
    data = fact.data
    node.calls[data.call_key] = OpenCall("tool", data.name, fact.time, data.arguments)
    _spend(node, _ONE_TOOL_CALL)


def _tool_ended(view: Any, node: Node, fact: Any) -> None:
    node.calls.pop(fact.data.call_key, None)


def _tool_failed(view: Any, node: Node, fact: Any) -> None:
    data = fact.data
    call = node.calls.pop(data.call_key, None)
    node.text = f"{call.name if call is not None else 'a tool'} failed: {data.error.message}"


CALLS: Final[Mapping[type[e.EventData], Fold]] = {
    e.ModelStarted: _model_started,
    e.ModelCompleted: _model_completed,
    e.ModelFailed: _model_failed,
    e.ToolStarted: _tool_started,
    e.ToolCompleted: _tool_ended,
    e.ToolFailed: _tool_failed,
    e.ToolCancelled: _tool_ended,
}
