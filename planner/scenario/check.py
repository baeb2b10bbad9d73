"""Find everything that is wrong with a scenario file at once. Reads files; runs nothing of the user's."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

from planner.plan.check import check_plan
from planner.plan.faults import Fault
from planner.scenario.assemble import Assembly, Parts
from planner.scenario.check_rehearsal import check_rehearsal, playable
from planner.scenario.collecting import collector_paused
from planner.scenario.document import DOCUMENT, PlanNode, ScenarioNode, TaskNode
from planner.scenario.findings import Finding, ScenarioInvalid, in_order, render
from planner.scenario.places import PathKey
from planner.scenario.position import locate
from planner.scenario.python_tools import DeclaredTool, Workshop
from planner.scenario.reader import UNREADABLE, Source, read_file, read_text
from planner.scenario.shapes import Reading
from runtime.core.ports import Model
from runtime.models.scripted import ScriptedModel

_FOLLOW_ON = frozenset({"nothing-to-run", "missing-prompt", "missing-input"})
"""Faults that a refused key of the same task explains."""


@attrs.frozen
class Checked:
    """A scenario file after every check."""

    source: Source
    document: ScenarioNode | None
    """None when the file could not even be read."""
    parts: Parts | None
    tools: Mapping[str, DeclaredTool]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Errors and warnings in the order of the file."""
        return tuple(in_order(self.source.findings))

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What keeps it from running."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def report(self) -> str:
        """Everything as people read it; empty if all is well."""
        return render(self.findings, name=self.source.name, text=self.source.text)

    def demand(self) -> tuple[ScenarioNode, Parts]:
        """Return the parts of a scenario without errors.

        Raises:
            ScenarioInvalid: It has some; warnings are left out of the message.
        """
        if self.errors or self.document is None or self.parts is None:
            raise ScenarioInvalid(render(self.errors, name=self.source.name, text=self.source.text), self.errors)
        return self.document, self.parts


@attrs.frozen(kw_only=True)
class Setting:
    """What a scenario is checked for."""

    base: Path
    """The folder of the file."""
    offline: bool = False
    """Whether every model is a scripted one."""
    models: Mapping[str, Model] = attrs.field(factory=dict)
    """Models that a program gives, by their names in the file."""
    workshop: Workshop


@collector_paused()
def check_scenario(path: str | Path, *, offline: bool = False) -> Checked:
    """Check a scenario file. Never raises for what is wrong with it, and imports none of its tools.

    Args:
        path: The file.
        offline: Check it as `--offline` would run it: every model is then a scripted one.
    """
    file = Path(path)
    base = file.parent.resolve()
    return check_source(read_file(file, str(path)), Setting(base=base, offline=offline, workshop=Workshop(base)))


@collector_paused()
def check_text(text: str, *, name: str = "scenario", base: Path | None = None, offline: bool = False) -> Checked:
    """Check the text of a scenario, as `check_scenario` does with a file."""
    folder = (base or Path()).resolve()
    return check_source(read_text(text, name), Setting(base=folder, offline=offline, workshop=Workshop(folder)))


def check_source(source: Source, setting: Setting) -> Checked:
    """Check a text that was read."""
    if source.data is None or source.data is UNREADABLE:
        return Checked(source, None, None, {})
    reading = Reading(source, setting.base, set(source.refused))
    document: ScenarioNode = DOCUMENT.read(source.data, (), reading)
    if () in reading.refused:
        return Checked(source, document, None, {})
    replies = playable(document, reading)
    stand_in = ScriptedModel(scripts={})
    models = {name: model or stand_in for name, model in _models(document, setting, reading, replies)}
    tools = {name: DeclaredTool(name, node, setting.workshop) for name, node in document.tools.items()}
    _warn_of_replay(document, reading)
    parts = Assembly(document, models, tools, reading, stand_in).parts()
    _check_plans(document, parts, reading)
    check_rehearsal(document, reading)
    return Checked(source, document, parts, tools)


def _models(
    document: ScenarioNode, setting: Setting, reading: Reading, replies: Mapping[str, object]
) -> Iterable[tuple[str, Model | None]]:
    for name, node in document.models.items():
        if name in setting.models:
            yield name, setting.models[name]
        elif setting.offline or node.provider == "scripted":
            yield name, ScriptedModel(name, scripts=replies, max_concurrent=node.max_concurrent)
        else:
            if node.provider is not None:
                message = f"models of `{node.provider}` are not supported yet"
                hint = "run it with --offline to play `scripts`, or write `provider: scripted`"
                reading.refuse("provider", (*node.path, "provider"), message, hint)
            yield name, None


def _warn_of_replay(document: ScenarioNode, reading: Reading) -> None:
    for name, node in document.tools.items():
        if node.replay is None and node.path not in reading.refused and node.python is not None:
            finding = Finding(
                code="unclear-replay",
                message=f"`{name}` does not say what may happen to a call that was in flight at a crash",
                hint="add `replay: safe` (call it again), `ask` (a person decides; the default) or `never`",
                index=reading.source.mark(node.path, key=True).start,
                severity="warning",
            )
            reading.source.findings.append(finding)


def _check_plans(document: ScenarioNode, parts: Parts, reading: Reading) -> None:
    _note(check_plan(parts.plan), document.plan, document, reading)
    reached = _reached(document, document.plan)
    for name, node in document.plans.items():
        if name not in reached:
            _note(check_plan(parts.plans[name]), node, document, reading)
            reached |= _reached(document, node) | {name}


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


def _note(faults: Iterable[Fault], plan: PlanNode, document: ScenarioNode, reading: Reading) -> None:
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
    if fault.code == "unknown-input-of-plan" and fault.path[-1] in TaskNode.keys():  # noqa: SIM118 - a method
        return f"`{fault.path[-1]}` is a key of the task: indent it less than `with`"
    return fault.hint
