"""The payloads of previews: live, unnumbered, never stored and never folded."""

from __future__ import annotations

from typing import ClassVar

import attrs

from runtime.values.payloads import EventData


@attrs.frozen(eq=False, repr=False)
class TextBlockStart(EventData):
    """The model begins a block of text."""

    type: ClassVar[str] = "TEXT_BLOCK_START"


@attrs.frozen(eq=False, repr=False)
class TextBlockDelta(EventData):
    """A piece of text."""

    type: ClassVar[str] = "TEXT_BLOCK_DELTA"
    delta: str


@attrs.frozen(eq=False, repr=False)
class TextBlockEnd(EventData):
    """The block of text is complete."""

    type: ClassVar[str] = "TEXT_BLOCK_END"


@attrs.frozen(eq=False, repr=False)
class ThinkingBlockStart(EventData):
    """The model begins a block of reasoning."""

    type: ClassVar[str] = "THINKING_BLOCK_START"


@attrs.frozen(eq=False, repr=False)
class ThinkingBlockDelta(EventData):
    """A piece of reasoning."""

    type: ClassVar[str] = "THINKING_BLOCK_DELTA"
    delta: str


@attrs.frozen(eq=False, repr=False)
class ThinkingBlockEnd(EventData):
    """The block of reasoning is complete."""

    type: ClassVar[str] = "THINKING_BLOCK_END"


@attrs.frozen(eq=False, repr=False)
class ToolCallStart(EventData):
    """The model begins to write a tool call."""

    type: ClassVar[str] = "TOOL_CALL_START"
    name: str


@attrs.frozen(eq=False, repr=False)
class ToolCallDelta(EventData):
    """A piece of the call's arguments, as JSON text."""

    type: ClassVar[str] = "TOOL_CALL_DELTA"
    delta: str


@attrs.frozen(eq=False, repr=False)
class ToolCallEnd(EventData):
    """The call is written out."""

    type: ClassVar[str] = "TOOL_CALL_END"


@attrs.frozen(eq=False, repr=False)
class ToolProgress(EventData):
    """A running tool says how far it is."""

    type: ClassVar[str] = "TOOL_PROGRESS"
    message: str
    percent: float | None = None


@attrs.frozen(eq=False, repr=False)
class ToolOutputDelta(EventData):
    """A piece of a running tool's output."""

    type: ClassVar[str] = "TOOL_OUTPUT_DELTA"
    delta: str


PREVIEWS: tuple[type[EventData], ...] = (
    TextBlockStart, TextBlockDelta, TextBlockEnd, ThinkingBlockStart, ThinkingBlockDelta, ThinkingBlockEnd,
    ToolCallStart, ToolCallDelta, ToolCallEnd, ToolProgress, ToolOutputDelta,
)  # fmt: skip
