"""Who runs a root: a task of the runtime, or the caller's own; and the handler that answers on its behalf."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from runtime.errors import RuntimeFault
from runtime.shell.loop import run_turn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from runtime.shell.runtime import Runtime
    from runtime.shell.tree import Tree
    from runtime.values.requests import Answer, Request

    OnRequest = Callable[[Request], Awaitable[Answer | None]]


async def run_root(tree: Tree) -> None:
    """Run the root until it ends or parks. A cancel of ours closes the tree; one from outside records nothing."""
    root = tree.root
    with trio.CancelScope() as scope:
        root.scope = scope
        if root.cause is not None:
            scope.cancel(reason=root.cause.message)
        try:
            await run_turn(root)
        finally:
            root.scope = None
    if root.state.ending is None and root.cause is not None:
        tree.close(root, root.cause)
    await tree.barrier()


async def drive(runtime: Runtime, tree: Tree) -> None:
    """Run a root in a task of the runtime; what stops it unexpectedly is kept for `Turn.result`."""
    try:
        await run_root(tree)
        if tree.root.state.ending is not None:
            await runtime.let_go(tree)
    except Exception as error:  # noqa: BLE001 - raised to whoever waits for the result
        tree.failure = single_cause(error)
        tree.released = True
        runtime.trees.pop(tree.root_id, None)
        tree.claim.changed.unpark_all()
    finally:
        tree.running = False
        tree.rest()


async def run_here(runtime: Runtime, tree: Tree, on_request: OnRequest | None) -> None:
    """Run a root in the calling task, asking `on_request` for answers meanwhile."""
    try:
        if on_request is None:
            await run_root(tree)
        else:
            await _run_with_handler(runtime, tree, on_request)
    finally:
        tree.rest()
        if tree.root.state.ending is None:
            tree.in_caller = False
    if tree.root.state.ending is not None:
        await runtime.let_go(tree)


async def _run_with_handler(runtime: Runtime, tree: Tree, on_request: OnRequest) -> None:
    busy: set[str] = set()
    seen: set[str] = set()

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
    leaves = _leaves(error)
    if len(leaves) == 1:
        return leaves[0]
    ours = [leaf for leaf in leaves if isinstance(leaf, RuntimeFault)]
    return ours[0] if len(ours) == 1 else error


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    return [error]
