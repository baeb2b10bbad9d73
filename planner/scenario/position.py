"""Where a character of a value stands in the file, although YAML folded, unquoted or unescaped it on the way."""

import re

from planner.plan.faults import Fault
from planner.scenario.places import Mark, PathKey
from planner.scenario.reader import Source

_BREAK = re.compile(r"\r\n|\r|\n")
_SPACE = re.compile(r"\s*")
_BLOCK_HEADER = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)")
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
    if fault.in_key or not fault.offset or not isinstance(value, str) or path not in source.places.values:
        if fault.offset is None or fault.in_key:
            return mark.start
        return _skip_space(source.text, _content_start(source.text, mark))
    return aligned(source.text, mark, value, fault.offset)


def aligned(text: str, mark: Mark, value: str, offset: int) -> int:
    """Return the index in `text` of character `offset` of the `value` that was read at `mark`.

    Examples:
        >>> text = "a: 'it''s ${x}'"
        >>> text[aligned(text, Mark(3, len(text), "'"), "it's ${x}", 5):]
        "${x}'"
    """
    last = max(mark.end - 1, mark.start)
    if mark.style == "|":
        return min(_in_block(text, mark, value, offset), last)
    at = _content_start(text, mark)
    for char in value[:offset]:
        at = _step(text, at, char, mark.style)
        if at >= last:
            return last
    return _skip_space(text, at) if value[offset : offset + 1].strip() else at


def _in_block(text: str, mark: Mark, value: str, offset: int) -> int:
    """Return the place in a literal block, whose lines are those of the value behind some indentation."""
    lines = value.split("\n")
    line = value.count("\n", 0, offset)
    column = offset - (value.rfind("\n", 0, offset) + 1)
    breaks = list(_BREAK.finditer(text, mark.start, mark.end))
    start = breaks[line].end()
    end = breaks[line + 1].start() if line + 1 < len(breaks) else mark.end
    return start + (end - start) - len(lines[line]) + column


def _step(text: str, at: int, char: str, style: str) -> int:
    """Return where the text goes on after the part of it that became `char`."""
    while style == '"' and text[at : at + 2] in {"\\\n", "\\\r"}:  # an escaped line break becomes nothing
        at = _skip_space(text, at + 1)
    if style == '"' and text[at] == "\\":
        return at + _ESCAPES.get(text[at + 1 : at + 2], 2)
    if style == "'" and text[at : at + 2] == "''":
        return at + 2
    if char.isspace() and text[at : at + 1] != char:
        return _skip_space(text, at)  # a folded break, or one of several that were passed at once
    if char == "\n":
        return _skip_space(text, at)
    if text[at : at + 1] != char:
        at = _skip_space(text, at)
    return at + 1


def _skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _content_start(text: str, mark: Mark) -> int:
    if mark.style in {"'", '"'}:
        return mark.start + 1
    if mark.style in {"|", ">"}:
        header = _BLOCK_HEADER.match(text, mark.start)
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
