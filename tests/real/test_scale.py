"""Large scenario files are checked quickly."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real.graphs import layered, write_scenario

ROOT = Path(__file__).parents[2]
TASKS = 10_000
SECONDS = 2.5
"""More than twice what it should take, since a machine may be slow or busy."""
MEASURE = """
import sys, time
from planner.scenario import check_scenario
before = time.process_time()
checked = check_scenario(sys.argv[1])
print(time.process_time() - before)
sys.exit(checked.report or None)
"""


@pytest.mark.slow
def test_ten_thousand_tasks_are_checked_in_seconds(tmp_path: Path) -> None:
    """A file of ten thousand tasks, three needs each, takes a bounded processor time to check."""
    path = write_scenario(tmp_path, "large", layered(TASKS))
    # A process of its own, as for a user: here coverage would be measured along, and a large heap collected.
    alone = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    command = [sys.executable, "-c", MEASURE, str(path)]
    done = subprocess.run(command, env=alone, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    measured = f"checking {TASKS:,} tasks took {float(done.stdout):.2f} s of processor time"
    print(measured)  # noqa: T201 - shown by `pytest -rP`
    assert float(done.stdout) < SECONDS, measured
