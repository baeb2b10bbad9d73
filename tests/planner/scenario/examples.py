"""The scenarios that ship with turntree, and what a run of them is given."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import trio

from planner.scenario import Scenario
from runtime import Answer, Request, TurnResult, open_runtime
from runtime.values.events import Fact

SCENARIOS = Path(__file__).parents[3] / "scenarios"
BROKEN = Path(__file__).parent / "broken"
INPUTS: Mapping[str, dict[str, Any]] = {"hello": {}, "release_gate": {"version": "1.2"}, "market_brief": {}}
TEXTS = {name: (SCENARIOS / f"{name}.yaml").read_text(encoding="utf-8") for name in INPUTS}


async def run(scenario: Scenario, given: dict[str, Any] | None = None) -> tuple[TurnResult, list[Fact]]:
    """Run a scenario to its end with its own answers; return the result and the facts."""

    async def answer(request: Request) -> Answer | None:
        await trio.lowlevel.checkpoint()
        return scenario.answer_for(request.task_key)

    async with open_runtime() as runtime:
        result = await runtime.run(scenario, given or {}, on_request=answer)
        return result, await runtime.journal.read(result.turn_id, 0, 10_000)


WITH_TOOLS = """turntree: 1
name: x
inputs: {who: string}
models: {main: {provider: scripted, max_concurrent: 3}}
agents: {w: {model: main, tools: [greet]}}
tools:
  greet: {python: "mine:greet", timeout: 5s, max_concurrent: 2, description: Greets., replay: never}
  other: {python: "pack.inner:other"}
plan:
  tasks:
    a: {tool: greet, with: {name: "${inputs.who}", times: 2}}
    b: {tool: other, needs: [a]}
    gate: {ask: {message: Go?, form: {go: boolean}}}
    free: {ask: {message: "Name?"}}
scripts: {answers: {gate: {go: true}, free: Ada, "free[x]": Bob}}
"""
MINE = '''
def greet(name: str, times: int = 1) -> str:
    """Greet somebody."""
    return "Hello " * times + name
'''


def write_with_tools(tmp_path: Path) -> Path:
    """Write a scenario with its tools beside it, one of them in a package; return the folder."""
    (tmp_path / "s.yaml").write_text(WITH_TOOLS)
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "shared.py").write_text("WORD = 'shared'\n")
    (tmp_path / "pack" / "inner.py").write_text(
        "from runtime import tool\nfrom .shared import WORD\n\n\n"
        "@tool(replay='safe', timeout=7, max_concurrent=4)\ndef other() -> str:\n    return WORD\n"
    )
    return tmp_path
