"""What is checked when a run starts, because it needs the user's Python code: tools and what tasks give them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from planner.engine import PLAN
from planner.plan.check import PlanInvalid
from planner.plan.faults import Fault
from planner.plan.values import Plan
from planner.scenario.findings import ScenarioInvalid, in_order, render
from planner.scenario.plan_faults import note, outermost
from planner.scenario.reader import read_text
from planner.scenario.shapes import Reading
from runtime.errors import UsageError

if TYPE_CHECKING:
    from planner.scenario.build import Scenario


def prepare(scenario: "Scenario") -> None:
    """Import every tool, hold what tasks give their tools against the functions' signatures, and look for models' keys.

    Raises:
        ScenarioInvalid: With everything that does not fit.
        UsageError: The tools that were given beside the file cannot be used, or a model lacks its key or package.
    """
    missing = list(dict.fromkeys(_missing(scenario)))
    if missing:
        raise UsageError("\n".join(missing))
    scenario.workshop.open(wanted=bool(scenario.tools))
    document = scenario.document
    unusable = dict(_unusable(scenario))
    faulty = [(node, faults) for plan, node in outermost(document, scenario.parts) if (faults := _faults(plan))]
    if not unusable and not faulty:
        return
    # Places are looked for only now that there is something to report.
    source = read_text(scenario.text, str(scenario.path))
    reading = Reading(source, scenario.path.parent)
    for name, problem in unusable.items():
        message, _, hint = problem.partition("; ")
        path = (*document.tools[name].path, "python")
        reading.refuse("tool", path, f"tool `{name}` cannot be used: {message}", hint)
    for node, faults in faulty:
        note(faults, node, document, reading)
    findings = in_order(source.findings)
    raise ScenarioInvalid(render(findings, name=source.name, text=source.text), findings)


def _missing(scenario: "Scenario") -> Iterator[str]:
    for model in scenario.live_models:
        try:
            model.prepare()
        except UsageError as error:
            yield str(error)


def _unusable(scenario: "Scenario") -> Iterator[tuple[str, str]]:
    for name, tool in scenario.tools.items():
        try:
            tool.load()
        except UsageError as error:
            yield name, str(error)


def _faults(plan: Plan) -> list[Fault]:
    try:
        PLAN.prepare(plan)
    except PlanInvalid as invalid:
        # That a tool cannot be used is said where it is declared.
        return [fault for fault in invalid.faults if fault.code != "tool"]
    return []
