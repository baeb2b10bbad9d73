"""Cancelling a program at each of its task steps, counted by a trio Instrument."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Iterator

Cut = Callable[[], object]
Arm = Callable[[Cut], None]


class StepCounter(trio.abc.Instrument):
    """Counts task steps, and calls a function right before one of them."""

    def __init__(self, at: int) -> None:
        self.steps = 0
        """Steps of all tasks so far."""
        self.spent = False
        """Whether the cut was made."""
        self._left = at
        self._cut: Cut | None = None
        self._failure: Exception | None = None

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        """Count a step, and make the cut if it is the one."""
        self.steps += 1
        if self._cut is None:
            return
        self._left -= 1
        if self._left == 0:
            cut, self._cut = self._cut, None
            self.spent = True
            try:
                cut()
            except Exception as error:  # noqa: BLE001 - trio would only log it
                self._failure = error

    def arm(self, cut: Cut) -> None:
        """Say what happens at the chosen step, which counts from now on."""
        self._cut = cut

    def check(self) -> None:
        """Raise what the cut raised."""
        if self._failure is not None:
            raise self._failure


@contextmanager
def count_task_steps(at: int = 0) -> Iterator[StepCounter]:
    """Count the steps of all tasks of this trio loop while the block runs; read `steps` of what it gives.

    Args:
        at: Which step after `arm` brings the cut; 0 for none.
    """
    counter = StepCounter(at)
    trio.lowlevel.add_instrument(counter)
    try:
        yield counter
    finally:
        trio.lowlevel.remove_instrument(counter)
    counter.check()


async def cancel_at_every_step(make: Callable[[Arm], Awaitable[None]], *, stride: int = 1) -> int:
    """Run a program again and again, cut right before its first task step, then its second, and so on to its last.

    Args:
        make: The program: builds everything anew, runs it, and checks what the cut has left. It gets `arm`, and calls
            it once, when it is about to begin what may be cut, with a synchronous function that cuts it short: a
            scope's `cancel`, or one that starts a task which does. A program that ends before the step runs whole.
        stride: Cut at each so-many-th step only.

    Returns:
        How many cuts were made.
    """
    cuts = 0
    while True:
        with count_task_steps(cuts * stride + 1) as counter:
            await make(counter.arm)
        if not counter.spent:
            return cuts
        cuts += 1
