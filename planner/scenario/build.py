"""The composition root: a scenario file becomes something that a runtime can start."""

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import attrs

from planner.plan.values import Plan
from planner.scenario.assemble import Parts
from planner.scenario.check import Setting, check_source
from planner.scenario.collecting import collector_paused
from planner.scenario.document import ScenarioNode
from planner.scenario.prepare import prepare
from planner.scenario.python_tools import DeclaredTool, Workshop
from planner.scenario.reader import Source, read_file, read_text
from runtime.core.ports import Model
from runtime.models import OpenAIModel
from runtime.values.requests import Answer


@attrs.frozen(kw_only=True)
class Scenario:
    """A plan with everything that it needs, as one file describes it. Immutable; made by `load_scenario`."""

    kind: ClassVar[str] = "scenario"
    version: ClassVar[str] = "1"

    path: Path
    """Absolute path of the file; tools and schemas are looked for beside it."""
    text: str = attrs.field(repr=False)
    """The file as it was read; a stored tree is rebuilt from it."""
    offline: bool = False
    document: ScenarioNode = attrs.field(repr=False)
    """What the file says, key by key."""
    parts: Parts = attrs.field(repr=False)
    """Its agents and plans."""
    tools: Mapping[str, DeclaredTool] = attrs.field(repr=False)
    workshop: Workshop = attrs.field(repr=False)
    answers: Mapping[str, Any] = attrs.field(factory=dict, repr=False)
    """What `scripts.answers` says by task; empty when people are to be asked."""
    given_models: frozenset[str] = frozenset()
    """Names of the models that a program gave instead of the file's."""
    chosen_models: Mapping[str, str] = attrs.field(factory=dict)
    """`provider:model` by the name of each model that was chosen instead of the file's."""

    @property
    def name(self) -> str:
        """What people call it."""
        return self.document.name

    @property
    def plan(self) -> Plan:
        """The plan that is run."""
        return self.parts.plan

    @property
    def live_models(self) -> tuple[OpenAIModel, ...]:
        """The models of its agents that somebody runs elsewhere, each once. With one of them it is no rehearsal."""
        models = [agent.model for agent in self.parts.agents.values()]
        return tuple(dict.fromkeys([model for model in models if isinstance(model, OpenAIModel)]))

    @property
    def inputs(self) -> Mapping[str, Any]:
        """JSON Schema of what a run must be given."""
        if self.document.inputs is None:
            return {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
        return self.document.inputs.document

    def prepare(self) -> None:
        """Import the tools, hold what tasks give them against the functions' signatures, and look for models' keys.

        Called when a run starts, before its first event; nothing before runs any code of the user's.

        Raises:
            ScenarioInvalid: With everything that does not fit, each at its place in the file.
            UsageError: The tools that were given beside the file cannot be used, or a model lacks its key or package.
        """
        prepare(self)

    def answer_for(self, key: str) -> Answer | None:
        """Return what `scripts.answers` says to the question of a task or item; None if a person is to be asked."""
        for name in (key, key.partition("[")[0]):
            if name in self.answers:
                value = self.answers[name]
                return Answer.form(value) if self._has_form(name.partition("[")[0]) else Answer.of(value)
        return None

    def _has_form(self, task: str) -> bool:
        plans = (self.document.plan, *self.document.plans.values())
        asks = [plan.tasks[task].ask for plan in plans if task in plan.tasks]
        return any(ask is not None and ask.form is not None for ask in asks)


@collector_paused()
def load_scenario(
    path: str | Path,
    *,
    offline: bool = False,
    tools: ModuleType | str | None = None,
    models: Mapping[str, Model | str] | None = None,
    answers: bool = True,
) -> Scenario:
    """Read a scenario file and check all of it. Runs no code of the user's.

    Args:
        path: The file.
        offline: Let every model play `scripts`.
        tools: A module, or the name of one, or the path of a `.py` file, whose functions go before those of the files
            beside the scenario.
        models: Models to use instead of those that the file describes, by their names there: as objects, or as text
            such as `openai:gpt-5-mini`, with which a stored tree can be resumed without this program.
        answers: Whether `scripts.answers` may answer for people, as long as every model plays `scripts` too.

    Raises:
        ScenarioInvalid: The file has errors; the message lists all of them.
        UsageError: A model that was chosen by text does not exist, or is none.
    """
    file = Path(path).absolute()
    source = read_file(file, str(path))
    return compose(source, file, offline=offline, tools=tools, models=models or {}, answers=answers)


@collector_paused()
def rebuild_scenario(
    text: str, path: Path, *, offline: bool, tools: str | None, models: Mapping[str, str], answers: bool
) -> Scenario:
    """Make a scenario again from what a stored tree keeps of it; the file itself may be gone or changed.

    Raises:
        ScenarioInvalid: The text has errors, as this version sees it.
    """
    source = read_text(text, str(path))
    return compose(source, path, offline=offline, tools=tools, models=models, answers=answers)


def compose(
    source: Source,
    file: Path,
    *,
    offline: bool,
    tools: ModuleType | str | None,
    models: Mapping[str, Model | str],
    answers: bool,
) -> Scenario:
    """Put together what was read. Raises ScenarioInvalid and UsageError."""
    workshop = Workshop(file.parent, tools)
    chosen = {name: model for name, model in models.items() if isinstance(model, str)}
    given = {name: model for name, model in models.items() if not isinstance(model, str)}
    setting = Setting(base=file.parent, offline=offline, models=given, chosen=chosen, workshop=workshop)
    checked = check_source(source, setting)
    document, parts = checked.demand()
    scripted = document.scripts.answers if answers and document.scripts is not None else {}
    scenario = Scenario(
        path=file,
        text=source.text,
        offline=offline,
        document=document,
        parts=parts,
        tools=checked.tools,
        workshop=workshop,
        answers=scripted,
        given_models=frozenset(given).intersection(document.models),
        chosen_models=chosen,
    )
    # Whoever pays a model wants to be asked, and not to have a script answer.
    return attrs.evolve(scenario, answers={}) if scenario.live_models else scenario
