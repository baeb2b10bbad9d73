"""Server-sent events: from bytes, cut anywhere, to the data of events."""

from __future__ import annotations

import re
from typing import Final

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")


class EventReader:
    r"""Reads one event stream. An event counts once the blank line after it is there; a rest is no event.

    Examples:
        >>> reader = EventReader()
        >>> reader.feed(b": a comment\n\ndata: on"), reader.feed(b"e\r\n\r\ndata: tw")
        ([], ['one'])
    """

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        """The line that is not complete yet, in the pieces in which it came."""
        self._data: list[str] = []
        """Lines of data of the event that is not complete yet."""
        self._after_return = False
        """Whether the last byte was a carriage return, whose line feed may still come."""

    def feed(self, chunk: bytes) -> list[str]:
        """Return the data of the events that this piece completes.

        Raises:
            UnicodeDecodeError: A line is not UTF-8.
        """
        if not chunk:
            return []
        if self._after_return and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        self._after_return = chunk.endswith(b"\r")
        *complete, rest = _LINE_END.split(chunk)
        events: list[str] = []
        for end in complete:
            line = b"".join([*self._pieces, end])
            self._pieces.clear()
            self._line(line, events)
        self._pieces.append(rest)
        return events

    @property
    def rest(self) -> str:
        """The data of the event that is not complete yet."""
        return "\n".join([*self._data, *_data(b"".join(self._pieces))])

    def _line(self, line: bytes, events: list[str]) -> None:
        if not line:
            if self._data:
                events.append("\n".join(self._data))
                self._data.clear()
            return
        self._data += _data(line)


def _data(line: bytes) -> list[str]:
    """Return the data of a line, if it has some: there are comments and other fields too."""
    field, _, value = line.removeprefix(b"\xef\xbb\xbf").partition(b":")
    return [value.removeprefix(b" ").decode("utf-8")] if field == b"data" else []
