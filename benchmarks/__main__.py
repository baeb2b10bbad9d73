"""Measure turntree against bare trio: `python -m benchmarks [REPEATS] [WORKLOAD…]`.

Uses the harness of `../shared/bench`. The two take turns, each in a fresh process, and the ratio is the median of the
ratios of the pairs: of CPU time, which a busy machine disturbs less than wall time, and of neighbours, since a shared
machine may be twice as fast a minute later.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
HARNESS = ROOT.parent / "shared" / "bench"
GOALS = {"w1": 2.5, "w2": 4.0, "w3": 6.0, "w4": 4.5, "w5": 150_000.0, "w7": 4.0}
"""Largest ratio to bare trio; for W5 the smallest number of deltas a second."""


def measure(adapter: str, workload: str) -> float:
    """Return the CPU time of one unit in microseconds."""
    environment = {**os.environ, "TURNTREE_ADAPTER": str(ROOT / "benchmarks" / "turntree_adapter.py")}
    command = [sys.executable, str(HARNESS / "child.py"), adapter, workload]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)
    if done.returncode != 0:
        sys.exit(f"{adapter} {workload} failed:\n{done.stderr}")
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT "))
    return float(json.loads(line.removeprefix("RESULT "))["cpu_us"])


def main(arguments: list[str]) -> None:
    """Print a line for each workload."""
    if not HARNESS.is_dir():
        sys.exit(f"the harness is not there: {HARNESS}")
    repeats = int(arguments[0]) if arguments else 5
    for workload in arguments[1:] or GOALS:
        pairs = [(measure("trio_floor", workload), measure("turntree", workload)) for _ in range(repeats)]
        floor = statistics.median([pair[0] for pair in pairs])
        ours = statistics.median([pair[1] for pair in pairs])
        ratio = statistics.median([pair[1] / pair[0] for pair in pairs])
        spread = max([pair[1] for pair in pairs]) / min([pair[1] for pair in pairs])
        goal = GOALS.get(workload)
        if workload == "w5":
            print(f"w5  {1e6 / ours:,.0f} deltas/s (goal {goal:,.0f}); slowest over fastest {spread:.2f}", flush=True)
        else:
            limit = "" if goal is None else f" (goal {goal:g})"
            print(
                f"{workload}  trio {floor:.1f} µs, turntree {ours:.1f} µs, ratio {ratio:.2f}{limit}; "
                f"slowest over fastest {spread:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
