"""The workflows of FlowBench: counted, run in order, and scheduled as well as a good list scheduler does it."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from trio.testing import MockClock

from tests.real.graphs import Jobs, from_adjacency, longest_path, write_scenario
from tests.real.running import run_file

WORKFLOWS = (
    "eht_imaging", "eht_difmap", "somospie", "1000genome", "predict_future_sales", "casa_nowcast_small", "montage",
    "casa_nowcast_full",
)  # fmt: skip
RUNS = {"eht-imaging": "eht_imaging", "eht-difmap": "eht_difmap", "somospie": "somospie"}
"""Which workflow the measured runs of a name belong to."""
RUNS_OF_EACH = 6
OVER = 1.03
"""How much longer than the list scheduler's a makespan may be."""


@pytest.fixture
def flowbench(data_folder: Path) -> Path:
    """The folder of FlowBench."""
    return data_folder / "dags" / "flowbench"


def read_json(path: Path) -> Any:
    """Read a JSON file."""
    return json.loads(path.read_text())


def measured(path: Path) -> dict[str, float]:
    """Return how long each task of a measured run took; the first column, which has no name, is the task's."""
    with path.open(newline="") as file:
        return {row[""]: float(row["runtime"]) for row in csv.DictReader(file)}


def needs_of(jobs: Jobs) -> dict[str, tuple[str, ...]]:
    """Return what each task needs."""
    return {key: job.needs for key, job in jobs.items()}


@pytest.mark.slow
@pytest.mark.parametrize("workflow", WORKFLOWS)
async def test_a_workflow_runs_every_task_once_and_in_order(
    workflow: str, flowbench: Path, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """With a second for each task, what starts together is a level, and all counts are the ones computed elsewhere."""
    jobs = from_adjacency(read_json(flowbench / f"{workflow}.json"))
    needs = needs_of(jobs)
    history = await run_file(write_scenario(tmp_path, workflow, jobs))
    assert history.out_of_order(needs) == []
    assert history.tools == dict.fromkeys(jobs, 1)
    used = Counter(need for before in needs.values() for need in before)
    assert {
        "tasks": len(history.started),
        "edges": sum(map(len, needs.values())),
        "roots": history.batches[0],
        "leaves": len(history.completed.keys() - used.keys()),
        "levels": len(history.batches),
        "max_level_width": max(history.batches),
        "max_fan_out": max(used.values()),
        "max_fan_in": max(map(len, needs.values())),
    } == read_json(flowbench / "expected.json")["structure"][workflow]
    assert history.makespan == pytest.approx(len(history.batches), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
async def test_measured_runs_are_scheduled_well(
    name: str, flowbench: Path, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Without a limit a run takes its critical path; with k workers hardly longer than a list scheduler needs."""
    children = read_json(flowbench / f"{RUNS[name]}.json")
    expected = read_json(flowbench / "expected.json")["runs"]
    files = sorted((flowbench / "runs").glob(f"{name}-*.csv"))
    assert len(files) == RUNS_OF_EACH
    wrong = []
    for file in files:
        jobs = from_adjacency(children, measured(file))
        told = expected[file.name]
        history = await run_file(write_scenario(tmp_path, file.stem, jobs))
        took = history.makespan
        if not (abs(took - told["critical_path"]) < 1e-6 and abs(took - longest_path(jobs)) < 1e-6):
            wrong.append((file.name, took, told["critical_path"], told["critical_path"]))
        for workers in (1, 2, 4, 8):
            path = write_scenario(tmp_path, f"{file.stem}-{workers}", jobs, max_parallel=workers)
            history = await run_file(path)
            assert history.out_of_order(needs_of(jobs)) == []
            took, least, most = history.makespan, told[f"lower_bound_{workers}"], told[f"list_{workers}"] * OVER
            if not least - 1e-6 <= took <= most + 1e-6:
                wrong.append((path.name, took, least, most))
    assert wrong == []
