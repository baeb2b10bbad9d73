"""The garbage collector rests while a scenario is read, and only then."""

import gc

import pytest

from planner.scenario.collecting import collector_paused


def test_the_collector_rests_within_and_goes_on_after_an_error() -> None:
    """Whatever happens inside, the collector works again afterwards."""
    seen = []

    @collector_paused()
    def fail() -> None:
        seen.append(gc.isenabled())
        raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert seen == [False]
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    """A pause inside a pause, or in a program that collects by itself, changes nothing."""
    with collector_paused():
        with collector_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
