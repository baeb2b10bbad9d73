"""Applies events to a plan's fold."""

from __future__ import annotations

from heapq import heapify, heappop
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from planner.engine import events as p
from planner.engine.compiled import CompiledTask, compile_plan
from planner.engine.state import CANCELLED, COMPLETED, FAILED, RUNNING, SKIPPED, PlanState, Unit
from planner.plan import PlanGraph
from runtime.core import frame as f
from runtime.values import events as e
from runtime.values.commands import RunChild, Sleep
from runtime.values.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planner.plan import Plan

_BECAME = {FAILED: "failed", CANCELLED: "was cancelled", SKIPPED: "was skipped"}


GRAPHS: WeakKeyDictionary[Plan, PlanGraph] = WeakKeyDictionary()
"""Graphs of plans that were checked, with what they give their tools."""


class PlanFold:
    """Applies events to a `PlanState`."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.graph = GRAPHS.get(plan) or PlanGraph.of(plan)
        self.tasks: Mapping[str, CompiledTask] = compile_plan(plan, self.graph)
        self.roots = [key for key, needs in self.graph.needs.items() if not needs]
        self.folds: Mapping[type[e.EventData], f.Apply] = {
            **f.FRAME_APPLY,
            e.TurnStarted: self._turn_started,
            e.ChildStarted: _child_started,
            e.ChildEnded: _child_ended,
            e.RetryScheduled: _retry_scheduled,
            p.PlanCreated: _nothing,
            p.PlanCompleted: _nothing,
            p.TaskStarted: _task_started,
            p.TaskCompleted: self._task_completed,
            p.TaskFailed: self._task_failed,
            p.TaskSkipped: self._task_skipped,
            p.TaskCancelled: self._task_cancelled,
        }

    def new(self) -> PlanState:
        """Return the empty fold."""
        return PlanState()

    def apply(self, state: PlanState, event: e.EventData) -> None:
        """Change the fold by one event."""
        self.folds[type(event)](state, event)

    def _turn_started(self, state: PlanState, event: e.TurnStarted) -> None:
        f.FRAME_APPLY[e.TurnStarted](state, event)
        state.inputs = event.input if event.input is not None else {}
        state.units = {key: Unit(compiled) for key, compiled in self.tasks.items()}
        state.missing = {key: len(needs) for key, needs in self.graph.needs.items()}
        for key in self.roots:
            state.release(state.units[key], {})

    def _task_completed(self, state: PlanState, event: p.TaskCompleted) -> None:
        _recorded(state, event)
        unit = state.unit(event.key, event.index)
        unit.status = COMPLETED
        self._settled(state, unit)

    def _task_failed(self, state: PlanState, event: p.TaskFailed) -> None:
        _recorded(state, event)
        unit = state.unit(event.key, event.index)
        unit.status = FAILED
        if event.error is not None:
            unit.error = event.error
        heap = state.ready.get(unit.compiled.slots)
        if event.n is None and heap:
            remove(heap, unit)
        if unit.index is None:
            state.failed.append(event.key)
            if unit.compiled.stops and state.stopping is None:
                stop(state, unit)
        self._settled(state, unit)

    def _task_skipped(self, state: PlanState, event: p.TaskSkipped) -> None:
        _recorded(state, event)
        unit = state.unit(event.key, event.index)
        unit.status = SKIPPED
        unit.reason = event.reason
        unit.blocked = event.cause is not None
        self._settled(state, unit)

    def _task_cancelled(self, state: PlanState, event: p.TaskCancelled) -> None:
        _recorded(state, event)
        unit = state.unit(event.key, event.index)
        unit.status = CANCELLED
        if event.n is None:
            state.open.pop(unit.compiled.call_key(unit.index, unit.attempt + 1), None)
        self._settled(state, unit)

    def _settled(self, state: PlanState, unit: Unit) -> None:
        """Take in that a task or an item has come to its end."""
        if unit.index is not None:
            _item_settled(state, unit)
            return
        key = unit.compiled.key
        state.counts[unit.status] += 1
        spread = state.spreads.get(key)
        state.results[key] = _result(unit) if spread is None else _spread_result(unit, spread.units)
        if state.stopping is not None:
            return
        missing = state.missing
        for user in self.graph.users[key]:
            missing[user] -= 1
            if not missing[user]:
                state.release(state.units[user], self._causes(state, user))

    def _causes(self, state: PlanState, key: str) -> dict[str, str]:
        """Name the needs that keep a task from running."""
        if not state.failed:
            return {}
        causes = {}
        for need in self.graph.needs[key]:
            unit = state.units[need]
            if unit.blocked or unit.status in (FAILED, CANCELLED):
                causes[need] = _BECAME[unit.status]
        return causes


def _nothing(state: PlanState, event: e.EventData) -> None:
    pass


def _recorded(state: PlanState, event: e.EventData) -> None:
    """Take an event off the list of what is to be recorded."""
    if state.todo and state.todo[-1] == event:
        state.todo.pop()


def _task_started(state: PlanState, event: p.TaskStarted) -> None:
    unit = state.unit(event.key, event.index)
    if event.n is None:
        _recorded(state, event)
        state.spread(unit, event.items, event.item_keys)
        return
    unit.status = RUNNING
    unit.attempt = event.attempt
    unit.n = event.n
    state.running[event.n] = unit
    heap = state.ready.get(unit.compiled.slots)
    if event.attempt == 1 and heap:
        remove(heap, unit)


def remove(heap: list[Any], unit: Unit) -> None:
    """Take a unit out of a heap; nearly always it is the first."""
    if heap[0][3] is unit:
        heappop(heap)
    else:
        heap[:] = [entry for entry in heap if entry[3] is not unit]
        heapify(heap)


def _child_started(state: PlanState, event: e.ChildStarted) -> None:
    state.children = event.n
    unit = state.running[event.n]
    compiled = unit.compiled
    state.open.pop(event.call_key, None)  # the sleep before a retry
    state.begin(
        RunChild(
            event.call_key, event.n, event.key, compiled.definition, event.input, event.attempt,
            compiled.task.timeout, 0.0, compiled.slots, compiled.priority,
        )
    )  # fmt: skip


def _child_ended(state: PlanState, event: e.ChildEnded) -> None:
    f.forget_child(state, event)
    unit = state.running.pop(event.n)
    unit.n = None
    unit.output = event.output
    unit.error = event.error


def _retry_scheduled(state: PlanState, event: e.RetryScheduled) -> None:
    state.begin(Sleep(event.call_key, event.due))


def _item_settled(state: PlanState, unit: Unit) -> None:
    key = unit.compiled.key
    spread = state.spreads[key]
    spread.left -= 1
    if unit.status == FAILED:
        spread.failed += 1
        if spread.failed > spread.allowed and spread.failing is None:
            first = unit.error or Failure("tool_error", "failed")
            count = f"{spread.failed} of {len(spread.units)} items failed, and {spread.allowed} may"
            spread.failing = Failure(first.kind, f"{count}; {unit.name}: {first.message}", first.retryable)
            _give_up(state, spread.units)
    if spread.left == 0 and state.stopping is None:
        if spread.failing is not None:
            state.expect(p.TaskFailed(key, error=spread.failing))
        else:
            state.expect(p.TaskCompleted(key))


def _give_up(state: PlanState, units: list[Unit]) -> None:
    """Let the items that run be cancelled and those that wait be skipped."""
    slots = units[0].compiled.slots
    compiled = units[0].compiled
    heap = state.ready.get(slots, [])
    heap[:] = [entry for entry in heap if entry[3].compiled is not compiled]
    heapify(heap)
    # Facts about items that `when` decided on may still be to come; what is noted here replaces them.
    kept = [event for event in state.todo if getattr(event, "key", None) != compiled.key]
    state.todo.clear()
    state.todo.extend(kept)
    for unit in units:
        if unit.n is not None:
            state.dropped |= {unit.n}
        elif unit.status == RUNNING:
            state.expect(p.TaskCancelled(compiled.key, index=unit.index))
        elif unit.status not in (COMPLETED, FAILED, SKIPPED, CANCELLED):
            state.expect(p.TaskSkipped(compiled.key, "too many items failed", unit.index))


def stop(state: PlanState, unit: Unit) -> None:
    """Let a task's failure end the plan: what runs is cancelled, nothing else starts."""
    error = unit.error or Failure("tool_error", "failed")
    where = error.where or unit.name
    state.stopping = Failure(error.kind, f"task {unit.name} failed: {error.message}", error.retryable, where=where)
    state.ready.clear()
    state.todo.clear()
    state.dropped |= state.running.keys()


def _result(unit: Unit) -> dict[str, Any]:
    error = unit.error
    return {
        "output": unit.output if unit.status == COMPLETED else None,
        "status": unit.status,
        "error": None if error is None or unit.status == COMPLETED else {"kind": error.kind, "message": error.message},
    }


def _spread_result(unit: Unit, units: list[Unit]) -> dict[str, Any]:
    items = [{"key": item.item_key, "item": item.item, **_result(item)} for item in units]
    return {**_result(unit), "output": [item["output"] for item in items], "items": items}
