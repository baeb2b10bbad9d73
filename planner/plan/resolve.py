"""Whether a reference leads to something."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from planner.expressions import Reference
from planner.plan.faults import Fault, Path, did_you_mean
from planner.plan.scope import PARTS
from planner.plan.types import Missing, Schema, alternatives, sort_of, type_name
from planner.plan.values import Task

if TYPE_CHECKING:
    from planner.plan.graph import PlanGraph
    from planner.plan.references import Scan
    from planner.plan.scope import Scope

_OUTPUT = ("output",)
_ELSEWHERE = {
    "args": "`args` is known only in the rules of a tool's approval",
    "plan": "`plan` is known only in tasks that run at the end of a plan",
    "output": "`output` is known only where a task's result is looked at to repeat it; write `tasks.NAME.output`",
}


@attrs.frozen
class _Use:
    """One reference and its place."""

    reference: Reference
    path: Path
    """Of the text in which it stands."""
    task: Task | None
    """The task in whose text it stands; None for the plan's own output."""

    def fault(self, code: str, message: str, hint: str) -> Fault:
        return Fault(self.path, message, code=code, hint=hint, offset=self.reference.offset)


def check_references(scan: Scan, scope: Scope, graph: PlanGraph, task: Task | None) -> list[Fault]:
    """Hold what texts refer to against what they can see.

    Args:
        scan: The references in the texts of a task or of the plan itself; paths of faults start where its paths do.
        scope: The types of the plan.
        graph: The tasks of the plan.
        task: The task that holds the texts; None for the plan's own output.
    """
    faults = []
    own = None if task is None else task.key
    for path, references in scan.found:
        for reference in references:
            parts = reference.parts
            if reference.root == "tasks" and parts[1:] == _OUTPUT and parts[0] in graph.tasks and parts[0] != own:
                continue  # nearly every reference is just this, and every task has an output
            if (fault := _check(_Use(reference, path, task), scope, graph)) is not None:
                faults.append(fault)
    return faults


def check_list(task: Task, scope: Scope) -> list[Fault]:
    """Hold the expression of a `for_each` against what is known of its value."""
    if task.for_each is None or not isinstance(task.for_each.over, str):
        return []
    found = scope.type_of_expression(task.for_each.over)
    if found is None or {sort_of(option) for option in alternatives(found)} & {None, "array"}:
        return []
    over = task.for_each.over.strip()
    message = f"`for_each` goes through a list, but `{over}` is {type_name(found)}"
    hint = f"go through its pairs with `{over} | items`" if sort_of(found) == "object" else ""
    return [Fault(("for_each",), message, code="not-a-list", hint=hint, offset=0)]


def _check(use: _Use, scope: Scope, graph: PlanGraph) -> Fault | None:
    root = use.reference.root
    fault = None
    if root in _ELSEWHERE:
        fault = use.fault("unknown-root", f"`{root}` has no value here", _ELSEWHERE[root])
    elif root == "tasks":
        fault = _check_task(use, graph)
    elif root in ("item", "index"):
        fault = _check_item(use)
    if fault is not None:
        return fault
    found = scope.look_up(use.reference, use.task.key if use.task is not None else None)
    return _missing(use, found) if isinstance(found, Missing) else None


def _check_task(use: _Use, graph: PlanGraph) -> Fault | None:
    task = use.task
    name, *rest = use.reference.parts
    if task is not None and name == task.key:
        message = f"`{name}` refers to itself: {name} -> {name}"
        return use.fault("self-reference", message, "a task cannot see its own result")
    if name not in graph.tasks:
        others = [key for key in graph.tasks if task is None or key != task.key]
        return use.fault("unknown-task", f"there is no task `{name}`", did_you_mean(str(name), others))
    if not rest:
        message = f"`{use.reference.text}` alone is not a value"
        return use.fault("unknown-output-field", message, f"write `tasks.{name}.output`")
    return None


def _check_item(use: _Use) -> Fault | None:
    root = use.reference.root
    if use.task is None or use.task.for_each is None:
        return use.fault("no-item", f"`{root}` has no value here", "only a task with `for_each` has it")
    if use.path == ("for_each",):
        return use.fault("no-item", f"`{root}` has no value here", "the list comes first, its items after it")
    return None


def _missing(use: _Use, missing: Missing) -> Fault:
    reference = use.reference
    part = reference.parts[missing.depth]
    if reference.root == "inputs" and missing.depth == 0:
        hint = did_you_mean(str(part), missing.names, otherwise="" if missing.names else "the plan declares no inputs")
        return use.fault("unknown-input", f"there is no input `{part}`", hint)
    code = "unknown-output-field" if reference.root == "tasks" else "unknown-field"
    holder = _spelled(reference, missing.depth)
    if missing.names and isinstance(part, str):
        return use.fault(code, f"`{holder}` has no `{part}`", _hint(reference, missing))
    what = "item" if isinstance(part, int) else "field"
    shown = f"[{part}]" if isinstance(part, int) else f"`{part}`"
    message = f"`{holder}` is {type_name(missing.holder)}, so it has no {what} {shown}"
    return use.fault(code, message, _sort_hint(missing.holder, part, holder))


def _hint(reference: Reference, missing: Missing) -> str:
    part = str(reference.parts[missing.depth])
    if reference.root == "tasks" and missing.depth == 1:
        task = reference.parts[0]
        if part == "items":
            return f"only a task with `for_each` has items; write `tasks.{task}.output`"
        return did_you_mean(part, missing.names, otherwise=f"a task has {', '.join(PARTS)}; is it a field of `output`?")
    return did_you_mean(part, missing.names)


def _sort_hint(holder: Schema, part: str | int, name: str) -> str:
    if part == "length":
        return f"write `{name} | length`"
    if sort_of(holder) == "array" and isinstance(part, str):
        return f"write `{name}[0].{part}` for the first, or go through the list with `for_each`"
    return ""


def _spelled(reference: Reference, depth: int) -> str:
    from_start = type(reference)(reference.root, reference.parts[:depth], reference.offset)
    return from_start.text
