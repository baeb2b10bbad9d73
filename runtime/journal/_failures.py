"""What SQLite and the file system report, said so that a person can do something about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from runtime.errors import CorruptJournal, JournalError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from pathlib import Path

_CAUSES: Final[Mapping[str, tuple[str, str]]] = {
    "FULL": ("the disk is full", "free some space, then resume"),
    "BUSY": ("another program keeps it locked", "close that program, a database browser perhaps, and try again"),
    "LOCKED": ("another program keeps it locked", "close that program, a database browser perhaps, and try again"),
    "READONLY": ("it may not be written", "let this user write both the file and its folder, or name another file"),
    "PERM": ("it may not be written", "let this user write both the file and its folder, or name another file"),
    "CANTOPEN": ("it cannot be opened", "let this user write both the file and its folder, or name another file"),
    "NOTADB": ("it is not a SQLite database", "name another file for the journal"),
    "IOERR": ("the disk reported an error", "look at the disk's free space and health, then resume"),
    "CORRUPT": ("it is damaged", "restore a copy; `sqlite3 FILE .recover` may save what is left"),
}


def translate(error: sqlite3.Error, path: Path) -> JournalError:
    """Return the error that a caller of the journal sees instead of SQLite's own."""
    name = getattr(error, "sqlite_errorname", None) or ""
    code = name.removeprefix("SQLITE_").partition("_")[0]
    what, advice = _CAUSES.get(code, ("SQLite refused", "please report this"))
    said = f"journal {path}: {what} ({error}); {advice}"
    if code == "CORRUPT":
        return CorruptJournal(said)
    return JournalError(said if code == "NOTADB" else f"{said}. What was committed before is intact")


def missing(path: Path) -> JournalError | None:
    """Return the error for a path that can hold no journal, or None if it can."""
    if path.is_dir():
        return JournalError(f"journal {path}: it is a folder; name a file in it")
    if not path.parent.is_dir():
        return JournalError(f"journal {path}: the folder {path.parent} does not exist; make it, or name another file")
    return None
