"""What a task costs in plans of 100 and of 10,000 tasks, and how long it takes to check a large file.

Run it with `python -m benchmarks.scale`. Processor time, median of five; stock `open_runtime`, memory journal, full
events and a subscriber; the plan of each run comes from a scenario file.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from planner import load_scenario
from planner.scenario import Scenario, check_scenario
from runtime import Status, open_runtime
from tests.real.graphs import Job, Jobs, layered, write_scenario

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL = 100
LARGE = 10_000
ROUNDS = 5


def shapes(tasks: int) -> dict[str, tuple[Jobs, int | None]]:
    """Return graphs of this many tasks, each with its `max_parallel`."""
    return {
        "layers": (layered(tasks, width=tasks // 10, seconds=0.0), None),
        "no needs, eight at once": ({f"t{number}": Job(0.0) for number in range(tasks)}, 8),
    }


def median(measure: Callable[[], float]) -> float:
    """Measure several times."""
    return statistics.median(measure() for _ in range(ROUNDS))


async def run_all(scenario: Scenario, times: int) -> None:
    """Run a scenario to its end some times, one after the other, and read everything that it says."""
    async with open_runtime() as runtime:
        for _ in range(times):
            turn = await runtime.start(scenario, {})
            async with turn.events(previews=True) as events:
                async for _event in events:
                    pass
            result = await turn.result()
            assert result.status is Status.COMPLETED


def microseconds_per_task(path: Path, tasks: int) -> float:
    """Return what one task costs, the same number of tasks being run whatever the size of the plan."""
    scenario = load_scenario(path)
    times = LARGE // tasks

    def measure() -> float:
        before = time.process_time()
        trio.run(run_all, scenario, times)
        return (time.process_time() - before) / (times * tasks) * 1e6

    return median(measure)


def seconds_to_check(path: Path) -> float:
    """Return how long `check` takes for a file without faults."""
    before = time.process_time()
    checked = check_scenario(path)
    took = time.process_time() - before
    assert not checked.report, checked.report
    return took


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"cost of a task in microseconds, in plans of {SMALL:,} and {LARGE:,} tasks")
        small, large = shapes(SMALL), shapes(LARGE)
        for shape in small:
            costs = []
            for tasks, (jobs, limit) in ((SMALL, small[shape]), (LARGE, large[shape])):
                path = write_scenario(folder, f"plan{tasks}", jobs, by_reference=True, max_parallel=limit)
                costs.append(microseconds_per_task(path, tasks))
            print(f"  {shape:<24} {costs[0]:6.0f} {costs[1]:6.0f}   ratio {costs[1] / costs[0]:.2f}")
        for by_reference, how in ((False, "by `needs`"), (True, "by reference")):
            path = write_scenario(folder, "checked", layered(LARGE), by_reference=by_reference)
            took = median(partial(seconds_to_check, path))
            print(f"check of {LARGE:,} tasks with three needs each, {how}: {took:.2f} s, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
