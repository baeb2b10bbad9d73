"""Numbers, times and values in the few words that a line of text has room for."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any, Final

_UNSAFE: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+"
)
"""What a terminal would obey instead of showing: text of models and tools may hold anything."""


def span(seconds: float) -> str:
    """Return a length of time in at most two units.

    Examples:
        >>> [span(value) for value in (0.04, 2.34, 61.5, 7260, 180000)]
        ['0.0 s', '2.3 s', '1 min 1 s', '2 h 1 min', '2 d 2 h']
    """
    seconds = max(seconds, 0.0)
    if seconds < 59.95:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    whole = int(seconds)
    for unit, size, smaller, part in (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size} {unit}" + (f" {rest} {smaller}" if rest else "")
    return "1 min"


def amount(count: int) -> str:
    """Return a number, shortened when it is large.

    Examples:
        >>> [amount(value) for value in (0, 950, 12345, 1234567)]
        ['0', '950', '12.3k', '1.2M']
    """
    if count < 1000:
        return str(count)
    return f"{count / 1000:.1f}k" if count < 999_950 else f"{count / 1_000_000:.1f}M"


def instant(time: float) -> str:
    """Return a moment as UTC date and time.

    Examples:
        >>> instant(1767225600)
        '2026-01-01 00:00:00Z'
    """
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def clean(text: str) -> str:
    r"""Return text on one line, with nothing in it that a terminal would obey.

    Examples:
        >>> clean("two\n lines\x1b[2J")
        'two lines [2J'
    """
    return " ".join(_UNSAFE.sub(" ", text).split())


def clean_block(text: str) -> str:
    """Return text with its lines kept and everything else gone that a terminal would obey."""
    return "\n".join([_UNSAFE.sub(" ", line).rstrip() for line in text.expandtabs(4).splitlines()])


def short(value: Any, width: int = 80) -> str:
    """Return a JSON value on one line of at most `width` characters; a text goes without quotes.

    Examples:
        >>> short({"q": "tea", "n": [1, 2]}), short("a long sentence", 8)
        ('{"q": "tea", "n": [1, 2]}', 'a long …')
    """
    # A value may be huge: no more of it is written out than could be shown.
    text = value[: width * 4] if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return cut(clean(text[: width * 4]), width)


def cut(text: str, width: int) -> str:
    """Return at most `width` characters of a text, with a mark where something was left out."""
    return text if len(text) <= width else f"{text[: max(width - 1, 0)]}…"


def plural(count: int, word: str) -> str:
    """Return a number with its noun.

    Examples:
        >>> plural(1, "task"), plural(3, "task")
        ('1 task', '3 tasks')
    """
    return f"{count} {word}" if count == 1 else f"{count:,} {word}s"


def tokens(count: int) -> str:
    """Return a number of tokens with its noun, shortened when it is large.

    Examples:
        >>> tokens(1), tokens(12345)
        ('1 token', '12.3k tokens')
    """
    return f"{amount(count)} token{'' if count == 1 else 's'}"


def newest_line(text: str) -> str:
    """Return the last line of a text that has something on it."""
    end = len(text.rstrip())
    return text[text.rfind("\n", 0, end) + 1 : end][-_LONGEST_LINE:]


_LONGEST_LINE: Final = 400
