"""Active time: what a task's `timeout` counts. Waiting for people, places and retries does not count."""

from __future__ import annotations

from typing import Final

import trio

INFINITY: Final = float("inf")


class ActiveClock:
    """Runs while at least one call below its Turn is in flight, and cancels the Turn's scope when time is up."""

    __slots__ = ("left", "running", "scope", "since")

    def __init__(self, scope: trio.CancelScope, left: float) -> None:
        self.scope = scope
        self.left = left
        """Seconds that may still be used."""
        self.running = 0
        self.since = 0.0

    def enter(self) -> None:
        """A call starts."""
        if self.running == 0:
            self.since = trio.current_time()
            self.scope.deadline = self.since + self.left
        self.running += 1

    def leave(self) -> None:
        """A call ended."""
        self.running -= 1
        if self.running == 0:
            self.left -= trio.current_time() - self.since
            self.scope.deadline = INFINITY
