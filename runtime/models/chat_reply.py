"""The reply of a chat completion, put together from the chunks in which it comes. Pure: no network, no clock.

Servers that speak this wire differ in details, and what can only mean one thing is taken as that: reasoning as
`reasoning_content`, as `reasoning` or as parts of the content; calls that are counted from 1 or not at all, without id
or with the same id twice; a name that comes later, or again; arguments as an object; usage in the last chunk or after
it. What could mean two things, or breaks off, is an error and never half a reply.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

import attrs

from runtime.core.ports import ModelReply
from runtime.values.messages import AssistantMessage, Block, Text, Thinking, ToolCall
from runtime.values.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from runtime.models.chat_errors import Server

Sort = Literal["text", "thinking"]
Piece = tuple[Sort, str]
"""What can be shown at once."""

DONE: Final = "[DONE]"
"""The data of the event after the last chunk."""
_REASONING: Final = ("reasoning_content", "reasoning")


@attrs.define
class _Call:
    """A tool call that may still grow."""

    index: Any
    id: str = ""
    name: str = ""
    arguments: list[str] = attrs.field(factory=list)

    def add(self, piece: Mapping[str, Any], function: Mapping[str, Any]) -> None:
        self.id = self.id or _text(piece.get("id"), "the id of a tool call")
        name = _text(function.get("name"), "the name of a tool call")
        if name != self.name:  # some servers say it again with every piece
            self.name += name
        arguments = function.get("arguments")
        self.arguments.append(
            json.dumps(arguments) if isinstance(arguments, Mapping) else _text(arguments, "arguments")
        )

    @property
    def written(self) -> str:
        return "".join(self.arguments)


class ChatReply:
    """One reply on its way in.

    Args:
        server: Who sends it, for the words of errors.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._blocks: list[tuple[Sort, str | None, list[str]]] = []
        """Sort, field of the wire and pieces of each block of text or reasoning."""
        self._calls: list[_Call] = []
        self._refusal: list[str] = []
        self._finish: str | None = None
        self._usage = NO_USAGE
        self.whole = False
        """Whether nothing can be missing: the closing mark came, or the usage with or after the reason to finish."""

    # -------------------------------------------------------------------------------------------- in

    def feed(self, data: str) -> list[Piece]:
        """Take the data of one event, and return what it adds for people to see.

        Raises:
            ModelError: It is not what the wire allows (kind `malformed`), or says that the server failed.
        """
        if data.strip() == DONE:
            self.whole = True
            return []
        try:
            chunk = json.loads(data)
        except ValueError as error:
            raise self._server.malformed(f"a chunk is not JSON ({error})") from error
        return self._take(chunk)

    def feed_whole(self, body: Any) -> list[Piece]:
        """Take the reply of a server that does not stream, which has the form of one large chunk. Raises as `feed`."""
        self.whole = True
        return self._take(body)

    def _take(self, chunk: Any) -> list[Piece]:
        pieces: list[Piece] = []
        try:
            chunk = _object(chunk, "a chunk")
            if chunk.get("error"):
                raise self._server.failed(chunk["error"])
            for choice in _list(chunk.get("choices"), "choices"):
                if _object(choice, "a choice").get("index", 0) in (0, None):  # we ask for one
                    self._choice(choice, pieces)
            if chunk.get("usage") is not None:
                self._usage = _usage(_object(chunk["usage"], "usage"))
                self.whole = self.whole or self._finish is not None
        except _Malformed as wrong:
            raise self._server.malformed(str(wrong)) from wrong
        return pieces

    def _choice(self, choice: Mapping[str, Any], pieces: list[Piece]) -> None:
        if choice.get("error"):
            raise self._server.failed(choice["error"])
        whole = choice.get("message")
        delta = _object(choice.get("delta") if whole is None else whole, "a delta")
        for field in _REASONING:
            if delta.get(field):
                self._show("thinking", _text(delta[field], field), field, pieces)
                break
        content = delta.get("content")
        for sort, text in _parts(content):
            self._show(sort, text, None, pieces)
        if delta.get("refusal"):
            self._refusal.append(_text(delta["refusal"], "refusal"))
        for piece in _list(delta.get("tool_calls"), "tool_calls"):
            self._call(_object(piece, "a tool call"))
        if choice.get("finish_reason"):
            self._finish = _text(choice["finish_reason"], "finish_reason")

    def _show(self, sort: Sort, text: str, field: str | None, pieces: list[Piece]) -> None:
        if not text:
            return
        if not self._blocks or self._blocks[-1][0] != sort:
            self._blocks.append((sort, field, []))
        self._blocks[-1][2].append(text)
        pieces.append((sort, text))

    def _call(self, piece: Mapping[str, Any]) -> None:
        function = _object(piece.get("function") or {}, "the function of a tool call")
        call = self._grown_by(piece.get("index"), piece.get("id") or "", bool(function.get("name")))
        if call is None:
            call = _Call(piece.get("index"))
            self._calls.append(call)
        call.add(piece, function)

    def _grown_by(self, index: Any, id: Any, named: bool) -> _Call | None:  # noqa: FBT001 - one place calls it
        """Return the call that a piece goes on with; None if it begins one."""
        for call in reversed(self._calls):
            if index is not None:
                if call.index == index:
                    # Some servers give every call the index 0; another id with a name is another call.
                    return None if named and id and call.id and id != call.id else call
            elif not named and (not id or id == call.id):
                return call
        return None

    # -------------------------------------------------------------------------------------------- out

    def finish(self) -> ModelReply:
        """Return the reply once the stream is over.

        Raises:
            ModelError: The stream ended before the reply did (kind `transport`), or the reply is no answer: the model
                refused (`refusal`), a filter stopped it (`content_filter`), or its calls were cut off (`length`).
        """
        if not self.whole:
            raise self._server.broken("the reply broke off")
        if self._refusal:
            raise self._server.refused("".join(self._refusal))
        match self._finish:
            case None:
                raise self._server.malformed("the reply has no finish_reason")
            case "content_filter":
                raise self._server.filtered()
            case "error":
                raise self._server.failed({"message": "the reply ended with an error"})
            case "length" if self._calls:
                raise self._server.too_long("the reply reached the model's limit in the middle of a tool call")
            case "tool_calls" | "function_call" if not self._calls:
                raise self._server.malformed("the reply should call tools, and has no tool_calls")
        if any(not call.name for call in self._calls):
            raise self._server.malformed("a tool call has no name")
        blocks: list[Block] = [
            Text("".join(pieces)) if sort == "text" else Thinking("".join(pieces), field)
            for sort, field, pieces in self._blocks
        ]
        blocks += [ToolCall("", call.id, call.name, call.written) for call in self._calls]
        return ModelReply(
            message=AssistantMessage(tuple(blocks)),
            usage=self._usage,
            stop_reason="tool_calls" if self._calls else self._finish,
        )


class _Malformed(Exception):
    """Something in a chunk is of a type that the wire does not allow."""


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return value
    raise _Malformed(f"{what} is no object but {value!r:.60}")


def _list(value: Any, what: str) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, list):
        return value
    raise _Malformed(f"{what} is no list but {value!r:.60}")


def _text(value: Any, what: str) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise _Malformed(f"{what} is no text but {value!r:.60}")


def _parts(content: Any) -> list[Piece]:
    """Return what a content says, be it text or a list of parts."""
    if not isinstance(content, list):
        return [("text", _text(content, "content"))]
    pieces: list[Piece] = []
    for part in content:
        part = _object(part, "a part of the content")
        if part.get("type") == "thinking":
            inner = part.get("thinking")
            pieces += [
                ("thinking", _text(_object(each, "a part of the reasoning").get("text"), "reasoning"))
                for each in (inner if isinstance(inner, list) else [{"text": inner}])
            ]
        else:
            pieces.append(("text", _text(part.get("text"), "a part of the content")))
    return pieces


def _usage(written: Mapping[str, Any]) -> Usage:
    prompt, completion, total = [
        _count(written.get(name), name) for name in ("prompt_tokens", "completion_tokens", "total_tokens")
    ]
    # Some servers leave the reasoning out of the completion; it is in the total, and on the bill.
    return Usage(input_tokens=prompt, output_tokens=max(completion, total - prompt))


def _count(value: Any, what: str) -> int:
    if value is None:
        return 0
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise _Malformed(f"{what} is no count but {value!r:.60}")
