"""From the document to agents and plans; every name in it is looked up here.

A name that leads nowhere is noted and stood in for by something that fits everywhere, so that one mistake gives one
message.
"""

from collections.abc import Mapping
from typing import Any

import attrs

from planner.plan.faults import did_you_mean
from planner.plan.fields import JsonSchema
from planner.plan.values import Ask, ForEach, Plan, Retry, Task
from planner.scenario.document import AgentNode, PlanNode, RetryNode, ScenarioNode, TaskNode
from planner.scenario.places import PathKey
from planner.scenario.records import ABSENT
from planner.scenario.shapes import Reading
from runtime.core.ports import Model, Tool
from runtime.values.agent import Agent

_NO_INPUTS: Mapping[str, Any] = {}


@attrs.frozen
class Parts:
    """What a document is made of, with every name replaced by what it stands for."""

    agents: Mapping[str, Agent]
    plans: Mapping[str, Plan]
    plan: Plan


@attrs.define
class Assembly:
    """One document on its way to agents and plans."""

    document: ScenarioNode
    models: Mapping[str, Model]
    tools: Mapping[str, Tool]
    reading: Reading
    stand_in: Model
    """The model of an agent whose own is unknown."""
    _agents: dict[str, Agent] = attrs.field(factory=dict, init=False)
    _plans: dict[str, Plan] = attrs.field(factory=dict, init=False)
    _running: list[str] = attrs.field(factory=list, init=False)
    """Plans that are being put together, the outermost first."""

    def parts(self) -> Parts:
        """Put everything together."""
        document = self.document
        members: dict[str, list[Agent]] = {name: [] for name in document.agents}
        for name, node in document.agents.items():
            self._agents[name] = self._agent(name, node, members[name])
        for name, node in document.agents.items():
            # Agents may call each other in a circle, so their lists are filled once all of them exist.
            found = self._members(node)
            members[name] += found
        for name in document.plans:
            self._nested(name)
        plan = self._plan(document.plan, document.name, document.inputs)
        return Parts(self._agents, self._plans, plan)

    def _agent(self, name: str, node: AgentNode, members: list[Agent]) -> Agent:
        limits = {
            field: value
            for field in ("max_iterations", "max_steps", "tool_errors", "max_concurrent")
            if (value := getattr(node, field)) is not None
        }
        tools = [
            tool
            for index, each in enumerate(node.tools)
            if (tool := self._look_up("tool", each, self.tools, (*node.path, "tools", index))) is not None
        ]
        model = self._look_up("model", node.model, self.models, (*node.path, "model")) if node.model else None
        return Agent(
            name,
            model=model or self.stand_in,
            instructions=node.instructions,
            description=node.description,
            tools=tools,
            agents=members,
            inputs=_document(node.inputs),
            output={} if node.path in self.reading.refused else _document(node.output),
            **limits,
        )

    def _members(self, node: AgentNode) -> list[Agent]:
        seen = set(node.tools)
        members = []
        for index, name in enumerate(node.agents):
            path = (*node.path, "agents", index)
            if name in seen:
                message = f"{node.path[-1]} would have two tools called `{name}`"
                self.reading.refuse("name-clash", path, message, "name each once; rename the tool or the agent")
            elif (agent := self._look_up("agent", name, self._agents, path)) is not None:
                members.append(agent)
            seen.add(name)
        for index, name in enumerate(node.tools):
            if name in node.tools[:index]:
                path = (*node.path, "tools", index)
                self.reading.refuse("name-clash", path, f"`{name}` is in the list twice", "name each once")
        return members

    def _look_up(self, sort: str, name: str, known: Mapping[str, Any], path: PathKey) -> Any:
        """Return what a name stands for; None, with a finding, if it is nothing that could be read."""
        if name in known:
            return known[name]
        section = f"{sort}s"
        if (section,) in self.reading.refused:
            return None  # the whole section could not be read, which has been said
        hint = did_you_mean(name, known, otherwise=f"describe it under `{section}`")
        self.reading.refuse(f"unknown-{sort}", path, f"there is no {sort} `{name}`", hint)
        return None

    def _nested(self, name: str) -> Plan:
        if name not in self._plans:
            node = self.document.plans[name]
            self._running.append(name)
            self._plans[name] = self._plan(node, name, node.inputs)
            self._running.pop()
        return self._plans[name]

    def _plan(self, node: PlanNode, name: str, inputs: JsonSchema | None) -> Plan:
        return Plan(
            tuple([self._task(key, each) for key, each in node.tasks.items()]),
            name=name,
            inputs=_NO_INPUTS if inputs is None else inputs,
            output=None if node.output is ABSENT else node.output,
            max_parallel=node.max_parallel,
            on_failure=node.on_failure or "stop",  # type: ignore[arg-type]
        )

    def _task(self, key: str, node: TaskNode) -> Task:
        agent = tool = plan = None
        if node.agent is not None:
            agent = self._look_up("agent", node.agent, self._agents, (*node.path, "agent")) or self._any_agent()
        if node.tool is not None:
            tool = self._look_up("tool", node.tool, self.tools, (*node.path, "tool")) or _unknown_tool
        if node.plan is not None:
            plan = self._plan_of(node, (*node.path, "plan"))
            tool = tool if plan is not None else _unknown_tool
        return Task(
            key,
            self._for_each(node),
            agent=agent,
            prompt=node.prompt,
            tool=tool,
            plan=plan,
            ask=self._ask(node),
            inputs=node.with_,
            needs=tuple(node.needs),
            when=node.when,
            on_failure=node.on_failure,  # type: ignore[arg-type]
            timeout=node.timeout,
            retries=_retry(node.retries),
            estimate=node.estimate,
        )

    def _plan_of(self, node: TaskNode, path: PathKey) -> Plan | None:
        name = str(node.plan)
        if name in self._running:
            chain = " -> ".join([*self._running[self._running.index(name) :], name])
            hint = "a plan cannot run itself; go through a list with `for_each` instead"
            self.reading.refuse("plan-in-itself", path, f"plan `{name}` would never end: {chain}", hint)
            return None
        nested = self._look_up("plan", name, self.document.plans, path)
        if nested is None or {nested.path, (*nested.path, "tasks")} & self.reading.refused:
            return None
        return self._nested(name)

    def _for_each(self, node: TaskNode) -> ForEach | None:
        if node.for_each is not None:
            return ForEach(
                node.for_each,
                key=node.key,
                max_parallel=node.max_parallel,
                allow_failures=0 if node.allow_failures is None else node.allow_failures,
            )
        if (*node.path, "for_each") not in self.reading.refused:
            for name in ("key", "max_parallel", "allow_failures"):
                if getattr(node, name) is not None:
                    message = f"`{name}` says how a list is gone through, and there is no `for_each`"
                    path = (*node.path, name)
                    self.reading.refuse("stray-key", path, message, "add `for_each`, or delete it", key=True)
        return None

    def _ask(self, node: TaskNode) -> Ask | None:
        if node.ask is None:
            return None
        show = None if node.ask.show is ABSENT else node.ask.show
        return Ask(node.ask.message or "", show, form=node.ask.form)

    def _any_agent(self) -> Agent:
        return Agent("unknown", model=self.stand_in, output={})


def _unknown_tool() -> None:
    """Stands for a tool or plan that is not there, whose output could be anything."""


def _document(schema: JsonSchema | None) -> Mapping[str, Any] | None:
    return None if schema is None else schema.document


def _retry(written: Any) -> Retry | None:
    if written is None or written == 0:
        return None
    if not isinstance(written, RetryNode):
        return Retry(written)
    given = {name: value for name in ("delay", "factor") if (value := getattr(written, name)) is not None}
    only = None if written.only is None else frozenset(written.only)
    return Retry(written.max or 1, only=only, **given)
