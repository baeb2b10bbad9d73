"""The kind `scenario`: its root is a plan, and a stored tree holds all that is needed to make the scenario again."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

from planner.engine import PLAN
from planner.scenario.build import Scenario, rebuild_scenario
from runtime.core.kinds import Kind, register
from runtime.errors import UsageError


def accept(scenario: Scenario, given: Any) -> Any:
    """Get ready to run: import the tools, check the inputs and return them with defaults.

    Raises:
        ScenarioInvalid: A tool cannot be used, or a task gives it what it does not take.
        UsageError: The inputs are not those that the scenario declares.
    """
    scenario.prepare()
    return PLAN.accept(scenario.plan, given)


def describe(scenario: Scenario) -> str:
    """Return everything from which the scenario can be made again, as JSON."""
    tools = scenario.workshop.module
    chosen = {"chosen": dict(scenario.chosen_models)} if scenario.chosen_models else {}
    return json.dumps(
        {
            **chosen,
            "text": scenario.text,
            "path": str(scenario.path),
            "offline": scenario.offline,
            "answers": bool(scenario.answers),
            "models": sorted(scenario.given_models),
            "tools": tools.__name__ if isinstance(tools, ModuleType) else tools,
        },
        sort_keys=True,
        ensure_ascii=False,
    )


def load(text: str) -> Scenario:
    """Make a scenario again from what `describe` wrote; its tools are imported when it is prepared.

    The file may be gone or different by now: the stored text counts, and the tools that stand beside the file today.

    Raises:
        UsageError: It was started with models that a program gave, or a tool cannot be used any more.
    """
    stored = json.loads(text)
    if stored["models"]:
        names = ", ".join(stored["models"])
        raise UsageError(
            f"this tree was started with models that a program gave ({names}); resume it from that program, with"
            " open_runtime(definitions=[load_scenario(..., models=...)])"
        )
    return rebuild_scenario(
        stored["text"],
        Path(stored["path"]),
        offline=stored["offline"],
        tools=stored["tools"],
        models=stored.get("chosen", {}),
        answers=stored["answers"],
    )


SCENARIO = register(
    Kind(
        name="scenario",
        build=lambda scenario: PLAN.build(scenario.plan),
        describe=describe,
        load=load,
        prepare=Scenario.prepare,
        accept=accept,
    )
)
