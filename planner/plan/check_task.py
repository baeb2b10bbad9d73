"""What is wrong with a single task, whatever plan it is in."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from planner.plan.faults import Fault, Path, did_you_mean
from planner.plan.fields import FieldsInvalid, fields_schema

if TYPE_CHECKING:
    from planner.plan.values import ForEach, Retry, Task

KINDS = (
    "transport", "timeout", "rate_limit", "server", "malformed", "auth", "quota", "bad_request", "length",
    "content_filter", "refusal", "tool_error", "rejected", "expression", "invalid_arguments", "unserialisable",
    "mistakes", "limit", "child", "script", "model_bug",
)  # fmt: skip
"""Kinds of failure that a task may end with; `retries.only` names these."""
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_SHARE = re.compile(r"([0-9]+(?:\.[0-9]+)?)%")


def is_name(name: object) -> bool:
    """Whether a task or an input can be called so.

    Examples:
        >>> is_name("read_2"), is_name("Read"), is_name("2nd")
        (True, False, False)
    """
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def check_task(task: Task, *, duplicate: bool) -> list[Fault]:
    """Find what is wrong with a task besides its references; paths lead into the task.

    Args:
        task: The task.
        duplicate: Whether an earlier task of the plan has the same name.
    """
    faults = []
    if not is_name(task.key):
        message = f"{task.key!r} cannot be the name of a task"
        hint = "use lower-case letters, digits and _, and begin with a letter"
        faults.append(Fault((), message, code="bad-name", hint=hint, in_key=True))
    if duplicate:
        message = f"there is another task `{task.key}` before this one"
        faults.append(Fault((), message, code="duplicate-key", hint="rename one of them", in_key=True))
    faults += _what_runs(task)
    faults += _settings(task)
    if task.for_each is not None:
        faults += _for_each(task.for_each)
    if task.retries is not None:
        faults += _retries(task.retries)
    return faults


def _what_runs(task: Task) -> Iterator[Fault]:
    sorts = {"agent": task.agent, "tool": task.tool, "plan": task.plan, "ask": task.ask}
    given = [sort for sort, value in sorts.items() if value is not None]
    if not given:
        hint = "give it one of `agent`, `tool`, `plan`, `ask`"
        yield Fault((), "this task runs nothing", code="nothing-to-run", hint=hint, in_key=True)
        return
    if len(given) > 1:
        message = f"a task runs one thing, but this one has {' and '.join(f'`{sort}`' for sort in given)}"
        hint = "make a task of each"
        yield Fault((given[1],), message, code="two-things-to-run", hint=hint, in_key=True)
    if task.agent is not None and task.prompt is None:
        message = "an agent needs a `prompt`"
        yield Fault(("agent",), message, code="missing-prompt", hint="add `prompt: …` to the task", in_key=True)
    if task.agent is None and task.prompt is not None:
        hint = "an `ask` has its `message`" if task.ask is not None else "give values under `with` (`inputs` in Python)"
        yield Fault(("prompt",), "only an agent takes a `prompt`", code="stray-key", hint=hint, in_key=True)
    if task.inputs is not None and task.tool is None and task.plan is None:
        hint = "put the values into the `prompt`" if task.agent is not None else "put the values into `show`"
        message = "only a tool or a plan takes `with` (`inputs` in Python)"
        yield Fault(("with",), message, code="stray-key", hint=hint, in_key=True)


def _settings(task: Task) -> Iterator[Fault]:
    # Plans come from programs too, which may not have been type-checked.
    prompt: Any = task.prompt
    inputs: Any = task.inputs
    if prompt is not None and not isinstance(prompt, str):
        yield _bad(("prompt",), prompt, "a text")
    if inputs is not None and not isinstance(inputs, Mapping):
        yield _bad(("with",), inputs, "a map of names to values")
    if task.ask is not None and task.ask.form is not None:
        try:
            fields_schema(task.ask.form)
        except FieldsInvalid as invalid:
            yield from (fault.below(("ask", "form")) for fault in invalid.faults)
    if task.on_failure not in (None, "stop", "continue"):
        yield _bad(("on_failure",), task.on_failure, "`stop` or `continue`")
    if task.timeout is not None and not (_is_number(task.timeout) and task.timeout > 0):
        yield _bad(("timeout",), task.timeout, "a number of seconds above 0")
    if task.estimate is not None and not (_is_number(task.estimate) and task.estimate >= 0):
        yield _bad(("estimate",), task.estimate, "a number of seconds from 0 up")


def _for_each(for_each: ForEach) -> Iterator[Fault]:
    over: Any = for_each.over
    if not isinstance(over, Sequence) or isinstance(over, bytes):
        message = f"`for_each` goes through a list, not {over!r}"
        yield Fault(("for_each",), message, code="not-a-list", hint="name a list, or write one: `[a, b]`")
    if for_each.max_parallel is not None and not is_count(for_each.max_parallel, least=1):
        yield _bad(("max_parallel",), for_each.max_parallel, "a whole number above 0")
    allowed = for_each.allow_failures
    if is_count(allowed, least=0) or allowed == "all":
        return
    share = _SHARE.fullmatch(allowed) if isinstance(allowed, str) else None
    if share is None or float(share[1]) > 100:
        yield _bad(("allow_failures",), allowed, "a number of items, a share such as `5%`, or `all`")


def _retries(retry: Retry) -> Iterator[Fault]:
    if not is_count(retry.max, least=0):
        yield _bad(("retries", "max"), retry.max, "a whole number from 0 up")
    if not (_is_number(retry.delay) and retry.delay >= 0):
        yield _bad(("retries", "delay"), retry.delay, "a number of seconds from 0 up")
    if not (_is_number(retry.factor) and retry.factor > 0):
        yield _bad(("retries", "factor"), retry.factor, "a number above 0")
    only: Iterable[str] = retry.only or ()
    for kind in sorted(only):
        if kind not in KINDS:
            message = f"there is no kind of failure `{kind}`"
            yield Fault(("retries", "only"), message, code="unknown-kind", hint=did_you_mean(kind, KINDS))


def is_count(value: object, *, least: int) -> bool:
    """Whether a value is a whole number that is large enough."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _bad(path: Path, value: Any, wanted: str) -> Fault:
    return Fault(path, f"`{path[-1]}` must be {wanted}, not {value!r}", code="bad-value")
