"""What can be wrong with a plan: one value per fault, and the list of every kind of fault there is."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Path = tuple[str | int, ...]
"""Keys and indexes that lead into a plan as it stands in YAML, such as `("tasks", "read", "with", "url")`."""

CODES: Mapping[str, str] = {
    "bad-default": "A field's default is not a value of the field.",
    "bad-expression": "An expression has a syntax error, or a reference of a shape that can name nothing.",
    "bad-field": "A field of inputs, outputs or a form is not written in the field grammar.",
    "bad-name": "A name is not made of lower-case letters, digits and _, starting with a letter.",
    "bad-value": "A setting has a value that it cannot have.",
    "braces-in-expression": "A key that is an expression itself is written with `${…}`.",
    "cycle": "Tasks wait for each other, so none of them can start.",
    "duplicate-key": "Two tasks of a plan have the same name.",
    "missing-input": "A nested plan is not given an input that it declares without a default.",
    "missing-prompt": "A task runs an agent but has no prompt.",
    "nested-too-deep": "Plans stand inside plans more levels deep than any tree of Turns may have.",
    "no-item": "`item` or `index` is used where nothing goes through a list.",
    "not-a-list": "`for_each` names something that is known not to be a list.",
    "nothing-to-run": "A task has none of agent, tool, plan and ask.",
    "plan-in-itself": "A plan contains itself, so it would never end.",
    "schema-file": "A JSON Schema that a field names cannot be read.",
    "self-reference": "A task uses or needs itself.",
    "stray-key": "A task has a key that belongs to another sort of task.",
    "two-things-to-run": "A task has more than one of agent, tool, plan and ask.",
    "type-mismatch": "A value cannot be what the place where it goes takes.",
    "unknown-field": "A reference goes to a field that the value is known not to have.",
    "unknown-input": "A reference goes to an input that the plan does not declare.",
    "unknown-input-of-plan": "A nested plan is given an input that it does not declare.",
    "unknown-kind": "`retries.only` names a kind of failure that does not exist.",
    "unknown-output-field": "A reference goes to a part that a task or its output is known not to have.",
    "unknown-root": "A reference starts with a name that has no value in a plan.",
    "unknown-task": "A reference or `needs` names a task that is not in the plan.",
    "unknown-type": "A field has a type that the field grammar does not know.",
}
"""Every kind of fault with what it means; the keys are stable."""

START_CODES: Mapping[str, str] = {
    "argument-type": "`with` gives a value that the tool's parameter does not take.",
    "missing-argument": "`with` lacks an argument that the tool needs.",
    "tool": "A tool cannot be imported, or is none.",
    "unknown-argument": "`with` gives a tool an argument that it does not take.",
}
"""The kinds that are only found when a run starts, because they need the tools themselves."""

_FEW = 200


@attrs.frozen
class Fault:
    """One thing that is wrong, where it is, and what to do about it."""

    path: Path
    message: str
    """One clause without a full stop."""
    code: str = attrs.field(kw_only=True)
    """One of `CODES` or `START_CODES`."""
    hint: str = attrs.field(default="", kw_only=True)
    """What to write instead; empty if there is nothing useful to say."""
    offset: int | None = attrs.field(default=None, kw_only=True)
    """Which character of the text at `path` is meant, from 0; None means all of the value."""
    in_key: bool = attrs.field(default=False, kw_only=True)
    """Whether the last key of `path` is meant, not the value that stands under it."""

    def __str__(self) -> str:
        """The fault in one line, for a reader who has no file to point into."""
        where = f"{spell_path(self.path)}: " if self.path else ""
        return f"{where}{self.message}" + (f"; {self.hint}" if self.hint else "")

    def below(self, prefix: Path) -> Fault:
        """The same fault seen from what holds the faulty value under `prefix`."""
        return attrs.evolve(self, path=prefix + self.path) if prefix else self


def spell_path(path: Path) -> str:
    """Write a path for people.

    Examples:
        >>> spell_path(("tasks", "read", "needs", 0))
        'tasks.read.needs[0]'
    """
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def did_you_mean(name: str, known: Iterable[str], *, otherwise: str = "") -> str:
    """Hint at the nearest of the known names; without a near one say `otherwise`, or list a few.

    Examples:
        >>> did_you_mean("raed", ["write", "read"])
        'did you mean `read`?'
        >>> did_you_mean("x", ["write", "read"])
        'there is `write`, `read`'
        >>> did_you_mean("x", [])
        ''
    """
    names = list(known)
    # Comparing costs microseconds a name; in a large plan only names that look alike at once are worth it.
    alike = names if len(names) <= _FEW else [other for other in names if other[:1] == name[:1]][:_FEW]
    near = difflib.get_close_matches(name, alike, n=1)
    if near:
        return f"did you mean `{near[0]}`?"
    if otherwise or not names:
        return otherwise
    shown = ", ".join(f"`{other}`" for other in names[:8])
    return f"there is {shown}" + (f" and {len(names) - 8} more" if len(names) > 8 else "")
