"""The reading side of the SQLite journal: a connection of its own, which sees committed facts only."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from runtime.core.ports import RootInfo, Submission
from runtime.journal._messages import no_definition, no_ticket, no_tree
from runtime.journal._owners import Owners
from runtime.journal._schema import connect
from runtime.journal._store import NOW, holding
from runtime.values.events import Fact, TurnHeader

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from runtime.codec import Codec

_HEADERS_KEPT: Final = 10_000

_FACT: Final = (
    'SELECT f."offset", t.root_id, f.position, f.turn, f.sequence, f.time, f.type, f.data '
    "FROM facts f JOIN trees t ON t.id = f.tree "
)
_ROOT: Final = (
    "SELECT t.root_id, t.kind, t.name, t.definition, t.started_at, t.updated_at, t.position, t.status, "
    "t.key, (SELECT count(*) FROM submissions s WHERE s.tree = t.id AND s.taken_at IS NULL), "
    "t.claimed_at, o.id, o.host, o.pid, o.lease_until FROM trees t LEFT JOIN owners o ON o.id = t.owner "
)


class Reader:
    """Reads trees, facts and definitions; used by one thread at a time."""

    def __init__(self, path: Path, codec: Codec, *, patience: float) -> None:
        self._path = path
        self._codec = codec
        self._owners = Owners(path)
        self._headers: dict[int, TurnHeader] = {}
        self._connection = connect(path, patience)
        self._connection.execute("PRAGMA query_only = ON")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def read(self, root_id: str, after: int, limit: int) -> list[Fact]:
        """Return facts of one tree in order."""
        rows = self._connection.execute(
            _FACT + "WHERE t.root_id = ? AND f.position > ? ORDER BY f.position LIMIT ?", (root_id, after, limit)
        )
        return [fact for _, fact in self._facts(rows)]

    def read_all(self, after: int, limit: int) -> list[tuple[int, Fact]]:
        """Return facts of all trees in the order in which they were committed."""
        rows = self._connection.execute(_FACT + 'WHERE f."offset" > ? ORDER BY f."offset" LIMIT ?', (after, limit))
        return list(self._facts(rows))

    def roots(self) -> list[RootInfo]:
        """Return all trees, newest first."""
        return self._roots("ORDER BY t.id DESC")

    def root(self, root_id: str) -> RootInfo:
        """Return one tree."""
        found = self._roots("WHERE t.root_id = ?", root_id)
        if not found:
            raise no_tree(root_id, [known for (known,) in self._connection.execute("SELECT root_id FROM trees")])
        return found[0]

    def root_of_key(self, key: str) -> RootInfo | None:
        """Return the tree that was started with this key."""
        found = self._roots("WHERE t.key = ?", key)
        return found[0] if found else None

    def submissions(self, root_ids: Collection[str]) -> list[Submission]:
        """Return what was left for these trees and is not taken yet, oldest first."""
        rows = self._connection.execute(
            "SELECT s.ticket, t.root_id, s.body, s.at FROM submissions s JOIN trees t ON t.id = s.tree "
            "WHERE s.taken_at IS NULL ORDER BY s.ticket"
        )
        return [
            Submission(ticket=ticket, root_id=root_id, body=json.loads(body), at=at)
            for ticket, root_id, body, at in rows
            if root_id in root_ids
        ]

    def taken_at(self, ticket: int) -> int | None:
        """Say where a submission was taken, if it was."""
        row = self._connection.execute("SELECT taken_at FROM submissions WHERE ticket = ?", (ticket,)).fetchone()
        if row is None:
            raise no_ticket(ticket)
        where: int | None = row[0]
        return where

    def cursor(self, consumer: str) -> int:
        """Return the offset that a consumer has acknowledged last."""
        row = self._connection.execute('SELECT "offset" FROM cursors WHERE consumer = ?', (consumer,)).fetchone()
        return int(row[0]) if row is not None else 0

    def definition(self, digest: str) -> str:
        """Return a definition's text."""
        row = self._connection.execute("SELECT text FROM definitions WHERE digest = ?", (digest,)).fetchone()
        if row is None:
            raise no_definition(digest)
        return str(row[0])

    def _facts(self, rows: Iterable[tuple[Any, ...]]) -> Iterable[tuple[int, Fact]]:
        decode, headers = self._codec.decode, self._headers
        for offset, root_id, position, turn, sequence, time, type_, data in rows:
            header = headers.get(turn) or self._header(turn, root_id)
            place = f"journal {self._path}, tree {root_id}, position {position}"
            yield offset, Fact(header, sequence, position, time, decode(type_, data, place=place))

    def _header(self, turn: int, root_id: str) -> TurnHeader:
        if len(self._headers) >= _HEADERS_KEPT:
            self._headers.clear()
        ((turn_id, parent, agent_id, agent_version, task_key, path),) = self._connection.execute(
            "SELECT turn_id, parent_turn_id, agent_id, agent_version, task_key, path FROM turns WHERE id = ?", (turn,)
        )
        header = TurnHeader(turn_id, root_id, parent, agent_id, agent_version, task_key, tuple(json.loads(path)))
        self._headers[turn] = header
        return header

    def _roots(self, clause: str, *values: str) -> list[RootInfo]:
        ((now,),) = self._connection.execute(NOW)
        found = []
        for row in self._connection.execute(_ROOT + clause, values):
            root_id, kind, name, definition, started, updated, position, status, key, open_, since, *owner = row
            info = RootInfo(
                root_id=root_id, kind=kind, name=name, definition=definition, started_at=started,
                updated_at=updated, position=position, status=status,
                owner=holding(self._owners, owner, since, now), key=key, submissions=open_,
            )  # fmt: skip
            found.append(info)
        return found
