"""A plan as boxes and arrows, whatever it is drawn with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from planner.plan.graph import PlanGraph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planner.inspector.nodes import Node, TaskView
    from planner.plan.values import Plan, Task

STATUSES: Final = ("pending", "running", "waiting", "completed", "failed", "skipped", "cancelled")
"""How a task may stand in a picture of a run."""


@attrs.frozen
class Box:
    """One task."""

    key: str
    lines: tuple[str, ...]
    """Its name, then what runs it."""
    sort: str
    """`agent`, `tool`, `plan` or `ask`."""
    status: str | None = None
    """One of `STATUSES`, in the picture of a run."""


@attrs.frozen
class Arrow:
    """A need: the target comes after the source."""

    source: str
    target: str
    data: bool
    """Whether the target uses what the source brings, and does not merely come after it."""


@attrs.frozen
class Picture:
    """A plan, drawn with what it needs and no more."""

    name: str
    boxes: tuple[Box, ...]
    """In a topological order."""
    arrows: tuple[Arrow, ...]


def picture(plan: Plan, run: Node | None = None) -> Picture:
    """Draw a plan; with a Turn that runs it, say how each task stands.

    Args:
        plan: A plan without faults; tasks that wait for each other in a circle would be missing.
        run: A Turn that runs this plan.
    """
    graph = PlanGraph.of(plan)
    boxes = tuple([_box(graph.tasks[key], run) for key in graph.order])
    arrows = tuple([Arrow(need, key, graph.is_data(key, need)) for key in graph.order for need in graph.needs[key]])
    return Picture(plan.name, boxes, arrows)


def _box(task: Task, run: Node | None) -> Box:
    sort, what = next(_runs(task))
    view = run.tasks.get(task.key) if run is not None else None
    lines = [task.key, f"{sort} {what}" if what else sort]
    if task.for_each is not None:
        lines[0] += f" [{len(view.items)}]" if view is not None and view.items is not None else " [each]"
    if task.when is not None:
        lines.append(f"when {task.when}")
    if view is not None and view.items is not None and view.settled:
        counts = view.counts()
        lines.append(", ".join([f"{counts[status]} {status.lower()}" for status in sorted(counts)]))
    return Box(task.key, tuple(lines), sort, None if run is None else _status(view, run, task.key))


def _runs(task: Task) -> Iterator[tuple[str, str]]:
    if task.agent is not None:
        yield "agent", task.agent.name
    if task.tool is not None:
        yield "tool", str(getattr(task.tool, "name", None) or getattr(task.tool, "__name__", ""))
    if task.plan is not None:
        yield "plan", task.plan.name
    yield "ask", ""


def _status(view: TaskView | None, run: Node, key: str) -> str:
    if view is None:
        return "pending"
    if view.status != "RUNNING":
        return view.status.lower()
    children = [child for child in run.newest() if child.key.partition("[")[0] == key and child.ending is None]
    return "waiting" if children and all(child.suspended for child in children) else "running"
