"""A plan as a value: tasks, what each runs, what each needs. Nothing in here runs or checks anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import attrs

from runtime.values.agent import Agent
from runtime.values.capabilities import Tool, ToolFunction

OnFailure = Literal["stop", "continue"]


@attrs.frozen
class Retry:
    """How often a failed task is tried again, and how long to wait before each try."""

    max: int
    """Tries after the first one."""
    delay: float = 1.0
    """Seconds before the first retry."""
    factor: float = 2.0
    """Each further wait is this many times longer."""
    only: frozenset[str] | None = None
    """Kinds of failure that are worth a retry; None means every failure."""


@attrs.frozen
class Ask:
    """A question to a person; the answer is the task's output, a rejection fails the task."""

    message: str
    show: Any = None
    form: Any = attrs.field(default=None, kw_only=True)
    """Fields of the answer in the short grammar (`{"go": "boolean"}`), or None for a free value."""


@attrs.frozen
class ForEach:
    """Run a task once for each item of a list, side by side."""

    over: str | Sequence[Any]
    """A bare expression that gives a list, or the list itself."""
    key: str | None = attrs.field(default=None, kw_only=True)
    """A bare expression over `item` and `index` that names the child; default the index."""
    max_parallel: int | None = attrs.field(default=None, kw_only=True)
    allow_failures: int | str = attrs.field(default=0, kw_only=True)
    """How many items may fail: a number, a share such as `5%` (rounded down), or `all`."""


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(names)


def _retry(value: Retry | int | None) -> Retry | None:
    return Retry(value) if isinstance(value, int) else value


@attrs.frozen(eq=False)
class Task:
    """One node of a plan; runs exactly one of `agent`, `tool`, `plan`, `ask`."""

    key: str
    for_each: ForEach | None = None
    agent: Agent | None = attrs.field(default=None, kw_only=True)
    prompt: str | None = attrs.field(default=None, kw_only=True)
    """Template of the agent's task."""
    tool: Tool | ToolFunction | None = attrs.field(default=None, kw_only=True)
    plan: Plan | None = attrs.field(default=None, kw_only=True)
    ask: Ask | None = attrs.field(default=None, kw_only=True)
    inputs: Mapping[str, Any] | None = attrs.field(default=None, kw_only=True)
    """Arguments of the tool or inputs of the plan, with templates (`with:` in YAML)."""
    needs: tuple[str, ...] = attrs.field(default=(), kw_only=True, converter=_names)
    """Tasks that must be settled first although nothing of theirs is used."""
    when: str | None = attrs.field(default=None, kw_only=True)
    """A bare expression; the task is skipped when it is false."""
    on_failure: OnFailure | None = attrs.field(default=None, kw_only=True)
    """Overrides the plan's."""
    timeout: float | None = attrs.field(default=None, kw_only=True)
    """Seconds of active time that one attempt may use."""
    retries: Retry | None = attrs.field(default=None, kw_only=True, converter=_retry)
    estimate: float | None = attrs.field(default=None, kw_only=True)
    """Expected duration in seconds; default equal for all."""


def _tasks(tasks: Iterable[Task]) -> tuple[Task, ...]:
    return tuple(tasks)


@attrs.frozen(eq=False)
class Plan:
    """A directed acyclic graph of tasks."""

    tasks: tuple[Task, ...] = attrs.field(converter=_tasks)
    name: str = attrs.field(default="plan", kw_only=True)
    version: str = attrs.field(default="1", kw_only=True)
    inputs: Any = attrs.field(default=None, kw_only=True)
    """Declared inputs in the short field grammar; None means any."""
    output: Any = attrs.field(default=None, kw_only=True)
    """Template value of the output; default the only leaf's output, else a map of the leaves."""
    max_parallel: int | None = attrs.field(default=None, kw_only=True)
    on_failure: OnFailure = attrs.field(default="stop", kw_only=True)

    kind = "plan"
