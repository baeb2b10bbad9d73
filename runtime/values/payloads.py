"""The payloads of facts: what can be said of a Turn for good.

A payload class has a wire name in `type`. Payloads name children by number and requests relative to their own Turn,
so that only envelopes know absolute ids. Kinds outside this package bring payload classes of their own (`PLAN_*`).
"""

from __future__ import annotations

from typing import Any, ClassVar

from runtime.values.asking import RequestAnswered as RequestAnswered
from runtime.values.asking import RequestRefused as RequestRefused
from runtime.values.asking import RequestWithdrawn as RequestWithdrawn
from runtime.values.asking import TaskAnswerRequested as TaskAnswerRequested
from runtime.values.failure import Cause, Failure
from runtime.values.messages import AssistantMessage
from runtime.values.payload import EventData as EventData
from runtime.values.record import Record, record
from runtime.values.status import Status
from runtime.values.usage import Usage

# ------------------------------------------------------------------------------------------------ Turn


@record
class TurnStarted(EventData):
    """The Turn exists; always its first fact."""

    type: ClassVar[str] = "TURN_STARTED"
    kind: str
    """Which machine runs it: `agent`, `plan`, `call`, `question`, or a kind that another package brings."""
    machine_version: int
    input: Any
    key: str = ""
    """The name that its parent gave it: a task's key with the item, or a tool's name. Empty for a root."""
    attempt: int = 1
    depth: int = 0
    """Levels above it; 0 for a root."""
    max_depth: int = 8
    definition: str | None = None
    """Digest of the stored definition; roots only."""


@record
class TurnSuspended(EventData):
    """The Turn has left its task and waits for someone outside it."""

    type: ClassVar[str] = "TURN_SUSPENDED"
    suspension_type: str
    """`question` for its own request, `child` when only children wait."""
    correlation_id: str | None
    """The request or child number it waits for, when there is just one."""
    message: str
    resume_phase: str
    request_ids: tuple[str, ...] = ()
    """Open requests of the subtree, relative to this Turn."""
    metadata: Any = None


@record
class TurnResumed(EventData):
    """The Turn has its task again."""

    type: ClassVar[str] = "TURN_RESUMED"
    cause: str


@record
class TurnRecovered(EventData):
    """A new process took the Turn over after the old one stopped."""

    type: ClassVar[str] = "TURN_RECOVERED"
    calls: tuple[str, ...]
    """Call keys that were in flight and run again."""


@record
class TurnCompleted(EventData):
    """The Turn did what it was asked."""

    type: ClassVar[str] = "TURN_COMPLETED"
    output: Any


@record
class TurnFailed(EventData):
    """The Turn ended with an error."""

    type: ClassVar[str] = "TURN_FAILED"
    error: Failure


@record
class TurnCancelled(EventData):
    """The Turn was ended from outside before it was done."""

    type: ClassVar[str] = "TURN_CANCELLED"
    cause: Cause


@record
class MaxIterationsReached(EventData):
    """The agent wanted one model call more than it may make."""

    type: ClassVar[str] = "MAX_ITERATIONS_REACHED"
    limit: int


@record
class MaxStepsReached(EventData):
    """The agent wanted one Step more than it may take."""

    type: ClassVar[str] = "MAX_STEPS_REACHED"
    limit: int


@record
class CancellationRequested(EventData):
    """Someone asked for the end of the tree; the closing events follow once everything has stopped."""

    type: ClassVar[str] = "CANCELLATION_REQUESTED"
    reason: str
    by: str | None = None


@record
class StopRequested(EventData):
    """A tool asked that the Turn end after this Step, with that tool's result as its output."""

    type: ClassVar[str] = "STOP_REQUESTED"
    call_key: str
    reason: str


# ------------------------------------------------------------------------------------------------ Step and model


@record
class StepStarted(EventData):
    """One advance of an agent Turn begins: at most one model call and its tools."""

    type: ClassVar[str] = "STEP_STARTED"
    step: int


@record
class StepCompleted(EventData):
    """The Step is over; pairs with the `STEP_STARTED` of the same number."""

    type: ClassVar[str] = "STEP_COMPLETED"
    step: int


@record
class ModelStarted(EventData):
    """A model call is about to be made."""

    type: ClassVar[str] = "MODEL_STARTED"
    call_key: str
    number: int
    """1 for the Turn's first model call."""
    model: str


@record
class Verdict(Record):
    """What may happen to one call that the model asked for; decided before anything runs."""

    call_key: str
    allowed: bool
    reason: str | None = None
    """`unknown_tool`, `invalid_arguments` or `depth`, when it is not allowed."""
    message: str | None = None
    """What the model is told instead of a result."""


@record
class ModelCompleted(EventData):
    """The model answered; holds the whole message."""

    type: ClassVar[str] = "MODEL_COMPLETED"
    call_key: str
    message: AssistantMessage
    usage: Usage
    stop_reason: str
    verdicts: tuple[Verdict, ...] = ()
    output: Any = None
    """The structured output, where the agent declares one and the text was right."""
    output_error: str | None = None
    """What the model is told when its text does not fit the declared output."""
    duration: float = 0.0


@record
class ModelFailed(EventData):
    """The model call brought no answer."""

    type: ClassVar[str] = "MODEL_FAILED"
    call_key: str
    error: Failure
    usage: Usage
    duration: float = 0.0


# ------------------------------------------------------------------------------------------------ Tools


@record
class ToolStarted(EventData):
    """A tool is about to run."""

    type: ClassVar[str] = "TOOL_STARTED"
    call_key: str
    name: str
    arguments: Any


@record
class ToolCompleted(EventData):
    """The tool returned."""

    type: ClassVar[str] = "TOOL_COMPLETED"
    call_key: str
    result: Any
    duration: float = 0.0


@record
class ToolFailed(EventData):
    """The tool raised, or its result could not be kept."""

    type: ClassVar[str] = "TOOL_FAILED"
    call_key: str
    error: Failure
    duration: float = 0.0


@record
class ToolCancelled(EventData):
    """The tool was stopped before it returned."""

    type: ClassVar[str] = "TOOL_CANCELLED"
    call_key: str
    reason: str
    may_still_run: bool = False
    """A synchronous tool cannot be stopped: its thread was left alone and its result will be dropped."""


@record
class ToolDenied(EventData):
    """A call was not allowed and never started; the model is told why."""

    type: ClassVar[str] = "TOOL_DENIED"
    call_key: str
    name: str
    reason: str
    message: str


# ------------------------------------------------------------------------------------------------ Children


@record
class ChildStarted(EventData):
    """A child Turn is about to run."""

    type: ClassVar[str] = "CHILD_STARTED"
    n: int
    key: str
    call_key: str
    input: Any
    attempt: int = 1


@record
class ChildSuspended(EventData):
    """A child waits for someone outside; it has no task until `CHILD_RESUMED`."""

    type: ClassVar[str] = "CHILD_SUSPENDED"
    n: int
    request_ids: tuple[str, ...]
    """Open requests of the child's subtree, relative to this Turn."""
    active: float = 0.0
    """Seconds of active time that the child has used so far."""


@record
class ChildResumed(EventData):
    """A child that waited goes on."""

    type: ClassVar[str] = "CHILD_RESUMED"
    n: int


@record
class ChildEnded(EventData):
    """A child ended. Its output stands here and nowhere else among the parent's facts."""

    type: ClassVar[str] = "CHILD_ENDED"
    n: int
    key: str
    status: Status
    output: Any
    usage: Usage
    """Of the child's whole subtree."""
    error: Failure | None = None


# ------------------------------------------------------------------------------------------------ Retry and other


@record
class HintAdded(EventData):
    """Somebody steers a running agent; the model is told before its next call, as a message of the user."""

    type: ClassVar[str] = "HINT_ADDED"
    text: str
    by: str | None = None


@record
class RetryScheduled(EventData):
    """Something failed and will be tried again at `due`."""

    type: ClassVar[str] = "RETRY_SCHEDULED"
    call_key: str
    attempt: int
    """The attempt that will be made."""
    due: float
    """UTC, seconds since 1970."""
    error: Failure


@record
class Custom(EventData):
    """A tool's own event."""

    type: ClassVar[str] = "CUSTOM"
    call_key: str
    name: str
    data: Any


@record
class Unknown(EventData):
    """A fact of a type that this version does not know; it is kept as it came."""

    wire_type: str
    data: Any
    type: ClassVar[str] = "UNKNOWN"


FACTS: tuple[type[EventData], ...] = (
    TurnStarted, TurnSuspended, TurnResumed, TurnRecovered, TurnCompleted, TurnFailed, TurnCancelled,
    MaxIterationsReached, MaxStepsReached, CancellationRequested, StopRequested, StepStarted, StepCompleted,
    ModelStarted, ModelCompleted, ModelFailed, ToolStarted, ToolCompleted, ToolFailed, ToolCancelled, ToolDenied,
    TaskAnswerRequested, RequestAnswered, RequestRefused, RequestWithdrawn, ChildStarted, ChildSuspended, ChildResumed,
    ChildEnded, RetryScheduled, HintAdded, Custom,
)  # fmt: skip

ENDINGS: frozenset[type[EventData]] = frozenset(
    {TurnCompleted, TurnFailed, TurnCancelled, MaxIterationsReached, MaxStepsReached}
)
"""The terminal facts: one of these is the last of its Turn."""
