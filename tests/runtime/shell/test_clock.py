"""Time, ids and jitter: the same wherever they are not meant to differ."""

import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from runtime.shell.clock import VIRTUAL_START, jitter, new_root_id, present_clock


async def test_virtual_time_starts_at_a_fixed_instant(autojump_clock: MockClock) -> None:
    """Under virtual time a runtime's first instant is always the same, and the clock counts with trio."""
    clock = present_clock()
    assert clock.jumps
    assert clock.now() == VIRTUAL_START
    await trio.sleep(90)
    assert clock.now() == VIRTUAL_START + 90


async def test_real_time_does_not_jump() -> None:
    """In real time facts carry the machine's UTC."""
    clock = present_clock()
    assert not clock.jumps
    assert clock.now() > VIRTUAL_START - 10 * 365 * 86400


@given(st.floats(0, 4e9), st.floats(0, 4e9))
def test_ids_sort_by_time(one: float, other: float) -> None:
    """An id of a later millisecond is greater; ids hold lower-case letters and digits only."""
    first, second = new_root_id(one), new_root_id(other)
    assert first.isalnum()
    assert first == first.lower()
    if int(one * 1000) != int(other * 1000):
        assert (first < second) == (one < other)


@given(st.text(), st.text(), st.integers(1, 9))
def test_jitter_depends_on_its_arguments_only(turn: str, key: str, attempt: int) -> None:
    """The same attempt of the same call always waits equally long."""
    value = jitter(turn, key, attempt)
    assert 0 <= value < 1
    assert value == jitter(turn, key, attempt)
