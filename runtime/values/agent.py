"""The definition of an agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import attrs

from runtime.values.capabilities import Model, Tool, ToolFunction


def _at_least_one(_: object, field: attrs.Attribute[int], value: int) -> None:
    if value < 1:
        raise ValueError(f"{field.name} must be at least 1, not {value!r}")


@attrs.frozen(eq=False)
class Agent:
    """A model with instructions, tools and agents that it may call. A Turn is one run of it."""

    kind: ClassVar[str] = "agent"

    name: str
    model: Model = attrs.field(kw_only=True)
    instructions: str = attrs.field(default="", kw_only=True)
    tools: Sequence[Tool | ToolFunction] = attrs.field(default=(), kw_only=True)
    """Tools, or typed Python functions that become tools."""
    agents: Sequence[Agent] = attrs.field(default=(), kw_only=True)
    """Agents that it may call, each a tool of its own name. Read when the agent first runs, so a cycle can be tied."""
    inputs: Mapping[str, Any] | None = attrs.field(default=None, kw_only=True)
    """JSON Schema of its input when it is called as a tool; default one text, `task`."""
    output: Any = attrs.field(default=None, kw_only=True)
    """JSON Schema of its output, or a type that stands for one (a dataclass, `list[int]`); None means text."""
    description: str = attrs.field(default="", kw_only=True)
    """What a calling model is told of it; default the instructions."""
    max_iterations: int = attrs.field(default=100, kw_only=True, validator=_at_least_one)
    """Model calls that a Turn may make."""
    max_steps: int = attrs.field(default=1000, kw_only=True, validator=_at_least_one)
    max_mistakes: int = attrs.field(default=3, kw_only=True, validator=_at_least_one)
    """Replies in a row with a call or an output that does not fit, before the Turn fails."""
    tool_errors: Literal["return", "fail"] = attrs.field(
        default="return", kw_only=True, validator=attrs.validators.in_(["return", "fail"])
    )
    """Whether the model is told of a tool's failure, or the Turn fails once the other calls are done."""
    max_concurrent: int | None = attrs.field(default=None, kw_only=True)
    """How many tasks may run this agent at once. Agents that agents call run within their caller's place."""
    version: str = attrs.field(default="1", kw_only=True)
