"""A plan made ready to run: for each task what it runs, when it may start, and how its input is made.

Everything here follows from the plan alone. Texts are read when they are first needed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import attrs

from planner.expressions import EvaluationFault, parse_expression, parse_template, parse_value
from planner.plan import PlanGraph, Task, apply_defaults, fields_schema
from runtime.core.ports import Definition
from runtime.core.simple import Call, Question, describe_question
from runtime.tools.function import as_tool
from runtime.tools.validation import Validator
from runtime.values.commands import Slot
from runtime.values.failure import Failure
from runtime.values.jsonlike import Unserialisable, freeze

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planner.plan import Plan

Scope = dict[str, Any]
_QUESTION = Question()


class TaskInvalid(Exception):
    """Something about a task cannot be worked out from what other tasks brought; carries the failure."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.failure = Failure(kind, message)


@attrs.frozen(eq=False)
class CompiledTask:
    """One task, ready to run."""

    task: Task
    ordinal: int
    """Its place in the plan, from 1."""
    definition: Definition
    slots: tuple[Slot, ...]
    """Admission places that one child of it holds."""
    priority: float
    """Minus the longest remaining path: the smaller, the sooner."""
    stops: bool
    """Whether its failure stops the plan."""
    form: Any = None
    """JSON Schema of an `ask`."""

    @property
    def key(self) -> str:
        """The task's name."""
        return self.task.key

    def call_key(self, index: int | None, attempt: int) -> str:
        """Return the call key of an attempt: `0.<task>`, or `<task>.<item>` where there are items."""
        base = f"0.{self.ordinal}" if index is None else f"{self.ordinal}.{index + 1}"
        return base if attempt == 1 else f"{base}.{attempt}"

    def wanted(self, scope: Scope) -> bool:
        """Evaluate `when`. Raises TaskInvalid."""
        when = self.task.when
        return when is None or bool(_evaluate(parse_expression(when), scope, "when"))

    @property
    def when_asks_item(self) -> bool:
        """Whether `when` is asked for each item."""
        when = self.task.when
        return when is not None and any(r.root in ("item", "index") for r in parse_expression(when).references)

    def items(self, scope: Scope) -> tuple[list[Any], tuple[str, ...]]:
        """Evaluate `for_each` and its keys. Raises TaskInvalid."""
        each = self.task.for_each
        assert each is not None
        over = _evaluate(parse_expression(each.over), scope, "for_each") if isinstance(each.over, str) else each.over
        if not isinstance(over, list | tuple):
            raise TaskInvalid("expression", f"for_each of {self.key} gives {type(over).__name__}, not a list")
        items: list[Any] = freeze(list(over))
        if each.key is None:
            return items, tuple(map(str, range(len(items))))
        expression = parse_expression(each.key)
        keys = []
        for index, item in enumerate(items):
            value = _evaluate(expression, {**scope, "item": item, "index": index}, "key")
            keys.append(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        twice = next((key for place, key in enumerate(keys) if key in keys[:place]), None) if _repeats(keys) else None
        if twice is not None:
            raise TaskInvalid("expression", f"two items of {self.key} have the key {twice!r}")
        return items, tuple(keys)

    def input(self, scope: Scope) -> Any:
        """Make the input of one child. Raises TaskInvalid."""
        task = self.task
        if task.agent is not None:
            return _frozen(_evaluate(parse_template(task.prompt or ""), scope, "prompt"))
        if task.ask is not None:
            message = _evaluate(parse_template(task.ask.message), scope, "message")
            show = _evaluate(parse_value(task.ask.show), scope, "show")
            text = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
            return _frozen(describe_question(text, show, self.form))
        given = _evaluate(parse_value(dict(task.inputs or {})), scope, "with")
        if task.plan is not None:
            return _frozen(accept_inputs(task.plan, given))
        return _frozen(given)


def _repeats(keys: list[str]) -> bool:
    return len(set(keys)) < len(keys)


def _evaluate(source: Any, scope: Scope, where: str) -> Any:
    try:
        return source.evaluate(scope)
    except EvaluationFault as fault:
        raise TaskInvalid("expression", f"{where}: {fault}") from None


def _frozen(value: Any) -> Any:
    try:
        return freeze(value, where="input")
    except Unserialisable as error:
        raise TaskInvalid("unserialisable", str(error)) from None


def accept_inputs(plan: Plan, given: Any) -> Any:
    """Return a plan's inputs with defaults. Raises TaskInvalid when they do not fit what it declares."""
    if plan.inputs is None:
        return given
    schema = fields_schema(plan.inputs)
    full = apply_defaults(schema, given)
    wrong = Validator(schema).explain(full)
    if wrong is not None:
        raise TaskInvalid("invalid_input", f"inputs of plan {plan.name!r}: {wrong}")
    return full


def compile_plan(plan: Plan, graph: PlanGraph) -> Mapping[str, CompiledTask]:
    """Make every task of a plan ready, in the plan's order."""
    shared = (Slot("plan", plan.max_parallel, local=True),) if plan.max_parallel is not None else ()
    calls: dict[int, Call] = {}
    out: dict[str, CompiledTask] = {}
    for ordinal, task in enumerate(plan.tasks, 1):
        own: tuple[Slot, ...] = ()
        form = None
        definition: Definition
        if task.agent is not None:
            definition = task.agent
            if task.agent.max_concurrent is not None:
                own = (Slot(f"agent:{task.agent.name}", task.agent.max_concurrent),)
        elif task.tool is not None:
            call = calls.get(id(task.tool))
            if call is None:
                call = calls[id(task.tool)] = Call(as_tool(task.tool))
            definition = call
            own = call.tool.slots
        elif task.plan is not None:
            definition = task.plan
        else:
            definition = _QUESTION
            form = None if task.ask is None or task.ask.form is None else fields_schema(task.ask.form)
        each = task.for_each
        if each is not None and each.max_parallel is not None:
            own = (*own, Slot(f"each:{task.key}", each.max_parallel, local=True))
        stops = (task.on_failure or plan.on_failure) == "stop"
        out[task.key] = CompiledTask(task, ordinal, definition, shared + own, -graph.remaining(task.key), stops, form)
    return out
