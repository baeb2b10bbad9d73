"""What a person sees of a run on stderr: nothing, plain lines, or (in `live`) a tree that keeps being painted."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol, Self

import trio

from planner.engine import events as p
from planner.inspector import path_of
from planner.inspector.words import clean, short, span, tokens
from runtime.values import events as e
from runtime.values.status import Status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from planner.inspector import Node, TreeView


class Screen(Protocol):
    """Shows a run. Used as a context manager around it."""

    wants_previews: bool
    """Whether it shows text while it arrives."""

    def __enter__(self) -> Self:
        """Begin to show."""
        ...

    def __exit__(self, *error: object) -> None:
        """Show how things stand at the end."""
        ...

    def show(self, event: e.Event) -> None:
        """Take notice of an event that the view has folded."""
        ...

    def paused(self) -> AbstractContextManager[object]:
        """Leave the terminal alone inside the block."""
        ...

    async def run(self) -> None:
        """Do what needs a task of its own, until cancelled."""
        ...


class Blank:
    """Shows nothing."""

    wants_previews = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return

    def show(self, event: e.Event) -> None:
        """Take no notice."""

    def paused(self) -> AbstractContextManager[object]:
        """Do nothing: there is nothing to pause."""
        return nullcontext()

    async def run(self) -> None:
        """Have nothing to do."""
        await trio.lowlevel.checkpoint()


class Lines(Blank):
    """One line for each start, end, question and retry; for logs and pipes.

    Args:
        view: The tree, which has folded an event before it is shown.
        out: Where lines go.
    """

    def __init__(self, view: TreeView, out: TextIO) -> None:
        self._view = view
        self._out = out

    def __enter__(self) -> Self:
        return self

    def show(self, event: e.Event) -> None:
        """Write the line of an event that has one."""
        node = self._view.nodes.get(event.turn_id)
        root = self._view.root
        if node is None or root is None or isinstance(event, e.Preview):
            return
        text = _line(node, event)
        if text:
            self._out.write(f"{span(event.time - root.started):>9}  {text}\n")
            self._out.flush()


def _line(node: Node, fact: e.Fact) -> str:
    name = path_of(node)
    match fact.data:
        case e.TurnStarted(attempt=attempt) if node.kind != "question":
            return f"{name} starts{f', attempt {attempt}' if attempt > 1 else ''}"
        case e.TaskAnswerRequested(message=message):
            return f"{name} asks: {clean(message)}"
        case e.RequestAnswered(answer=answer, by=by):
            said = "no" if answer.kind == "reject" else short(answer.value)
            return f"{name} is answered by {clean(by)}: {said}"
        case e.RequestWithdrawn(reason=reason):
            return f"{name} need not be answered any more: {clean(reason)}"
        case e.RetryScheduled(attempt=attempt, due=due, error=error):
            key = path_of(node, node.last_ended)
            return f"{key} is tried again in {span(due - fact.time)} (attempt {attempt}) after {error.kind}"
        case e.TurnRecovered(calls=calls):
            return f"{name} goes on where it stopped{_again(node, calls)}"
        case p.TaskSkipped(key=key, index=None, reason=reason):
            return f"{path_of(node, key)} is skipped ({clean(reason)})"
        case e.TurnSuspended() if node.parent is None:
            return f"{name} waits"
        case _:
            return _ending(name, node) if node.ended == fact.time and type(fact.data) in e.ENDINGS else ""


def _again(node: Node, calls: Sequence[str]) -> str:
    """Say what a Turn that was taken over does once more, and what it still waits to do."""
    running = [node.calls[key].what for key in calls if key in node.calls]
    waiting = [clean(node.retries[key].key) for key in calls if key in node.retries]
    parts = [f"{', '.join(running)} {'runs' if len(running) == 1 else 'run'} again"] if running else []
    parts += [f"{key} is still to be tried again" for key in waiting]
    return "".join([f"; {part}" for part in parts])


def _ending(name: str, node: Node) -> str:
    spent = f", {tokens(node.tokens)}" if node.tokens else ""
    reason = f": {clean(node.error.message)}" if node.error is not None else ""
    word = {Status.COMPLETED: "is done"}.get(node.status, str(node.status))
    return f"{name} {word} after {span(node.elapsed(0.0))}{spent}{reason}"
