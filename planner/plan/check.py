"""Everything that can be known to be wrong with a plan before it runs, found in one go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from planner.plan.check_task import check_task, is_count, is_name
from planner.plan.faults import Fault, Path, did_you_mean
from planner.plan.fields import FieldsInvalid, fields_schema
from planner.plan.given import Taker
from planner.plan.graph import PlanGraph
from planner.plan.references import Scan, scan_task
from planner.plan.resolve import check_list, check_references
from planner.plan.scope import Scope, plan_output
from planner.plan.types import Schema
from runtime.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from planner.plan.values import Plan, Task
    from runtime.values.capabilities import Tool, ToolFunction, ToolSpec

    Specs = Callable[[Tool | ToolFunction], ToolSpec]

_DEEPEST_PLAN = 32
"""Levels of plans in plans; far beyond the depth that a tree of Turns may have."""


class PlanInvalid(UsageError):
    """A plan cannot run as it is; `faults` says everything that is wrong with it."""

    def __init__(self, name: str, faults: Sequence[Fault]) -> None:
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        super().__init__("\n".join([f"plan {name!r} has {count}:", *(f"  {fault}" for fault in faults)]))
        self.faults = tuple(faults)


def check_plan(plan: Plan, specs: Specs | None = None) -> list[Fault]:
    """Find every fault of a plan and of the plans in it, in the order of the plan.

    A nested plan's faults come under the first task that runs it, with paths that start `("tasks", KEY, "plan")`.

    Args:
        plan: The plan.
        specs: Says what a tool takes, or raises UsageError with why it cannot be used; asked once for each tool.
            Without it tools are left alone, since looking at one may run a user's code.
    """
    return _Checker(specs).check(plan, ()).faults


def checked_graph(plan: Plan, specs: Specs | None = None) -> PlanGraph:
    """Build the graph of a plan that is about to run.

    Args:
        plan: The plan.
        specs: As for `check_plan`.

    Raises:
        PlanInvalid: The plan has faults.
    """
    checked = _Checker(specs).check(plan, ())
    if checked.faults:
        raise PlanInvalid(plan.name, checked.faults)
    return checked.graph


@attrs.frozen
class _Checked:
    """What is known of one plan."""

    faults: list[Fault]
    graph: PlanGraph
    output: Schema | None


@attrs.frozen(eq=False)
class _Checker:
    """One check of a plan with everything in it; a plan that is used twice is checked once."""

    specs: Specs | None = None
    outputs: dict[int, Schema | None] = attrs.field(factory=dict)
    """By identity of the plan: comparing plans would compare everything in them."""
    takers: dict[int, Taker | None] = attrs.field(factory=dict)
    """By identity of the tool or plan."""

    def check(self, plan: Plan, chain: tuple[Plan, ...]) -> _Checked:
        scans = [scan_task(task) for task in plan.tasks]
        graph = PlanGraph.from_scans(plan, scans)
        nested = {
            index: self._nested(task.plan, (*chain, plan))
            for index, task in enumerate(plan.tasks)
            if task.plan is not None
        }
        outputs = {task.key: self.outputs.get(id(task.plan)) for task in plan.tasks if task.plan is not None}
        scope = Scope.of(plan, graph, outputs)
        circles = _cycle_faults(graph, scans, plan)
        faults = _plan_settings(plan)
        seen: set[str] = set()
        for index, (task, scan) in enumerate(zip(plan.tasks, scans, strict=True)):
            found = check_task(task, duplicate=task.key in seen)
            seen.add(task.key)
            found += _in_plan(task, scan, graph, scope)
            if not scan.faults:
                found += self._given(task, scope)
            found += nested.get(index, [])
            faults += [fault.below(("tasks", task.key)) for fault in found]
            faults += circles.pop(task.key, [])
        output = Scan()
        output.value(("output",), plan.output)
        faults += output.faults
        faults += check_references(output, scope, graph, None)
        return _Checked(faults, graph, plan_output(plan, graph, scope) if not faults else None)

    def _given(self, task: Task, scope: Scope) -> list[Fault]:
        """Hold what a task gives to its tool or plan against what that takes."""
        runs = task.plan if task.plan is not None else task.tool
        if runs is None:
            return []
        if id(runs) not in self.takers:
            try:
                self.takers[id(runs)] = self._taker(task)
            except UsageError as error:
                self.takers[id(runs)] = None  # said once, whoever else uses it
                message, _, hint = str(error).partition("; ")
                return [Fault(("tool",), message, code="tool", hint=hint)]
        taker = self.takers[id(runs)]
        return [] if taker is None else taker.check(task, scope)

    def _taker(self, task: Task) -> Taker | None:
        if task.plan is not None:
            return Taker.plan(task.plan)
        if task.tool is None or self.specs is None:
            return None
        return Taker.tool(self.specs(task.tool))

    def _nested(self, plan: Plan, chain: tuple[Plan, ...]) -> list[Fault]:
        """Check the plan that a task runs, and remember what it gives."""
        if any(plan is other for other in chain):
            names = [other.name for other in chain]
            circle = " -> ".join([*names[next(i for i, other in enumerate(chain) if other is plan) :], plan.name])
            hint = "a plan cannot run itself; go through a list with `for_each`"
            message = f"plan `{plan.name}` contains itself: {circle}"
            return [Fault(("plan",), message, code="plan-in-itself", hint=hint)]
        if len(chain) >= _DEEPEST_PLAN:
            message = f"plans are nested more than {_DEEPEST_PLAN} levels deep"
            return [Fault(("plan",), message, code="nested-too-deep", hint="run some of them one after the other")]
        if id(plan) in self.outputs:
            return []
        checked = self.check(plan, chain)
        self.outputs[id(plan)] = checked.output
        return [fault.below(("plan",)) for fault in checked.faults]


def _in_plan(task: Task, scan: Scan, graph: PlanGraph, scope: Scope) -> list[Fault]:
    """What is wrong with a task in this plan."""
    faults = list(scan.faults)
    faults += check_references(scan, scope, graph, task)
    faults += check_list(task, scope)
    faults += _needs(task, graph)
    return faults


def _plan_settings(plan: Plan) -> list[Fault]:
    faults = []
    if plan.on_failure not in ("stop", "continue"):
        message = f"`on_failure` must be `stop` or `continue`, not {plan.on_failure!r}"
        faults.append(Fault(("on_failure",), message, code="bad-value"))
    if plan.max_parallel is not None and not is_count(plan.max_parallel, least=1):
        message = f"`max_parallel` must be a whole number above 0, not {plan.max_parallel!r}"
        faults.append(Fault(("max_parallel",), message, code="bad-value"))
    if plan.inputs is not None:
        try:
            schema = fields_schema(plan.inputs)
        except FieldsInvalid as invalid:
            return [fault.below(("inputs",)) for fault in invalid.faults] + faults
        for name in schema.get("properties") or ():
            if not is_name(name):
                message = f"`{name}` cannot be the name of an input"
                hint = "use lower-case letters, digits and _, and begin with a letter"
                faults.append(Fault(("inputs", name), message, code="bad-name", hint=hint, in_key=True))
    return faults


def _needs(task: Task, graph: PlanGraph) -> list[Fault]:
    faults = []
    for index, name in enumerate(task.needs):
        path: Path = ("needs", index)
        if name == task.key:
            message = f"`{name}` needs itself: {name} -> {name}"
            faults.append(Fault(path, message, code="self-reference", hint="remove it"))
        elif name not in graph.tasks:
            hint = did_you_mean(str(name), [key for key in graph.tasks if key != task.key])
            faults.append(Fault(path, f"there is no task `{name}`", code="unknown-task", hint=hint))
    return faults


def _cycle_faults(graph: PlanGraph, scans: Sequence[Scan], plan: Plan) -> dict[str, list[Fault]]:
    """One fault for each circle of several tasks, under its first task; one task alone is a self-reference."""
    faults: dict[str, list[Fault]] = {}
    circles = [circle for circle in graph.cycles() if len(circle) > 2]
    if not circles:
        return faults
    of = {task.key: scan for task, scan in zip(reversed(plan.tasks), reversed(scans), strict=True)}
    for circle in circles:
        first, second = circle[:2]
        use = of[first].first_use(second)
        path: Path = use[0] if use else ("needs", graph.tasks[first].needs.index(second))
        fault = Fault(
            ("tasks", first, *path),
            f"these tasks wait for each other: {' -> '.join(circle)}",
            code="cycle",
            hint="take out one of these references or needs",
            offset=use[1].offset if use else None,
        )
        faults.setdefault(first, []).append(fault)
    return faults
