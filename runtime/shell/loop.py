"""The loop of a Turn, and how a child is attached, parked, cancelled and closed.

A Turn waits for the endings of its calls, records each with what follows, and starts what that opened. A call that is
alone runs in the Turn's own task; several run in a nursery that the Turn opens for as long as it needs one. The only
awaits are the barrier before effects, the performers, and the wait for news.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from runtime.errors import InternalError
from runtime.shell.active import ActiveClock
from runtime.shell.perform import perform
from runtime.values import signals as s
from runtime.values.commands import CallModel, RunChild, RunTool
from runtime.values.failure import Cause

if TYPE_CHECKING:
    from runtime.shell.live import Live
    from runtime.values.commands import Command


async def run_turn(live: Live) -> None:
    """Run a started Turn until it has ended or everything in it waits for someone outside.

    Cancelling it records nothing: whoever owns the cause closes the subtree afterwards.
    """
    state = live.state
    tree = live.tree
    while state.ending is None:
        if not state.open and not live.queued:
            if state.suspended:
                return
            raise InternalError(f"{live.header.turn_id} has nothing to do and has not ended; please report it")
        if tree.out_of_breath():
            await trio.lowlevel.checkpoint()  # models and tools that never wait must not starve the rest
        command = live.lone()
        if command is None:
            await _crowd(live)
        else:
            live.finish(command.call_key, await _run(live, command))


async def _run(live: Live, command: Command) -> s.Signal | None:
    if type(command) is RunChild:
        return await run_child(live, command)
    tree = live.tree
    if tree.position > tree.durable and type(command) in _EFFECTS:
        await tree.barrier()
    return await perform(live, command)


async def _crowd(live: Live) -> None:
    """Run several calls side by side until none is open, or a single new one can go on in the Turn's own task."""
    state = live.state
    async with trio.open_nursery() as nursery:
        while state.ending is None:
            while state.fresh:
                keys, state.fresh = state.fresh, []
                for key in keys:
                    command = state.open.get(key)
                    if command is not None:  # it may have been closed meanwhile
                        nursery.start_soon(_run_and_post, live, command)
            if not state.open and not live.queued:
                break
            if not live.inbox:
                await live.wait()
            while live.inbox:
                live.finish(*live.inbox.popleft())
            if not nursery.child_tasks and live.alone():
                break


async def _run_and_post(live: Live, command: Command) -> None:
    live.post(command.call_key, await _run(live, command))


async def run_child(parent: Live, command: RunChild) -> s.ChildCame | s.ChildParked:
    """Attach a child and see it to its ending, or until it parks; then say so.

    A child that is cancelled for a reason of ours, or whose active time is up, is closed with its whole subtree once
    all of its tasks are gone. A cancel from outside passes through and records nothing.
    """
    child = parent.attach(command)
    child.clocks = parent.clocks
    if not child.state.started:
        child.signal(first_signal(parent, command))
    active = command.active
    if command.timeout is None and not parent.machine.drops:
        await run_turn(child)  # nobody but its root will ever cancel it
    else:
        active = await _run_in_scope(parent, child, command)
    if child.state.ending is not None:
        return child.came()
    return s.ChildParked(command.n, child.state.open_requests(), active)


async def _run_in_scope(parent: Live, child: Live, command: RunChild) -> float:
    """Run a child that may be cancelled alone; returns the seconds of active time that it has used."""
    clock: ActiveClock | None = None
    with trio.CancelScope() as scope:
        child.scope = scope
        if command.timeout is not None:
            clock = ActiveClock(scope, command.timeout - command.active)
            child.clocks = (*parent.clocks, clock)
        if command.n in parent.state.dropped:
            child.cancel(Cause("cancelled", "it is not needed any more"))
        else:
            await run_turn(child)
    child.scope = None
    if child.state.ending is None and (child.cause is not None or scope.cancelled_caught):
        late = Cause("timeout", f"{command.key} took longer than {command.timeout or 0:g} s of active time")
        parent.tree.close(child, child.cause or late)
    return command.active if clock is None else (command.timeout or 0.0) - clock.left


def first_signal(parent: Live, command: RunChild) -> s.Start:
    """Return the signal that starts a child."""
    above = parent.state.start
    assert above is not None
    return s.Start(command.input, command.key, command.attempt, above.depth + 1, above.max_depth)


_EFFECTS = (CallModel, RunTool)
