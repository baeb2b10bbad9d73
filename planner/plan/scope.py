"""What the texts of a plan can refer to, with its type where that is known before the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from planner.expressions import ExpressionFault, Reference, parse_expression, parse_template
from planner.plan.fields import FieldsInvalid, fields_schema
from planner.plan.types import ANYTHING, TEXT, Schema, data_type, item_type, type_at
from runtime.errors import UsageError

if TYPE_CHECKING:
    from planner.plan.graph import PlanGraph
    from planner.plan.types import Missing
    from planner.plan.values import ForEach, Plan, Task
    from runtime.values.agent import Agent

_LONGEST_LITERAL = 50
"""Items of a literal list that are looked at for their fields."""
PARTS = ("output", "status", "error")
"""What every task has; one with `for_each` has `items` too."""


@attrs.frozen(eq=False)
class Scope:
    """The types of everything that the texts of one plan can name."""

    inputs: Schema | None
    """Of all inputs as an object; None if the plan declares none."""
    tasks: Mapping[str, Schema]
    """Of what `tasks.NAME` stands for: an object of its parts."""
    elements: Mapping[str, Schema]
    """Of `item`, for each task with `for_each`."""

    @classmethod
    def of(cls, plan: Plan, graph: PlanGraph, outputs: Mapping[str, Schema | None]) -> Scope:
        """Find the types of a plan's inputs and tasks.

        Args:
            plan: The plan.
            graph: Its graph; tasks that wait in a circle are of unknown type.
            outputs: Type of what one run of a task gives, for those tasks that run a plan.
        """
        scope = cls(declared_inputs(plan), tasks := {}, elements := {})
        shapes: dict[int, Schema] = {}
        for key, task in graph.tasks.items():
            # What stands in a circle keeps this.
            tasks[key] = _PLAIN if task.for_each is None else _parts(ANYTHING, ANYTHING)
        for key in graph.order:
            task = graph.tasks[key]
            output = outputs.get(key) if task.plan is not None else _single_output(task)
            if output is None:
                output = ANYTHING
            if task.for_each is not None:
                elements[key] = scope._element(task.for_each) or ANYTHING
                tasks[key] = _parts(output, elements[key])
            else:
                # Tasks of one agent share their type; it holds `output`, so that no other one gets the same id.
                if (shape := shapes.get(id(output))) is None:
                    shape = shapes[id(output)] = _parts(output, None)
                tasks[key] = shape
        return scope

    def look_up(self, reference: Reference, task: str | None = None) -> Schema | Missing | None:
        """The type of what a reference names, None if it is unknown, or what is missing.

        Args:
            reference: Any; one whose root has no value in plans is of unknown type.
            task: In which task it stands, if `item` and `index` may be meant.
        """
        parts = reference.parts
        if reference.root == "tasks":
            if len(parts) == 2 and parts[0] in self.tasks and parts[1] == "output":
                output: Schema = self.tasks[str(parts[0])]["properties"]["output"]
                return output  # what nearly every reference names, without a walk
            return type_at({"properties": self.tasks, "additionalProperties": False}, parts)
        roots = {"inputs": self.inputs, "item": self.elements.get(task or ""), "index": {"type": "integer"}}
        return type_at(roots.get(reference.root), parts)

    def type_of_value(self, value: Any, task: str | None = None) -> Schema:
        """The type of a nested value whose texts are valid templates."""
        return data_type(value, lambda text: self._type_of_text(text, task))

    def type_of_expression(self, text: str) -> Schema | None:
        """The type of a bare expression; None if it is more than a plain path, or cannot be read."""
        try:
            expression = parse_expression(text)
        except ExpressionFault:
            return None
        return self._type_of_path(expression.source, expression.references, None)

    def _type_of_text(self, text: str, task: str | None) -> Schema | None:
        if "${" not in text:
            return {"const": text}
        template = parse_template(text)
        if template.is_literal:
            return {"const": template.evaluate({})}
        source = template.source
        if not (source.startswith("${") and source.endswith("}")) or "${" in source[2:]:
            return TEXT
        return self._type_of_path(source[2:-1].strip(), template.references, task)

    def _type_of_path(self, source: str, references: Sequence[Reference], task: str | None) -> Schema | None:
        if len(references) != 1 or references[0].text != source:
            return None
        found = self.look_up(references[0], task)
        return found if isinstance(found, Mapping) else None

    def _element(self, for_each: ForEach) -> Schema | None:
        over = for_each.over
        if isinstance(over, str):
            listed = self.type_of_expression(over)
            return None if listed is None else item_type(listed)
        if not isinstance(over, list | tuple) or not 0 < len(over) <= _LONGEST_LITERAL:
            return None
        return {"anyOf": [data_type(item) for item in over]}


def declared_inputs(plan: Plan) -> Schema | None:
    """The type of a plan's inputs, None if it declares none or they are not in order."""
    if plan.inputs is None:
        return None
    try:
        return fields_schema(plan.inputs)
    except FieldsInvalid:
        return None


def plan_output(plan: Plan, graph: PlanGraph, scope: Scope) -> Schema | None:
    """The type of what a plan without faults gives: its `output`, else its only leaf's, else a map of the leaves."""
    if plan.output is not None:
        return scope.type_of_value(plan.output)
    outputs: dict[str, Schema] = {key: scope.tasks[key]["properties"]["output"] for key in graph.leaves}
    if len(outputs) == 1:
        return next(iter(outputs.values()))
    return {"type": "object", "properties": outputs, "required": list(outputs), "additionalProperties": False}


def _single_output(task: Task) -> Schema | None:
    """The type of what one run of a task gives, None if it is unknown; that of a nested plan is not known here."""
    if task.agent is not None:
        return _agent_output(task.agent)
    if task.ask is not None and task.ask.form is not None:
        try:
            return fields_schema(task.ask.form)
        except FieldsInvalid:
            return None
    return None


def _agent_output(agent: Agent) -> Schema | None:
    output: Mapping[str, Any] | type | None = agent.output
    if not isinstance(output, type):
        return TEXT if output is None else output
    # Here and not at the top: only plans with classes for outputs pay for reading annotations.
    from runtime.tools.signature import schema_of

    try:
        return schema_of(output)
    except UsageError:
        return None


def _parts(output: Schema, element: Schema | None) -> Schema:
    """The type of `tasks.NAME`; with the type of an item if the task goes through a list."""
    if element is None:
        return _object(output=output, status=TEXT, error=ANYTHING)
    item = _object(key=TEXT, item=element, status=TEXT, output=output, error=ANYTHING)
    outputs = {"type": "array", "items": {"anyOf": [output, {"type": "null"}]}}
    return _object(output=outputs, status=TEXT, error=ANYTHING, items={"type": "array", "items": item})


def _object(**fields: Schema) -> Schema:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


_PLAIN = _parts(ANYTHING, None)
