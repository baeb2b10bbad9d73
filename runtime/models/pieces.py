"""Cut text into the pieces in which a model would send it."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE: Final = 16
"""Characters of a piece, unless someone says how many pieces there are."""

_JOINERS: Final = frozenset("\u200d\ufe0e\ufe0f")


def cut(text: str, count: int | None = None) -> Iterator[str]:
    """Yield the pieces of a text, never parting a character from its marks.

    Args:
        text: What is cut.
        count: How many pieces, fewer if the text is too short; None for pieces of the usual length.

    Examples:
        >>> list(cut("abcdefg", 3))
        ['ab', 'cd', 'efg']
    """
    pieces = max(1, -(-len(text) // PIECE)) if count is None else count
    start = 0
    for n in range(1, pieces + 1):
        end = max(start, n * len(text) // pieces)
        while 0 < end < len(text) and _joined(text[end - 1], text[end]):
            end += 1
        if end > start:
            yield text[start:end]
        start = end


def _joined(left: str, right: str) -> bool:
    return right in _JOINERS or left == "\u200d" or unicodedata.combining(right) != 0
