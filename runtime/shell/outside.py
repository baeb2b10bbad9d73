"""Acting on any tree of the journal: one that is held here, one that nobody holds, one that another process runs."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import trio

from runtime.core.kinds import find
from runtime.errors import (
    AnswerInvalid,
    IllegalSignal,
    KeyTaken,
    NotFound,
    NotResumable,
    OwnerSilent,
    TreeHeld,
    UsageError,
)  # fmt: skip
from runtime.shell.answers import check_answer, no_open_request
from runtime.shell.inbox import answering, cancelling, outcome, take_answer, take_in, telling
from runtime.shell.recovery import load_tree
from runtime.shell.turn import Turn, result_of
from runtime.values import events as e
from runtime.values import signals as s
from runtime.values.failure import Cause
from runtime.values.ids import root_of, split_request_id
from runtime.values.jsonlike import freeze
from runtime.values.status import TERMINAL

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from typing import Any

    from runtime.core.ports import Definition
    from runtime.shell.live import Live
    from runtime.shell.runtime import Runtime
    from runtime.shell.tree import Tree
    from runtime.values.requests import Answer
    from runtime.values.result import TurnResult

PATIENCE: Final = 10.0
"""Seconds for which something that was left for an owner is waited for."""
_GLANCE: Final = 0.5
"""Seconds after which to look whether the owner is still there: its death commits nothing."""


@asynccontextmanager
async def borrow(runtime: Runtime, root_id: str) -> AsyncIterator[Tree]:
    """Hold a tree that nobody holds for as long as the block takes; what was left for it is taken first.

    Raises:
        NotFound: No such tree.
        TreeHeld: Somebody holds it.
    """
    tree = await load_tree(runtime, root_id, None)
    tree.borrowed = True
    try:
        await take_in(runtime, [tree])
        yield tree
    finally:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + PATIENCE):
            await runtime.let_go(tree)


async def answer(runtime: Runtime, request: str, said: Answer, by: str) -> None:
    """Answer an open question, see `Runtime.answer`."""
    try:
        turn_id, key = split_request_id(request)
    except ValueError as error:
        raise NotFound(str(error)) from None
    root_id = root_of(turn_id)
    tree = runtime.trees.get(root_id)
    if tree is not None:
        _answer(tree, turn_id, key, said, by)
        runtime.go(tree)
        await tree.barrier()
        return
    try:
        async with borrow(runtime, root_id) as tree:
            _answer(tree, turn_id, key, said, by)
            return
    except TreeHeld as error:
        held = error
    fact = await _deliver(runtime, held, answering(request, said, by))
    data = fact.data if fact is not None else None
    if isinstance(data, e.RequestRefused):
        if data.kind == "invalid":
            raise AnswerInvalid(data.reason)
        raise NotFound(f"request {request} is not open: {data.reason}")
    if not isinstance(data, e.RequestAnswered):
        raise NotFound(f"request {request} is not open: its tree has ended")


def _answer(tree: Tree, turn_id: str, key: str, said: Answer, by: str) -> Live:
    live = tree.find(turn_id)
    asked = live.state.requests.get(key) if live is not None else None
    if live is None or asked is None:
        raise no_open_request(tree, f"{turn_id}:{key}")
    take_answer(tree, live, s.Answered(key, check_answer(asked, said), by))
    return live


async def cancel(runtime: Runtime, root_id: str, reason: str, by: str | None) -> TurnResult:
    """End a tree for good, see `Runtime.cancel`."""
    tree = runtime.trees.get(root_id)
    if tree is not None:
        return await Turn(runtime, root_id, tree).cancel(reason, by=by)
    try:
        async with borrow(runtime, root_id) as tree:
            if tree.root.state.ending is None:
                tree.root.signal(s.CancelRequested(reason, by))
                tree.close(tree.root, Cause("cancelled", reason, by))
        return result_of(tree)
    except TreeHeld as error:
        held = error
    await _deliver(runtime, held, cancelling(reason, by))
    return await at_rest(runtime, root_id, ended=True)


async def tell(runtime: Runtime, turn_id: str, text: str, by: str | None) -> None:
    """Steer a running agent, see `Turn.tell`."""
    kept = freeze(text, where="text")
    if not isinstance(kept, str) or not kept.strip():
        raise UsageError("a hint is some text")
    root_id = root_of(turn_id)
    tree = runtime.trees.get(root_id)
    if tree is not None:
        _tell(tree, turn_id, kept, by)
        await tree.barrier()
        return
    try:
        async with borrow(runtime, root_id) as tree:
            _tell(tree, turn_id, kept, by)
            return
    except TreeHeld as error:
        held = error
    if await _deliver(runtime, held, telling(turn_id, kept, by)) is None:
        raise UsageError(_NOBODY.format(turn_id))


def _tell(tree: Tree, turn_id: str, text: str, by: str | None) -> None:
    live = tree.find(turn_id)
    if live is None or not live.state.started:
        raise UsageError(_NOBODY.format(turn_id))
    try:
        live.signal(s.Hinted(text, by))
    except IllegalSignal:
        raise UsageError(_NOBODY.format(turn_id)) from None


_NOBODY: Final = "{} is no agent that runs, so nobody was told; `turntree tree` shows which Turns do"


async def _deliver(runtime: Runtime, held: TreeHeld, body: Mapping[str, Any]) -> e.Fact | None:
    """Leave something for a tree's owner and wait until it was taken; return the fact that it caused, if any.

    Should the owner die meanwhile, it is taken here.

    Raises:
        OwnerSilent: The owner lives but did not take it in time. It stays in the inbox.
    """
    journal, root_id = runtime.journal, held.root_id
    ticket = await journal.submit(root_id, body, now=runtime.clock.now())
    with trio.move_on_after(PATIENCE):
        while True:
            seen = journal.news()
            if await journal.taken_at(ticket) is not None:
                break
            info = await journal.root(root_id)
            if info.owner is None:
                await _take_here(runtime, root_id)
                continue
            with trio.move_on_after(_GLANCE):
                await journal.changed(seen)
    if await journal.taken_at(ticket) is None:
        raise OwnerSilent(root_id, held.owner)
    return await outcome(runtime, root_id, ticket)


async def _take_here(runtime: Runtime, root_id: str) -> None:
    try:
        async with borrow(runtime, root_id):
            pass
    except TreeHeld:
        await trio.lowlevel.checkpoint()  # somebody else was faster


async def at_rest(runtime: Runtime, root_id: str, *, ended: bool = False) -> TurnResult:
    """Wait until a tree that is not held here has ended, or waits for someone outside, and say how it stands.

    Args:
        runtime: Whose journal has it.
        root_id: The tree.
        ended: Whether only its end counts.

    Raises:
        NotFound: No such tree.
        NotSupportedYet: What it runs is not known here.
    """
    journal = runtime.journal
    while True:
        seen = journal.news()
        status = (await journal.root(root_id)).status
        if status in TERMINAL or (status == "WAITING" and not ended):
            break
        await journal.changed(seen)
    return result_of(await load_tree(runtime, root_id, None, claim=False))


async def same_tree(runtime: Runtime, taken: KeyTaken, what: Definition, given: Any) -> Turn | None:
    """Return the tree that has a key already; None if it never began, so that it can be begun now.

    Raises:
        UsageError: It runs something else, or was given something else.
    """
    root_id, journal = taken.root_id, runtime.journal
    digest = await runtime.digest(what)
    while not (first := await journal.read(root_id, 0, 1)):
        seen = journal.news()
        if (await journal.root(root_id)).owner is None:
            return None
        with trio.move_on_after(_GLANCE):  # whoever made it is about to record its first fact
            await journal.changed(seen)
    info = await journal.root(root_id)
    began = first[0].data
    assert isinstance(began, e.TurnStarted)
    accepted = freeze(find(what.kind).accept(what, given), where="input")
    if info.definition != digest:
        raise UsageError(f"the key {taken.key!r} is that of {root_id}, which runs another {info.kind} {info.name!r}")
    if began.input != accepted:
        raise UsageError(f"the key {taken.key!r} is that of {root_id}, which was given {began.input!r}")
    try:
        return await runtime.resume(root_id, what)
    except (TreeHeld, NotResumable):
        return Turn(runtime, root_id, None)
