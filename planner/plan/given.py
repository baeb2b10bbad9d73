"""What a task gives under `with`, held against what its tool or its plan takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from planner.plan.faults import Fault, Path, did_you_mean
from planner.plan.fit import Place
from planner.plan.scope import declared_inputs
from planner.plan.types import Schema, within

if TYPE_CHECKING:
    from planner.plan.scope import Scope
    from planner.plan.values import Plan, Task
    from runtime.values.capabilities import ToolSpec


@attrs.frozen
class _Words:
    """How tools and plans differ in what is said of them."""

    sort: str
    """Also the key of the task that names one."""
    part: str
    nothing: str
    mistyped: str
    unknown: str
    missing: str
    names_itself: bool
    """Whether a value of the wrong type is reported with the name of its taker."""


_TOOL = _Words(
    "tool", "argument", "it takes none", "argument-type", "unknown-argument", "missing-argument", names_itself=True
)
_PLAN = _Words(
    "plan", "input", "it declares none", "type-mismatch", "unknown-input-of-plan", "missing-input", names_itself=False
)


@attrs.frozen(eq=False)
class Taker:
    """A tool or a plan with what it takes, worked out once for all tasks that run it."""

    name: str
    fields: Mapping[str, Place]
    required: Sequence[str]
    is_open: bool
    """Whether it takes values of other names too."""
    _words: _Words

    @classmethod
    def tool(cls, spec: ToolSpec) -> Taker:
        """Read what a tool takes."""
        return cls._of(spec.name, spec.parameters, _TOOL)

    @classmethod
    def plan(cls, plan: Plan) -> Taker | None:
        """Read what a plan takes; None if it declares nothing, or nothing that can be read."""
        declared = declared_inputs(plan)
        return None if declared is None else cls._of(plan.name, declared, _PLAN)

    @classmethod
    def _of(cls, name: str, schema: Schema, words: _Words) -> Taker:
        known: Mapping[str, object] = schema.get("properties") or {}
        fields = {field: Place.of(within(schema, one)) for field, one in known.items()}
        is_open = schema.get("additionalProperties") is not False or "patternProperties" in schema
        return cls(name, fields, schema.get("required") or (), is_open, words)

    def check(self, task: Task, scope: Scope) -> list[Fault]:
        """Find what a task gives that is not taken, lacks, or gives in another type than the one that is taken.

        Args:
            task: One that runs this and whose texts can be read; paths lead into it.
            scope: The types of the plan that holds the task.
        """
        given: Any = task.inputs or {}
        if not isinstance(given, Mapping):
            return []  # a fault of its own
        words = self._words
        faults = []
        for name, value in given.items():
            if name in self.fields:
                problem = self.fields[name].mismatch(scope.type_of_value(value, task.key), name)
                if problem is not None:
                    said = f"{words.sort} `{self.name}`: {problem}" if words.names_itself else problem
                    faults.append(Fault(("with", name), said, code=words.mistyped))
            elif not self.is_open:
                faults.append(self._unknown(name))
        for name in self.required:
            if name not in given:
                where: Path = (words.sort,) if task.inputs is None else ("with",)
                message = f"{words.sort} `{self.name}` is not given its {words.part} `{name}`"
                hint = f"add it under `with` (`inputs` in Python): `{name}: …`"
                faults.append(Fault(where, message, code=words.missing, hint=hint, in_key=True))
        return faults

    def _unknown(self, name: str) -> Fault:
        words = self._words
        hint = did_you_mean(str(name), self.fields, otherwise="" if self.fields else words.nothing)
        message = f"{words.sort} `{self.name}` has no {words.part} `{name}`"
        return Fault(("with", name), message, code=words.unknown, hint=hint, in_key=True)
