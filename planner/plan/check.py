"""Everything that can be known to be wrong with a plan before it runs, found in one go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from planner.plan.check_task import check_task, is_count, is_name
from planner.plan.faults import Fault, Path, did_you_mean, spell_path
from planner.plan.fields import FieldsInvalid, fields_schema
from planner.plan.fit import mismatch
from planner.plan.graph import PlanGraph
from planner.plan.references import Scan, scan_task
from planner.plan.resolve import check_list, check_references
from planner.plan.scope import Scope, declared_inputs, plan_output
from planner.plan.types import Schema
from runtime.errors import UsageError

if TYPE_CHECKING:
    from planner.plan.values import Plan, Task

_DEEPEST_PLAN = 32
"""Levels of plans in plans; far beyond the depth that a tree of Turns may have."""


class PlanInvalid(UsageError):
    """A plan cannot run as it is; `faults` says everything that is wrong with it."""

    def __init__(self, name: str, faults: Sequence[Fault]) -> None:
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        super().__init__("\n".join([f"plan {name!r} has {count}:", *(f"  {fault}" for fault in faults)]))
        self.faults = tuple(faults)


def check_plan(plan: Plan) -> list[Fault]:
    """Find every fault of a plan and of the plans in it, in the order of the plan.

    A nested plan's faults come under the first task that runs it, with paths that start `("tasks", KEY, "plan")`.
    """
    return _Checker().check(plan, ()).faults


def checked_graph(plan: Plan) -> PlanGraph:
    """Build the graph of a plan that is about to run.

    Raises:
        PlanInvalid: The plan has faults.
    """
    checked = _Checker().check(plan, ())
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

    outputs: dict[int, Schema | None] = attrs.field(factory=dict)
    """By identity of the plan: comparing plans would compare everything in them."""

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
            found += nested.get(index, [])
            faults += [fault.below(("tasks", task.key)) for fault in found]
            faults += circles.pop(task.key, [])
        output = Scan()
        output.value(("output",), plan.output)
        faults += output.faults
        faults += check_references(output, scope, graph, None)
        return _Checked(faults, graph, plan_output(plan, graph, scope) if not faults else None)

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
    if task.plan is not None and not scan.faults:
        faults += _nested_inputs(task, task.plan, scope)
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


def _nested_inputs(task: Task, plan: Plan, scope: Scope) -> list[Fault]:
    """Hold what a task gives to its plan against what the plan declares."""
    declared = declared_inputs(plan)
    given = task.inputs or {}
    if declared is None or not isinstance(given, Mapping):
        return []
    fields: Mapping[str, Schema] = declared.get("properties") or {}
    faults = []
    for name, value in given.items():
        path: Path = ("with", name)
        if name in fields:
            found = scope.type_of_value(value, task.key)
            if problem := mismatch(fields[name], found, spell_path((name,))):
                faults.append(Fault(path, problem, code="type-mismatch"))
        elif declared.get("additionalProperties") is False:
            hint = did_you_mean(str(name), fields, otherwise="" if fields else "it declares none")
            message = f"plan `{plan.name}` has no input `{name}`"
            faults.append(Fault(path, message, code="unknown-input-of-plan", hint=hint, in_key=True))
    for name in declared.get("required") or ():
        if name not in given:
            where: Path = ("plan",) if task.inputs is None else ("with",)
            message = f"plan `{plan.name}` is not given its input `{name}`"
            hint = f"add it under `with` (`inputs` in Python): `{name}: …`"
            faults.append(Fault(where, message, code="missing-input", hint=hint, in_key=True))
    return faults
