"""What is checked when a run starts, because it needs the user's Python code: tools and what tasks give them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from planner.plan.faults import did_you_mean
from planner.plan.fit import mismatch
from planner.plan.types import ANYTHING, Schema, data_type, within
from planner.scenario.document import ScenarioNode, TaskNode
from planner.scenario.findings import Finding, ScenarioInvalid, in_order, render
from planner.scenario.places import PathKey
from planner.scenario.python_tools import DeclaredTool
from planner.scenario.reader import read_text
from runtime.errors import UsageError


@attrs.frozen
class _Fault:
    """Something that does not fit, by its path: places are looked for only when there is something to report."""

    code: str
    path: PathKey
    message: str
    hint: str = ""
    key: bool = False


def prepare(document: ScenarioNode, tools: Mapping[str, DeclaredTool], *, name: str, text: str) -> None:
    """Import every tool, and hold what tasks give their tools against the functions' signatures.

    Raises:
        ScenarioInvalid: With everything that does not fit.
    """
    faults = [*_loaded(tools, document), *_given(tools, document)]
    if not faults:
        return
    source = read_text(text, name)
    findings = in_order(
        Finding(
            code=fault.code,
            message=fault.message,
            hint=fault.hint,
            index=source.mark(fault.path, key=fault.key).start,
        )
        for fault in faults
    )
    raise ScenarioInvalid(render(findings, name=name, text=source.text), findings)


def _loaded(tools: Mapping[str, DeclaredTool], document: ScenarioNode) -> Iterator[_Fault]:
    for name, tool in tools.items():
        try:
            tool.load()
        except UsageError as error:
            message, _, hint = str(error).partition("; ")
            path = (*document.tools[name].path, "python")
            yield _Fault("tool", path, f"tool `{name}` cannot be used: {message}", hint)


def _given(tools: Mapping[str, DeclaredTool], document: ScenarioNode) -> Iterator[_Fault]:
    signatures = {name: _Signature.of(tool) for name, tool in tools.items() if tool.loaded}
    for plan in (document.plan, *document.plans.values()):
        for task in plan.tasks.values():
            if task.tool in signatures:
                yield from _arguments(task, signatures[task.tool])


@attrs.frozen
class _Signature:
    """What a tool takes, worked out once for all of its tasks."""

    tool: str
    types: Mapping[str, Schema]
    required: Sequence[str]
    is_open: bool
    """Whether it takes arguments of other names too."""

    @classmethod
    def of(cls, tool: DeclaredTool) -> "_Signature":
        parameters = tool.spec.parameters
        known: Mapping[str, Any] = parameters.get("properties") or {}
        types = {name: within(parameters, schema) for name, schema in known.items()}
        is_open = parameters.get("additionalProperties") is not False
        return cls(tool.name, types, parameters.get("required") or (), is_open)


def _arguments(task: TaskNode, wanted: _Signature) -> Iterator[_Fault]:
    tool, types = wanted.tool, wanted.types
    given = task.with_ or {}
    for name, value in given.items():
        if name in types:
            if problem := mismatch(types[name], data_type(value, _text_type), name):
                yield _Fault("argument-type", (*task.path, "with", name), f"tool `{tool}`: {problem}")
        elif not wanted.is_open:
            hint = did_you_mean(name, types, otherwise="" if types else "it takes none")
            if name in TaskNode.keys():  # noqa: SIM118 - a method, not a mapping's
                hint = f"`{name}` is a key of the task: indent it less than `with`"
            message = f"tool `{tool}` has no argument `{name}`"
            yield _Fault("unknown-argument", (*task.path, "with", name), message, hint, key=True)
    for name in wanted.required:
        if name not in given:
            path = (*task.path, "tool" if task.with_ is None else "with")
            hint = f"add it under `with`: `{name}: …`"
            yield _Fault("missing-argument", path, f"tool `{tool}` is not given its argument `{name}`", hint, key=True)


def _text_type(text: str) -> Schema | None:
    return ANYTHING if "${" in text else {"const": text}
