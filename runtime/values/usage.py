"""What was spent."""

from __future__ import annotations

import attrs


@attrs.frozen
class Usage:
    """Counters of a call, a Turn or a subtree; they only ever grow and add up exactly."""

    input_tokens: int = 0
    output_tokens: int = 0
    model_calls: int = 0
    tool_calls: int = 0

    @property
    def total_tokens(self) -> int:
        """Input and output tokens together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        if other is NO_USAGE:
            return self
        if self is NO_USAGE:
            return other
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.model_calls + other.model_calls,
            self.tool_calls + other.tool_calls,
        )


NO_USAGE = Usage()
