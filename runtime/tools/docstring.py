"""Read what a docstring in Google style says of a function and its parameters."""

from __future__ import annotations

import inspect
import re
from typing import Final

import attrs

_SECTION: Final = re.compile(
    r"(Args|Arguments|Attributes|Examples?|Note|Notes|Raises|Returns?|Yields?|Warns?|See also):"
)
_PARAMETER: Final = re.compile(r"(\w+)(?: \([^)]*\))?:\s*(.*)")
_LISTS: Final = ("Args", "Arguments", "Attributes")


@attrs.frozen
class Docstring:
    """What a docstring says; empty where it says nothing."""

    description: str = ""
    """Everything before the first section."""
    parameters: dict[str, str] = attrs.field(factory=dict)


def read_docstring(text: str | None) -> Docstring:
    """Read a docstring; one in another style becomes a description as a whole.

    Examples:
        >>> read_docstring('''Find pages.
        ...
        ... Args:
        ...     q: What to look
        ...         for.
        ... ''')
        Docstring(description='Find pages.', parameters={'q': 'What to look for.'})
    """
    description: list[str] = []
    entries: list[tuple[str, list[str]]] = []
    section, margin = "", 0
    for line in inspect.cleandoc(text or "").splitlines():
        indent = len(line) - len(line.lstrip())
        if match := _SECTION.fullmatch(line):
            section, margin = match[1], 0
        elif not section:
            description.append(line)
        elif section in _LISTS and line.strip():
            margin = margin or indent
            if indent == margin and (match := _PARAMETER.match(line.strip())):
                entries.append((match[1], [match[2]]))
            elif entries and indent > margin:
                entries[-1][1].append(line.strip())
    parameters = {name: " ".join(filter(None, lines)) for name, lines in entries}
    return Docstring("\n".join(description).strip(), parameters)
