"""The tables of the SQLite journal, and how a file comes to have them."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from runtime.errors import JournalError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

APPLICATION: Final = 0x74747265
"""`ttre`: marks a SQLite file as a journal."""
SWITCHES: Final = 50
"""How often a new file may be looked at by others just when it is to become a WAL file."""

TABLES: Final = """
CREATE TABLE owners (
    id TEXT PRIMARY KEY,            -- also names the lock file
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    lease_until REAL NOT NULL       -- counts for other hosts only; here the lock file tells
) WITHOUT ROWID;
CREATE TABLE trees (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    definition TEXT,
    started_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    position INTEGER NOT NULL DEFAULT 0,
    status TEXT NOT NULL DEFAULT 'RUNNING',
    epoch INTEGER NOT NULL DEFAULT 1,
    owner TEXT REFERENCES owners (id),
    claimed_at REAL
);
CREATE INDEX trees_by_owner ON trees (owner) WHERE owner IS NOT NULL;
CREATE TABLE turns (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tree INTEGER NOT NULL REFERENCES trees (id),
    turn_id TEXT NOT NULL,
    parent_turn_id TEXT,
    agent_id TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    task_key TEXT NOT NULL,
    path TEXT NOT NULL,             -- a JSON list
    UNIQUE (turn_id, agent_id, agent_version)
);
CREATE TABLE facts (
    "offset" INTEGER PRIMARY KEY AUTOINCREMENT,     -- never given twice: feeds keep it as their cursor
    tree INTEGER NOT NULL REFERENCES trees (id),
    position INTEGER NOT NULL,
    turn INTEGER NOT NULL REFERENCES turns (id),
    sequence INTEGER NOT NULL,
    time REAL NOT NULL,
    type TEXT NOT NULL,
    data BLOB NOT NULL,             -- JSON in UTF-8
    UNIQUE (tree, position)
);
CREATE TABLE definitions (digest TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
"""
OUTSIDERS: Final = """
ALTER TABLE trees ADD COLUMN key TEXT;
CREATE UNIQUE INDEX trees_by_key ON trees (key) WHERE key IS NOT NULL;
CREATE TABLE submissions (
    ticket INTEGER PRIMARY KEY AUTOINCREMENT,       -- never given twice, also when a tree was pruned
    tree INTEGER NOT NULL REFERENCES trees (id),
    body BLOB NOT NULL,             -- JSON in UTF-8
    at REAL NOT NULL,
    taken_at INTEGER                -- position of the first fact that it caused, 0 for none, NULL before
);
CREATE INDEX submissions_open ON submissions (tree) WHERE taken_at IS NULL;
CREATE INDEX submissions_by_tree ON submissions (tree);
CREATE INDEX turns_by_tree ON turns (tree);
CREATE TABLE cursors (consumer TEXT PRIMARY KEY, "offset" INTEGER NOT NULL) WITHOUT ROWID;
"""
STEPS: Final = (TABLES, OUTSIDERS)
"""What makes a file of version n + 1 from one of version n; an empty file is version 0."""
VERSION: Final = len(STEPS)


def connect(path: Path, patience: float) -> sqlite3.Connection:
    """Open the file, ready for transactions that are begun and ended by hand.

    Args:
        path: The database; made if it does not exist.
        patience: Seconds to wait while another process writes.
    """
    # Used by one thread at a time, but not always by the one that made it.
    connection = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables that the file lacks, and refuse a file that is not ours or is newer than we are."""
    with _transaction(connection, "BEGIN"):  # of one moment: another process may be making the tables
        version = _checked_version(connection, path)
    _write_ahead(connection)
    if version == VERSION:
        return
    with _transaction(connection, "BEGIN IMMEDIATE"):
        for step in STEPS[_checked_version(connection, path) :]:  # none if somebody else was faster
            for statement in step.split(";\n"):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch the file to WAL, which SQLite refuses at once, without patience, while anybody else looks at it."""
    for attempt in range(SWITCHES):
        if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
            return
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or attempt == SWITCHES - 1:
                raise
            with _transaction(connection, "BEGIN IMMEDIATE"):
                pass  # waits, with patience, until the others have written


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    connection.execute(begin)
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _checked_version(connection: sqlite3.Connection, path: Path) -> int:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        if version or connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise JournalError(f"{path} is the database of another program; name another file for the journal")
        return 0
    if version > VERSION:
        raise JournalError(
            f"journal {path} was written by a newer turntree (its format is {version}, this one knows {VERSION}); "
            "use that version, or name another file"
        )
    return int(version)
