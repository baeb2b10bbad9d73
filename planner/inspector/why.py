"""Why a Turn waits, or why it failed: one sentence for each cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from planner.inspector.hints import answer_command, resume_command
from planner.inspector.nodes import path_of
from planner.inspector.words import clean, instant, short, span
from runtime.values.status import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planner.inspector.nodes import Node
    from runtime.values.requests import Request

_MOST: Final = 12
"""Causes of one sort that are told one by one."""


@attrs.frozen(kw_only=True)
class Setting:
    """What the facts do not say and `why` needs to know."""

    now: float
    """UTC, seconds since 1970."""
    held: bool
    """Whether a live process runs the tree."""
    options: str = ""
    """More options for the commands that are named, such as ` --db runs.db`."""


def why(node: Node, setting: Setting) -> list[str]:
    """Say what a Turn waits for, or why it ended as it did: one sentence for each cause, the most telling first.

    Args:
        node: The Turn.
        setting: What the time is and whether somebody runs the tree.
    """
    if node.ending is not None:
        return [*_ended(node)]
    sentences = _bounded([*_waiting(node, setting)])
    waiting = [clean(child.name) for child in node.newest() if child.ending is None and child.suspended]
    if waiting:
        verb = "waits" if len(waiting) == 1 else "wait"
        more = ", …" if len(waiting) > _MOST else ""
        sentences.append(f"{len(waiting):,} of its tasks {verb}: {', '.join(waiting[:_MOST])}{more}")
    if node.cancelling is not None:
        sentences.insert(0, f"was asked to end: {clean(node.cancelling)}")
    if not setting.held and not _questions(node) and not any(below.calls for below in node.walk()):
        again = resume_command(_root(node).turn_id, options=setting.options)
        sentences.append(f"can go on, and nobody runs it: {again}")
    return sentences or [f"is at work, and has been for {span(node.elapsed(setting.now))}"]


def _waiting(node: Node, setting: Setting) -> Iterator[str]:
    for request in sorted(_questions(node), key=lambda request: request.asked_at):
        yield _question(node, request, setting)
    for below in node.walk():
        if below.ending is not None:
            continue
        prefix = "" if below is node else f"{path_of(below)} "
        for retry in below.retries.values():
            yield (
                f"{_again(prefix, retry.key, below, node)} {_when(retry.due, setting.now)} after {retry.error.kind}: "
                f"{clean(retry.error.message)} (attempt {retry.attempt})"
            )
        for call in below.calls.values():
            given = f" with {short(call.arguments, 60)}" if call.arguments is not None else ""
            if setting.held:
                yield f"{prefix}waits for {call.what}{given} {_since(call.started, setting.now)}"
            else:
                yield (
                    f"{prefix}waits for {call.what}{given}, which was in flight when the process stopped; resume it: "
                    f"{resume_command(_root(node).turn_id, options=setting.options)}"
                )


def _again(prefix: str, key: str, below: Node, node: Node) -> str:
    return f"{clean(key)} is tried again" if below is node else f"{prefix}tries {clean(key)} again"


def _when(due: float, now: float) -> str:
    return f"in {span(due - now)}" if due > now else "now"


def _question(node: Node, request: Request, setting: Setting) -> str:
    asker = "" if request.turn_id == node.turn_id else f"{clean('/'.join(request.path) or request.turn_id)} "
    since = _since(request.asked_at, setting.now)
    command = answer_command(request, options=setting.options)
    return f"{asker}waits for an answer to {short(request.message, 100)!r} {since}: {command}"


def _since(time: float, now: float) -> str:
    return f"since {instant(time)}, {span(now - time)} ago"


def _questions(node: Node) -> list[Request]:
    return [request for below in node.walk() if below.requests for request in below.requests.values()]


def _root(node: Node) -> Node:
    while node.parent is not None:
        node = node.parent
    return node


def _bounded(sentences: list[str]) -> list[str]:
    more = len(sentences) - _MOST
    return sentences if more <= 0 else [*sentences[:_MOST], f"and {more} causes more of the same sorts"]


# ------------------------------------------------------------------------------------------------ endings


def _ended(node: Node) -> Iterator[str]:
    took = span(node.elapsed(0.0))
    error = node.error
    match node.ending:
        case Status.COMPLETED:
            yield f"completed after {took}; it waits for nothing"
        case Status.MAX_ITERATIONS_REACHED:
            yield f"made {node.limit} model calls, all that it may make (max_iterations), and wanted another one"
        case Status.MAX_STEPS_REACHED:
            yield f"took {node.limit} Steps, all that it may take (max_steps), and wanted another one"
        case Status.CANCELLED:
            by = f" by {clean(node.cancelled_by)}" if node.cancelled_by else ""
            yield f"was cancelled{by} after {took}: {clean(error.message) if error is not None else 'no reason given'}"
        case _:
            reason = f"{error.kind}: {clean(error.message)}" if error is not None else "no reason recorded"
            yield f"failed after {took} with {reason}"
    if node.ending is not Status.COMPLETED:
        yield from _bounded([*_deepest(node)])


def _deepest(node: Node) -> Iterator[str]:
    """Name the Turns below in which things went wrong first."""
    for below in node.walk():
        if below is node or below.replaced or below.ending in (None, Status.COMPLETED, Status.CANCELLED):
            continue
        if any(child.ending not in (None, Status.COMPLETED, Status.CANCELLED) for child in below.children.values()):
            continue
        error = below.error
        reason = f"{error.kind}: {clean(error.message)}" if error is not None else str(below.ending)
        yield f"{path_of(below)} (turntree show {below.turn_id}) failed with {reason}"
