"""A recorded research workflow runs again as a scenario: the same searches at once, the same report, the same time."""

import json
from pathlib import Path

import pytest
from trio.testing import MockClock

from runtime.events import ModelCompleted, TurnStarted
from tests.real.research import batches, read_history, search_prompt, write_research
from tests.real.running import run_file


@pytest.fixture
def folder(data_folder: Path) -> Path:
    """The folder of the recorded histories."""
    return data_folder / "streams" / "temporal-agents"


async def test_a_recorded_run_takes_its_critical_path(folder: Path, tmp_path: Path, autojump_clock: MockClock) -> None:
    """With the recorded delays it takes 48.45 virtual seconds and starts its agents in batches of 1, 10 and 1."""
    told = json.loads((folder / "expected.json").read_text())["research"]
    research = read_history(folder / "research-workflow-history.json")
    history = await run_file(write_research(tmp_path, research), {"question": research.question})
    assert history.batches == batches(research.calls) == told["batches"] == [1, 10, 1]
    assert history.makespan == pytest.approx(research.critical_path, abs=1e-6)
    assert history.makespan == pytest.approx(told["critical_path_seconds"], abs=1e-3)
    assert round(history.makespan, 2) == 48.45


async def test_a_recorded_run_says_again_what_was_said(folder: Path, tmp_path: Path, autojump_clock: MockClock) -> None:
    """Each search is asked and answered what it was then, and the plan returns the report of the workflow."""
    research = read_history(folder / "research-workflow-history.json")
    history = await run_file(write_research(tmp_path, research), {"question": research.question})
    assert history.result.output == research.report
    assert [item.key for item in history.result.tasks["search"].items] == [s["query"] for s in research.searches]
    asked = {}
    answered = {}
    for fact in history.facts:
        if isinstance(fact.data, TurnStarted):
            asked[fact.task_key] = fact.data.input
        elif isinstance(fact.data, ModelCompleted):
            answered[fact.task_key] = fact.data.message.text
    calls = {call.prompt: call.text for call in research.calls[1:-1]}
    for search in research.searches:
        key = f"search[{search['query']}]"
        assert answered[key] == calls[asked[key]]
        assert asked[key] == search_prompt(search)
