"""The handle of a root Turn that callers hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.errors import UsageError
from runtime.shell.inbox import cancel_root
from runtime.shell.stream import EventStream
from runtime.values.result import TurnResult

if TYPE_CHECKING:
    from runtime.shell.runtime import Runtime
    from runtime.shell.tree import Tree


class Turn:
    """The root of a tree: one that runs, or ran, in this process, or one that another process may be running."""

    def __init__(self, runtime: Runtime, root_id: str, tree: Tree | None) -> None:
        self._runtime = runtime
        self._root_id = root_id
        self._tree = tree
        """None if the tree is not held here."""

    @property
    def turn_id(self) -> str:
        """The tree's id."""
        return self._root_id

    def events(self, *, after: int = 0, previews: bool = False) -> EventStream:
        """Return a stream of the tree's facts with positions above `after`, with live previews if wanted.

        Use it as `async with turn.events() as events: async for event in events: …`. It ends after the root's ending.
        Previews are seen in the process that runs the tree only.
        """
        return EventStream(self._runtime.journal, self._root_id, self._tree, after, previews)

    async def result(self) -> TurnResult:
        """Wait until the Turn has ended, or everything in it waits for someone outside, and say how it stands.

        Raises:
            JournalError: The tree had to stop because the journal failed or another process took it over.
            InternalError: The tree had to stop because of a bug in turntree.
        """
        tree = self._tree
        if tree is None:
            return await self._runtime.result(self._root_id)
        await tree.at_rest()
        if tree.failure is not None:
            raise tree.failure
        return result_of(tree)

    async def cancel(self, reason: str, *, by: str | None = None) -> TurnResult:
        """End the tree for good. Returns once everything has stopped and the endings are durable.

        Does nothing to a tree that has ended already.

        Raises:
            UsageError: The tree was stopped without an ending and is not held here any more.
            JournalError: The tree had to stop because the journal failed or another process took it over.
            InternalError: The tree had to stop because of a bug in turntree.
        """
        tree = self._tree
        if tree is None:
            return await self._runtime.cancel(self._root_id, reason, by=by)
        if tree.root.state.ending is None and tree.failure is None:
            if tree.released:
                raise UsageError(f"{tree.root_id} was stopped and is not held here; resume it, then cancel it")
            cancel_root(tree, reason, by)
        return await self.result()

    async def tell(self, text: str, *, turn_id: str | None = None, by: str | None = None) -> None:
        """Steer a running agent: before its next call the model is told, as if by the user.

        Args:
            text: What to tell it.
            turn_id: The agent's Turn, if it is not the root.
            by: Who says so.

        Raises:
            UsageError: The Turn has ended, or is no agent.
            OwnerSilent: A live process holds the tree and has not taken it yet.
        """
        await self._runtime.tell(turn_id or self._root_id, text, by=by)


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
