"""Group commit: whatever has been asked for since the last commit goes into the next one, in order.

Theory of operation. The loop puts entries (batches of facts, or operations such as a claim) into a queue. A writer
takes everything that waits, applies it in one transaction and reports the entries back to the loop, once per commit.
A batch whose tree was taken over is dropped alone; the rest of the group is committed. If the store itself fails, the
whole group is rolled back: nobody was told that any of it was durable.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, Protocol

import trio

from runtime.errors import InternalError, JournalError, RuntimeFault, StaleWriter
from runtime.journal._failures import translate
from runtime.journal._messages import lost

if TYPE_CHECKING:
    from runtime.codec import Codec
    from runtime.journal._store import Store
    from runtime.values.events import Fact

_LARGEST_GROUP: Final = 1000
"""Entries in one transaction, so that the first of them does not wait long for the last."""


class SqliteClaim:
    """The right to write one tree. Read and changed in the loop, except `trouble`, which the writer sets once."""

    __slots__ = ("changed", "durable", "ended", "epoch", "position", "root_id", "tree", "trouble")

    def __init__(self, root_id: str, tree: int, epoch: int, position: int) -> None:
        self.root_id = root_id
        self.tree = tree
        self.epoch = epoch
        self.position = position
        """Of the newest fact that was appended."""
        self.durable = position
        self.ended = False
        self.trouble: JournalError | None = None
        """Why nothing more can be written under this claim."""
        self.changed = trio.lowlevel.ParkingLot()


class Batch:
    """Facts of one signal, all or nothing."""

    __slots__ = ("claim", "facts", "payloads", "status", "taken", "written")

    def __init__(self, claim: SqliteClaim, facts: Sequence[Fact], status: str, taken: int | None) -> None:
        self.claim = claim
        self.facts = facts
        self.status = status
        self.taken = taken
        self.payloads: list[bytes] = []
        self.written = False

    def encode(self, codec: Codec) -> None:
        """Write out the payloads, before the transaction begins: others wait while it lasts."""
        try:
            self.payloads = [codec.encode(fact.data) for fact in self.facts]
        except JournalError as error:
            self.claim.trouble = self.claim.trouble or error

    def apply(self, store: Store) -> None:
        """Write it, unless an earlier batch of the claim could not be written."""
        claim = self.claim
        if claim.trouble is None:
            self.written = store.append(claim.tree, claim.epoch, self.facts, self.payloads, self.status, self.taken)
            if not self.written:
                claim.trouble = StaleWriter(lost(claim.root_id))


class Operation:
    """Something to do in the transaction, and its outcome."""

    __slots__ = ("_run", "done", "error", "result")

    def __init__(self, run: Callable[[Store], Any]) -> None:
        self._run = run
        self.result: Any = None
        self.error: RuntimeFault | None = None
        self.done = trio.Event()

    def apply(self, store: Store) -> None:
        """Do it; an error of its own leaves the transaction usable."""
        try:
            self.result = self._run(store)
        except RuntimeFault as error:
            self.error = error


Entry = Batch | Operation
Deliver = Callable[[Sequence[Entry], JournalError | InternalError | None], None]
"""Called in the loop with the entries of one commit, and why it failed if it did."""


class Writer(Protocol):
    """Takes entries and commits them in groups."""

    def put(self, entry: Entry) -> None:
        """Hand over an entry; returns at once."""
        ...

    def flush(self) -> None:
        """See to it that what was handed over will be committed without further calls."""
        ...

    async def stop(self) -> None:
        """Commit what was handed over and close the store."""
        ...


def commit(store: Store, codec: Codec, entries: Sequence[Entry]) -> JournalError | InternalError | None:
    """Apply the entries in one transaction; return why none of it was written, if the store failed."""
    try:
        for entry in entries:
            if type(entry) is Batch:
                entry.encode(codec)
        store.begin()
        for entry in entries:
            entry.apply(store)
        store.renew_if_due()
        store.commit()
    except sqlite3.Error as error:
        return _undo(store, translate(error, store.path))
    except Exception as error:  # noqa: BLE001 - whatever it is, the loop waits for an answer
        failure = InternalError(f"journal {store.path}: {error!r} while writing; please report this")
        failure.__cause__ = error
        return _undo(store, failure)
    return None


def _undo(store: Store, failure: JournalError | InternalError) -> JournalError | InternalError:
    with suppress(sqlite3.Error):  # a connection that cannot even roll back is as good as closed
        store.rollback()
    return failure


class InlineWriter:
    """Commits in the loop's own thread when somebody asks for it: under virtual time nothing else may take time."""

    def __init__(self, store: Store, codec: Codec, deliver: Deliver) -> None:
        self._store = store
        self._codec = codec
        self._deliver = deliver
        self._entries: list[Entry] = []

    def put(self, entry: Entry) -> None:
        """Keep an entry for the next commit."""
        self._entries.append(entry)

    def flush(self) -> None:
        """Commit what was handed over."""
        if self._entries:
            entries, self._entries = self._entries, []
            self._deliver(entries, commit(self._store, self._codec, entries))

    async def stop(self) -> None:
        """Commit what was handed over and close the store. A checkpoint after the work."""
        self.flush()
        self._store.close()
        await trio.lowlevel.checkpoint()


class ThreadWriter:
    """Commits in a thread of its own, again and again while anything waits; renews the lease meanwhile."""

    def __init__(self, store: Store, codec: Codec, deliver: Deliver, *, idle: float) -> None:
        self._store = store
        self._codec = codec
        self._deliver = deliver
        self._idle = idle
        """Seconds without work after which the lease is looked after."""
        self._queue: SimpleQueue[Entry | None] = SimpleQueue()
        self._token = trio.lowlevel.current_trio_token()
        # A daemon: a program that dies without closing its journal must still be able to end.
        self._thread = threading.Thread(target=self._run, name=f"journal {store.path}", daemon=True)
        self._thread.start()

    def put(self, entry: Entry) -> None:
        """Hand an entry to the thread."""
        self._queue.put(entry)

    def flush(self) -> None:
        """Do nothing: the thread is at it already."""

    async def stop(self) -> None:
        """Wait until the thread has committed everything and closed the store. A checkpoint."""
        self._queue.put(None)
        await trio.to_thread.run_sync(self._thread.join)

    def _run(self) -> None:
        try:
            more = True
            while more:
                entries, more = self._next()
                failure = commit(self._store, self._codec, entries) if entries or self._store.holds else None
                self._token.run_sync_soon(self._deliver, entries, failure)
        except trio.RunFinishedError:
            pass  # the loop ended without closing the journal: nobody waits for an answer any more
        finally:
            self._store.close()

    def _next(self) -> tuple[list[Entry], bool]:
        """Wait for entries and take all of them; none after some idle time. False with the last ones."""
        entries: list[Entry] = []
        with suppress(Empty):
            entry = self._queue.get(timeout=self._idle)
            while entry is not None:
                entries.append(entry)
                if len(entries) >= _LARGEST_GROUP:
                    return entries, True
                entry = self._queue.get_nowait()
            return entries, False
        return entries, True
