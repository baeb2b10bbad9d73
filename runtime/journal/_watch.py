"""Noticing what others commit: SQLite counts that for each connection, and asking it costs microseconds."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Final

import trio

from runtime.journal._failures import translate
from runtime.journal._schema import connect

if TYPE_CHECKING:
    from pathlib import Path

PAUSE: Final = 0.1
"""Seconds between two looks at the file, while somebody waits for another process."""


class Watch:
    """Tells of commits to one file, whoever made them. Used in the loop only.

    Args:
        path: The file, which has its tables.
        looking: Whether to look for other processes at all; under virtual time nothing periodic may happen.
        patience: Seconds to wait while another process has the file to itself.
    """

    def __init__(self, path: Path, *, looking: bool, patience: float) -> None:
        self._path = path
        self._looking = looking
        self._own = 0
        """Counts what this process committed."""
        self._waiting = trio.lowlevel.ParkingLot()
        self._expecting = trio.lowlevel.ParkingLot()
        """Those who wait for submissions, and need not hear of every commit."""
        self._connection = connect(path, patience)
        self._connection.execute("PRAGMA query_only = ON")

    def close(self) -> None:
        """Close the file; who still waits is woken."""
        self._connection.close()
        self._waiting.unpark_all()
        self._expecting.unpark_all()

    def tell(self) -> None:
        """Take in that this process committed something."""
        self._own += 1
        self._waiting.unpark_all()

    def tell_submitted(self) -> None:
        """Take in that this process submitted something."""
        self._expecting.unpark_all()

    def count(self) -> int:
        """Return a number that changes with every commit.

        Raises:
            JournalError: The file cannot be read any more.
        """
        return self._ask("PRAGMA data_version") + self._own

    def newest_ticket(self) -> int:
        """Return the ticket of the newest submission, 0 without one.

        Raises:
            JournalError: The file cannot be read any more.
        """
        return self._ask("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'submissions'")

    async def pause(self, *, for_submissions: bool = False) -> None:
        """Wait for a commit of this process, or until it is time to look for one of another. A checkpoint."""
        lot = self._expecting if for_submissions else self._waiting
        if not self._looking:
            await lot.park()
            return
        with trio.move_on_after(PAUSE):
            await lot.park()

    def _ask(self, question: str) -> int:
        try:
            ((answer,),) = self._connection.execute(question)
        except sqlite3.Error as error:
            raise translate(error, self._path) from error
        return int(answer)
