"""The view of a tree: a fold of its facts, and of previews where there are some."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from planner.engine import events as p
from planner.inspector.calls import CALLS
from planner.inspector.nodes import Node, Retry, TaskView
from planner.inspector.previews import PREVIEW_FOLDS
from runtime.values import events as e
from runtime.values.failure import Failure
from runtime.values.ids import parent_of
from runtime.values.requests import Request
from runtime.values.status import Status


class TreeView:
    """What the events of one tree say so far.

    Needs every fact from the first on, in order; a fact that it has seen already is passed over. Previews may be left
    out: they add the newest text only. Folding costs microseconds an event, whatever the size of the tree.
    """

    def __init__(self) -> None:
        self.root: Node | None = None
        self.nodes: dict[str, Node] = {}
        """Every Turn by id, in the order in which they began."""
        self.requests: dict[str, Request] = {}
        """Open questions of the whole tree by id, oldest first."""
        self.position = 0
        """Of the newest fact."""
        self.updated = 0.0
        """When the newest fact was recorded."""

    @classmethod
    def of(cls, facts: Iterable[e.Event]) -> TreeView:
        """Return the view of these events."""
        view = cls()
        for fact in facts:
            view.fold(fact)
        return view

    def fold(self, event: e.Event) -> None:
        """Take in one event."""
        if type(event) is e.Fact:
            if event.position <= self.position:
                return
            self.position = event.position
            self.updated = event.time
            node = self.nodes.get(event.header.turn_id) or self._new(event)
            change = _FOLDS.get(type(event.data))
            if change is not None:
                change(self, node, event)
            return
        preview = PREVIEW_FOLDS.get(type(event.data))
        shown = self.nodes.get(event.header.turn_id)
        if preview is not None and shown is not None and shown.ending is None:
            preview(shown, event.data)

    def _new(self, fact: e.Fact) -> Node:
        header, data = fact.header, fact.data
        above = parent_of(header.turn_id)
        parent = None if above is None else self.nodes.get(above)
        node = Node(header.turn_id, parent, header.task_key, "", header.agent_id, fact.time)
        if type(data) is e.TurnStarted:
            node.kind, node.input, node.attempt = data.kind, data.input, data.attempt
        self.nodes[node.turn_id] = node
        if parent is None:
            self.root = self.root or node
        else:
            parent.children[int(node.turn_id.rpartition(".")[2])] = node
            before = parent.last.get(node.key)
            if before is not None and before.attempt < node.attempt:
                before.replaced = True
            parent.last[node.key] = node
        return node


Fold = Callable[[TreeView, Node, Any], None]

# ------------------------------------------------------------------------------------------------ Turns


def _suspended(view: TreeView, node: Node, fact: e.Fact) -> None:
    node.suspended = True


def _resumed(view: TreeView, node: Node, fact: e.Fact) -> None:
    node.suspended = False


def _recovered(view: TreeView, node: Node, fact: e.Fact) -> None:
    node.recoveries += 1


def _cancelling(view: TreeView, node: Node, fact: Any) -> None:
    node.cancelling = fact.data.reason


def _end(node: Node, fact: e.Fact, status: Status) -> None:
    node.ending = status
    node.ended = fact.time
    node.suspended = False
    node.calls.clear()
    node.retries.clear()


def _completed(view: TreeView, node: Node, fact: Any) -> None:
    _end(node, fact, Status.COMPLETED)
    node.output = fact.data.output


def _failed(view: TreeView, node: Node, fact: Any) -> None:
    _end(node, fact, Status.FAILED)
    node.error = fact.data.error


def _cancelled(view: TreeView, node: Node, fact: Any) -> None:
    _end(node, fact, Status.CANCELLED)
    cause = fact.data.cause
    node.error = Failure(cause.kind, cause.message)
    node.cancelled_by = cause.by or ""


def _iterations(view: TreeView, node: Node, fact: Any) -> None:
    _end(node, fact, Status.MAX_ITERATIONS_REACHED)
    node.limit = fact.data.limit


def _steps(view: TreeView, node: Node, fact: Any) -> None:
    _end(node, fact, Status.MAX_STEPS_REACHED)
    node.limit = fact.data.limit


# ------------------------------------------------------------------------------------------------ questions


def _asked(view: TreeView, node: Node, fact: Any) -> None:
    data, header = fact.data, fact.header
    request = Request(
        turn_id=header.turn_id, key=data.request_key, message=data.message, show=data.show, form=data.form,
        task_key=header.task_key, path=header.path, asked_at=fact.time,
    )  # fmt: skip
    node.requests[request.key] = request
    view.requests[request.id] = request


def _closed(view: TreeView, node: Node, fact: Any) -> None:
    request = node.requests.pop(fact.data.request_key, None)
    if request is not None:
        view.requests.pop(request.id, None)


# ------------------------------------------------------------------------------------------------ children and tasks


def _child_started(view: TreeView, node: Node, fact: Any) -> None:
    node.retries.pop(fact.data.call_key, None)


def _child_ended(view: TreeView, node: Node, fact: Any) -> None:
    node.last_ended = fact.data.key


def _retry(view: TreeView, node: Node, fact: Any) -> None:
    # It follows at once on the ending of the child that is to be tried again.
    data = fact.data
    node.retries[data.call_key] = Retry(node.last_ended, data.attempt, data.due, data.error)


def _plan(view: TreeView, node: Node, fact: Any) -> None:
    node.planned = fact.data.tasks


def _task_started(view: TreeView, node: Node, fact: Any) -> None:
    data = fact.data
    if data.n is None:
        node.tasks[data.key] = TaskView(data.key, items=data.item_keys)
    elif data.index is None:
        node.tasks[data.key] = TaskView(data.key)


def _settled(status: str) -> Fold:
    def settle(view: TreeView, node: Node, fact: Any) -> None:
        data = fact.data
        task = node.tasks.get(data.key)
        if task is None:
            task = node.tasks[data.key] = TaskView(data.key)
        if data.index is not None:
            task.settled[data.index] = status
        else:
            task.status = status
            error = getattr(data, "error", None)
            task.reason = getattr(data, "reason", None) or (None if error is None else error.message)
        if node.retries:
            name = task.name(data.index)
            node.retries = {key: retry for key, retry in node.retries.items() if retry.key != name}

    return settle


_FOLDS: Final[Mapping[type[e.EventData], Fold]] = {
    e.TurnSuspended: _suspended,
    e.TurnResumed: _resumed,
    e.TurnRecovered: _recovered,
    e.TurnCompleted: _completed,
    e.TurnFailed: _failed,
    e.TurnCancelled: _cancelled,
    e.MaxIterationsReached: _iterations,
    e.MaxStepsReached: _steps,
    e.CancellationRequested: _cancelling,
    e.TaskAnswerRequested: _asked,
    e.RequestAnswered: _closed,
    e.RequestWithdrawn: _closed,
    e.ChildStarted: _child_started,
    e.ChildEnded: _child_ended,
    e.RetryScheduled: _retry,
    p.PlanCreated: _plan,
    p.TaskStarted: _task_started,
    p.TaskCompleted: _settled("COMPLETED"),
    p.TaskFailed: _settled("FAILED"),
    p.TaskSkipped: _settled("SKIPPED"),
    p.TaskCancelled: _settled("CANCELLED"),
    **CALLS,
}
