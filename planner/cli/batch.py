"""Many answers at once, from a file or a pipe: all are checked before the first is given."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs
import orjson

from planner.cli.exits import Exit
from planner.cli.place import Place, read_view
from runtime.errors import AnswerInvalid, NotFound, OwnerSilent, UsageError
from runtime.shell.answers import fitting
from runtime.values.ids import root_of, split_request_id
from runtime.values.requests import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planner.inspector import TreeView
    from runtime.shell.runtime import Runtime
    from runtime.values.requests import Request

_WAYS: Final = ("approve", "reject", "value", "form")
_EXAMPLE: Final = '{"request": "k3v9.2:0.1.1", "value": "blue", "by": "ana"}'


@attrs.frozen(kw_only=True)
class Line:
    """One answer as it was written."""

    place: str
    request: str
    answer: Answer
    by: str | None


async def answer_from(source: str, db: str | None, user: str) -> Exit:
    """Give every answer of a file, and print what became of each.

    Args:
        source: A file of JSON lines, or with one JSON list; `-` is stdin.
        db: The journal.
        user: Who answers where a line does not say.

    Raises:
        UsageError: Something is wrong with some of them; no answer was given.
    """
    lines = list(_read(source))
    code = Exit.DONE
    async with Place.of(db).open() as runtime:
        await _check(runtime, lines)
        for line in lines:
            try:
                await runtime.answer(line.request, line.answer, by=line.by or user)
                said = "taken"
            except (NotFound, AnswerInvalid, OwnerSilent) as error:  # it was in order a moment ago
                said, code = str(error), Exit.FAILED
            print(f"{line.request}: {said}", flush=True)
    return code


def _read(source: str) -> Iterator[Line]:
    try:
        text = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {source}: {error.strerror}") from error
    name = "stdin" if source == "-" else source
    faults: list[str] = []
    found = 0
    for place, entry in _entries(text, name):
        found += 1
        try:
            yield _line(place, entry)
        except UsageError as error:
            faults.append(str(error))
    if faults:
        raise UsageError("\n".join([*faults, "no answer was given"]))
    if not found:
        raise UsageError(f"{name} has no answers; write a line of JSON for each, such as {_EXAMPLE}")


def _entries(text: bytes, name: str) -> Iterator[tuple[str, Any]]:
    if text.lstrip()[:1] == b"[":
        try:
            listed = orjson.loads(text)
        except ValueError as error:
            raise UsageError(f"{name} is not valid JSON: {error}") from None
        yield from ((f"{name}, entry {number}", entry) for number, entry in enumerate(listed, 1))
        return
    for number, written in enumerate(text.splitlines(), 1):
        if not written.strip():
            continue
        try:
            yield f"{name}:{number}", orjson.loads(written)
        except ValueError as error:
            raise UsageError(f"{name}:{number}: not valid JSON: {error}") from None


def _line(place: str, entry: Any) -> Line:
    if not isinstance(entry, dict):
        raise UsageError(f"{place}: an answer is a JSON object, such as {_EXAMPLE}")
    unknown = sorted(entry.keys() - {"request", "by", *_WAYS})
    if unknown:
        raise UsageError(f"{place}: unknown {', '.join(unknown)}; known are request, by, {', '.join(_WAYS)}")
    ways = [way for way in _WAYS if way in entry]
    if len(ways) != 1:
        raise UsageError(f"{place}: say one of {', '.join(_WAYS)}; {' and '.join(ways) or 'none'} was given")
    request, by = entry.get("request"), entry.get("by")
    if not isinstance(request, str) or not (by is None or isinstance(by, str)):
        raise UsageError(f"{place}: `request` is the id of a question, and `by` a name")
    try:
        split_request_id(request)
    except ValueError as error:
        raise UsageError(f"{place}: {error}") from None
    return Line(place=place, request=request, answer=_answer(place, ways[0], entry[ways[0]]), by=by)


def _answer(place: str, way: str, value: Any) -> Answer:
    match way:
        case "approve" if value is True:
            return Answer.approve()
        case "approve":
            raise UsageError(f"{place}: `approve` is true; to say no, give `reject` with the reason")
        case "reject":
            return Answer.reject(value)
        case "form":
            return Answer.form(value)
        case _:
            return Answer.of(value)


async def _check(runtime: Runtime, lines: list[Line]) -> None:
    """Hold every answer against its question."""
    views: dict[str, TreeView] = {}
    faults: list[str] = []
    seen: dict[str, str] = {}
    for line in lines:
        root_id = root_of(line.request)
        if root_id not in views:
            views[root_id] = await read_view(runtime.journal, root_id)
        asked = views[root_id].requests.get(line.request)
        if line.request in seen:
            faults.append(f"{line.place}: {line.request} is answered by {seen[line.request]} already")
        elif asked is None:
            faults.append(f"{line.place}: {line.request} is not open")
        elif (wrong := _wrong(asked, line.answer)) is not None:
            faults.append(f"{line.place}: {line.request}: {wrong}")
        seen.setdefault(line.request, line.place)
    if faults:
        raise UsageError("\n".join([*faults, "no answer was given"]))


def _wrong(asked: Request, answer: Answer) -> str | None:
    try:
        fitting(asked.message, asked.form, answer)
    except AnswerInvalid as error:
        return str(error)
    return None
