"""Where a plan's texts refer to its inputs and tasks, found without running anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from planner.expressions import ExpressionFault, Reference, parse_expression, parse_template
from planner.plan.faults import Fault, Path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planner.plan.values import Task

_DEEPEST_VALUE = 100


@attrs.define
class Scan:
    """What was found in the texts of one task or plan."""

    found: list[tuple[Path, tuple[Reference, ...]]] = attrs.field(factory=list)
    """For each text that refers to something, its path from the task or plan, and what it refers to."""
    faults: list[Fault] = attrs.field(factory=list)
    """Texts that cannot be read."""

    def first_use(self, task: str) -> tuple[Path, Reference] | None:
        """Where `task` is referred to first."""
        uses = ((path, reference) for path, references in self.found for reference in references)
        return next((use for use in uses if use[1].root == "tasks" and use[1].parts[0] == task), None)

    def expression(self, path: Path, text: Any) -> None:
        """Read a key that is an expression itself."""
        if not isinstance(text, str):
            message = f"`{path[-1]}` must be an expression, not {text!r}"
            self.faults.append(Fault(path, message, code="bad-value", hint="write it as a text"))
            return
        bare = text.strip()
        if bare.startswith("${"):
            inner = bare.removeprefix("${").removesuffix("}").strip()
            self.faults.append(
                Fault(
                    path,
                    f"`{path[-1]}` is an expression itself, so it takes no `${{…}}`",
                    code="braces-in-expression",
                    hint=f"write it bare: `{inner}`",
                    offset=text.index("${"),
                )
            )
            return
        try:
            references = parse_expression(text).references
        except ExpressionFault as fault:
            self.faults.append(_unreadable(path, fault))
        else:
            self.found.append((path, references))

    def value(self, path: Path, value: Any) -> None:
        """Read a text that may hold `${…}`, or a nested value of such texts."""
        for below, text in _texts(value, path):
            if text is None:
                message = f"this value is nested more than {_DEEPEST_VALUE} levels deep"
                self.faults.append(Fault(path, message, code="bad-value", hint="let a tool take it apart"))
                return
            if "${" not in text:
                continue
            try:
                references = parse_template(text).references
            except ExpressionFault as fault:
                self.faults.append(_unreadable(below, fault))
            else:
                self.found.append((below, references))


def scan_task(task: Task) -> Scan:
    """Find every reference in a task's texts, key by key in the order of the syntax's description.

    Paths use the names of the YAML keys: `with` for the inputs, `for_each` and `key` side by side.
    """
    scan = Scan()
    if task.for_each is not None:
        # A list that stands there itself is data: nothing in it is expanded, also not by accident.
        if isinstance(task.for_each.over, str):
            scan.expression(("for_each",), task.for_each.over)
        if task.for_each.key is not None:
            scan.expression(("key",), task.for_each.key)
    if task.when is not None:
        scan.expression(("when",), task.when)
    if task.prompt is not None:
        scan.value(("prompt",), task.prompt)
    inputs: Any = task.inputs
    if inputs is not None:
        # The outermost map may be of any sort; it becomes a dict before it is evaluated.
        scan.value(("with",), dict(inputs) if isinstance(inputs, Mapping) else inputs)
    if task.ask is not None:
        scan.value(("ask", "message"), task.ask.message)
        scan.value(("ask", "show"), task.ask.show)
    return scan


def _texts(value: Any, path: Path, levels: int = _DEEPEST_VALUE) -> Iterator[tuple[Path, str | None]]:
    """Yield every text in a nested value with its path, and None for what is nested too deep."""
    if isinstance(value, str):
        yield path, value
    elif levels < 0:
        yield path, None
    elif isinstance(value, dict):
        for key, held in value.items():
            yield from _texts(held, (*path, key), levels - 1)
    elif isinstance(value, list):
        for index, held in enumerate(value):
            yield from _texts(held, (*path, index), levels - 1)


def _unreadable(path: Path, fault: ExpressionFault) -> Fault:
    return Fault(path, fault.message, code="bad-expression", hint=fault.hint, offset=fault.offset)
