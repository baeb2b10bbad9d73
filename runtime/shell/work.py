"""Taking on every tree of the journal that can go on and that nobody runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from runtime.errors import InternalError, JournalError, StaleWriter, TreeHeld, UsageError
from runtime.shell.runner import PATIENCE
from runtime.values.status import TERMINAL

if TYPE_CHECKING:
    from collections.abc import Callable

    from runtime.core.ports import RootInfo
    from runtime.shell.runtime import Runtime

    OnStuck = Callable[[RootInfo, Exception], None]

_BREATH: Final = 0.2
"""Seconds between two looks at the list of trees, however much is committed meanwhile."""
_GLANCE: Final = 2.0
"""Seconds after which to look anyway where other processes may die, which commits nothing."""


class Worker:
    """Takes on trees, so many at a time."""

    def __init__(self, runtime: Runtime, limit: int, on_stuck: OnStuck | None) -> None:
        if limit < 1:
            raise UsageError(f"a worker runs at least one tree at a time, not {limit}")
        self._runtime = runtime
        self._limit = limit
        self._on_stuck = on_stuck
        self._busy: set[str] = set()
        self._stuck: dict[str, tuple[int, int]] = {}
        """Trees that could not go on: how far they had come, and what had been left for them."""
        self._free = trio.Event()

    async def work(self) -> None:
        """Look for trees for ever."""
        journal = self._runtime.journal
        async with trio.open_nursery() as nursery:
            while True:
                seen = journal.news()
                self._free = trio.Event()
                for info in reversed(await journal.roots()):
                    if len(self._busy) >= self._limit:
                        break
                    if self._can_go_on(info):
                        self._busy.add(info.root_id)
                        nursery.start_soon(self._run, info)
                await self._wait(seen)

    def _can_go_on(self, info: RootInfo) -> bool:
        if info.owner is not None or info.root_id in self._busy or info.root_id in self._runtime.trees:
            return False
        if info.status in TERMINAL or (info.status == "WAITING" and not info.submissions):
            return False
        return self._stuck.get(info.root_id) != (info.position, info.submissions)

    async def _run(self, info: RootInfo) -> None:
        """Run one tree until it ends or waits, then let go of it."""
        runtime, root_id = self._runtime, info.root_id
        try:
            turn = await runtime.resume(root_id)
            await turn.result()
            tree = runtime.trees.get(root_id)
            if tree is not None and tree.idle and tree.root.parked:
                with trio.CancelScope(shield=True, deadline=trio.current_time() + PATIENCE):
                    await runtime.let_go(tree)  # whoever answers finds it free
        except (TreeHeld, StaleWriter):
            pass  # another worker was faster
        except (UsageError, InternalError) as error:
            self._stuck[root_id] = (info.position, info.submissions)
            if self._on_stuck is not None:
                self._on_stuck(info, error)
        finally:
            self._busy.discard(root_id)
            self._free.set()

    async def _wait(self, seen: int) -> None:
        """Wait until there may be something to do."""
        async with trio.open_nursery() as nursery:

            async def until_free() -> None:
                await self._free.wait()
                nursery.cancel_scope.cancel()

            async def until_news() -> None:
                try:
                    await self._runtime.journal.changed(seen)
                except JournalError:
                    await trio.sleep(_GLANCE)
                nursery.cancel_scope.cancel()

            nursery.start_soon(until_free)
            if len(self._busy) < self._limit:
                nursery.start_soon(until_news)
            if self._runtime.journal.threaded:
                nursery.cancel_scope.deadline = trio.current_time() + _GLANCE
        await trio.sleep(_BREATH)
