"""References such as `tasks.read.output.items[0]`: their parts, their shape, and the value they name.

Nearly every expression of a real plan is one plain path. So it is read by one regular expression and resolved by a loop
over its parts, and the expression compiler is never loaded for it.
"""

import re
from collections.abc import Mapping
from typing import Any

import attrs

from planner.expressions.faults import EvaluationFault, ExpressionFault, listed, nearest

ROOTS = frozenset({"inputs", "tasks", "item", "index", "args", "plan", "output"})
"""The names that a reference can start with."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_PLAIN = re.compile(r"""([a-z]+)((?:\.[^\W\d]\w*|\[(?:-?[0-9]{1,9}|"[^"\\\r\n]*"|'[^'\\\r\n]*')\])*)""")
_STEP = re.compile(r"""\.(\w+)|\[(-?[0-9]+)\]|\["([^"]*)"\]|\['([^']*)'\]""")
_NAMED_ROOTS = {"tasks": "task", "inputs": "input"}


@attrs.frozen
class Reference:
    """One static path found in a text."""

    root: str
    """One of `ROOTS`."""
    parts: tuple[str | int, ...]
    """The rest of the path: keys as text, list indexes as numbers."""
    offset: int
    """Where it stands in the text that was given to `parse_*`."""

    @property
    def text(self) -> str:
        """The path in its usual spelling, whatever quotes and spaces the source used."""
        return spell(self.root, self.parts)

    @property
    def below_output(self) -> bool:
        """Whether it names a task's output or a field of it, where the fields of null are null."""
        return self.root == "tasks" and len(self.parts) > 1 and self.parts[1] == "output"


@attrs.frozen(eq=False)
class Missing:
    """Stands for a value that is not there, so that `default` and `is defined` can ask; any other use is its fault."""

    fault: EvaluationFault

    def __bool__(self) -> bool:
        """Never a truth value: `not x` of something that is not there must not pass as true."""
        raise self.fault


class NotThereError(Exception):
    """One step of a path leads nowhere; the message says what is there instead."""


def spell(root: str, parts: tuple[str | int, ...]) -> str:
    """Write a path: `.key` for identifiers, `["any key"]` and `[0]` for the rest."""
    steps = (f".{p}" if isinstance(p, str) and p.isidentifier() else f"[{_quote(p)}]" for p in parts)
    return root + "".join(steps)


def plain_path(text: str, offset: int) -> Reference | None:
    """Read `text` as a plain path without spaces, or return None if it is anything else.

    Raises:
        ExpressionFault: It is a path, but of a shape that no reference may have (see `check_shape`).
    """
    match = _PLAIN.fullmatch(text)
    if match is None or match[1] not in ROOTS:
        return None
    rest = match[2]
    parts: tuple[str | int, ...]
    if "[" not in rest:
        parts = tuple(rest[1:].split(".")) if rest else ()
    else:
        found = _STEP.findall(rest)
        parts = tuple(name or (int(index) if index else double or single) for name, index, double, single in found)
    if not rest.isascii() and not all(name.isidentifier() for name, *_ in _STEP.findall(rest) if name):
        return None
    reference = Reference(match[1], parts, offset)
    check_shape(reference)
    return reference


def check_shape(reference: Reference) -> None:
    """Refuse bare `tasks`, and names of tasks and inputs that nothing could be called.

    Raises:
        ExpressionFault: The path cannot name anything, whatever the plan is.
    """
    kind = _NAMED_ROOTS.get(reference.root)
    if kind is None:
        return
    if not reference.parts:
        if kind == "task":
            hint = "name one task: `tasks.<name>.output`"
            raise ExpressionFault("`tasks` alone is not a value", offset=reference.offset, hint=hint)
        return
    name = reference.parts[0]
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        message = (
            f"`{reference.root}[{_quote(name)}]` cannot be the name of {'a task' if kind == 'task' else 'an input'}"
        )
        hint = "names are lower-case letters, digits and _, and start with a letter"
        raise ExpressionFault(message, offset=reference.offset, hint=hint)


def resolve(reference: Reference, scope: Mapping[str, object], source: str) -> object:
    """The value that `reference` names in `scope`.

    A field of null is null below a task's output, because a skipped task has the output null; elsewhere it is a fault.

    Raises:
        EvaluationFault: Something on the path is not there.
    """
    found = find(reference, scope, source)
    if isinstance(found, Missing):
        raise found.fault
    return found


def find(reference: Reference, scope: Mapping[str, object], source: str) -> object:
    """The value that `reference` names in `scope`, or a `Missing` that explains why there is none."""
    value: Any
    try:
        value = scope[reference.root]
        for part in reference.parts:
            value = value[part]
    except (LookupError, TypeError):
        return _find_slowly(reference, scope, source)
    return value


def _find_slowly(reference: Reference, scope: Mapping[str, object], source: str) -> object:
    """The same step by step, for what plain subscripts cannot do: fields of null, and saying what is wrong."""
    root, parts = reference.root, reference.parts
    if root not in scope:
        message = f"`{root}` has no value here; known here: {listed(sorted(scope)) or 'nothing'}"
        return Missing(EvaluationFault(message, expression=source, path=reference.text))
    value = scope[root]
    for depth, part in enumerate(parts):
        if value is None and depth > 1 and reference.below_output:
            return None
        try:
            value = step(value, part, f"`{spell(root, parts[:depth])}`")
        except NotThereError as error:
            return Missing(EvaluationFault(str(error), expression=source, path=reference.text))
    return value


def step(value: object, key: object, where: str) -> object:
    """One key of a mapping, one item of a list, or one character of a text; never a Python attribute.

    Args:
        value: What to look into.
        key: A text for a mapping, a whole number for a list or a text.
        where: What the message calls `value`, such as a path in backquotes.

    Raises:
        NotThereError: There is no such thing in `value`.
    """
    if isinstance(key, str):
        if isinstance(value, dict):
            if key in value:
                return value[key]
            raise NotThereError(_no_key(value, key, where))
        hint = "; write `| length`" if key == "length" and isinstance(value, list | str) else ""
        raise NotThereError(f"{where} is {describe(value)}, so it has no key `{key}`{hint}")
    if not isinstance(key, int) or isinstance(key, bool):
        raise NotThereError(f"{where} cannot be looked into with {describe(key)}; use a text or a whole number")
    if not isinstance(value, list | str):
        raise NotThereError(f"{where} is {describe(value)}, so it has no item [{key}]")
    if not -len(value) <= key < len(value):
        raise NotThereError(f"{where} is {describe(value)}, so it has no item [{key}]; the first is [0]")
    return value[key]


def describe(value: object) -> str:
    """What sort of value this is, in words that fit after `is`; never the value itself."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text" if value else "an empty text"
        case dict():
            return "a map" if value else "an empty map"
        case list() if not value:
            return "an empty list"
        case list():
            return f"a list of {len(value)} item{'s' if len(value) > 1 else ''}"
        case _:
            return f"of the unsupported type {type(value).__name__}"


def _no_key(value: dict[str, object], key: str, where: str) -> str:
    close = nearest(key, map(str, value))
    meant = f"; did you mean `{close}`?" if close else ""
    return f"{where} has no key `{key}`; it has {listed(map(str, value)) or 'no keys'}{meant}"


def _quote(part: str | int) -> str:
    if isinstance(part, int):
        return str(part)
    escaped = part.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'
