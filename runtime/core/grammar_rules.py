"""One rule for each type of fact: what must hold when it is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runtime.core.grammar_tasks import TASK_RULES
from runtime.core.grammar_turn import CHILD, MODEL, RETRY, TOOL, Broken, ChildRecord, TurnRecord
from runtime.core.legality import ENDED_AS, Position
from runtime.values.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# ------------------------------------------------------------------------------------------------ calls


def opened(turn: TurnRecord, key: str, sort: str) -> None:
    """Take in that a call was opened; what was only scheduled under its key is thereby done."""
    if key in turn.used:
        if turn.open.get(key) != RETRY:
            raise Broken(f"call {key} was opened before; every call has a key of its own")
    else:
        turn.used.add(key)
    turn.open[key] = sort


def closed(turn: TurnRecord, key: str, sort: str) -> None:
    """Take in that a call was closed."""
    if turn.open.pop(key, None) != sort:
        raise Broken(f"{sort} {key} is not open; each one is started, and closed once")


def _within_step(turn: TurnRecord) -> None:
    if not turn.in_step:
        raise Broken("it belongs between a STEP_STARTED and its STEP_COMPLETED")


# ------------------------------------------------------------------------------------------------ the Turn


def _turn_started(turn: TurnRecord, data: Any) -> None:
    turn.start = data
    parent = turn.parent
    if parent is None:
        return
    child = parent.children[turn.n]
    if data.key != child.key:
        raise Broken(f"the parent started it as {child.key!r}, not {data.key!r}")
    if data.depth != parent.start.depth + 1:
        raise Broken(f"it stands at depth {parent.start.depth + 1}, not {data.depth}")


def _turn_suspended(turn: TurnRecord, data: Any) -> None:
    if turn.in_step:
        raise Broken(f"a Turn suspends between Steps; STEP_COMPLETED of Step {turn.step} comes first")
    if turn.open:
        raise Broken(f"a Turn suspends with nothing open, and {_names(turn)} is")
    if not turn.parked and not turn.requests:
        raise Broken("a Turn suspends because of an open request or a parked child, and has neither")
    below = [name for child in turn.children.values() for name in child.requests or ()]
    names = sorted([*[f":{key}" for key in turn.requests], *below])
    if sorted(data.request_ids) != names:
        raise Broken(f"it names the open requests of its subtree, which are {', '.join(names) or 'none'}")


def _turn_recovered(turn: TurnRecord, data: Any) -> None:
    for key in data.calls:
        if turn.open.get(key) in (None, CHILD):
            raise Broken(f"call {key} was not in flight")


def _cancellation_requested(turn: TurnRecord, data: Any) -> None:
    if turn.cancelling:
        raise Broken("a cancel is recorded once")
    turn.cancelling = True


def _stop_requested(turn: TurnRecord, data: Any) -> None:
    if turn.open.get(data.call_key) != TOOL:
        raise Broken(f"tool call {data.call_key} is not open")


def _ended(turn: TurnRecord, data: Any) -> None:
    if turn.in_step:
        raise Broken(f"STEP_COMPLETED of Step {turn.step} comes before a Turn's ending")
    done = data.type == "TURN_COMPLETED"
    if turn.open and (done or set(turn.open.values()) != {RETRY}):
        raise Broken(f"nothing is open when a Turn ends, and {_names(turn)} is")
    if turn.parked:
        raise Broken("children end before their parent, and a parked one has not")
    if turn.requests:
        raise Broken(f"every request is closed before the Turn ends, and {', '.join(turn.requests)} is open")
    if turn.pending and done:
        raise Broken(f"every call of a reply has a result, and {', '.join(turn.pending)} has none")
    if turn.tasks is not None and turn.settled != turn.tasks:
        raise Broken(f"every task is settled when a plan ends, and {turn.tasks - turn.settled} are not")
    turn.ending = data


def _names(turn: TurnRecord) -> str:
    return ", ".join([f"{sort} {key}" for key, sort in turn.open.items()])


# ------------------------------------------------------------------------------------------------ Step and model


def _step_started(turn: TurnRecord, data: Any) -> None:
    if turn.in_step:
        raise Broken(f"Step {turn.step} has not ended")
    if data.step != turn.step + 1:
        raise Broken(f"Steps count without gaps, so this should be Step {turn.step + 1}")
    turn.step = data.step
    turn.in_step = True
    turn.asked = False


def _step_completed(turn: TurnRecord, data: Any) -> None:
    if not turn.in_step or data.step != turn.step:
        raise Broken(f"it pairs with the STEP_STARTED of Step {data.step}, which is not open")
    if turn.open:
        raise Broken(f"nothing is open when a Step ends, and {_names(turn)} is")
    turn.in_step = False


def _model_started(turn: TurnRecord, data: Any) -> None:
    _within_step(turn)
    if turn.asked:
        raise Broken("a Step makes at most one model call")
    if turn.pending or turn.parked:
        raise Broken("the history is tool-complete at every model call, and a call has no result yet")
    turn.iterations += 1
    if data.number != turn.iterations:
        raise Broken(f"it is model call {turn.iterations} of its Turn, not {data.number}")
    if data.call_key != f"{turn.step}.0":
        raise Broken(f"the call key of Step {turn.step}'s model call is {turn.step}.0, not {data.call_key}")
    turn.asked = True
    opened(turn, data.call_key, MODEL)


def _model_completed(turn: TurnRecord, data: Any) -> None:
    closed(turn, data.call_key, MODEL)
    calls = data.message.tool_calls
    if not calls and not data.verdicts:
        return
    verdicts = {verdict.call_key: verdict.allowed for verdict in data.verdicts}
    keys = [call.call_key for call in calls]
    if keys != list(verdicts):
        raise Broken(f"there is one verdict for each call of the reply, in order: {', '.join(keys)}")
    turn.pending = verdicts


def _model_failed(turn: TurnRecord, data: Any) -> None:
    closed(turn, data.call_key, MODEL)


# ------------------------------------------------------------------------------------------------ tools


def _tool_started(turn: TurnRecord, data: Any) -> None:
    if turn.step:
        _within_step(turn)
        if not turn.pending.get(data.call_key):
            raise Broken(f"no reply asked for call {data.call_key}, or it was not allowed")
    opened(turn, data.call_key, TOOL)


def _tool_ended(turn: TurnRecord, data: Any) -> None:
    closed(turn, data.call_key, TOOL)
    if turn.step:
        turn.pending.pop(data.call_key, None)


def _tool_denied(turn: TurnRecord, data: Any) -> None:
    if turn.pending.get(data.call_key) is not False:
        raise Broken(f"call {data.call_key} was not refused, or has its one TOOL_DENIED")
    del turn.pending[data.call_key]


def _custom(turn: TurnRecord, data: Any) -> None:
    if turn.open.get(data.call_key) != TOOL:
        raise Broken(f"a tool speaks while it runs, and call {data.call_key} is not open")


# ------------------------------------------------------------------------------------------------ requests


def _request_opened(turn: TurnRecord, data: Any) -> None:
    if data.request_key in turn.requests:
        raise Broken(f"request {data.request_key} is open already")
    turn.requests[data.request_key] = None


def _request_closed(turn: TurnRecord, data: Any) -> None:
    if data.request_key not in turn.requests:
        raise Broken(f"request {data.request_key} is not open; every request is closed once")
    del turn.requests[data.request_key]


# ------------------------------------------------------------------------------------------------ children


def _child_started(turn: TurnRecord, data: Any) -> None:
    n = len(turn.children) + 1
    if data.n != n:
        raise Broken(f"children count without gaps, so this should be child {n}")
    unit = turn.announced
    if turn.tasks is not None and (unit is None or unit.n != n):
        raise Broken(f"a plan starts child {n} for a task, whose TASK_STARTED comes right before")
    if turn.step:
        _within_step(turn)
        if not turn.pending.get(data.call_key):
            raise Broken(f"no reply asked for call {data.call_key}, or it was not allowed")
    opened(turn, data.call_key, CHILD)
    turn.children[n] = ChildRecord(data.key, data.call_key, unit)
    turn.announced = None


def _child(turn: TurnRecord, n: int, *, parked: bool) -> ChildRecord:
    child = turn.children.get(n)
    if child is None or child.ended or (child.requests is not None) is not parked:
        raise Broken(f"child {n} {'is not parked' if parked else 'is not running'}")
    return child


def _child_suspended(turn: TurnRecord, data: Any) -> None:
    child = _child(turn, data.n, parked=False)
    if any(not name.startswith((f"{data.n}:", f"{data.n}.")) for name in data.request_ids):
        raise Broken(f"requests below child {data.n} begin with its number, relative to this Turn")
    del turn.open[child.call_key]
    child.requests = data.request_ids
    turn.parked += 1


def _child_resumed(turn: TurnRecord, data: Any) -> None:
    child = _child(turn, data.n, parked=True)
    child.requests = None
    turn.parked -= 1
    turn.open[child.call_key] = CHILD


def _child_ended(turn: TurnRecord, data: Any) -> None:
    n = data.n
    child = turn.children.get(n)
    if child is None or child.ended:
        raise Broken(f"child {n} is not running; every CHILD_STARTED has one CHILD_ENDED")
    if data.key != child.key:
        raise Broken(f"child {n} was started as {child.key!r}, not {data.key!r}")
    _compare_endings(data, child.record)
    if child.requests is None:
        closed(turn, child.call_key, CHILD)
    else:
        turn.parked -= 1
        child.requests = None
    child.ended = True
    child.status = data.status
    child.record = None
    if turn.step:
        turn.pending.pop(child.call_key, None)
    turn.ended_unit = child.unit


def _compare_endings(data: Any, record: TurnRecord | None) -> None:
    """Hold what the parent says of a child's ending against the child's own terminal fact."""
    if record is None:
        if data.status != Status.CANCELLED:
            raise Broken(f"child {data.n} has recorded nothing, so all it can be is CANCELLED")
        return
    ending = record.ending
    if record.position is not Position.ENDED or ending is None:
        raise Broken(f"child {data.n} has not ended; a child's terminal fact comes first")
    status = ENDED_AS[ending.type]
    if data.status != status:
        raise Broken(f"child {data.n} ended as {status}, not {data.status}")
    output = getattr(ending, "output", None)
    if data.output is not output and data.output != output:
        raise Broken(f"the output of child {data.n} is not the one that it ended with")


# ------------------------------------------------------------------------------------------------ retry


def _retry_scheduled(turn: TurnRecord, data: Any) -> None:
    opened(turn, data.call_key, RETRY)
    unit = turn.ended_unit
    if turn.tasks is None:
        return
    if unit is None or unit.settled or data.attempt != unit.attempt + 1:
        raise Broken("a retry follows the end of the attempt before it")
    unit.retry = data.call_key
    unit.n = None


RULES: Mapping[str, Callable[[TurnRecord, Any], None]] = {
    "TURN_STARTED": _turn_started,
    "TURN_SUSPENDED": _turn_suspended,
    "TURN_RECOVERED": _turn_recovered,
    "CANCELLATION_REQUESTED": _cancellation_requested,
    "STOP_REQUESTED": _stop_requested,
    **dict.fromkeys(ENDED_AS, _ended),
    "STEP_STARTED": _step_started,
    "STEP_COMPLETED": _step_completed,
    "MODEL_STARTED": _model_started,
    "MODEL_COMPLETED": _model_completed,
    "MODEL_FAILED": _model_failed,
    "TOOL_STARTED": _tool_started,
    "TOOL_COMPLETED": _tool_ended,
    "TOOL_FAILED": _tool_ended,
    "TOOL_CANCELLED": _tool_ended,
    "TOOL_DENIED": _tool_denied,
    "CUSTOM": _custom,
    "TASK_ANSWER_REQUESTED": _request_opened,
    "REQUEST_ANSWERED": _request_closed,
    "REQUEST_WITHDRAWN": _request_closed,
    "CHILD_STARTED": _child_started,
    "CHILD_SUSPENDED": _child_suspended,
    "CHILD_RESUMED": _child_resumed,
    "CHILD_ENDED": _child_ended,
    "RETRY_SCHEDULED": _retry_scheduled,
    **TASK_RULES,
}
"""TURN_RESUMED, REQUEST_REFUSED and HINT_ADDED have no rule besides the table's."""
