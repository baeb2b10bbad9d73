"""Commands that a person can type next, ready to be copied."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runtime.values.requests import Request


def answer_command(request: Request, *, options: str = "") -> str:
    """Return the command that answers a question; of a form, one example of what its fields take.

    Args:
        request: The question.
        options: More options of the command, such as ` --db runs.db`.

    Examples:
        >>> from runtime import Request
        >>> answer_command(Request(turn_id="k3", key="0.1.1", message="Go on?"))
        'turntree answer k3:0.1.1 --approve'
    """
    command = f"turntree answer {request.id}{options}"
    if request.form is None:
        return f"{command} --approve"
    fields: Mapping[str, Any] = request.form.get("properties") or {}
    needed = [name for name in fields if name in (request.form.get("required") or ())] or list(fields)
    return command + "".join([f" --form {name}={shlex.quote(example(fields[name]))}" for name in needed])


def resume_command(root_id: str, *, options: str = "") -> str:
    """Return the command that lets a tree go on."""
    return f"turntree resume {root_id}{options}"


def example(schema: Any) -> str:
    """Return a text that a field of this JSON Schema takes.

    Examples:
        >>> example({"type": "boolean"}), example({"type": "string", "enum": ["a", "b"]}), example({"type": "string"})
        ('true', 'a', 'TEXT')
    """
    if not isinstance(schema, Mapping):
        return "VALUE"
    if schema.get("enum"):
        first = schema["enum"][0]
        return first if isinstance(first, str) else json.dumps(first)
    sort = schema.get("type")
    if isinstance(sort, list | tuple):
        sort = next((each for each in sort if each != "null"), "null")
    if sort == "string":
        return "YYYY-MM-DD" if schema.get("format") == "date" else "TEXT"
    least = schema.get("minimum")
    number = str(least) if isinstance(least, int | float) else "1"
    known = {"boolean": "true", "integer": number, "number": number, "array": "[]", "object": "{}"}
    return known.get(str(sort), "VALUE")
