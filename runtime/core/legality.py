"""Which facts may follow in a Turn, and where they lead: one table, for all kinds.

A Turn is in one of four positions. It is made by `TURN_STARTED`, and ended for good by a terminal fact. In between it
is running, or suspended: then it has no task, and records only what reaches it from outside (an answer, a cancel
request, a new owner) and what closes it: the endings of its parked children and of what stood for them.

Facts that kinds of other packages bring count as progress of a running Turn. Such a kind resumes before it records
progress; to close what it has open while it is suspended, it uses the types that are named here.

>>> following(Position.RUNNING, "TURN_SUSPENDED")
<Position.SUSPENDED: 'SUSPENDED'>
>>> following(Position.ENDED, "TURN_RESUMED") is None
True
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from runtime.values.payloads import ENDINGS, FACTS
from runtime.values.status import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Position(StrEnum):
    """Where a Turn is between its facts."""

    NEW = "NEW"
    """Nothing is recorded yet."""
    RUNNING = "RUNNING"
    SUSPENDED = "SUSPENDED"
    """It has left its task and waits for someone outside."""
    ENDED = "ENDED"


ENDED_AS: Final[Mapping[str, Status]] = {
    payload.type: Status(payload.type.removeprefix("TURN_")) for payload in FACTS if payload in ENDINGS
}
"""The types of the terminal facts, and the status that each one gives its Turn."""

_NEWS: Final = (
    "REQUEST_ANSWERED", "REQUEST_REFUSED", "HINT_ADDED", "CANCELLATION_REQUESTED", "TURN_RECOVERED", "UNKNOWN",
)  # fmt: skip
"""What reaches a suspended Turn. A fact of a type that this version does not know is taken as it comes."""

_CLOSING: Final = (
    "REQUEST_WITHDRAWN", "CHILD_ENDED", "TASK_COMPLETED", "TASK_FAILED", "TASK_SKIPPED", "TASK_CANCELLED",
)  # fmt: skip
"""What closing a suspended Turn may record before its ending."""

LEGAL: Final[Mapping[Position, Mapping[str, Position | None]]] = {
    Position.NEW: {"TURN_STARTED": Position.RUNNING},
    Position.RUNNING: {
        "TURN_STARTED": None,
        "TURN_RESUMED": None,
        "TURN_SUSPENDED": Position.SUSPENDED,
        **dict.fromkeys(ENDED_AS, Position.ENDED),
    },
    Position.SUSPENDED: {
        "TURN_RESUMED": Position.RUNNING,
        **dict.fromkeys((*_NEWS, *_CLOSING), Position.SUSPENDED),
        "TURN_FAILED": Position.ENDED,
        "TURN_CANCELLED": Position.ENDED,
    },
    Position.ENDED: {},
}
"""For each position the types that it decides about; None where a type may not occur."""

OTHERS: Final[Mapping[Position, Position | None]] = {
    Position.NEW: None,
    Position.RUNNING: Position.RUNNING,
    Position.SUSPENDED: None,
    Position.ENDED: None,
}
"""For each position, where every other type leads."""


def following(position: Position, type: str) -> Position | None:
    """Return where a fact of this type leads, or None if it may not occur there."""
    return LEGAL[position].get(type, OTHERS[position])


def transitions() -> Iterator[tuple[Position, str, Position]]:
    """List every legal step over the types that this package defines, and those that a position names."""
    own = [payload.type for payload in FACTS]
    for position in Position:
        for type in dict.fromkeys([*own, *LEGAL[position]]):
            after = following(position, type)
            if after is not None:
                yield position, type, after


def diagram() -> str:
    """Return the table as a Mermaid state diagram: an arrow per way between positions, labelled with its types."""
    ways: dict[tuple[Position, Position], list[str]] = {}
    for before, type, after in transitions():
        ways.setdefault((before, after), []).append(type)
    lines = ["stateDiagram-v2"]
    for (before, after), types in ways.items():
        if before is after:
            continue
        left = "[*]" if before is Position.NEW else before.value
        lines.append(f"    {left} --> {after.value}: {', '.join(types)}")
    lines.append("    ENDED --> [*]")
    return "\n".join(lines)
