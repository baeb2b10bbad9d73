"""Reading lines from a terminal in the way of trio: no thread waits for a person.

The terminal stays in its usual mode, so that the system edits the line and nothing must be put back when the program
is killed. A line comes when Enter is pressed.
"""

from __future__ import annotations

import os
import select

import trio


class Keyboard:
    """Lines that a person types.

    Args:
        descriptor: File descriptor of a terminal.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._read = b""

    def ahead(self) -> bool:
        """Whether a line is there already, so that the terminal has shown it before it was asked for."""
        return b"\n" in self._read or bool(select.select([self._descriptor], [], [], 0)[0])

    async def line(self) -> str | None:
        """Wait for a line, without its end; None once there will be no more (Ctrl-D on an empty line). A checkpoint.

        Cancelling loses nothing of what was typed.
        """
        while b"\n" not in self._read:
            await trio.lowlevel.wait_readable(self._descriptor)
            try:
                more = os.read(self._descriptor, 4096)
            except OSError:  # the terminal is gone
                more = b""
            if not more:
                self._read = b""
                return None
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return line.decode("utf-8", errors="replace").strip()
