"""What is wrong with a scenario file, and how it is shown: place, line, caret, hint."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from typing import Literal

import attrs

from runtime.errors import UsageError

_BREAK = re.compile(r"\r\n|\r|\n")
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
"""Characters that a terminal would obey or drop instead of showing."""
_WINDOW = 110
"""Columns of a long line that are shown around the caret."""


@attrs.frozen(kw_only=True)
class Finding:
    """One thing that is wrong, or worth a warning, at one place of the file."""

    code: str
    """Short stable name of the sort of mistake."""
    message: str
    hint: str = ""
    """What to write instead; empty if the message says it all."""
    index: int | None = None
    """Character of the text that it is about; None when there is no text to point into."""
    severity: Literal["error", "warning"] = "error"


class ScenarioInvalid(UsageError):
    """A scenario file cannot be run. The message lists every error with its place; nothing was run."""

    def __init__(self, report: str, findings: Iterable[Finding]) -> None:
        super().__init__(report)
        self.findings = tuple(findings)


class Lines:
    """A text that can be asked for the line and column of any of its characters."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in _BREAK.finditer(text))]

    def place(self, index: int) -> tuple[int, int]:
        r"""Return line and column, both counted from 1.

        Examples:
            >>> Lines("a: 1\r\nb: 2").place(9)
            (2, 4)
        """
        line = bisect_right(self._starts, index)
        return line, index - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Return one line, counted from 1, without its break."""
        end = self._starts[number] if number < len(self._starts) else len(self._text)
        return self._text[self._starts[number - 1] : end].rstrip("\r\n")


def render(findings: Iterable[Finding], *, name: str, text: str) -> str:
    """Return the findings as a person reads them, in the order of the file.

    Examples:
        >>> print(render([Finding(code="x", message="no", hint="yes", index=3)], name="f.yaml", text="a: 1"))
        f.yaml:1:4: error: no
            a: 1
               ^
            hint: yes
    """
    lines = Lines(text)
    return "\n".join(_one(finding, name, lines) for finding in in_order(findings))


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings by their place in the file; at one place as they were found, and each only once."""
    unique = dict.fromkeys(findings)
    return sorted(unique, key=lambda finding: -1 if finding.index is None else finding.index)


def _one(finding: Finding, name: str, lines: Lines) -> str:
    hint = [f"    hint: {finding.hint}"] if finding.hint else []
    if finding.index is None:
        return "\n".join([f"{name}: {finding.severity}: {finding.message}", *hint])
    number, column = lines.place(finding.index)
    shown, caret = _excerpt(lines.line(number), column - 1)
    head = f"{name}:{number}:{column}: {finding.severity}: {finding.message}"
    return "\n".join([head, f"    {shown}".rstrip(), f"    {' ' * caret}^", *hint])


def _excerpt(line: str, column: int) -> tuple[str, int]:
    """Return what to show of a line, and how many cells lie before the caret."""
    start = 0
    if len(line) > _WINDOW:
        start = max(0, min(column - _WINDOW // 2, len(line) - _WINDOW))
    end = start + _WINDOW
    before = ("…" if start else "") + _printable(line[start:column])
    after = _printable(line[column:end]) + ("…" if end < len(line) else "")
    return before + after, sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in before)


def _printable(text: str) -> str:
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\t", " "))
