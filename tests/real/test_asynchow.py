"""The step graphs of AsyncHow take as long as their longest chain of steps."""

import json
from pathlib import Path
from typing import Any

import pytest
from trio.testing import MockClock

from tests.real.graphs import from_asynchow, longest_path, write_scenario
from tests.real.running import run_file

GRAPHS = 1066
SHARES = 8
"""The graphs are dealt out to this many tests, so that several processes can share the work."""


def graphs_of(data_folder: Path, share: int) -> list[dict[str, Any]]:
    """Return one share of the graphs."""
    lines = (data_folder / "dags" / "asynchow" / "asynchow_graphs.jsonl").read_text().splitlines()
    assert len(lines) == GRAPHS
    return [json.loads(line) for line in lines[share::SHARES]]


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
async def test_a_graph_takes_as_long_as_its_longest_path(
    share: int, data_folder: Path, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """With the low step times the makespan is the longest path, what outputs add up to, and in the gold interval."""
    wrong = []
    for graph in graphs_of(data_folder, share):
        jobs = from_asynchow(graph)
        history = await run_file(write_scenario(tmp_path, f"graph{graph['id']}", jobs, by_reference=True))
        low, high = graph["gold_seconds"]
        took, best = history.makespan, longest_path(jobs)
        ends = max(task.output for task in history.result.tasks.values())
        in_order = not history.out_of_order({key: job.needs for key, job in jobs.items()})
        if not (abs(took - best) < 1e-6 and low - 1e-6 <= took <= high + 1e-6 and ends == best and in_order):
            wrong.append((graph["id"], took, best, graph["gold_seconds"], ends, in_order))
    assert wrong == []
