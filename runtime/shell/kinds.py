"""The kind `agent`: resolves a definition's tools once, and tells apart agents that behave differently."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from runtime.core.agent import AgentMachine
from runtime.core.agent_fold import AgentKit
from runtime.core.kinds import Kind, register
from runtime.core.ports import ToolSpec
from runtime.errors import UsageError
from runtime.tools.function import as_tool
from runtime.tools.signature import schema_of
from runtime.tools.validation import Validator

if TYPE_CHECKING:
    from collections.abc import Callable

    from runtime.values.agent import Agent

_TASK = {
    "type": "object",
    "properties": {"task": {"type": "string", "description": "What to do, with everything that it needs to know."}},
    "required": ["task"],
    "additionalProperties": False,
}


def kit_of(agent: Agent) -> AgentKit:
    """Resolve an agent's tools and agents by name.

    Raises:
        UsageError: Two of them share a name, or one is no tool.
    """
    tools = [as_tool(tool) for tool in agent.tools]
    names = [tool.name for tool in tools] + [below.name for below in agent.agents]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"agent {agent.name!r} has two tools or agents named {twice[0]!r}; give one another name")
    specs = [tool.spec for tool in tools]
    checks: dict[str, Callable[[Any], str | None]] = {tool.name: tool.validate for tool in tools}
    for below in agent.agents:
        schema = below.inputs or _TASK
        specs.append(ToolSpec(below.name, below.description or below.instructions, schema))
        checks[below.name] = Validator(schema).explain
    output = output_schema(agent)
    return AgentKit(
        tools={tool.name: tool for tool in tools},
        agents={below.name: below for below in agent.agents},
        specs=tuple(specs),
        check_arguments=checks,
        output_schema=output,
        check_output=None if output is None else Validator(output).explain,
    )


def output_schema(agent: Agent) -> Any:
    """Return the JSON Schema of an agent's output, or None for text."""
    return schema_of(agent.output) if isinstance(agent.output, type) else agent.output


def describe_agent(agent: Agent) -> str:
    """Return a text that changes whenever an agent or one below it would behave differently."""
    seen: dict[str, Any] = {}
    _describe(agent, seen)
    return json.dumps({"root": agent.name, "agents": seen}, sort_keys=True)


def _describe(agent: Agent, seen: dict[str, Any]) -> None:
    if agent.name in seen:
        return
    seen[agent.name] = {}
    seen[agent.name] = {
        "version": agent.version,
        "model": agent.model.name,
        "instructions": agent.instructions,
        "tools": {tool.name: dict(tool.spec.parameters) for tool in map(as_tool, agent.tools)},
        "agents": [below.name for below in agent.agents],
        "output": output_schema(agent),
        "limits": [agent.max_iterations, agent.max_steps, agent.max_mistakes, agent.tool_errors],
    }
    for below in agent.agents:
        _describe(below, seen)


AGENT = register(Kind(name="agent", build=lambda agent: AgentMachine(agent, kit_of(agent)), describe=describe_agent))
