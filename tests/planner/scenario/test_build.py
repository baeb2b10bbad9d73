"""A file becomes something that a runtime can start: models, tools, answers."""

from pathlib import Path

import pytest

from planner.plan import PlanInvalid, check_plan
from planner.scenario import ScenarioInvalid, load_scenario
from runtime import Answer, UsageError
from runtime.models.scripted import ScriptedModel
from runtime.values.commands import Slot
from tests.planner.scenario.examples import write_with_tools


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a scenario with its tools beside it, one of them in a package."""
    return write_with_tools(tmp_path)


def test_a_scenario_knows_what_it_is(folder: Path) -> None:
    """Name, plan, inputs and models are as the file says."""
    scenario = load_scenario(folder / "s.yaml")
    assert (scenario.kind, scenario.name, scenario.path) == ("scenario", "x", folder / "s.yaml")
    assert [task.key for task in scenario.plan.tasks] == ["a", "b", "gate", "free"]
    assert scenario.inputs["required"] == ["who"]
    assert scenario.parts.agents["w"].model.slots == (Slot("model:main", 3),)
    assert check_plan(scenario.plan) == []


def test_a_scenario_without_inputs_takes_none(tmp_path: Path) -> None:
    """The schema of no inputs is an object without fields."""
    (tmp_path / "s.yaml").write_text(
        "turntree: 1\nname: x\nmodels: {m: {provider: scripted}}\nagents: {w: {model: m}}\n"
        "plan: {tasks: {a: {agent: w, prompt: x}}}\n"
    )
    inputs = load_scenario(tmp_path / "s.yaml").inputs
    assert (inputs["properties"], inputs["additionalProperties"]) == ({}, False)


def test_a_broken_file_raises_its_report(tmp_path: Path) -> None:
    """The error's text is what `check` would print, warnings left out."""
    (tmp_path / "s.yaml").write_text("turntree: 1\nname: x\ntools: {t: {python: 'a:t'}}\n")
    with pytest.raises(ScenarioInvalid, match=r"s\.yaml:1:1: error: `plan` is missing") as caught:
        load_scenario(tmp_path / "s.yaml")
    assert [finding.code for finding in caught.value.findings] == ["missing-key"]
    assert isinstance(caught.value, UsageError)
    assert not isinstance(caught.value, PlanInvalid)


def test_models_of_a_program_go_before_those_of_the_file(tmp_path: Path) -> None:
    """A given model needs no provider that this version knows."""
    (tmp_path / "s.yaml").write_text(
        "turntree: 1\nname: x\nmodels: {m: {provider: openai}}\nagents: {w: {model: m}}\n"
        "plan: {tasks: {a: {agent: w, prompt: x}}}\n"
    )
    mine = ScriptedModel("mine", scripts={})
    scenario = load_scenario(tmp_path / "s.yaml", models={"m": mine, "unused": mine})
    assert scenario.parts.agents["w"].model is mine
    assert scenario.given_models == {"m"}


def test_answers_stand_in_for_people(folder: Path) -> None:
    """The most specific answer counts; a form is filled in, anything else is a plain value."""
    scenario = load_scenario(folder / "s.yaml")
    assert scenario.answer_for("gate") == Answer.form({"go": True})
    assert scenario.answer_for("free") == Answer.of("Ada")
    assert scenario.answer_for("free[x]") == Answer.of("Bob")
    assert scenario.answer_for("free[y]") == Answer.of("Ada")
    assert scenario.answer_for("a") is None
    assert load_scenario(folder / "s.yaml", answers=False).answer_for("gate") is None
