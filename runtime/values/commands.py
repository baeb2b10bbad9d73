"""What a Turn has open: the work that the shell must be doing, now or after a crash. Derived from facts by `apply`."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from runtime.values.capabilities import Definition, Model, Tool
from runtime.values.capabilities import Slot as Slot


@attrs.frozen
class CallModel:
    """Make the Turn's `number`-th model call."""

    call_key: str
    number: int
    model: Model
    slots: tuple[Slot, ...] = ()


@attrs.frozen
class RunTool:
    """Run a tool with arguments that were found valid."""

    call_key: str
    name: str
    arguments: Any
    tool: Tool
    slots: tuple[Slot, ...] = ()


@attrs.frozen
class RunChild:
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


@attrs.frozen
class Sleep:
    """Wait until `due`, then ask for admission of what is to be tried again."""

    slots: ClassVar[tuple[Slot, ...]] = ()

    call_key: str
    due: float
    """UTC, seconds since 1970."""


Command = CallModel | RunTool | RunChild | Sleep


@attrs.frozen
class Want:
    """A command that a Turn would open as soon as admission grants its slots."""

    call_key: str
    slots: tuple[Slot, ...] = ()
    priority: float = 0.0
    """Smaller goes first."""
