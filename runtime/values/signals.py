"""What can happen to a Turn. Signals carry everything that a decision needs: instants, verdicts, results."""

from __future__ import annotations

from typing import Any, Literal

from runtime.values.events import Verdict
from runtime.values.failure import Cause, Failure
from runtime.values.messages import AssistantMessage
from runtime.values.record import Record, record
from runtime.values.requests import Answer
from runtime.values.status import Status
from runtime.values.usage import NO_USAGE, Usage


@record
class Start(Record):
    """The Turn begins."""

    input: Any
    key: str = ""
    attempt: int = 1
    depth: int = 0
    max_depth: int = 8
    definition: str | None = None


@record
class Recovered(Record):
    """Another process has taken the Turn over."""


@record
class Granted(Record):
    """Admission grants the want of this call."""

    call_key: str


@record
class ModelReplied(Record):
    """The model answered, and its calls were resolved."""

    call_key: str
    message: AssistantMessage
    usage: Usage
    stop_reason: str = "stop"
    verdicts: tuple[Verdict, ...] = ()
    output: Any = None
    output_error: str | None = None
    duration: float = 0.0


@record
class ModelBroke(Record):
    """The model call failed."""

    call_key: str
    error: Failure
    usage: Usage = NO_USAGE
    duration: float = 0.0


@record
class ToolReturned(Record):
    """A tool returned a value that can be kept."""

    call_key: str
    result: Any
    duration: float = 0.0


@record
class ToolBroke(Record):
    """A tool failed."""

    call_key: str
    error: Failure
    duration: float = 0.0


@record
class ToolEmitted(Record):
    """A running tool emits an event of its own."""

    call_key: str
    name: str
    data: Any


@record
class ToolAskedToStop(Record):
    """A running tool asks that the Turn end after this Step."""

    call_key: str
    reason: str


@record
class ChildCame(Record):
    """A child ended."""

    n: int
    status: Status
    output: Any
    usage: Usage
    error: Failure | None
    at: float
    """UTC, seconds since 1970; a retry's due time counts from here."""
    jitter: float = 0.5
    """A fraction in [0, 1), a hash of Turn, call and attempt."""


@record
class ChildParked(Record):
    """A child has left its task and waits."""

    n: int
    request_ids: tuple[str, ...]
    active: float = 0.0


@record
class ChildWoke(Record):
    """Something below a parked child can go on."""

    n: int


@record
class Answered(Record):
    """A person answered a request of this Turn; the answer fits its form."""

    request_key: str
    answer: Answer
    by: str


@record
class Refused(Record):
    """Somebody's answer could not be taken. The request is named relative to the Turn that records this."""

    request: str
    kind: Literal["late", "invalid"]
    by: str
    reason: str


@record
class Hinted(Record):
    """Somebody steers a running agent."""

    text: str
    by: str | None = None


@record
class CancelRequested(Record):
    """Someone asked for the end of the tree."""

    reason: str
    by: str | None = None


@record
class Close(Record):
    """Everything below has stopped; end the Turn now. `children` are the endings of children that were still open."""

    cause: Cause
    children: tuple[ChildCame, ...] = ()
    abandoned: frozenset[str] = frozenset()
    """Calls whose tool may still be running in a thread."""


Signal = (
    Start | Recovered | Granted | ModelReplied | ModelBroke | ToolReturned | ToolBroke | ToolEmitted | ToolAskedToStop
    | ChildCame | ChildParked | ChildWoke | Answered | Refused | Hinted | CancelRequested | Close
)  # fmt: skip
