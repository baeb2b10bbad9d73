"""The kind `scenario`: what is checked at the start, and how a stored tree gets its scenario back."""

import json
from pathlib import Path

import pytest

from planner.scenario import SCENARIO, Scenario, ScenarioInvalid, load_scenario
from runtime import UsageError, open_runtime
from runtime.core.kinds import find
from runtime.models.scripted import ScriptedModel

SMALL = """turntree: 1
name: small
models: {main: {provider: scripted}}
agents: {w: {model: main}}
plan:
  tasks:
    draft: {agent: w, prompt: Write.}
    gate: {ask: {message: Go?}}
scripts: {draft: [{text: One.}], answers: {gate: true}}
"""


def small(folder: Path) -> Scenario:
    """Load a small scenario from a file of its own."""
    (folder / "s.yaml").write_text(SMALL)
    return load_scenario(folder / "s.yaml")


async def test_inputs_and_tools_are_checked_before_the_first_event(tmp_path: Path) -> None:
    """A run that cannot work leaves no tree behind."""
    (tmp_path / "s.yaml").write_text(
        "turntree: 1\nname: x\ninputs: {n: integer}\nplan: {tasks: {a: {tool: t}}}\ntools: {t: {python: 't:t'}}\n"
    )
    async with open_runtime() as runtime:
        with pytest.raises(ScenarioInvalid, match="there is no file"):
            await runtime.run(load_scenario(tmp_path / "s.yaml"), {"n": 1})
        (tmp_path / "t.py").write_text("def t() -> int:\n    return 1\n")
        with pytest.raises(UsageError, match="n"):
            await runtime.run(load_scenario(tmp_path / "s.yaml"), {"n": "x"})
        assert await runtime.journal.roots() == []


def test_a_stored_scenario_is_made_again_without_its_file(tmp_path: Path) -> None:
    """The stored text counts, also when the file is gone; the tools are those that stand there now."""
    scenario = small(tmp_path)
    stored = SCENARIO.describe(scenario)
    (tmp_path / "s.yaml").unlink()
    again = find("scenario").load(stored)
    assert isinstance(again, Scenario)
    assert (again.text, again.path, again.answers) == (scenario.text, scenario.path, scenario.answers)
    assert SCENARIO.describe(again) == stored


def test_a_stored_scenario_changes_with_everything_that_matters(tmp_path: Path) -> None:
    """Offline, answers and tools belong to what was started."""
    scenario = small(tmp_path)
    texts = {
        SCENARIO.describe(scenario),
        SCENARIO.describe(load_scenario(scenario.path, offline=True)),
        SCENARIO.describe(load_scenario(scenario.path, tools="json")),
        SCENARIO.describe(load_scenario(scenario.path, tools=json)),
    }
    assert len(texts) == 3


def test_a_scenario_with_a_programs_models_is_resumed_by_that_program(tmp_path: Path) -> None:
    """A model object cannot be stored, so the error says who has it."""
    scenario = small(tmp_path)
    given = load_scenario(scenario.path, models={"main": ScriptedModel(scripts={})})
    with pytest.raises(UsageError, match=r"a program gave \(main\); resume it from that program"):
        SCENARIO.load(SCENARIO.describe(given))
