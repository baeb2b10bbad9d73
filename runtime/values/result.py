"""What a caller gets of a Turn that has ended, or of which everything left waits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from runtime.values.failure import Failure
from runtime.values.requests import Request
from runtime.values.status import Status
from runtime.values.usage import Usage

SCHEMA_VERSION = 1


@attrs.frozen(kw_only=True)
class ItemResult:
    """One item of a task that runs for each of a list."""

    key: str
    item: Any
    status: str
    output: Any = None
    error: Failure | None = None


@attrs.frozen(kw_only=True)
class TaskResult:
    """How one task of a plan stands."""

    status: str
    """`COMPLETED FAILED SKIPPED CANCELLED`, or `PENDING RUNNING WAITING` while the plan has not ended."""
    output: Any = None
    error: Failure | None = None
    reason: str | None = None
    """Why it was skipped."""
    items: tuple[ItemResult, ...] = ()


@attrs.frozen(kw_only=True)
class TurnResult:
    """How a Turn ended, or what it waits for."""

    turn_id: str
    status: Status
    output: Any = None
    usage: Usage
    """Of the whole subtree."""
    error: Failure | None = None
    requests: tuple[Request, ...] = ()
    """The open ones of the whole subtree, oldest first."""
    tasks: Mapping[str, TaskResult] = attrs.field(factory=dict)
    """Of a plan, in its order."""

    @property
    def hint(self) -> str | None:
        """What to do next, when it has not ended."""
        if self.status.terminal:
            return None
        if self.requests:
            return f"answer {self.requests[0].id}, then resume {self.turn_id}"
        return f"resume {self.turn_id}"
