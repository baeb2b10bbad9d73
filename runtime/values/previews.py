"""The payloads of previews: live, unnumbered, never stored and never folded."""

from __future__ import annotations

from typing import ClassVar

from runtime.values.payloads import EventData
from runtime.values.record import record


@record
class TextBlockStart(EventData):
    """The model begins a block of text."""

    type: ClassVar[str] = "TEXT_BLOCK_START"


@record
class TextBlockDelta(EventData):
    """A piece of text."""

    type: ClassVar[str] = "TEXT_BLOCK_DELTA"
    delta: str


@record
class TextBlockEnd(EventData):
    """The block of text is complete."""

    type: ClassVar[str] = "TEXT_BLOCK_END"


@record
class ThinkingBlockStart(EventData):
    """The model begins a block of reasoning."""

    type: ClassVar[str] = "THINKING_BLOCK_START"


@record
class ThinkingBlockDelta(EventData):
    """A piece of reasoning."""

    type: ClassVar[str] = "THINKING_BLOCK_DELTA"
    delta: str


@record
class ThinkingBlockEnd(EventData):
    """The block of reasoning is complete."""

    type: ClassVar[str] = "THINKING_BLOCK_END"


@record
class ToolCallStart(EventData):
    """The model begins to write a tool call."""

    type: ClassVar[str] = "TOOL_CALL_START"
    name: str


@record
class ToolCallDelta(EventData):
    """A piece of the call's arguments, as JSON text."""

    type: ClassVar[str] = "TOOL_CALL_DELTA"
    delta: str


@record
class ToolCallEnd(EventData):
    """The call is written out."""

    type: ClassVar[str] = "TOOL_CALL_END"


@record
class ToolProgress(EventData):
    """A running tool says how far it is."""

    type: ClassVar[str] = "TOOL_PROGRESS"
    message: str
    percent: float | None = None


@record
class ToolOutputDelta(EventData):
    """A piece of a running tool's output."""

    type: ClassVar[str] = "TOOL_OUTPUT_DELTA"
    delta: str


PREVIEWS: tuple[type[EventData], ...] = (
    TextBlockStart, TextBlockDelta, TextBlockEnd, ThinkingBlockStart, ThinkingBlockDelta, ThinkingBlockEnd,
    ToolCallStart, ToolCallDelta, ToolCallEnd, ToolProgress, ToolOutputDelta,
)  # fmt: skip
