"""Tools and an agent for plans, and plans driven in random orders."""

import random
from typing import Any

from planner import Plan, Task
from runtime import Agent, ModelError, ToolError, tool
from runtime.core.grammar import check_grammar
from runtime.core.ports import ModelRequest
from runtime.testing import Driven, FunctionModel, drive
from runtime.values import events as e


@tool(replay="safe")
def double(n: int) -> int:
    """Double a number; a negative one fails."""
    if n < 0:
        raise ToolError(f"{n} is negative", kind="tool_error")
    return 2 * n


def work(request: ModelRequest) -> str:
    """Answer a prompt `<failures> <kind> <text>` with the text, after so many attempts that fail with the kind."""
    content = str(getattr(request.messages[0], "content", ""))
    failures, kind, text = (*content.split(" ", 2), "")[:3]
    if request.attempt <= int(failures):
        raise ModelError(f"attempt {request.attempt} fails", kind=kind)
    return text


WORKER = Agent("worker", model=FunctionModel(work))


def task(key: str, text: str = "done", *, failures: int = 0, kind: str = "transport", **options: Any) -> Task:
    """A task of the worker that ends with the text, after so many failures."""
    return Task(key, agent=WORKER, prompt=f"{failures} {kind} {text}", **options)


def run(plan: Plan, inputs: Any = None, seed: int = 0, **options: Any) -> Driven:
    """Run a plan in the order of a seed and hold its facts against the grammar."""
    driven = drive(plan, inputs, rng=random.Random(seed), **options)
    check_grammar(driven.facts, ended=driven.status.terminal)
    return driven


def statuses(driven: Driven) -> dict[str, str]:
    """How each task stands."""
    return {key: result.status for key, result in driven.tasks.items()}


def types(driven: Driven, *names: str) -> list[str]:
    """The types of the plan's own facts; only those with the given beginnings, if any are given."""
    own = [fact.type for fact in driven.facts if fact.parent_turn_id is None]
    return [type for type in own if not names or type.startswith(names)]


def started(driven: Driven) -> list[str]:
    """Names of the children in the order in which they were started."""
    return [fact.data.key for fact in driven.facts if isinstance(fact.data, e.ChildStarted)]
