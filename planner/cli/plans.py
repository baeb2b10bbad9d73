"""The commands that look at plans and run nothing: `check`, `schema`, `graph`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from planner.cli.exits import Exit
from planner.cli.place import Place, find_turn
from planner.inspector import dot, mermaid, picture
from planner.plan.faults import did_you_mean
from planner.scenario import check_scenario, check_text, scenario_schema
from runtime.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planner.inspector import Node, Picture
    from planner.plan.values import Plan
    from planner.scenario import Checked

FORMATS: Final = ("mermaid", "dot", "svg")


def check(scenarios: Sequence[str], *, offline: bool) -> Exit:
    """Print everything that is wrong with scenario files; warnings alone are no reason to fail."""
    code = Exit.DONE
    for name in scenarios:
        checked = check_scenario(name, offline=offline)
        print(checked.report or f"{name}: no faults")
        if checked.errors:
            code = Exit.MISUSED
    return code


def schema() -> Exit:
    """Print the JSON Schema of scenario files."""
    print(json.dumps(scenario_schema(), indent=2, ensure_ascii=False))
    return Exit.DONE


def is_scenario(what: str) -> bool:
    """Whether `graph` is given a file and not a Turn."""
    return Path(what).exists() or what.endswith((".yaml", ".yml")) or "/" in what


def graph_file(scenario: str, style: str) -> Exit:
    """Print the plan of a scenario file."""
    checked = check_scenario(scenario, offline=True)  # which models it names changes nothing in its plan
    print(_drawn(picture(_plan_of(checked)), style), end="")
    return Exit.DONE


async def graph_turn(turn: str | None, style: str, db: str | None) -> Exit:
    """Print the plan that a Turn runs, with how its tasks stand.

    Raises:
        NotFound: There is no such Turn.
        UsageError: It runs no plan, or one that only the program that defined it knows.
    """
    place = Place.of(db)
    async with place.open() as runtime:
        info, view, node = await find_turn(runtime.journal, turn)
        if node.kind not in ("plan", "scenario") or info.definition is None:
            plans = [each.turn_id for each in view.nodes.values() if each.kind == "plan"]
            hint = f"; these run plans: {', '.join(plans[:5])}" if plans else ""
            raise UsageError(f"{node.turn_id} runs the {node.kind} {node.agent}, which has no graph{hint}")
        if info.kind != "scenario":
            raise UsageError(
                f"{info.root_id} was started by a Python program, which alone knows its plan; draw it there with "
                "planner.inspector.picture"
            )
        text = await runtime.journal.definition(info.definition)
    stored = json.loads(text)
    checked = check_text(stored["text"], name=stored["path"], base=Path(stored["path"]).parent, offline=True)
    print(_drawn(picture(_plan_for(node, checked), node), style), end="")
    return Exit.DONE


def _plan_of(checked: Checked) -> Plan:
    _, parts = checked.demand()
    if checked.findings:
        print(checked.report, file=sys.stderr)
    return parts.plan


def _plan_for(node: Node, checked: Checked) -> Plan:
    _, parts = checked.demand()
    return parts.plan if node.parent is None else parts.plans[node.agent]


def check_style(style: str) -> None:
    """Refuse a format that is none.

    Raises:
        UsageError: With the nearest one.
    """
    if style not in FORMATS:
        raise UsageError(f"there is no format {style!r}; {did_you_mean(style, FORMATS)}")


def _drawn(drawing: Picture, style: str) -> str:
    if style == "svg":
        from planner.inspector.svg import svg  # networkx loads slowly

        return svg(drawing)
    return dot(drawing) if style == "dot" else mermaid(drawing)
