"""A model played by a function, a performer that calls functions directly, and ids that count."""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING, Any

import trio

from runtime.core.ports import ModelReply, ModelRequest, ModelStream
from runtime.shell.perform import failure_of
from runtime.values import signals as s
from runtime.values.commands import CallModel, RunTool, Slot
from runtime.values.failure import Failure
from runtime.values.jsonlike import Unserialisable, freeze
from runtime.values.messages import AssistantMessage, Text, ToolCall
from runtime.values.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from runtime.testing.drive import DrivenTurn


class FunctionModel:
    """A model that a plain function plays. The function may raise `ModelError`.

    Args:
        reply: Called with each request; returns the reply, or just its text.
        name: Shown to people.
        max_concurrent: How many calls may run at a time; None for no limit.
    """

    def __init__(
        self,
        reply: Callable[[ModelRequest], ModelReply | str],
        *,
        name: str = "function",
        max_concurrent: int | None = None,
    ) -> None:
        self._reply = reply
        self.name = name
        self.slots = () if max_concurrent is None else (Slot(f"model:{name}", max_concurrent),)

    def reply(self, request: ModelRequest) -> ModelReply:
        """Return the reply to a request."""
        reply = self._reply(request)
        return say(reply) if isinstance(reply, str) else reply

    async def call(self, request: ModelRequest, stream: ModelStream) -> ModelReply:
        """Reply after one checkpoint."""
        await trio.lowlevel.checkpoint()
        return self.reply(request)


def say(answer: Any, *, usage: Usage = NO_USAGE) -> ModelReply:
    """Return a reply of text; anything but text is written as JSON."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return ModelReply(message=AssistantMessage((Text(text),)), usage=usage)


def call(*calls: tuple[str, Any], usage: Usage = NO_USAGE) -> ModelReply:
    """Return a reply that asks for tool calls, each given as `(name, arguments)`."""
    blocks = tuple([ToolCall("", f"id{k}", name, arguments) for k, (name, arguments) in enumerate(calls)])
    return ModelReply(message=AssistantMessage(blocks), usage=usage, stop_reason="tool_calls")


def perform(turn: DrivenTurn, command: CallModel | RunTool) -> s.Signal:
    """Run a call on the spot and return how it ended: what `drive` does unless it is told otherwise.

    Models must be `FunctionModel`s, tools synchronous functions that take no context.
    """
    key = command.call_key
    if isinstance(command, CallModel):
        model: Any = command.model
        try:
            judged: s.ModelReplied = turn.machine.judge(
                turn.state, key, model.reply(turn.machine.request(turn.state)), 0.0
            )
        except Exception as error:  # noqa: BLE001 - whatever a model raises is this call's failure
            return s.ModelBroke(key, failure_of(error, "model_bug"), Usage(model_calls=1))
        return judged
    wrong = command.tool.validate(command.arguments)
    if wrong is not None:
        return s.ToolBroke(key, Failure("invalid_arguments", wrong))
    function: Any = command.tool
    try:
        return s.ToolReturned(key, freeze(function(**command.arguments), where="result"))
    except Unserialisable as error:
        return s.ToolBroke(key, Failure("unserialisable", str(error)))
    except Exception as error:  # noqa: BLE001 - whatever a tool raises is this call's failure
        return s.ToolBroke(key, failure_of(error, "tool_error"))


class SequentialIds:
    """Names trees `t00001`, `t00002`, … in the order in which they start."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def __call__(self, now: float) -> str:
        """Return the next id."""
        return f"t{next(self._numbers):05}"
