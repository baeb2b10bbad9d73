"""The facts that a plan Turn records besides those that every Turn has. A task's output stands in CHILD_ENDED only."""

from __future__ import annotations

from typing import Any, ClassVar

from runtime.values.failure import Failure
from runtime.values.payloads import EventData
from runtime.values.record import record


@record
class PlanCreated(EventData):
    """The Turn has a plan."""

    type: ClassVar[str] = "PLAN_CREATED"
    name: str
    tasks: int


@record
class PlanCompleted(EventData):
    """Every task is settled; the Turn's ending follows."""

    type: ClassVar[str] = "PLAN_COMPLETED"
    completed: int
    failed: int
    skipped: int


@record
class TaskStarted(EventData):
    """A task starts: one attempt of it, of one of its items, or the list of its items (then without a child)."""

    type: ClassVar[str] = "TASK_STARTED"
    key: str
    n: int | None = None
    """The child that runs it."""
    attempt: int = 1
    index: int | None = None
    """Which item."""
    items: Any = None
    """The items, when the task runs once for each of a list."""
    item_keys: tuple[str, ...] = ()


@record
class TaskCompleted(EventData):
    """A task, or one item of it, is done."""

    type: ClassVar[str] = "TASK_COMPLETED"
    key: str
    n: int | None = None
    index: int | None = None


@record
class TaskFailed(EventData):
    """A task, or one item of it, failed for good."""

    type: ClassVar[str] = "TASK_FAILED"
    key: str
    n: int | None = None
    index: int | None = None
    error: Failure | None = None
    """Why, when that is not what the child's ending says."""


@record
class TaskSkipped(EventData):
    """A task, or one item of it, will not run."""

    type: ClassVar[str] = "TASK_SKIPPED"
    key: str
    reason: str
    index: int | None = None
    cause: str | None = None
    """The need that failed or was skipped for a failure, if that is why."""


@record
class TaskCancelled(EventData):
    """A task, or one item of it, was stopped."""

    type: ClassVar[str] = "TASK_CANCELLED"
    key: str
    n: int | None = None
    index: int | None = None


PAYLOADS: tuple[type[EventData], ...] = (
    PlanCreated, PlanCompleted, TaskStarted, TaskCompleted, TaskFailed, TaskSkipped, TaskCancelled,
)  # fmt: skip
