"""The handle of a root Turn that callers hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.errors import UsageError
from runtime.shell.stream import EventStream
from runtime.values import signals as s
from runtime.values.failure import Cause
from runtime.values.result import TurnResult

if TYPE_CHECKING:
    from runtime.shell.runtime import Runtime
    from runtime.shell.tree import Tree


class Turn:
    """The root of a tree that runs, or ran, in this process."""

    def __init__(self, runtime: Runtime, tree: Tree) -> None:
        self._runtime = runtime
        self._tree = tree

    @property
    def turn_id(self) -> str:
        """The tree's id."""
        return self._tree.root_id

    def events(self, *, after: int = 0, previews: bool = False) -> EventStream:
        """Return a stream of the tree's facts with positions above `after`, with live previews if wanted.

        Use it as `async with turn.events() as events: async for event in events: …`. It ends after the root's ending.
        """
        return EventStream(self._runtime.journal, self._tree.root_id, self._tree, after, previews)

    async def result(self) -> TurnResult:
        """Wait until the Turn has ended, or everything in it waits for someone outside, and say how it stands.

        Raises:
            JournalError: The tree had to stop because the journal failed or another process took it over.
            InternalError: The tree had to stop because of a bug in turntree.
        """
        await self._tree.at_rest()
        if self._tree.failure is not None:
            raise self._tree.failure
        return result_of(self._tree)

    async def cancel(self, reason: str, *, by: str | None = None) -> TurnResult:
        """End the tree for good. Returns once everything has stopped and the endings are durable.

        Does nothing to a tree that has ended already.

        Raises:
            UsageError: The tree was stopped without an ending and is not held here any more.
            JournalError: The tree had to stop because the journal failed or another process took it over.
            InternalError: The tree had to stop because of a bug in turntree.
        """
        tree = self._tree
        root = tree.root
        if root.state.ending is None and tree.failure is None:
            if tree.released:
                raise UsageError(f"{tree.root_id} was stopped and is not held here; resume it, then cancel it")
            root.signal(s.CancelRequested(reason, by))
            root.cancel(Cause("cancelled", reason, by))
            self._runtime.go(tree)
        return await self.result()


def result_of(tree: Tree) -> TurnResult:
    """Return how the root stands now."""
    root = tree.root
    state = root.state
    return TurnResult(
        turn_id=tree.root_id,
        status=state.status,
        output=state.output if state.ending is not None else None,
        usage=state.usage,
        error=state.error,
        requests=tree.open_requests(),
        tasks=root.machine.summary(state),
    )
