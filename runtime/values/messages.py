"""Messages between an agent Turn and its model, provider-neutral."""

from __future__ import annotations

from typing import Any, Literal

import attrs


@attrs.frozen
class Text:
    """Text that the model wrote."""

    text: str


@attrs.frozen
class Thinking:
    """Reasoning that the model shared; `signature` goes back to the provider unchanged."""

    text: str
    signature: str | None = None


@attrs.frozen
class ToolCall:
    """One call that the model asked for. `call_key` is ours; `id` is the provider's and may repeat."""

    call_key: str
    id: str
    name: str
    arguments: Any
    """The parsed JSON arguments, or the raw text where it was not valid JSON (then the verdict says so)."""


Block = Text | Thinking | ToolCall


@attrs.frozen
class UserMessage:
    """What the Turn was asked, or what the runtime tells the model on the user's behalf."""

    content: Any
    role: Literal["user"] = "user"


@attrs.frozen
class AssistantMessage:
    """One reply of the model; or, at the end of a Turn that was stopped, our sentence that says why."""

    blocks: tuple[Block, ...]
    role: Literal["assistant"] = "assistant"

    @property
    def text(self) -> str:
        """The text blocks, joined."""
        return "".join([block.text for block in self.blocks if type(block) is Text])

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls, in the model's order."""
        return tuple([block for block in self.blocks if type(block) is ToolCall])


@attrs.frozen
class ToolMessage:
    """The result of one call; every call of the history has exactly one."""

    call_key: str
    id: str
    name: str
    content: Any
    is_error: bool = False
    role: Literal["tool"] = "tool"


Message = UserMessage | AssistantMessage | ToolMessage
