"""Performers: each runs one command and returns the signal that says how it ended. They never record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from runtime.core.simple import CallMachine
from runtime.errors import AdapterError, InternalError
from runtime.shell.emitter import CallContext, Emitter
from runtime.values import signals as s
from runtime.values.commands import CallModel, RunTool, Sleep
from runtime.values.failure import Failure
from runtime.values.jsonlike import Unserialisable, freeze
from runtime.values.usage import Usage

if TYPE_CHECKING:
    from runtime.shell.live import Live
    from runtime.values.commands import Command

_ONE_CALL = Usage(model_calls=1)


async def perform(live: Live, command: Command) -> s.Signal | None:
    """Run a command that is not a child and return how it ended; None for a sleep."""
    if type(command) is Sleep:
        over = trio.Event()
        if not live.sleeps:
            live.sleeps = {}
        live.sleeps[command.call_key] = over
        with trio.move_on_after(max(0.0, command.due - live.tree.runtime.clock.now())):
            await over.wait()
        del live.sleeps[command.call_key]
        return None
    for clock in live.clocks:
        clock.enter()
    try:
        if type(command) is CallModel:
            return await _call_model(live, command)
        assert type(command) is RunTool
        return await _run_tool(live, command)
    finally:
        for clock in live.clocks:
            clock.leave()


async def _call_model(live: Live, command: CallModel) -> s.Signal:
    machine: Any = live.machine
    key = command.call_key
    stream = live.emitters[key] = Emitter(live, key)
    began = trio.current_time()
    try:
        reply = await command.model.call(machine.request(live.state), stream)
        signal: s.ModelReplied = machine.judge(live.state, key, reply, trio.current_time() - began)
    except Exception as error:  # noqa: BLE001 - whatever an adapter raises is this call's failure
        failure = failure_of(error, "model_bug")
        return s.ModelBroke(key, failure, _ONE_CALL, trio.current_time() - began)
    return signal


async def _run_tool(live: Live, command: RunTool) -> s.Signal:
    key, tool = command.call_key, command.tool
    if type(live.machine) is CallMachine:
        wrong = tool.validate(command.arguments)
        if wrong is not None:
            return s.ToolBroke(key, Failure("invalid_arguments", wrong))
    emitter = live.emitters[key] = Emitter(live, key)
    context = CallContext(live, key, emitter)
    began = trio.current_time()
    try:
        if tool.timeout is None:
            result = await tool.run(command.arguments, context)
        else:
            with trio.move_on_after(tool.timeout) as scope:
                result = await tool.run(command.arguments, context)
            if scope.cancelled_caught:
                failure = Failure("timeout", f"{tool.name} took longer than {tool.timeout:g} s", retryable=True)
                return s.ToolBroke(key, failure, trio.current_time() - began)
        kept = freeze(result, where="result")
    except Unserialisable as error:
        return s.ToolBroke(key, Failure("unserialisable", str(error)), trio.current_time() - began)
    except Exception as error:  # noqa: BLE001 - whatever a tool raises is this call's failure
        return s.ToolBroke(key, failure_of(error, "tool_error"), trio.current_time() - began)
    finally:
        context.cancelled = True
    return s.ToolReturned(key, kept, trio.current_time() - began)


def failure_of(error: BaseException, kind: str) -> Failure:
    """Return an exception as a value; a group with one cause counts as that cause.

    Raises:
        InternalError: The exception is our own bug, which must not pass for somebody's failure.
    """
    leaves = leaves_of(error)
    if any(isinstance(leaf, InternalError) for leaf in leaves):
        raise error
    if len(leaves) == 1:
        (leaf,) = leaves
        if isinstance(leaf, AdapterError):
            return Failure(leaf.kind, freeze(str(leaf)), leaf.retryable, leaf.retry_after)
        return Failure(kind, freeze(f"{type(leaf).__name__}: {leaf}"))
    return Failure(kind, freeze("; ".join([f"{type(leaf).__name__}: {leaf}" for leaf in leaves])))


def leaves_of(error: BaseException) -> list[BaseException]:
    """Return the errors that an exception group is about, or the error itself."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in leaves_of(inner)]
    return [error]
