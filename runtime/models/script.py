"""Scripts: prepared replies, read and checked whole before the first of them is played.

`scripts` maps a name (an item such as `read[a.org]`, a task or an agent) to a list of replies, or to
`{"attempts": [[…], […]]}`, where attempt n of the task plays list n, and the last list for all later ones.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import attrs
import orjson

from runtime.errors import UsageError
from runtime.models.pieces import cut
from runtime.values.jsonlike import Unserialisable, freeze, path_text
from runtime.values.messages import AssistantMessage, Block, Text, Thinking, ToolCall
from runtime.values.units import parse_count, parse_duration
from runtime.values.usage import Usage

Steps = tuple[str | int, ...]

_SAYS: Final = ("text", "json", "calls", "error")
_EXTRAS: Final = ("thinking", "usage", "delay", "chunks")
_KIND: Final = re.compile(r"[a-z][a-z0-9_]*")


@attrs.frozen(kw_only=True)
class ScriptedReply:
    """One reply, ready to be played."""

    message: AssistantMessage
    """The reply as a whole; without text and calls if it ends with an error."""
    thinking: tuple[str, ...] = ()
    """The pieces in which the reasoning is shown."""
    text: tuple[str, ...] = ()
    """The pieces in which the text is shown."""
    calls: tuple[tuple[str, str], ...] = ()
    """Names and the JSON text of arguments, as they are shown."""
    error: str | None = None
    """Kind of the failure that the call ends with."""
    usage: Usage | None = None
    """None to estimate it."""
    delay: float = 0.0
    """Seconds before anything is shown."""


@attrs.frozen
class Script:
    """All replies under one name; `attempts` holds one list for each attempt that has a list of its own."""

    attempts: tuple[tuple[ScriptedReply, ...], ...]

    def replies(self, attempt: int) -> tuple[ScriptedReply, ...]:
        """Return the replies that this attempt plays."""
        return self.attempts[min(attempt, len(self.attempts)) - 1]


@attrs.frozen
class ScriptFault:
    """Something wrong in a script."""

    steps: Steps
    """The way to it through `scripts`."""
    message: str

    def __str__(self) -> str:
        return f"{path_text(self.steps, 'scripts')}: {self.message}"


class ScriptInvalid(UsageError):
    """Scripts cannot be played; `faults` has everything that is wrong with them."""

    def __init__(self, faults: Sequence[ScriptFault]) -> None:
        super().__init__("\n".join(map(str, faults)))
        self.faults = tuple(faults)


def read_scripts(scripts: object) -> dict[str, Script]:
    """Read scripts as they stand in a scenario or a program.

    Raises:
        ScriptInvalid: With every fault and its place.
    """
    faults: list[ScriptFault] = []
    result: dict[str, Script] = {}
    if not isinstance(scripts, Mapping):
        raise ScriptInvalid([ScriptFault((), f"write {{name: [reply, …]}}, not {_shown(scripts)}")])
    for name, written in scripts.items():
        try:
            result[_name(name)] = Script(tuple(_lists(written, (str(name),), faults)))
        except _Wrong as wrong:
            faults.append(ScriptFault((str(name), *wrong.steps), str(wrong)))
    if faults:
        raise ScriptInvalid(faults)
    return result


class _Wrong(Exception):
    """A fault on its way to where its place is known; `steps` lead there from what was being read."""

    def __init__(self, message: str, *steps: str | int) -> None:
        super().__init__(message)
        self.steps = steps


def _name(name: object) -> str:
    if isinstance(name, str) and name:
        return name
    raise _Wrong("the name of an item, a task or an agent is text")


def _lists(written: object, at: Steps, faults: list[ScriptFault]) -> Iterator[tuple[ScriptedReply, ...]]:
    """Yield one list of replies for each attempt."""
    if not isinstance(written, Mapping):
        yield _replies(written, at, faults)
        return
    if written.keys() != {"attempts"}:
        raise _Wrong("write a list of replies, or {attempts: [[reply, …], …]}")
    attempts = written["attempts"]
    if not isinstance(attempts, list | tuple) or not attempts:
        raise _Wrong(f"write one list of replies for each attempt, not {_shown(attempts)}", "attempts")
    for n, replies in enumerate(attempts):
        yield _replies(replies, (*at, "attempts", n), faults)


def _replies(written: object, at: Steps, faults: list[ScriptFault]) -> tuple[ScriptedReply, ...]:
    replies: list[ScriptedReply] = []
    if not isinstance(written, list | tuple):
        faults.append(ScriptFault(at, f"write a list of replies, not {_shown(written)}"))
        return ()
    for index, reply in enumerate(written):
        found = list(_reply_faults(reply))
        faults += [ScriptFault((*at, index, *wrong.steps), str(wrong)) for wrong in found]
        if not found:
            replies.append(_reply(reply, index + 1))
    return tuple(replies)


def _reply_faults(reply: object) -> Iterator[_Wrong]:
    """Yield everything that is wrong with one reply."""
    if not isinstance(reply, Mapping):
        yield _Wrong(f"a reply is an object such as {{text: Done.}}, not {_shown(reply)}")
        return
    for key in reply:
        if key not in _PARTS:
            close = difflib.get_close_matches(str(key), _PARTS, n=1)
            yield _Wrong(f"not known; did you mean {close[0]!r}?" if close else _ALLOWED, str(key))
    said = [key for key in _SAYS if key in reply]
    if len(said) != 1:
        yield _Wrong(f"has {' and '.join(said) or 'nothing to say'}; write exactly one of {', '.join(_SAYS)}")
    for key in ("usage", "chunks"):
        if key in reply and "error" in reply:
            yield _Wrong(f"an error has no {key}; leave one of them out", key)
    if "chunks" in reply and "calls" in reply:
        yield _Wrong("calls are not shown in pieces; leave it out", "chunks")
    for key, read in _PARTS.items():
        if key in reply:
            try:
                read(reply[key])
            except _Wrong as wrong:
                yield _Wrong(str(wrong), key, *wrong.steps)
    yield from _cut_faults(reply)


def _cut_faults(reply: Mapping[str, Any]) -> Iterator[_Wrong]:
    pieces = reply.get("chunks")
    if not isinstance(pieces, list | tuple) or not all(isinstance(piece, str) for piece in pieces):
        return
    if isinstance(text := reply.get("text"), str) and "".join(pieces) != text:
        yield _Wrong(f"joined they are {_shown(''.join(pieces))}, not the reply's text", "chunks")
    elif "json" in reply:
        yield _Wrong("give a number of pieces: the text of json is ours to write", "chunks")


def _reply(reply: Mapping[str, Any], number: int) -> ScriptedReply:
    """Build the reply to a Turn's `number`-th call; it has no faults."""
    parts = {key: read(reply[key]) for key, read in _PARTS.items() if key in reply}
    thinking, text, chunks = parts.get("thinking", ""), parts.get("text", parts.get("json")), parts.get("chunks")
    calls = parts.get("calls", ())
    blocks: list[Block] = [Thinking(thinking)] if thinking else []
    if text is not None:
        blocks.append(Text(text))
    blocks += [ToolCall("", f"call_{number}_{index}", *call) for index, call in enumerate(calls)]
    return ScriptedReply(
        message=AssistantMessage(tuple(blocks)),
        thinking=tuple(cut(thinking)),
        text=chunks if isinstance(chunks, tuple) else tuple(cut(text or "", chunks)),
        calls=tuple(
            [(name, given if isinstance(given, str) else orjson.dumps(given).decode()) for name, given in calls]
        ),
        error=parts.get("error"),
        usage=parts.get("usage"),
        delay=parts.get("delay", 0.0),
    )


def _text(written: object) -> str:
    if isinstance(written, str):
        return str(freeze(written))
    raise _Wrong(f"{_shown(written)} is not text" + ("; use json for other values" if written is not None else ""))


def _json(written: object) -> str:
    return orjson.dumps(_frozen(written)).decode()


def _calls(written: object) -> tuple[tuple[str, Any], ...]:
    """Return names and arguments; arguments as text stand for what a model wrote, valid JSON or not."""
    if not isinstance(written, list | tuple) or not written:
        raise _Wrong("write a list of calls, such as [{search: {q: tea}}]")
    calls = []
    for index, call in enumerate(written):
        if not isinstance(call, Mapping) or len(call) != 1 or not all(isinstance(name, str) for name in call):
            raise _Wrong(
                f"a call is one tool with its arguments, such as {{search: {{q: tea}}}}, not {_shown(call)}", index
            )
        ((name, arguments),) = call.items()
        if not isinstance(arguments, Mapping | str):
            hint = "write {} for none" if arguments is None else f"not {_shown(arguments)}"
            raise _Wrong(f"arguments are an object; {hint}", index, name)
        calls.append((name, _frozen(arguments, index, name)))
    return tuple(calls)


def _frozen(written: object, *steps: str | int) -> Any:
    try:
        return freeze(written)
    except Unserialisable as fault:
        raise _Wrong(str(fault), *steps) from fault


def _error(written: object) -> str:
    if isinstance(written, str) and _KIND.fullmatch(written):
        return written
    raise _Wrong(f"{_shown(written)} is not the kind of an error; write one such as transport, timeout or rate_limit")


def _usage(written: object) -> Usage:
    if not isinstance(written, Mapping) or not written or written.keys() - {"input", "output"}:
        raise _Wrong(f"write {{input: 900, output: 80}}, not {_shown(written)}")
    return Usage(input_tokens=_tokens(written, "input"), output_tokens=_tokens(written, "output"))


def _tokens(written: Mapping[str, Any], side: str) -> int:
    try:
        return parse_count(written.get(side, 0))
    except ValueError as error:
        raise _Wrong(str(error), side) from error


def _delay(written: object) -> float:
    try:
        return parse_duration(written)
    except ValueError as error:
        raise _Wrong(str(error)) from error


def _chunks(written: object) -> tuple[str, ...] | int:
    if isinstance(written, int) and not isinstance(written, bool) and written >= 1:
        return written
    if isinstance(written, list | tuple) and all(isinstance(piece, str) for piece in written):
        return tuple([str(freeze(piece)) for piece in written])
    raise _Wrong(f"write how many pieces, or the pieces as a list of texts, not {_shown(written)}")


_PARTS: Final[dict[str, Callable[[object], Any]]] = {
    "text": _text,
    "json": _json,
    "calls": _calls,
    "error": _error,
    "thinking": _text,
    "usage": _usage,
    "delay": _delay,
    "chunks": _chunks,
}
_ALLOWED: Final = f"not known; a reply has one of {', '.join(_SAYS)}, and perhaps {', '.join(_EXTRAS)}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
