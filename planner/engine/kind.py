"""The kind `plan`: what the runtime needs to know to run plans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from planner.engine.compiled import TaskInvalid, accept_inputs
from planner.engine.events import PAYLOADS
from planner.engine.fold import GRAPHS
from planner.engine.machine import PlanMachine
from planner.plan import Plan, Task, checked_graph
from runtime.core.kinds import Kind, find, register
from runtime.errors import UsageError
from runtime.tools.function import as_tool

if TYPE_CHECKING:
    from runtime.values.agent import Agent


def prepare_plan(plan: Plan) -> None:
    """Check a plan and what it gives its tools. Once is enough, since a plan does not change.

    Raises:
        PlanInvalid: The plan has faults; the error lists them all.
        UsageError: An agent cannot run as it is.
    """
    if plan not in GRAPHS:
        graph = checked_graph(plan, lambda tool: as_tool(tool).spec)
        for agent in _agents(plan, {}).values():
            find("agent").accept(agent, None)
        GRAPHS[plan] = graph


def _agents(plan: Plan, found: dict[int, Agent]) -> dict[int, Agent]:
    """Collect the agents that a plan and the plans in it run."""
    for task in plan.tasks:
        if task.agent is not None:
            found[id(task.agent)] = task.agent
        elif task.plan is not None:
            _agents(task.plan, found)
    return found


def accept_plan(plan: Plan, given: Any) -> Any:
    """Check a plan and its inputs before the first event; returns the inputs with defaults.

    Raises:
        PlanInvalid: The plan has faults; the error lists them all.
        UsageError: The inputs do not fit what the plan declares.
    """
    prepare_plan(plan)
    try:
        return accept_inputs(plan, {} if given is None else given)
    except TaskInvalid as invalid:
        raise UsageError(str(invalid)) from None


def describe_plan(plan: Plan) -> str:
    """Return a text that changes whenever the plan, or what it runs, would behave differently."""
    agents = sorted([find("agent").describe(agent) for agent in _agents(plan, {}).values()])
    described = {"plan": _plan(plan), "agents": agents}
    return orjson.dumps(described, default=str, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS).decode()


def _plan(plan: Plan) -> dict[str, Any]:
    return {
        "name": plan.name, "version": plan.version, "inputs": plan.inputs, "output": plan.output,
        "max_parallel": plan.max_parallel, "on_failure": plan.on_failure,
        "tasks": [_task(task) for task in plan.tasks],
    }  # fmt: skip


def _task(task: Task) -> dict[str, Any]:
    each, ask, retry = task.for_each, task.ask, task.retries
    return {
        "key": task.key, "prompt": task.prompt, "with": task.inputs, "needs": task.needs, "when": task.when,
        "on_failure": task.on_failure, "timeout": task.timeout,
        "for_each": each and [each.over, each.key, each.max_parallel, each.allow_failures],
        "ask": ask and [ask.message, ask.show, ask.form],
        "retries": retry and [retry.max, retry.delay, retry.factor, sorted(retry.only or ())],
        "agent": task.agent and task.agent.name,
        "tool": task.tool and as_tool(task.tool).name,
        "plan": task.plan and _plan(task.plan),
    }  # fmt: skip


PLAN = register(
    Kind(
        name="plan",
        build=PlanMachine,
        describe=describe_plan,
        prepare=prepare_plan,
        accept=accept_plan,
        payloads=PAYLOADS,
    )
)
