"""Where a character of a value stands in the file, although YAML folded, unquoted or unescaped it on the way."""

import re

from planner.plan.faults import Fault
from planner.scenario.reader import Mark, PathKey, Source

_ESCAPES = {"x": 4, "u": 6, "U": 10}
"""Length of the escapes that are longer than two characters."""


def locate(source: Source, path: PathKey, fault: Fault) -> int:
    """Return the index in the text that a fault of the plan is about.

    Args:
        source: The text and its places.
        path: Where the fault's value stands in the file.
        fault: Says whether the key, the value or one character of it is meant.
    """
    mark = source.mark(path, key=fault.in_key)
    value = _value_at(source.data, path)
    if fault.in_key or not fault.offset or not isinstance(value, str) or path not in source.values:
        return _content_start(source.text, mark) if fault.offset is not None and not fault.in_key else mark.start
    return aligned(source.text, mark, value, fault.offset)


def aligned(text: str, mark: Mark, value: str, offset: int) -> int:
    """Return the index in `text` of character `offset` of the `value` that was read at `mark`.

    Examples:
        >>> text = "a: 'it''s ${x}'"
        >>> text[aligned(text, Mark(3, len(text), "'"), "it's ${x}", 5):]
        "${x}'"
    """
    at = _content_start(text, mark)
    last = max(mark.end - 1, mark.start)
    for char in value[:offset]:
        at = _step(text, at, char, mark.style)
        if at >= last:
            return last
    return _skip_space(text, at) if value[offset : offset + 1].strip() else at


def _step(text: str, at: int, char: str, style: str) -> int:
    """Return where the text goes on after the part of it that became `char`."""
    while style == '"' and text[at : at + 2] in {"\\\n", "\\\r"}:  # an escaped line break becomes nothing
        at = _skip_space(text, at + 1)
    if style == '"' and text[at] == "\\":
        return at + _ESCAPES.get(text[at + 1 : at + 2], 2)
    if style == "'" and text[at : at + 2] == "''":
        return at + 2
    if char.isspace() and text[at : at + 1] in {"\n", "\r"}:
        after = _skip_space(text, at)
        # An indented block keeps the spaces that go beyond its indentation: leave them to the characters they became.
        return after if style not in {"|", ">"} else _after_break(text, at)
    if text[at : at + 1] != char:
        at = _skip_space(text, at)
    return at + 1


def _after_break(text: str, at: int) -> int:
    return at + (2 if text[at : at + 2] == "\r\n" else 1)


def _skip_space(text: str, at: int) -> int:
    match = re.compile(r"\s*").match(text, at)
    return match.end() if match else at


def _content_start(text: str, mark: Mark) -> int:
    if mark.style in {"'", '"'}:
        return mark.start + 1
    if mark.style in {"|", ">"}:
        header = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)\s*").match(text, mark.start)
        return header.end() if header else mark.start
    return mark.start


def _value_at(data: object, path: PathKey) -> object:
    for part in path:
        if isinstance(data, dict):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            return None
    return data
