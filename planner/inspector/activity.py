"""What a Turn does right now, or why it stands still, in one phrase for one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.inspector.words import clean, short, span
from runtime.values.status import Status

if TYPE_CHECKING:
    from planner.inspector.nodes import Node


def activity(node: Node, now: float) -> str:
    """Return what there is to say of a Turn at this moment; empty if nothing."""
    if node.ending is not None:
        return _outcome(node)
    if node.requests:
        return f"asks: {clean(next(iter(node.requests.values())).message)}"
    if node.suspended:
        return "waits for its tasks"
    if node.retries and node.status is Status.RETRY_SCHEDULED:
        retry = next(iter(node.retries.values()))
        return f"tries {clean(retry.key)} again in {span(retry.due - now)} after {retry.error.kind}"
    tools = [call for call in node.calls.values() if call.sort == "tool"]
    if tools and not node.text:
        call = tools[-1]
        return f"{call.name} {short(call.arguments, 60)}" if call.arguments else call.name
    return clean(node.text)


def _outcome(node: Node) -> str:
    if node.ending is Status.COMPLETED:
        return "" if node.output is None else short(node.output, 120)
    if node.limit is not None:
        return f"reached its limit of {node.limit}"
    return "" if node.error is None else clean(f"{node.error.kind}: {node.error.message}")
