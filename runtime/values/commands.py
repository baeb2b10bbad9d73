"""What a Turn has open: the work that the shell must be doing, now or after a crash. Derived from facts by `apply`."""

from __future__ import annotations

from typing import Any, ClassVar

from runtime.values.capabilities import Definition, Model, Tool
from runtime.values.capabilities import Slot as Slot
from runtime.values.record import Record, record


@record
class CallModel(Record):
    """Make the Turn's `number`-th model call."""

    call_key: str
    number: int
    model: Model
    slots: tuple[Slot, ...] = ()


@record
class RunTool(Record):
    """Run a tool with arguments that were found valid."""

    call_key: str
    name: str
    arguments: Any
    tool: Tool
    slots: tuple[Slot, ...] = ()


@record
class RunChild(Record):
    """Attach child `n` and see it to its end, or until it parks."""

    call_key: str
    n: int
    key: str
    definition: Definition
    input: Any
    attempt: int = 1
    timeout: float | None = None
    """Seconds of active time that the child may use."""
    active: float = 0.0
    """Seconds that it used before it parked."""
    slots: tuple[Slot, ...] = ()
    priority: float = 0.0

    def after(self, active: float) -> RunChild:
        """Return the command for a child that has used so many seconds of active time."""
        return RunChild(
            self.call_key, self.n, self.key, self.definition, self.input, self.attempt, self.timeout, active,
            self.slots, self.priority,
        )  # fmt: skip


@record
class Sleep(Record):
    """Wait until `due`, then ask for admission of what is to be tried again."""

    slots: ClassVar[tuple[Slot, ...]] = ()

    call_key: str
    due: float
    """UTC, seconds since 1970."""


Command = CallModel | RunTool | RunChild | Sleep


@record
class Want(Record):
    """A command that a Turn would open as soon as admission grants its slots."""

    call_key: str
    slots: tuple[Slot, ...] = ()
    priority: float = 0.0
    """Smaller goes first."""
