"""The rules of plans and their tasks. They read types and fields by name: who defines them is not known here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runtime.core.grammar_turn import Broken, TurnRecord, UnitRecord
from runtime.values.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _plan_created(turn: TurnRecord, data: Any) -> None:
    if turn.tasks is not None:
        raise Broken("a plan is created once")
    turn.tasks = data.tasks


def _plan_completed(turn: TurnRecord, data: Any) -> None:
    if turn.settled != turn.tasks:
        raise Broken("a plan is complete once each of its tasks is settled")


def _task_started(turn: TurnRecord, data: Any) -> None:
    unit = _unit(turn, data)
    if data.n is None:
        if unit.attempt or unit.size is not None:
            raise Broken(f"{_name(data)} is spread over its items once, before anything of it runs")
        unit.size = unit.left = len(data.items)
        return
    if unit.size is not None:
        raise Broken(f"{_name(data)} runs as its items, not as a whole")
    if data.attempt != unit.attempt + 1 or (unit.attempt and unit.retry is None):
        raise Broken(f"attempt {unit.attempt + 1} of {_name(data)} comes next, and only after a RETRY_SCHEDULED")
    unit.attempt = data.attempt
    unit.n = data.n
    unit.retry = None
    turn.announced = unit


def _task_completed(turn: TurnRecord, data: Any) -> None:
    unit = _unit(turn, data)
    if data.n is None:
        if unit.size is None:
            raise Broken(f"{_name(data)} completes with the child that ran it")
        _all_items(unit, data)
    elif _ending(turn, unit, data) != Status.COMPLETED:
        raise Broken(f"child {data.n} of {_name(data)} did not complete")
    _settle(turn, unit, data)


def _task_failed(turn: TurnRecord, data: Any) -> None:
    unit = _unit(turn, data)
    if data.n is not None:
        if _ending(turn, unit, data) == Status.COMPLETED:
            raise Broken(f"child {data.n} of {_name(data)} completed")
    elif unit.size is not None:
        _all_items(unit, data)
    elif unit.n is not None:
        raise Broken(f"{_name(data)} fails with the child that runs it")
    _settle(turn, unit, data)


def _task_skipped(turn: TurnRecord, data: Any) -> None:
    unit = _unit(turn, data)
    if unit.attempt or unit.size is not None:
        raise Broken(f"{_name(data)} has started, so it cannot be skipped")
    _settle(turn, unit, data)


def _task_cancelled(turn: TurnRecord, data: Any) -> None:
    unit = _unit(turn, data)
    if data.n is not None:
        if _ending(turn, unit, data) == Status.COMPLETED:
            raise Broken(f"child {data.n} of {_name(data)} completed")
    elif unit.size is not None:
        _all_items(unit, data)
    elif unit.retry is None:
        raise Broken(f"{_name(data)} has no attempt that could be cancelled, and none is scheduled")
    else:
        turn.open.pop(unit.retry, None)
    _settle(turn, unit, data)


def _unit(turn: TurnRecord, data: Any) -> UnitRecord:
    """Return the task or item that a fact is about; it must not be settled yet."""
    if turn.tasks is None:
        raise Broken("tasks belong to a plan, and PLAN_CREATED is missing")
    index = data.index
    place = (data.key, index)
    unit = turn.units.get(place)
    if unit is None:
        if index is not None:
            whole = turn.units.get((data.key, None))
            if whole is None or whole.size is None or not 0 <= index < whole.size:
                raise Broken(f"{data.key} has no item {index}")
        unit = turn.units[place] = UnitRecord()
    elif unit.settled:
        raise Broken(f"{_name(data)} is settled, and stays so")
    return unit


def _ending(turn: TurnRecord, unit: UnitRecord, data: Any) -> Status:
    """Return how the child that ran the newest attempt ended."""
    child = turn.children.get(data.n)
    if unit.n != data.n or child is None:
        raise Broken(f"child {data.n} does not run {_name(data)}")
    if not child.ended:
        raise Broken(f"the CHILD_ENDED of child {data.n} comes first")
    status: Status = child.status
    return status


def _all_items(unit: UnitRecord, data: Any) -> None:
    if unit.left:
        raise Broken(f"the items of {_name(data)} are settled before the task is, and {unit.left} are not")


def _settle(turn: TurnRecord, unit: UnitRecord, data: Any) -> None:
    unit.settled = True
    if data.index is None:
        turn.settled += 1
    else:
        turn.units[(data.key, None)].left -= 1


def _name(data: Any) -> str:
    return f"task {data.key}" if data.index is None else f"item {data.index} of task {data.key}"


TASK_RULES: Mapping[str, Callable[[TurnRecord, Any], None]] = {
    "PLAN_CREATED": _plan_created,
    "PLAN_COMPLETED": _plan_completed,
    "TASK_STARTED": _task_started,
    "TASK_COMPLETED": _task_completed,
    "TASK_FAILED": _task_failed,
    "TASK_SKIPPED": _task_skipped,
    "TASK_CANCELLED": _task_cancelled,
}
