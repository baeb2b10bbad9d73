"""The writing side of the SQLite journal: one connection, used by one thread at a time, inside one transaction.

Every method but `begin`, `commit`, `rollback` and `close` runs between `begin` and `commit`, and raises our own errors
before it has written anything, so that what else the transaction holds can still be committed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import attrs

from runtime.errors import KeyTaken, TreeHeld
from runtime.journal._messages import no_tree, root_taken
from runtime.journal._owners import OwnerLock, Owners
from runtime.journal._schema import connect, prepare
from runtime.values.status import TERMINAL

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from runtime.values.events import Fact, TurnHeader

NOW: Final = "SELECT (julianday('now') - 2440587.5) * 86400.0"
"""The store's own clock: leases are a matter between processes that share a store."""

_TURNS_KEPT: Final = 10_000
"""Turns whose row number is remembered; beyond it they are looked up again."""


_PRUNE: Final = (
    "DELETE FROM submissions WHERE tree = ?",
    "DELETE FROM facts WHERE tree = ?",
    "DELETE FROM turns WHERE tree = ?",
    "DELETE FROM trees WHERE id = ?",
)


@attrs.frozen
class Grant:
    """What a tree's new owner must know."""

    tree: int
    epoch: int
    position: int


class Store:
    """Writes trees, facts, owners and definitions.

    Args:
        path: The file.
        lease: Seconds for which another host leaves a silent owner's trees alone.
        renewing: Whether `renew_if_due` does anything; under virtual time nothing periodic may happen.
        patience: Seconds to wait while another process writes.
    """

    def __init__(self, path: Path, *, lease: float, renewing: bool, patience: float) -> None:
        self.path = path
        self._lease = lease
        self._renewing = renewing
        self._owners = Owners(path)
        self._lock: OwnerLock | None = None
        self._renew_at = 0.0
        self._turns: dict[str, tuple[TurnHeader, int]] = {}
        self._connection = connect(path, patience)
        try:
            prepare(self._connection, path)
        except BaseException:
            self._connection.close()
            raise
        self._execute = self._connection.execute

    @property
    def holds(self) -> bool:
        """True once it has claimed a tree: then it has a lease to look after."""
        return self._lock is not None

    def begin(self) -> None:
        """Begin a transaction, waiting for another process's to end."""
        self._execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Make everything since `begin` durable."""
        self._execute("COMMIT")

    def rollback(self) -> None:
        """Forget everything since `begin`, if it began."""
        self._turns.clear()
        if self._connection.in_transaction:
            self._execute("ROLLBACK")

    def close(self) -> None:
        """Close the file and let go of the lock, which frees every tree that is still held."""
        self._connection.close()
        if self._lock is not None:
            self._lock.let_go()
            self._lock = None

    def create(self, root_id: str, kind: str, name: str, definition: str | None, now: float, key: str | None) -> Grant:
        """Make a tree and hold it."""
        if self._execute("SELECT 1 FROM trees WHERE root_id = ?", (root_id,)).fetchone():
            raise root_taken(root_id)
        if key is not None and (row := self._execute("SELECT root_id FROM trees WHERE key = ?", (key,)).fetchone()):
            raise KeyTaken(key, row[0])
        owner = self._own_id(now)
        cursor = self._execute(
            "INSERT INTO trees (root_id, kind, name, definition, started_at, updated_at, owner, claimed_at, key) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (root_id, kind, name, definition, now, now, owner, now, key),
        )
        return Grant(_number(cursor), epoch=1, position=0)

    def claim(self, root_id: str, now: float) -> Grant:
        """Take a tree that nobody holds, or whose owner died or let its lease run out."""
        row = self._execute(
            "SELECT t.id, t.epoch, t.position, t.claimed_at, o.id, o.host, o.pid, o.lease_until "
            "FROM trees t LEFT JOIN owners o ON o.id = t.owner WHERE t.root_id = ?",
            (root_id,),
        ).fetchone()
        if row is None:
            raise no_tree(root_id, [known for (known,) in self._execute("SELECT root_id FROM trees")])
        tree, epoch, position, since, *owner = row
        if (holder := holding(self._owners, owner, since, now)) is not None:
            raise TreeHeld(root_id, holder)
        self._execute(
            "UPDATE trees SET epoch = epoch + 1, owner = ?, claimed_at = ? WHERE id = ?", (self._own_id(now), now, tree)
        )
        return Grant(tree, epoch + 1, position)

    def release(self, tree: int, epoch: int) -> None:
        """Let a tree go, unless somebody else took it over."""
        self._execute("UPDATE trees SET owner = NULL WHERE id = ? AND epoch = ?", (tree, epoch))

    def release_all(self) -> None:
        """Let go of everything that this store holds."""
        if self._lock is not None:
            self._forget(self._lock.id)

    def append(
        self, tree: int, epoch: int, facts: Sequence[Fact], payloads: Sequence[bytes], status: str, taken: int | None
    ) -> bool:
        """Add one batch; False, and nothing written, if the epoch is not the tree's any more."""
        if not self._append(tree, epoch, facts, payloads, status):
            return False
        if taken is not None:
            where = facts[0].position if facts else 0
            self._execute("UPDATE submissions SET taken_at = ? WHERE ticket = ? AND taken_at IS NULL", (where, taken))
        return True

    def _append(self, tree: int, epoch: int, facts: Sequence[Fact], payloads: Sequence[bytes], status: str) -> bool:
        if not facts:
            return bool(
                self._execute("UPDATE trees SET status = ? WHERE id = ? AND epoch = ?", (status, tree, epoch)).rowcount
            )
        last = facts[-1]
        changed = self._execute(
            "UPDATE trees SET position = ?, status = ?, updated_at = ? WHERE id = ? AND epoch = ? AND position = ?",
            (last.position, status, last.time, tree, epoch, facts[0].position - 1),
        )
        if not changed.rowcount:
            return False
        self._connection.executemany(
            "INSERT INTO facts (tree, position, turn, sequence, time, type, data) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (tree, fact.position, self._turn(tree, fact.header), fact.sequence, fact.time, fact.type, data)
                for fact, data in zip(facts, payloads, strict=True)
            ],
        )
        return True

    def submit(self, root_id: str, body: bytes, now: float) -> int:
        """Keep something for a tree's owner and return its ticket."""
        row = self._execute("SELECT id FROM trees WHERE root_id = ?", (root_id,)).fetchone()
        if row is None:
            raise no_tree(root_id, [known for (known,) in self._execute("SELECT root_id FROM trees")])
        return _number(self._execute("INSERT INTO submissions (tree, body, at) VALUES (?, ?, ?)", (row[0], body, now)))

    def acknowledge(self, consumer: str, offset: int) -> None:
        """Move a consumer's cursor up to an offset."""
        self._execute(
            'INSERT INTO cursors VALUES (?, ?) ON CONFLICT DO UPDATE SET "offset" = max("offset", excluded."offset")',
            (consumer, offset),
        )

    def prune(self, root_ids: Collection[str]) -> int:
        """Remove those of these trees that have ended and that nobody holds; return how many."""
        ((now,),) = self._execute(NOW)
        gone = 0
        for root_id in root_ids:
            row = self._execute(
                "SELECT t.id, t.status, t.claimed_at, o.id, o.host, o.pid, o.lease_until "
                "FROM trees t LEFT JOIN owners o ON o.id = t.owner WHERE t.root_id = ?",
                (root_id,),
            ).fetchone()
            if row is None:
                continue
            tree, status, since, *owner = row
            if status not in TERMINAL or holding(self._owners, owner, since, now) is not None:
                continue
            for statement in _PRUNE:
                self._execute(statement, (tree,))
            gone += 1
        self._execute(
            "DELETE FROM definitions WHERE digest NOT IN (SELECT definition FROM trees WHERE definition IS NOT NULL)"
        )
        self._turns.clear()
        return gone

    def put_definition(self, text: str) -> str:
        """Keep a text and return its digest."""
        digest = hashlib.sha256(text.encode()).hexdigest()
        self._execute("INSERT OR IGNORE INTO definitions VALUES (?, ?)", (digest, text))
        return digest

    def renew_if_due(self) -> None:
        """Extend the lease once a third of it is over."""
        if self._lock is None or not self._renewing:
            return
        ((now,),) = self._execute(NOW)
        if now >= self._renew_at:
            self._extend(self._lock.id, now)
            self._renew_at = now + self._lease / 3

    def _extend(self, owner: str, now: float) -> None:
        self._execute(
            "INSERT INTO owners VALUES (?, ?, ?, ?) "
            "ON CONFLICT DO UPDATE SET lease_until = max(lease_until, excluded.lease_until)",
            (owner, self._owners.host, os.getpid(), now + self._lease),
        )

    def _own_id(self, now: float) -> str:
        """Return the id under which this store holds trees; at first, also tidy up behind owners that died."""
        if self._lock is None:
            self._lock = self._owners.acquire()
            ((started,),) = self._execute(NOW)
            self._renew_at = started + self._lease / 3
            rows = self._execute("SELECT id FROM owners WHERE host = ?", (self._owners.host,)).fetchall()
            dead = {owner for (owner,) in rows if not self._owners.alive(owner)}
            for owner in dead | set(self._owners.left_behind()):
                self._forget(owner)
                self._owners.forget(owner)
        self._extend(self._lock.id, now)
        return self._lock.id

    def _forget(self, owner: str) -> None:
        self._execute("UPDATE trees SET owner = NULL WHERE owner = ?", (owner,))
        self._execute("DELETE FROM owners WHERE id = ?", (owner,))

    def _turn(self, tree: int, header: TurnHeader) -> int:
        known = self._turns.get(header.turn_id)
        if known is not None and known[0] is header:
            return known[1]
        if len(self._turns) >= _TURNS_KEPT:
            self._turns.clear()
        key = (header.turn_id, header.agent_id, header.agent_version)
        cursor = self._execute(
            "INSERT OR IGNORE INTO turns (tree, parent_turn_id, task_key, path, turn_id, agent_id, agent_version) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (tree, header.parent_turn_id, header.task_key, json.dumps(header.path), *key),
        )
        if cursor.rowcount:
            number = _number(cursor)
        else:
            ((number,),) = self._execute(
                "SELECT id FROM turns WHERE turn_id = ? AND agent_id = ? AND agent_version = ?", key
            )
        self._turns[header.turn_id] = (header, number)
        return number


def holding(owners: Owners, owner: Sequence[Any], since: float | None, now: float) -> str | None:
    """Describe who holds a tree right now, or return None.

    Args:
        owners: The lock files beside the journal.
        owner: The owner's row: id, host, process, end of its lease; all None without one.
        since: When the tree was claimed.
        now: UTC; counts for owners on other hosts only.
    """
    name, host, pid, lease_until = owner
    if name is None:
        return None
    if not (owners.alive(name) if host == owners.host else lease_until > now):
        return None
    began = datetime.fromtimestamp(since or 0.0, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"process {pid} on {host} since {began}"


def _number(cursor: sqlite3.Cursor) -> int:
    if cursor.lastrowid is None:
        raise sqlite3.InternalError("an insert gave no row number")
    return cursor.lastrowid
