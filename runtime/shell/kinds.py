"""The kind `agent`: resolves a definition's tools once, and tells apart agents that behave differently."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from runtime.core.agent import AgentMachine
from runtime.core.agent_fold import AgentKit
from runtime.core.kinds import Kind, register
from runtime.core.ports import ToolSpec
from runtime.errors import UsageError
from runtime.tools.function import as_tool
from runtime.tools.signature import schema_of
from runtime.tools.validation import Validator
from runtime.values.agent import Agent

if TYPE_CHECKING:
    from collections.abc import Callable

_TASK = {
    "type": "object",
    "properties": {"task": {"type": "string", "description": "What to do, with everything that it needs to know."}},
    "required": ["task"],
    "additionalProperties": False,
}


_KEYWORDS = frozenset(
    {"type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "not", "if", "properties", "items", "required"}
)
"""One of them stands in every schema that says anything about the shape of a value."""
_CHECKED: WeakSet[Agent] = WeakSet()
"""Agents that were found right before; a program may start the same one thousands of times."""


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
    specs: list[ToolSpec] = []
    checks: dict[str, Callable[[Any], str | None]] = {tool.name: tool.validate for tool in tools}
    for below in agent.agents:
        schema = below.inputs or _TASK
        specs.append(ToolSpec(below.name, below.description or below.instructions, schema))
        checks[below.name] = Validator(schema).explain
    output = output_schema(agent)
    return AgentKit(
        tools={tool.name: tool for tool in tools},
        agents={below.name: below for below in agent.agents},
        agent_specs=tuple(specs),
        check_arguments=checks,
        output_schema=output,
        check_output=None if output is None else Validator(output).explain,
    )


def output_schema(agent: Agent) -> Any:
    """Return the JSON Schema of an agent's output, or None for text.

    Raises:
        UsageError: It is neither a schema nor a type that stands for one.
    """
    output = agent.output
    if output is None:
        return None
    schema = output if isinstance(output, Mapping) else schema_of(output)
    where = f"output of agent {agent.name!r}"
    if schema and not _KEYWORDS & schema.keys():
        raise UsageError(f"{where}: {schema!r} checks nothing; a JSON Schema has keys such as 'type' and 'properties'")
    try:
        Validator(schema).explain(None)
    except Exception:
        Validator.check_schema(schema, where=where)  # says what is wrong; slow to import, so only now
        raise
    return schema


def accept_agent(agent: Agent, given: Any) -> Any:
    """Check an agent and all agents under it before the first event.

    Raises:
        UsageError: A model, tool, agent or schema is none, or the input does not fit the agent's declared inputs.
    """
    _check(agent)
    if agent.inputs is not None and given is not None:
        wrong = Validator(agent.inputs).explain(given)
        if wrong is not None:
            raise UsageError(f"input of agent {agent.name!r}: {wrong}")
    return given


def _check(agent: Agent) -> None:
    if agent in _CHECKED:
        return
    _CHECKED.add(agent)  # before those under it, since agents may call each other in a circle
    try:
        _check_parts(agent)
    except UsageError:
        _CHECKED.discard(agent)
        raise


def _check_parts(agent: Agent) -> None:
    if not callable(getattr(agent.model, "call", None)):
        raise UsageError(f"the model of agent {agent.name!r} is {agent.model!r}; give an object with `name` and `call`")
    for below in agent.agents:
        if not isinstance(below, Agent):
            raise UsageError(f"agent {agent.name!r} may call {below!r}, which is no Agent")
        _check(below)
    kit_of(agent)


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


AGENT = register(
    Kind(
        name="agent",
        build=lambda agent: AgentMachine(agent, kit_of(agent)),
        describe=describe_agent,
        accept=accept_agent,
    )
)
