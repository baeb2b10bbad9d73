"""Where facts are kept (floor F2): in memory, or in a SQLite file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.journal.memory import MemoryJournal

if TYPE_CHECKING:
    from pathlib import Path

    from runtime.core.ports import Journal


def open_journal(spec: str | Path | None, *, threaded: bool = True) -> Journal:
    """Return the journal that a setting names; it is opened by whoever uses it.

    Args:
        spec: A file; None or `:memory:` keeps nothing beyond the process.
        threaded: Whether a file is written by a thread of its own; not possible under virtual time.
    """
    if spec is None or str(spec) == ":memory:":
        return MemoryJournal()
    from runtime.journal.sqlite import SqliteJournal  # SQLite and the codec only for those who use them

    return SqliteJournal(spec, threaded=threaded)


__all__ = ["MemoryJournal", "open_journal"]
