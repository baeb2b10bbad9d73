"""What every kind of Turn has in common: the frame of its fold.

Theory of operation. A signal says what happened; `decide` turns it into events; `apply` changes the fold by one event
at a time; `advance` adds what comes next. An event named `*_STARTED`, `RETRY_SCHEDULED` or `CHILD_RESUMED` opens a
command under its call key, exactly one later event closes it. A Turn that has not ended is therefore always in one of
three positions: something is open (the shell is busy for it), something is wanted (admission will grant it), or it has
suspended and waits for a request or a child. `step` runs one signal through and is all that a driver needs.

The frame is mutable and owned by one Turn; events are not. `fresh` and `dropped` are notes to the shell about commands
that a batch opened or made pointless: both follow from facts, so a recovered fold has them again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Final, assert_never

import attrs

from runtime.errors import IllegalSignal
from runtime.values import events as e
from runtime.values import signals as s
from runtime.values.commands import CallModel, Command, RunChild, RunTool, Sleep, Want
from runtime.values.failure import Cause, Failure
from runtime.values.ids import relative_request
from runtime.values.status import Status
from runtime.values.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from runtime.core.ports import Machine

Apply = Callable[[Any, Any], None]
NOTHING: Final[dict[Any, Any]] = {}
"""Shared by all folds that have nothing of a sort, which are nearly all; never written to, but replaced."""
NOBODY: Final[AbstractSet[int]] = frozenset()
Grant = Callable[[Want], bool]


@attrs.define(eq=False)
class OpenRequest:
    """A request of the Turn's own that nobody has answered yet."""

    key: str
    kind: str
    message: str
    show: Any
    form: Any


class Frame:
    """The fold that all kinds share; kinds subclass it with slots of their own."""

    __slots__ = (
        "attached", "cancelling", "children", "dropped", "ending", "error", "fresh", "key", "open", "output", "parked",
        "requests", "start", "started", "step", "suspended", "usage",
    )  # fmt: skip

    def __init__(self) -> None:
        self.started = False
        self.start: e.TurnStarted | None = None
        self.key = ""
        self.ending: Status | None = None
        """Set once, by the terminal event."""
        self.output: Any = None
        self.error: Failure | None = None
        self.usage: Usage = NO_USAGE
        """Of the whole subtree, as far as this Turn's facts know."""
        self.step = 0
        self.suspended = False
        self.cancelling: e.CancellationRequested | None = None
        """Who asked for the end of the tree, and why, once somebody did."""
        self.open: dict[str, Command] = {}
        self.fresh: list[str] = []
        self.attached: dict[int, RunChild] = NOTHING
        """The open commands that run children, by child number."""
        self.dropped: AbstractSet[int] = NOBODY
        """Children that the Turn has no more use for; the shell cancels them."""
        self.children = 0
        """How many children were ever started."""
        self.parked: dict[int, Parked] = NOTHING
        self.requests: dict[str, OpenRequest] = NOTHING

    def begin(self, command: Command) -> None:
        """Open a command."""
        self.open[command.call_key] = command
        self.fresh.append(command.call_key)
        if type(command) is RunChild:
            if not self.attached:
                self.attached = {}
            self.attached[command.n] = command

    @property
    def status(self) -> Status:
        """Where the Turn stands."""
        if self.ending is not None:
            return self.ending
        if not self.started:
            return Status.READY
        if self.suspended:
            return Status.WAITING_FOR_USER if self.requests else Status.WAITING_FOR_CHILD
        if self.open and all(type(command) is Sleep for command in self.open.values()):
            return Status.RETRY_SCHEDULED
        return Status.RUNNING

    def open_requests(self) -> tuple[str, ...]:
        """Return the open requests of the subtree, relative to this Turn."""
        below = [name for n in sorted(self.parked) for name in self.parked[n].request_ids]
        return (*[f":{key}" for key in self.requests], *below)


@attrs.define(eq=False)
class Parked:
    """A child that waits without a task, and the command that attaches it again."""

    command: RunChild
    request_ids: tuple[str, ...]


# ------------------------------------------------------------------------------------------------ decide


def illegal(state: Frame, signal: s.Signal) -> IllegalSignal:
    """Return the error for a signal that the Turn cannot take now."""
    return IllegalSignal(f"a Turn that is {state.status} cannot take {signal!r}")


def must_be_open(state: Frame, signal: Any, sort: type[Command]) -> Any:
    """Return the open command that the signal answers, or raise IllegalSignal."""
    command = state.open.get(signal.call_key)
    if type(command) is not sort:
        raise illegal(state, signal)
    return command


def started(kind: str, version: int, signal: s.Start) -> e.TurnStarted:
    """Return the first fact of a Turn."""
    return e.TurnStarted(
        kind, version, signal.input, signal.key, signal.attempt, signal.depth, signal.max_depth, signal.definition
    )


def resume(state: Frame, cause: str) -> list[e.EventData]:
    """Return the event that ends a suspension, if there is one."""
    return [e.TurnResumed(cause)] if state.suspended else []


def child_ended(command: RunChild, signal: s.ChildCame) -> e.ChildEnded:
    """Return the parent's record of a child's ending."""
    return e.ChildEnded(signal.n, command.key, signal.status, signal.output, signal.usage, signal.error)


def decide_frame(state: Frame, signal: s.Signal) -> list[e.EventData]:
    """Decide the signals that mean the same for every kind."""
    match signal:
        case s.ChildParked(n, request_ids, active):
            if n not in state.attached:
                raise illegal(state, signal)
            names = tuple([relative_request(n, name) for name in request_ids])
            return [e.ChildSuspended(n, names, active)]
        case s.ChildWoke(n):
            if n not in state.parked:
                raise illegal(state, signal)
            return [*resume(state, "child"), e.ChildResumed(n)]
        case s.CancelRequested(reason, by):
            return [] if state.cancelling else [e.CancellationRequested(reason, by)]
        case s.Refused(request, kind, by, reason):
            return [e.RequestRefused(request, kind, by, reason)]
        case s.Recovered():
            calls = tuple([key for key, command in state.open.items() if type(command) is not RunChild])
            return [e.TurnRecovered(calls)]
        case s.ToolEmitted(call_key, name, data):
            must_be_open(state, signal, RunTool)
            return [e.Custom(call_key, name, data)]
        case _:
            raise illegal(state, signal)


def close_frame(state: Frame, signal: s.Close) -> list[e.EventData]:
    """Return the events that close everything that is open, the children's endings first."""
    cause = signal.cause
    out: list[e.EventData] = []
    for came in signal.children:
        child = state.attached.get(came.n) or state.parked[came.n].command
        out.append(child_ended(child, came))
    failure = Failure(cause.kind, cause.message)
    for key, command in state.open.items():
        match command:
            case CallModel():
                out.append(e.ModelFailed(key, failure, Usage(model_calls=1)))
            case RunTool():
                out.append(e.ToolCancelled(key, cause.message, key in signal.abandoned))
            case RunChild() | Sleep():
                pass
            case _ as unreachable:
                assert_never(unreachable)
    out += [e.RequestWithdrawn(key, cause.message) for key in state.requests]
    return out


def ended_by(cause: Cause) -> e.EventData:
    """Return the terminal event for a cause that came from outside."""
    if cause.kind == "timeout":
        return e.TurnFailed(Failure("timeout", cause.message, retryable=True))
    return e.TurnCancelled(cause)


# ------------------------------------------------------------------------------------------------ apply


def _turn_started(state: Frame, event: e.TurnStarted) -> None:
    state.started = True
    state.start = event
    state.key = event.key


def _turn_suspended(state: Frame, event: e.TurnSuspended) -> None:
    state.suspended = True


def _turn_resumed(state: Frame, event: e.TurnResumed) -> None:
    state.suspended = False


def end(state: Frame, status: Status, output: Any, error: Failure | None) -> None:
    """Take the Turn's ending into the fold; nothing is open afterwards."""
    state.ending = status
    state.output = output
    state.error = error
    state.suspended = False
    state.open.clear()
    state.attached = NOTHING
    state.fresh.clear()
    state.dropped = NOBODY


def _turn_completed(state: Frame, event: e.TurnCompleted) -> None:
    end(state, Status.COMPLETED, event.output, None)


def _turn_failed(state: Frame, event: e.TurnFailed) -> None:
    end(state, Status.FAILED, None, event.error)


def _turn_cancelled(state: Frame, event: e.TurnCancelled) -> None:
    end(state, Status.CANCELLED, None, Failure(event.cause.kind, event.cause.message))


def _cancellation_requested(state: Frame, event: e.CancellationRequested) -> None:
    state.cancelling = event


def _request_opened(state: Frame, event: e.TaskAnswerRequested) -> None:
    key = event.request_key
    asked = OpenRequest(key, "question", event.message, event.show, event.form)
    state.requests = {**state.requests, key: asked}


def _request_closed(state: Frame, event: e.RequestAnswered | e.RequestWithdrawn) -> None:
    del state.requests[event.request_key]


def _child_suspended(state: Frame, event: e.ChildSuspended) -> None:
    command = state.attached.pop(event.n)
    del state.open[command.call_key]
    if not state.parked:
        state.parked = {}
    state.parked[event.n] = Parked(command.after(event.active), event.request_ids)


def _child_resumed(state: Frame, event: e.ChildResumed) -> None:
    state.begin(state.parked.pop(event.n).command)


def forget_child(state: Frame, event: e.ChildEnded) -> RunChild:
    """Close the command of a child that ended, add its usage, and return the command."""
    command = state.attached.pop(event.n, None)
    if command is not None:
        del state.open[command.call_key]
    else:
        command = state.parked.pop(event.n).command
    if state.dropped:
        state.dropped -= {event.n}
    state.usage = state.usage + event.usage
    return command


def _nothing(state: Frame, event: e.EventData) -> None:
    pass


FRAME_APPLY: Mapping[type[e.EventData], Apply] = {
    e.TurnStarted: _turn_started,
    e.TurnSuspended: _turn_suspended,
    e.TurnResumed: _turn_resumed,
    e.TurnRecovered: _nothing,
    e.TurnCompleted: _turn_completed,
    e.TurnFailed: _turn_failed,
    e.TurnCancelled: _turn_cancelled,
    e.CancellationRequested: _cancellation_requested,
    e.TaskAnswerRequested: _request_opened,
    e.RequestAnswered: _request_closed,
    e.RequestRefused: _nothing,
    e.RequestWithdrawn: _request_closed,
    e.ChildSuspended: _child_suspended,
    e.ChildResumed: _child_resumed,
    e.Custom: _nothing,
    e.Unknown: _nothing,
}

# ------------------------------------------------------------------------------------------------ one step


def step(machine: Machine, state: Any, signal: s.Signal, grant: Grant, due: Collection[str] = ()) -> list[e.EventData]:
    """Run one signal through: decide and apply, then `settle`.

    Args:
        machine: The Turn's machine.
        state: Its fold, changed in place.
        signal: What happened.
        grant: Says whether admission lets a want start now; a grant is taken at once.
        due: Call keys of open Sleep commands whose time has come.

    Returns:
        The events, one batch.

    Raises:
        IllegalSignal: The Turn cannot take the signal; the state is untouched.
    """
    out = machine.decide(state, signal)
    apply = machine.apply
    for event in out:
        apply(state, event)
    return settle(machine, state, out, grant, due)


def settle(
    machine: Machine, state: Any, out: list[e.EventData], grant: Grant, due: Collection[str] = ()
) -> list[e.EventData]:
    """Advance and start what is wanted until nothing more comes by itself; adds to `out` and returns it."""
    apply = machine.apply
    while state.ending is None:
        more = machine.advance(state)
        if not more:
            for want in machine.wants(state, due):
                if grant(want):
                    more = machine.decide(state, s.Granted(want.call_key))
                    break
            else:
                break
        for event in more:
            apply(state, event)
        out.extend(more)
    return out


def fold(machine: Machine, facts: Iterable[e.EventData]) -> Any:
    """Rebuild a Turn's state from its facts; every open command is fresh, as after a crash."""
    state = machine.new()
    for event in facts:
        machine.apply(state, event)
    state.fresh = list(state.open)
    return state
