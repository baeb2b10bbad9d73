"""Cutting a program at each of its task steps."""

import pytest
import trio
from trio.testing import MockClock

from runtime.testing import cancel_at_every_step, count_task_steps
from runtime.testing.steps import Arm


async def test_steps_are_counted(autojump_clock: MockClock) -> None:
    """Every time a task runs until it waits is one step, whichever task it is."""
    with count_task_steps() as counter:
        await trio.lowlevel.checkpoint()
        await trio.lowlevel.checkpoint()
    assert counter.steps == 2
    await trio.lowlevel.checkpoint()
    assert counter.steps == 2


async def test_a_program_is_cut_at_each_step(autojump_clock: MockClock) -> None:
    """Each run gets one step further, until one is not cut any more."""
    reached: list[int] = []

    async def program(arm: Arm) -> None:
        done = 0
        with trio.CancelScope() as scope:
            arm(scope.cancel)
            for _ in range(4):
                await trio.lowlevel.checkpoint()
                done += 1
        reached.append(done)

    assert await cancel_at_every_step(program) == 4
    assert reached == [0, 1, 2, 3, 4]


async def test_cuts_may_be_far_apart(autojump_clock: MockClock) -> None:
    """With a stride only each so-many-th step is cut."""

    async def program(arm: Arm) -> None:
        with trio.CancelScope() as scope:
            arm(scope.cancel)
            for _ in range(10):
                await trio.lowlevel.checkpoint()

    assert await cancel_at_every_step(program, stride=4) == 3


async def test_an_error_of_the_cut_is_raised(autojump_clock: MockClock) -> None:
    """A cut that fails is a mistake of the test, and is not swallowed."""

    async def program(arm: Arm) -> None:
        def cut() -> None:
            raise ValueError("no such scope")

        arm(cut)
        await trio.lowlevel.checkpoint()

    with pytest.raises(ValueError, match="no such scope"):
        await cancel_at_every_step(program)
