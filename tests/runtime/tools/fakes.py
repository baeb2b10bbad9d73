"""A context for calls outside a Turn."""

from typing import Any

import attrs
import trio


@attrs.define
class Context:
    """Knows the ids of one call and keeps what the tool says."""

    limiter: trio.CapacityLimiter | None = None
    turn_id: str = "r.1"
    root_turn_id: str = "r"
    call_key: str = "1.0"
    idempotency_key: str = "r.1:1.0"
    cancelled: bool = False
    said: list[Any] = attrs.field(factory=list)

    def progress(self, message: str, percent: float | None = None) -> None:
        """Keep a progress report."""
        self.said.append((message, percent))

    def output(self, delta: str) -> None:
        """Keep a piece of output."""
        self.said.append(delta)

    def emit(self, name: str, data: Any) -> None:
        """Keep an event."""
        self.said.append((name, data))

    def request_stop(self, reason: str) -> None:
        """Keep a wish to stop."""
        self.said.append(reason)
