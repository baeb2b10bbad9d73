"""How the tasks of a plan stand, for `TurnResult.tasks`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.engine.state import COMPLETED, PENDING, RUNNING
from runtime.values.result import ItemResult, TaskResult

if TYPE_CHECKING:
    from planner.engine.state import PlanState, Unit
    from runtime.values.failure import Failure


def summarise(state: PlanState) -> dict[str, TaskResult]:
    """Return each task's result so far, in the plan's order."""
    out: dict[str, TaskResult] = {}
    for key, unit in state.units.items():
        spread = state.spreads.get(key)
        if spread is None:
            out[key] = TaskResult(
                status=_status(state, unit), output=_output(unit), error=_error(unit), reason=unit.reason
            )
            continue
        items = tuple([_item(state, item) for item in spread.units])
        output = [item.output for item in items]
        out[key] = TaskResult(status=unit.status, output=output, error=_error(unit), reason=unit.reason, items=items)
    return out


def _item(state: PlanState, item: Unit) -> ItemResult:
    status, output, error = _status(state, item), _output(item), _error(item)
    return ItemResult(key=item.item_key, item=item.item, status=status, output=output, error=error)


def _status(state: PlanState, unit: Unit) -> str:
    if unit.status == RUNNING and unit.n in state.parked:
        return "WAITING"
    return unit.status


def _output(unit: Unit) -> object:
    return unit.output if unit.status == COMPLETED else None


def _error(unit: Unit) -> Failure | None:
    return None if unit.status in (COMPLETED, PENDING, RUNNING) else unit.error
