"""Durations and counts as people write them."""

from __future__ import annotations

import math
import re
from typing import Final

SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
MULTIPLES: Final = {"": 1, "k": 1_000, "M": 1_000_000}

_WITH_UNIT = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)")


def parse_duration(value: object) -> float:
    """Return a duration in seconds.

    Args:
        value: A number of seconds, or text with a unit.

    Raises:
        ValueError: It is something else; the message says what is allowed.

    Examples:
        >>> parse_duration("5m")
        300.0
        >>> parse_duration(1.5)
        1.5
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        if 0 <= value < math.inf:
            return float(value)
    elif isinstance(value, str) and (match := _WITH_UNIT.fullmatch(value)) and match[2] in SECONDS:
        return float(match[1]) * SECONDS[match[2]]
    raise ValueError(f"{value!r} is not a duration; write seconds as a number, or 500ms, 30s, 5m, 1h or 3d")


def parse_count(value: object) -> int:
    """Return a whole number that is not negative.

    Args:
        value: A number, or text with `k` for thousands or `M` for millions.

    Raises:
        ValueError: It is something else; the message says what is allowed.

    Examples:
        >>> parse_count("20k")
        20000
        >>> parse_count("1.5M")
        1500000
    """
    if isinstance(value, int) and not isinstance(value, bool):
        if value >= 0:
            return value
    elif isinstance(value, str) and (match := _WITH_UNIT.fullmatch(value)) and match[2] in MULTIPLES:
        number = float(match[1]) * MULTIPLES[match[2]]
        if number.is_integer():
            return int(number)
    raise ValueError(f"{value!r} is not a count; write a whole number that is not negative, or 20k or 12M")
