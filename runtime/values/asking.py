"""The payloads of facts about requests: what was asked, and what became of it."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from runtime.values.payload import EventData
from runtime.values.record import record
from runtime.values.requests import Answer


@record
class TaskAnswerRequested(EventData):
    """A task asks a person."""

    type: ClassVar[str] = "TASK_ANSWER_REQUESTED"
    request_key: str
    message: str
    show: Any = None
    form: Any = None
    """JSON Schema of the answer."""


@record
class RequestAnswered(EventData):
    """A request was answered and is closed for good."""

    type: ClassVar[str] = "REQUEST_ANSWERED"
    request_key: str
    answer: Answer
    by: str


@record
class RequestRefused(EventData):
    """An answer came that could not be taken: too late, not fitting, or to nothing that was asked."""

    type: ClassVar[str] = "REQUEST_REFUSED"
    request: str
    """Relative to this Turn, which is the one that asked or, when that has ended, the nearest above it."""
    kind: Literal["late", "invalid"]
    """`late`: the request is not open, as somebody answered it first or nobody ever asked; `invalid`: it still is."""
    by: str
    reason: str


@record
class RequestWithdrawn(EventData):
    """Nobody needs the answer any more."""

    type: ClassVar[str] = "REQUEST_WITHDRAWN"
    request_key: str
    reason: str
