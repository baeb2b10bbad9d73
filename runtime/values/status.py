"""Where a Turn stands. Both enums are derived from the fold, never stored."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """Derived status of a Turn; the last six are terminal."""

    READY = "READY"
    RUNNING = "RUNNING"
    WAITING_FOR_USER = "WAITING_FOR_USER"
    WAITING_FOR_APPROVAL = "WAITING_FOR_APPROVAL"
    WAITING_FOR_EXTERNAL = "WAITING_FOR_EXTERNAL"
    WAITING_FOR_BUDGET = "WAITING_FOR_BUDGET"
    WAITING_FOR_CHILD = "WAITING_FOR_CHILD"
    RETRY_SCHEDULED = "RETRY_SCHEDULED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    MAX_ITERATIONS_REACHED = "MAX_ITERATIONS_REACHED"
    MAX_STEPS_REACHED = "MAX_STEPS_REACHED"
    BUDGET_EXCEEDED = "BUDGET_EXCEEDED"

    @property
    def terminal(self) -> bool:
        """True for the six endings."""
        return self in TERMINAL


TERMINAL = frozenset(
    {
        Status.COMPLETED,
        Status.FAILED,
        Status.CANCELLED,
        Status.MAX_ITERATIONS_REACHED,
        Status.MAX_STEPS_REACHED,
        Status.BUDGET_EXCEEDED,
    }
)


class Phase(StrEnum):
    """What a Turn would do next if nothing held it up."""

    MODEL = "MODEL"
    TOOLS = "TOOLS"
    PLAN = "PLAN"
    FINISHED = "FINISHED"
