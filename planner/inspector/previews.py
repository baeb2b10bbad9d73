"""What previews change in a view: the newest line of text, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from runtime.values import events as e

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planner.inspector.nodes import Node

_KEPT: Final = 400
"""Characters of a line that are kept; a model may write one of any length."""


def _begin(node: Node, data: Any) -> None:
    node.text = ""


def _more(node: Node, data: Any) -> None:
    text = node.text + data.delta
    # A line stays the newest one until something stands on the next.
    body = text.rstrip("\n")
    node.text = body[body.rfind("\n") + 1 :][-_KEPT:] + ("\n" if body != text else "")


def _tool_call(node: Node, data: Any) -> None:
    node.text = f"calls {data.name}"


def _progress(node: Node, data: Any) -> None:
    node.text = data.message if data.percent is None else f"{data.message} {data.percent:.0f}%"


PREVIEW_FOLDS: Final[Mapping[type[e.EventData], Callable[[Node, Any], None]]] = {
    e.TextBlockStart: _begin,
    e.TextBlockDelta: _more,
    e.ThinkingBlockStart: _begin,
    e.ThinkingBlockDelta: _more,
    e.ToolCallStart: _tool_call,
    e.ToolOutputDelta: _more,
    e.ToolProgress: _progress,
}
