"""The fold of a plan Turn: how each task stands, which may start, and what is left to record.

When the last need of a task is settled, the fold works out at once what becomes of it: it may start (`ready`), or it is
to be skipped, spread over its items, or failed (`todo`, which `advance` turns into facts). Expressions are pure, so a
fold that is rebuilt from the facts comes to the same.
"""

from __future__ import annotations

from collections import deque
from heapq import heappush
from typing import TYPE_CHECKING, Any

import attrs

from planner.engine import events as p
from planner.engine.compiled import CompiledTask, Scope, TaskInvalid
from runtime.core.frame import Frame
from runtime.values.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runtime.values.commands import Slot
    from runtime.values.payloads import EventData

PENDING, RUNNING, COMPLETED, FAILED, SKIPPED, CANCELLED = (
    "PENDING", "RUNNING", "COMPLETED", "FAILED", "SKIPPED", "CANCELLED",
)  # fmt: skip


@attrs.define(eq=False)
class Unit:
    """One thing that runs: a task, or one item of it."""

    compiled: CompiledTask
    index: int | None = None
    item_key: str = ""
    item: Any = None
    status: str = PENDING
    attempt: int = 0
    n: int | None = None
    """The child that runs it now."""
    output: Any = None
    error: Failure | None = None
    reason: str | None = None
    blocked: bool = False
    """Skipped because of a failure, which keeps what needs it from running too."""

    @property
    def name(self) -> str:
        """The name that a child of it gets."""
        return self.compiled.key if self.index is None else f"{self.compiled.key}[{self.item_key}]"


@attrs.define(eq=False)
class Spread:
    """The items of a task, while they run."""

    units: list[Unit]
    left: int
    """Items that are not settled."""
    failed: int = 0
    allowed: int = 0
    failing: Failure | None = None
    """Set when more items failed than may."""


Ready = tuple[float, int, int, Unit]


class PlanState(Frame):
    """The fold of a plan Turn."""

    __slots__ = (
        "counts", "failed", "inputs", "missing", "ready", "results", "running", "spreads", "stopping", "todo", "units",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.inputs: Any = {}
        self.missing: dict[str, int] = {}
        """Needs of a task that are not settled."""
        self.units: dict[str, Unit] = {}
        self.spreads: dict[str, Spread] = {}
        self.running: dict[int, Unit] = {}
        """By child number."""
        self.ready: dict[tuple[Slot, ...], list[Ready]] = {}
        """What may start, a heap for each set of places, so that one full place does not hold up the others."""
        self.todo: deque[EventData] = deque()
        """Facts that follow from what is settled and are not recorded yet, the next one last."""
        self.results: dict[str, dict[str, Any]] = {}
        """What expressions see of settled tasks."""
        self.counts = {COMPLETED: 0, FAILED: 0, SKIPPED: 0, CANCELLED: 0}
        self.failed: list[str] = []
        self.stopping: Failure | None = None
        """Why the plan ends before its time."""

    def scope(self, unit: Unit | None = None) -> Scope:
        """Return what an expression may read."""
        scope: Scope = {"inputs": self.inputs, "tasks": self.results}
        if unit is not None and unit.index is not None:
            scope["item"], scope["index"] = unit.item, unit.index
        return scope

    def unit(self, key: str, index: int | None) -> Unit:
        """Return a task, or one of its items."""
        return self.units[key] if index is None else self.spreads[key].units[index]

    def push(self, unit: Unit) -> None:
        """Let a unit start as soon as admission has a place."""
        compiled = unit.compiled
        entry = (compiled.priority, compiled.ordinal, -1 if unit.index is None else unit.index, unit)
        heappush(self.ready.setdefault(compiled.slots, []), entry)

    def expect(self, event: EventData) -> None:
        """Note a fact that is to be recorded, in the order of notes."""
        self.todo.appendleft(event)

    def release(self, unit: Unit, causes: Mapping[str, str]) -> None:
        """Work out what becomes of a task whose needs are all settled.

        Args:
            unit: The task.
            causes: Its needs that failed or were skipped for a failure, with what became of them.
        """
        compiled = unit.compiled
        key = compiled.key
        if causes:
            need, became = next(iter(causes.items()))
            self.expect(p.TaskSkipped(key, f"needs {need}, which {became}", cause=need))
            return
        each = compiled.task.for_each
        try:
            asks_item = each is not None and compiled.when_asks_item
            if not asks_item and not compiled.wanted(self.scope()):
                self.expect(p.TaskSkipped(key, f"when: {compiled.task.when}"))
            elif each is None:
                self.push(unit)
            else:
                items, keys = compiled.items(self.scope())
                self.expect(p.TaskStarted(key, items=items, item_keys=keys))
        except TaskInvalid as invalid:
            self.expect(p.TaskFailed(key, error=invalid.failure))

    def spread(self, unit: Unit, items: list[Any], keys: tuple[str, ...]) -> None:
        """Take in the items of a task."""
        compiled = unit.compiled
        units = [Unit(compiled, index, name, item) for index, (name, item) in enumerate(zip(keys, items, strict=True))]
        self.spreads[compiled.key] = Spread(units, len(units), allowed=allowed_failures(compiled, len(units)))
        unit.status = RUNNING
        asks_item = compiled.when_asks_item
        for item in units:
            try:
                if not asks_item or compiled.wanted(self.scope(item)):
                    self.push(item)
                else:
                    self.expect(p.TaskSkipped(compiled.key, f"when: {compiled.task.when}", item.index))
            except TaskInvalid as invalid:
                self.expect(p.TaskFailed(compiled.key, index=item.index, error=invalid.failure))
        if not units:
            self.expect(p.TaskCompleted(compiled.key))


def allowed_failures(compiled: CompiledTask, count: int) -> int:
    """Return how many items of a task may fail; a share is rounded down."""
    each = compiled.task.for_each
    allowed = each.allow_failures if each is not None else 0
    if isinstance(allowed, int):
        return allowed
    if allowed == "all":
        return count
    return int(count * float(allowed.rstrip("%")) / 100)
