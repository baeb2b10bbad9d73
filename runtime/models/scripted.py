"""A model that plays prepared replies: for tests, for demonstrations, and for plans that run offline."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

import orjson
import trio

from runtime.core.ports import ModelReply, ModelRequest, ModelStream
from runtime.errors import ModelError
from runtime.models.script import Script, ScriptedReply, read_scripts
from runtime.values.commands import Slot
from runtime.values.jsonlike import path_text
from runtime.values.messages import AssistantMessage, Message, ToolCall
from runtime.values.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_BREATH: Final = 16
"""Pieces after which others may run."""
_PASSING: Final = frozenset({"transport", "timeout", "rate_limit", "server"})
"""Kinds of failures after which a retry makes sense."""


class ScriptedModel:
    """Plays scripts, each Turn from the top.

    A call plays the reply of its own number, which the Turn counts from its facts: Turns that run side by side never
    take each other's replies, and a Turn that was stopped goes on where it was. The most specific script wins: that of
    the item (`read[a.org]`), then of the task (`read`), then of the agent.

    Args:
        name: Shown to people.
        scripts: Replies by the name of an item, a task or an agent. Nothing in them is expanded.
        max_concurrent: How many calls may run at a time; None for no limit.

    Raises:
        ScriptInvalid: With every fault of the scripts and its place.
    """

    def __init__(
        self, name: str = "scripted", *, scripts: Mapping[str, Any], max_concurrent: int | None = None
    ) -> None:
        self._name = name
        self._scripts = read_scripts(scripts)
        self._slots = () if max_concurrent is None else (Slot(f"model:{name}", max_concurrent),)

    @property
    def name(self) -> str:
        """Shown to people and recorded with each call."""
        return self._name

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Admission slots that one call holds."""
        return self._slots

    async def call(self, request: ModelRequest, stream: ModelStream) -> ModelReply:
        """Play the reply for this call: wait its delay, show its pieces, return it whole. Always a checkpoint.

        Raises:
            ModelError: The script says so, or it has no reply left (kind `script`).
        """
        reply = self._reply(request)
        await trio.sleep(reply.delay)
        await _show(stream.thinking, reply.thinking, stream)
        if reply.error is not None:
            raise ModelError(
                f"the script of {request.key or request.agent} ends call {request.number} with {reply.error}",
                kind=reply.error,
                retryable=reply.error in _PASSING,
            )
        await _show(stream.text, reply.text, stream)
        for name, arguments in reply.calls:
            stream.tool_call(name, arguments)
        usage = reply.usage or Usage(input_tokens=_estimate(request), output_tokens=_length(reply.message) // 4)
        return ModelReply(message=reply.message, usage=usage, stop_reason="tool_calls" if reply.calls else "stop")

    def leftover(self, calls: Iterable[tuple[str, str, int, int]]) -> list[str]:
        """Name the replies that nobody heard.

        Args:
            calls: Of each Turn that ran: its key, its agent, the attempt, and how many model calls it made.

        Returns:
            One sentence for each Turn that made fewer calls than its script has replies.
        """
        sentences = []
        for key, agent, attempt, made in calls:
            name, script = self._script(key, agent)
            if script is None or made >= (ready := len(script.replies(attempt))):
                continue
            place = path_text(_place(name, script, attempt), "scripts")
            spare = _counted(ready - made, "reply")
            sentences.append(
                f"{place}: {key or agent} made {_counted(made, 'model call')}; {spare} from [{made}] on left over"
            )
        return sentences

    def _script(self, key: str, agent: str) -> tuple[str, Script | None]:
        """Return the most specific script and its name."""
        for name in (key, key.partition("[")[0], agent):
            if name in self._scripts:
                return name, self._scripts[name]
        return "", None

    def _reply(self, request: ModelRequest) -> ScriptedReply:
        name, script = self._script(request.key, request.agent)
        if script is None:
            raise ModelError(self._nothing_for(request), kind="script")
        replies = script.replies(request.attempt)
        if request.number > len(replies):
            place = path_text(_place(name, script, request.attempt), "scripts")
            raise ModelError(
                f"{place} has {_counted(len(replies), 'reply')}, but {request.key or request.agent} makes model call"
                f" {request.number}; add a reply",
                kind="script",
            )
        return replies[request.number - 1]

    def _nothing_for(self, request: ModelRequest) -> str:
        wanted = list(dict.fromkeys(filter(None, (request.key, request.key.partition("[")[0], request.agent))))
        close = [match for name in wanted for match in difflib.get_close_matches(name, self._scripts, n=1)]
        there = f"there are scripts for {', '.join(self._scripts)}" if self._scripts else "there are no scripts at all"
        hint = f"; did you mean {close[0]!r}?" if close else ""
        return f"no script for model call {request.number} of {' or '.join(wanted) or 'this Turn'}; {there}{hint}"


async def _show(show: Callable[[str], None], pieces: tuple[str, ...], stream: ModelStream) -> None:
    for count, piece in enumerate(pieces, 1):
        show(piece)
        if count % _BREATH == 0:
            await stream.relax()


def _place(name: str, script: Script, attempt: int) -> list[str | int]:
    """Return the way through `scripts` to the list that this attempt plays."""
    return [name] if len(script.attempts) == 1 else [name, "attempts", min(attempt, len(script.attempts)) - 1]


def _counted(number: int, noun: str) -> str:
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def _estimate(request: ModelRequest) -> int:
    """Guess the input tokens as a quarter of the characters, the same ones every time."""
    return (len(request.instructions) + sum(map(_length, request.messages))) // 4


def _length(message: Message) -> int:
    if isinstance(message, AssistantMessage):
        return sum(
            _written(block.arguments) + len(block.name) if isinstance(block, ToolCall) else len(block.text)
            for block in message.blocks
        )
    return _written(message.content)


def _written(value: object) -> int:
    return len(value) if isinstance(value, str) else len(orjson.dumps(value))
