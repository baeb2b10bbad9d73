"""Putting a question to the person at the terminal, field by field."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from planner.cli.forms import Field, fields_of
from planner.inspector.words import clean, clean_block, plural
from planner.plan.fields import parse_option
from runtime.errors import AnswerInvalid, UsageError
from runtime.values.requests import Answer

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from planner.cli.keyboard import Keyboard
    from runtime.values.requests import Request

_MOST_LINES: Final = 20
_MOST_WIDE: Final = 120


class Prompt:
    """Asks at the terminal.

    Args:
        keyboard: Where answers come from.
        out: Where questions go.
    """

    def __init__(self, keyboard: Keyboard, out: TextIO) -> None:
        self._keyboard = keyboard
        self._out = out

    async def ask(self, request: Request) -> Answer | None:
        """Put a question and wait for the answer; None leaves it open (Ctrl-D). Asks again for what does not fit.

        Safe to cancel: then the question has simply not been answered.
        """
        self._introduce(request)
        if request.form is None:
            return await self._free()
        values: dict[str, Any] = {}
        for field in fields_of(request.form):
            value = await self._line(_label(field), field.read)
            if value is None:
                return None
            if isinstance(value[0], Answer):
                return value[0]
            values[field.name] = value[0]
        return Answer.form(values)

    def explain(self, error: AnswerInvalid) -> None:
        """Say why an answer was not taken."""
        self._say(f"  {error}; once more:\n")

    def withdraw(self, reason: str) -> None:
        """Say that the question need not be answered any more."""
        self._say(f"\n  ({reason})\n")

    async def _free(self) -> Answer | None:
        value = await self._line("yes, or a value", _free_value)
        return None if value is None else value[0]

    async def _line(self, label: str, read: Callable[[str], Any]) -> tuple[Any] | None:
        """Ask for one line until it can be read; a rejection comes as an Answer. None at the end of input."""
        while True:
            ahead = self._keyboard.ahead()
            self._say(f"  {label}: ")
            line = await self._keyboard.line()
            if line is None:
                self._say("\n  left open\n")
                return None
            if ahead:
                self._say(f"{clean(line)}\n")
            try:
                if line.startswith("!"):
                    return (_rejection(line),)
                return (read(line),)
            except UsageError as error:
                self._say(f"    {error}\n")

    def _introduce(self, request: Request) -> None:
        where = clean("/".join(request.path) or request.task_key or request.turn_id)
        lines = [f"? {where}: {clean(request.message)}"]
        if request.show is not None:
            lines += [f"  | {line}" for line in _shown(request.show)]
        lines.append("  (`!no REASON` rejects, Ctrl-D leaves it open)")
        self._say("\n".join(lines) + "\n")

    def _say(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()


def _label(field: Field) -> str:
    default = f", Enter for {clean(field.default)}" if field.default is not None else ""
    about = field.schema.get("description")
    return f"{field.name} ({field.takes}{default})" + (f" {clean(str(about))}" if about else "")


def _free_value(line: str) -> Answer:
    if not line:
        raise UsageError("write something: yes, or a value")
    if line.lower() in ("y", "yes"):
        return Answer.approve()
    return Answer.of(parse_option({}, line))


def _rejection(line: str) -> Answer:
    word, _, reason = line[1:].strip().partition(" ")
    if word != "no" or not reason.strip():
        raise UsageError("a rejection needs a reason: `!no REASON`")
    return Answer.reject(reason.strip())


def _shown(value: Any) -> list[str]:
    """Return what to look at before answering, in a bounded number of bounded lines."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    lines = clean_block(text).splitlines()
    more = len(lines) - _MOST_LINES
    shown = [line if len(line) <= _MOST_WIDE else f"{line[:_MOST_WIDE]}…" for line in lines[:_MOST_LINES]]
    return [*shown, f"… {plural(more, 'more line')}"] if more > 0 else shown
