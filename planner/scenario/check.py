"""Find everything that is wrong with a scenario file at once. Reads files; runs nothing of the user's."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

from planner.plan.check import check_plan
from planner.scenario.assemble import Assembly, Parts
from planner.scenario.check_rehearsal import check_rehearsal, playable
from planner.scenario.collecting import collector_paused
from planner.scenario.document import DOCUMENT, ScenarioNode
from planner.scenario.findings import Finding, ScenarioInvalid, in_order, render
from planner.scenario.plan_faults import note, outermost
from planner.scenario.providers import check_choices, choose, make_model
from planner.scenario.python_tools import DeclaredTool, Workshop
from planner.scenario.reader import UNREADABLE, Source, read_file, read_text
from planner.scenario.shapes import Reading
from runtime.core.ports import Model
from runtime.models.scripted import ScriptedModel


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
    chosen: Mapping[str, str] = attrs.field(factory=dict)
    """`provider:model` in place of what the file says, by the same names."""
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
    """Check a text that was read. Raises UsageError for models that were chosen and cannot be."""
    if source.data is None or source.data is UNREADABLE:
        return Checked(source, None, None, {})
    reading = Reading(source, setting.base, set(source.refused))
    document: ScenarioNode = DOCUMENT.read(source.data, (), reading)
    if () in reading.refused:
        return Checked(source, document, None, {})
    if ("models",) not in reading.refused:
        check_choices(setting.chosen, document.models, offline=setting.offline)
    replies = playable(document, reading)
    stand_in = ScriptedModel(scripts={})
    models = {name: model or stand_in for name, model in _models(document, setting, reading, replies)}
    tools = {name: DeclaredTool(name, node, setting.workshop) for name, node in document.tools.items()}
    _warn_of_replay(document, reading)
    parts = Assembly(document, models, tools, reading, stand_in).parts()
    for plan, node in outermost(document, parts):
        note(check_plan(plan), node, document, reading)
    check_rehearsal(document, reading)
    return Checked(source, document, parts, tools)


def _models(
    document: ScenarioNode, setting: Setting, reading: Reading, replies: Mapping[str, object]
) -> Iterable[tuple[str, Model | None]]:
    for name, node in document.models.items():
        if name in setting.models:
            yield name, setting.models[name]
        elif setting.offline:
            yield name, ScriptedModel(name, scripts=replies, max_concurrent=node.max_concurrent)
        else:
            yield name, make_model(name, choose(node, setting.chosen.get(name)), replies, reading)


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
