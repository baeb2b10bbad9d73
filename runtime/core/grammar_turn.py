"""What the grammar remembers of a Turn while it reads a history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runtime.core.legality import LEGAL, Position

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runtime.values.payloads import EventData

MODEL, TOOL, CHILD, RETRY = "model call", "tool call", "child", "retry"


class Broken(Exception):
    """A rule is broken; the message is the rule."""


class ChildRecord:
    """A child as its parent's facts tell of it."""

    __slots__ = ("call_key", "ended", "key", "record", "requests", "status", "unit")

    def __init__(self, key: str, call_key: str, unit: UnitRecord | None) -> None:
        self.key = key
        self.call_key = call_key
        self.unit = unit
        self.record: TurnRecord | None = None
        """Set once the child has recorded something itself."""
        self.requests: tuple[str, ...] | None = None
        """Set while it is parked."""
        self.ended = False
        self.status: Any = None


class UnitRecord:
    """A task of a plan, or one item of it."""

    __slots__ = ("attempt", "left", "n", "retry", "settled", "size")

    def __init__(self) -> None:
        self.attempt = 0
        self.n: int | None = None
        """The child of the newest attempt, until the task is settled or tried again."""
        self.retry: str | None = None
        """Call key of the next attempt, while it is scheduled."""
        self.size: int | None = None
        """How many items it has, once it is spread over them."""
        self.left = 0
        """Items that are not settled."""
        self.settled = False


class TurnRecord:
    """A Turn as its own facts tell of it."""

    __slots__ = (
        "announced", "asked", "cancelling", "children", "ended_unit", "ending", "in_step", "iterations", "legal", "n",
        "open", "parent", "parked", "pending", "position", "requests", "sequence", "settled", "start", "step", "tasks",
        "units", "used",
    )  # fmt: skip

    def __init__(self, parent: TurnRecord | None, n: int) -> None:
        self.parent = parent
        self.n = n
        self.position = Position.NEW
        self.legal: Mapping[str, Position | None] = LEGAL[Position.NEW]
        self.sequence = 0
        self.start: Any = None
        self.ending: EventData | None = None
        self.step = 0
        self.in_step = False
        self.asked = False
        """Whether the present Step has made its model call."""
        self.iterations = 0
        self.open: dict[str, str] = {}
        """What is open, by call key."""
        self.used: set[str] = set()
        """Call keys that were ever opened."""
        self.pending: dict[str, bool] = {}
        """Calls of the newest reply that have no result yet, and whether they are allowed."""
        self.requests: dict[str, None] = {}
        self.children: dict[int, ChildRecord] = {}
        self.parked = 0
        self.cancelling = False
        self.tasks: int | None = None
        """How many tasks its plan has, if it has one."""
        self.units: dict[tuple[str, int | None], UnitRecord] = {}
        self.settled = 0
        """Tasks that are settled; items do not count."""
        self.announced: UnitRecord | None = None
        """The task whose TASK_STARTED awaits its CHILD_STARTED."""
        self.ended_unit: UnitRecord | None = None
        """The task whose child ended last."""
