"""Who runs a root: a task of the runtime, or the caller's own; and the handler that answers on its behalf."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

import trio

from runtime.errors import JournalError, RuntimeFault
from runtime.shell.loop import run_turn
from runtime.shell.perform import leaves_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from runtime.shell.runtime import Runtime
    from runtime.shell.tree import Tree
    from runtime.values.requests import Answer, Request

    OnRequest = Callable[[Request], Awaitable[Answer | None]]

PATIENCE: Final = 5.0
"""Seconds that letting go of a tree may take while everything else is being cancelled."""


async def run_root(tree: Tree) -> None:
    """Run the root until it ends or parks. A cancel of ours closes the tree; one from outside records nothing.

    Raises:
        RuntimeFault: The tree had to stop, see `Tree.fail`.
    """
    root = tree.root
    while True:
        if root.cause is None and tree.failure is None:
            try:
                with trio.CancelScope() as root.scope:
                    await run_turn(root)
            except Exception:
                if tree.failure is None:  # else that says it better than whatever came of it
                    raise
            finally:
                root.scope = None
        if tree.failure is not None:
            raise tree.failure
        if root.state.ending is None and root.cause is not None:
            tree.close(root, root.cause)
        await tree.barrier()
        # An answer, a cancel or a failure may have come while the journal was busy.
        if root.state.ending is not None or (root.parked and root.cause is None and tree.failure is None):
            return


async def drive(runtime: Runtime, tree: Tree) -> None:
    """Run a root in a task of the runtime; what stops it unexpectedly is kept for `Turn.result`."""
    try:
        await run_root(tree)
        if tree.root.state.ending is not None:
            await runtime.let_go(tree)
    except Exception as error:  # noqa: BLE001 - raised to whoever waits for the result
        tree.failure = single_cause(error)
        with trio.CancelScope(shield=True, deadline=trio.current_time() + PATIENCE):
            await give_up(runtime, tree)
    finally:
        tree.running = False
        tree.rest()


async def give_up(runtime: Runtime, tree: Tree) -> None:
    """Let go of a tree that was stopped without an ending; its facts are kept, so it can be resumed."""
    with suppress(JournalError):
        await runtime.let_go(tree)


async def run_here(runtime: Runtime, tree: Tree, on_request: OnRequest | None) -> None:
    """Run a root in the calling task, asking `on_request` for answers meanwhile."""
    root = tree.root
    seen: set[str] = set()
    try:
        while True:
            if on_request is None:
                await run_root(tree)
            else:
                await _run_with_handler(runtime, tree, on_request, seen)
            if root.state.ending is not None or root.parked:  # else an answer came while we left
                break
        if root.state.ending is not None:
            await runtime.let_go(tree)
    except BaseException:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + PATIENCE):
            await give_up(runtime, tree)
        raise
    finally:
        tree.in_caller = False
        tree.rest()


async def _run_with_handler(runtime: Runtime, tree: Tree, on_request: OnRequest, seen: set[str]) -> None:
    busy: set[str] = set()

    async def ask(request: Request) -> None:
        answer = await on_request(request)
        if answer is not None and request.id in tree.requests:
            await runtime.answer(request.id, answer, by="on_request")
        busy.discard(request.id)
        tree.stir()

    def look() -> None:
        for name, request in list(tree.requests.items()):
            if name not in seen:
                seen.add(name)
                busy.add(name)
                nursery.start_soon(ask, request)

    async with trio.open_nursery() as nursery:
        tree.on_request = look
        look()
        try:
            while True:
                tree.stirred = trio.Event()
                await run_root(tree)
                if tree.root.state.ending is not None:
                    break
                if tree.root.state.suspended:
                    if not busy:
                        break
                    await tree.stirred.wait()
        finally:
            tree.on_request = None
        nursery.cancel_scope.cancel(reason="the tree has ended")


def single_cause(error: BaseException) -> BaseException:
    """Return the one error that a group is about: its only leaf, or the only one of ours; else the group."""
    leaves = leaves_of(error)
    if len(leaves) == 1:
        return leaves[0]
    ours = [leaf for leaf in leaves if isinstance(leaf, RuntimeFault)]
    return ours[0] if len(ours) == 1 else error
