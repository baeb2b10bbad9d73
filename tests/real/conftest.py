"""What all runs of real data share."""

from collections.abc import Iterator

import coverage
import pytest


@pytest.fixture(autouse=True)
def unmeasured(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let slow tests run without coverage: a thousand graphs reach the lines of one, and take three times as long."""
    stopped = []
    if request.node.get_closest_marker("slow"):
        # In a worker process there are two: its own, and one that began with the process.
        while (measuring := coverage.Coverage.current()) is not None:
            measuring.stop()
            stopped.append(measuring)
    yield
    for measuring in reversed(stopped):
        measuring.start()
