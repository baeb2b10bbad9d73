"""The plan Turn: starts tasks as children when their needs are settled, and settles tasks when children end.

Each attempt of a task, or of one of its items, is one child. What may start is offered to admission in the order of the
longest remaining path. A failed attempt is tried again after a sleep, if the task allows it; a failure for good stops
the plan or lets what does not depend on it go on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.engine import events as p
from planner.engine.compiled import TaskInvalid
from planner.engine.fold import PlanFold
from planner.engine.state import PENDING, RUNNING, PlanState, Unit
from planner.engine.summary import summarise
from planner.expressions import EvaluationFault, parse_value
from runtime.core import frame as f
from runtime.values import events as e
from runtime.values import signals as s
from runtime.values.commands import Sleep, Want
from runtime.values.failure import Failure
from runtime.values.jsonlike import freeze
from runtime.values.status import Phase, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

JITTER = 0.1
"""A retry waits up to this share longer than its delay says, so that many do not come back at once."""


_SETTLED: Mapping[Status, Callable[[str, int, int | None], e.EventData]] = {
    Status.COMPLETED: p.TaskCompleted,
    Status.CANCELLED: p.TaskCancelled,
}


class PlanMachine(PlanFold):
    """Runs the Turns of one plan."""

    kind = "plan"
    version = 1
    drops = True

    # -------------------------------------------------------------------------------------------- decide

    def decide(self, state: PlanState, signal: s.Signal) -> list[e.EventData]:
        """Record what happened."""
        if state.ending is not None or state.started is (type(signal) is s.Start):
            raise f.illegal(state, signal)
        match signal:
            case s.ChildCame():
                return self._child_came(state, signal)
            case s.Granted(call_key):
                return self._granted(state, call_key, signal)
            case s.Start():
                return [f.started(self.kind, self.version, signal), p.PlanCreated(self.plan.name, len(self.tasks))]
            case s.Close(cause):
                return self._close(state, signal, cause.message)
            case _:
                return f.decide_frame(state, signal)

    def _granted(self, state: PlanState, call_key: str, signal: s.Signal) -> list[e.EventData]:
        unit = self._unit_of(state, call_key)
        if unit is None or not self._may_start(state, call_key, unit):
            raise f.illegal(state, signal)
        key, index, attempt = unit.compiled.key, unit.index, unit.attempt + 1
        n = state.children + 1
        started = p.TaskStarted(key, n, attempt, index)
        try:
            given = unit.compiled.input(state.scope(unit))
        except TaskInvalid as invalid:
            return [p.TaskFailed(key, None, index, invalid.failure)]
        return [started, e.ChildStarted(n, unit.name, call_key, given, attempt)]

    def _may_start(self, state: PlanState, call_key: str, unit: Unit) -> bool:
        """Say whether a unit is the best that waits for its places, or its retry is what the call key names."""
        if state.stopping is not None:
            return False
        if unit.status != PENDING:
            return type(state.open.get(call_key)) is Sleep
        heap = state.ready.get(unit.compiled.slots)
        return bool(heap and heap[0][3] is unit) and unit.compiled.call_key(unit.index, 1) == call_key

    def _unit_of(self, state: PlanState, call_key: str) -> Unit | None:
        try:
            first, second = map(int, call_key.split(".")[:2])
            task = self.plan.tasks[(first or second) - 1]
            return state.unit(task.key, second - 1 if first else None)
        except (ValueError, LookupError):
            return None

    def _child_came(self, state: PlanState, signal: s.ChildCame) -> list[e.EventData]:
        command = state.attached.get(signal.n)
        if command is None:
            parked = state.parked.get(signal.n)
            if parked is None or signal.n not in state.dropped:
                raise f.illegal(state, signal)
            command = parked.command
        unit = state.running[signal.n]
        key, index = unit.compiled.key, unit.index
        ended = f.child_ended(command, signal)
        if signal.status is Status.COMPLETED:
            return [ended, p.TaskCompleted(key, signal.n, index)]
        if signal.n in state.dropped:
            return [ended, p.TaskCancelled(key, signal.n, index)]
        error = signal.error or Failure("child", f"{command.key} ended as {signal.status}")
        due = self._retry_at(state, unit, error, signal)
        if due is None:
            return [ended, p.TaskFailed(key, signal.n, index)]
        again = unit.attempt + 1
        return [ended, e.RetryScheduled(unit.compiled.call_key(index, again), again, due, error)]

    def _retry_at(self, state: PlanState, unit: Unit, error: Failure, signal: s.ChildCame) -> float | None:
        """Return when to try a task again, or None for a failure for good."""
        retry = unit.compiled.task.retries
        if retry is None or unit.attempt > retry.max or state.stopping is not None or state.cancelling is not None:
            return None
        if retry.only is not None and error.kind not in retry.only:
            return None
        delay = retry.delay * retry.factor ** (unit.attempt - 1)
        return signal.at + max(delay * (1 + JITTER * signal.jitter), error.retry_after or 0.0)

    def _close(self, state: PlanState, signal: s.Close, reason: str) -> list[e.EventData]:
        out = f.close_frame(state, signal)
        came = {child.n: child for child in signal.children}
        for n, unit in state.running.items():
            settled = _SETTLED.get(came[n].status, p.TaskFailed)
            out.append(settled(unit.compiled.key, n, unit.index))
        return [*out, *_left_over(state, f"the plan ended: {reason}"), f.ended_by(signal.cause)]

    # -------------------------------------------------------------------------------------------- advance

    def advance(self, state: PlanState) -> Sequence[e.EventData]:
        """Record what comes next."""
        if state.todo:
            return (state.todo[-1],)
        if state.stopping is not None:
            return () if state.running else _left_over(state, "the plan stopped") or self._end(state)
        if state.open or state.suspended or state.dropped or not state.started:
            return ()
        if any(state.ready.values()):
            return ()
        if state.parked:
            count = len(state.parked)
            message = f"waits for {count} {'task' if count == 1 else 'tasks'}"
            return (e.TurnSuspended("child", None, message, Phase.PLAN.value, state.open_requests()),)
        return self._end(state)

    def _end(self, state: PlanState) -> Sequence[e.EventData]:
        counts = state.counts
        done = p.PlanCompleted(counts["COMPLETED"], counts["FAILED"], counts["SKIPPED"])
        if state.stopping is not None:
            return (done, e.TurnFailed(state.stopping))
        if state.failed:
            # In the plan's order and not in that of time: the ending is the same whatever failed first.
            failed = sorted([state.units[key] for key in state.failed], key=lambda unit: unit.compiled.ordinal)
            first = failed[0]
            error = first.error or Failure("tool_error", "failed")
            names = ", ".join([unit.name for unit in failed])
            message = f"{len(state.failed)} of {len(self.tasks)} tasks failed: {names}; {first.name}: {error.message}"
            return (done, e.TurnFailed(Failure(error.kind, message, error.retryable, where=error.where or first.name)))
        try:
            return (done, e.TurnCompleted(self._output(state)))
        except EvaluationFault as fault:
            return (done, e.TurnFailed(Failure("expression", f"output: {fault}")))

    def _output(self, state: PlanState) -> Any:
        if self.plan.output is not None:
            return freeze(parse_value(self.plan.output).evaluate(state.scope()))
        leaves = self.graph.leaves
        if len(leaves) == 1:
            return state.results[leaves[0]]["output"]
        return freeze({key: state.results[key]["output"] for key in leaves})

    def wants(self, state: PlanState, due: Collection[str]) -> Iterable[Want]:
        """Name the best task for each set of places, and retries whose time has come."""
        if state.stopping is not None or state.suspended:
            return ()
        out: list[Want] = []
        for slots, heap in state.ready.items():
            if heap:
                priority, _, _, unit = heap[0]
                out.append(Want(unit.compiled.call_key(unit.index, 1), slots, priority))
        for call_key in due:
            if type(state.open.get(call_key)) is Sleep:
                again = self._unit_of(state, call_key)
                assert again is not None  # it went to sleep under this key
                out.append(Want(call_key, again.compiled.slots, again.compiled.priority))
        if len(out) > 1:
            out.sort(key=lambda want: want.priority)
        return out

    def summary(self, state: PlanState) -> Mapping[str, Any]:
        """Return how each task stands."""
        return summarise(state)


def _left_over(state: PlanState, reason: str) -> list[e.EventData]:
    """Return the endings of tasks and items that have no child: those that wait, and those between two attempts."""
    out: list[e.EventData] = []
    for key, task in state.units.items():
        spread = state.spreads.get(key)
        for unit in spread.units if spread is not None else ():
            if unit.status == PENDING:
                out.append(p.TaskSkipped(key, reason, unit.index))
            elif unit.status == RUNNING and unit.n is None:
                out.append(p.TaskCancelled(key, None, unit.index))
        if task.status == PENDING:
            out.append(p.TaskSkipped(key, reason))
        elif task.status == RUNNING and task.n is None:
            out.append(p.TaskCancelled(key))
    return out
