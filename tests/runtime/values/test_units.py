"""Durations and counts as people write them."""

import math

import pytest

from runtime.values.units import parse_count, parse_duration


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("500ms", 0.5),
        ("30s", 30),
        ("5m", 300),
        ("1h", 3600),
        ("3d", 259200),
        ("1.5 h", 5400),
        (0, 0),
        (2, 2),
        (0.25, 0.25),
    ],
)
def test_durations_are_seconds(written: object, seconds: float) -> None:
    """A number is seconds; text needs a unit."""
    assert parse_duration(written) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "written", ["5", "5 minutes", "5M", "-1s", "", "s", "1h30m", -1, math.inf, math.nan, True, None, [1]]
)
def test_a_wrong_duration_says_what_is_allowed(written: object) -> None:
    """Everything else is refused with the allowed forms."""
    with pytest.raises(ValueError, match="is not a duration; write seconds as a number, or 500ms, 30s, 5m, 1h or 3d"):
        parse_duration(written)


@pytest.mark.parametrize(
    ("written", "count"), [("20k", 20_000), ("12M", 12_000_000), ("1.5k", 1500), ("7", 7), (0, 0), (9, 9)]
)
def test_counts_are_whole_numbers(written: object, count: int) -> None:
    """`k` is a thousand and `M` a million."""
    assert parse_count(written) == count


@pytest.mark.parametrize("written", ["20m", "20K", "1.2345k", "-1", "many", -1, 1.5, True, None])
def test_a_wrong_count_says_what_is_allowed(written: object) -> None:
    """Fractions, negative numbers and other units are refused with the allowed forms."""
    with pytest.raises(ValueError, match="is not a count; write a whole number that is not negative, or 20k or 12M"):
        parse_count(written)
