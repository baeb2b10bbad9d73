"""What is wrong with the plans of a scenario, at its place in the file."""

from collections.abc import Iterable, Iterator

from planner.plan.faults import Fault
from planner.plan.values import Plan
from planner.scenario.assemble import Parts
from planner.scenario.document import PlanNode, ScenarioNode, TaskNode
from planner.scenario.findings import Finding
from planner.scenario.places import PathKey
from planner.scenario.position import locate
from planner.scenario.shapes import Reading

_FOLLOW_ON = frozenset({"nothing-to-run", "missing-prompt", "missing-input"})
"""Faults that a refused key of the same task explains."""
_UNKNOWN_IN_WITH = frozenset({"unknown-input-of-plan", "unknown-argument"})


def outermost(document: ScenarioNode, parts: Parts) -> Iterator[tuple[Plan, PlanNode]]:
    """Yield the plan of a scenario, then each of its others that none of those before runs, at any depth."""
    yield parts.plan, document.plan
    reached = _reached(document, document.plan)
    for name, node in document.plans.items():
        if name not in reached:
            yield parts.plans[name], node
            reached |= _reached(document, node) | {name}


def note(faults: Iterable[Fault], plan: PlanNode, document: ScenarioNode, reading: Reading) -> None:
    """Make findings of a plan's faults, but for those that something that was refused before explains.

    Args:
        faults: Their paths begin in the plan.
        plan: Where it stands in the document.
        document: All of the file.
        reading: Takes the findings.
    """
    for fault in faults:
        holder, path = _in_file(fault, plan, document)
        if _explained(fault.code, holder, path, reading.refused):
            continue
        index = locate(reading.source, path, fault)
        finding = Finding(code=fault.code, message=fault.message, hint=_hint(fault), index=index)
        reading.source.findings.append(finding)


def _in_file(fault: Fault, plan: PlanNode, document: ScenarioNode) -> tuple[PathKey, PathKey]:
    """Return the path in the file of the plan or task that has the fault, and of the fault itself."""
    node: PlanNode | TaskNode = plan
    rest = fault.path
    while True:
        match rest:
            case ("tasks", str(key), *below) if isinstance(node, PlanNode) and key in node.tasks:
                node, rest = node.tasks[key], tuple(below)
            case ("plan", "tasks" | "inputs" | "output" | "on_failure" | "max_parallel", *_) if (
                isinstance(node, TaskNode) and (nested := document.plans.get(node.plan or "")) is not None
            ):
                node, rest = nested, rest[1:]
            case ("inputs", *_) if node is document.plan:
                return (), rest
            case _:
                return node.path, (*node.path, *rest)


def _explained(code: str, holder: PathKey, path: PathKey, refused: Iterable[PathKey]) -> bool:
    """Tell whether something that was refused before already says what this fault says."""
    for other in refused:
        if path[: len(other)] == other:
            return True
        if code in _FOLLOW_ON and other[: len(holder)] == holder:
            return True
    return False


def _hint(fault: Fault) -> str:
    if fault.code in _UNKNOWN_IN_WITH and fault.path[-1] in TaskNode.keys():  # noqa: SIM118 - a method
        return f"`{fault.path[-1]}` is a key of the task: indent it less than `with`"
    return fault.hint


def _reached(document: ScenarioNode, node: PlanNode) -> set[str]:
    """Return the names of the plans that a plan runs, at any depth."""
    found: set[str] = set()
    ahead = [node]
    while ahead:
        for task in ahead.pop().tasks.values():
            name = task.plan
            if name is not None and name in document.plans and name not in found:
                found.add(name)
                ahead.append(document.plans[name])
    return found
