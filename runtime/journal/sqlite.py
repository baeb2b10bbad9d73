"""The journal in a SQLite file: survives the process, is read by several, and has one owner per tree."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeVar

import trio

from runtime.codec import Codec
from runtime.errors import InternalError, JournalError, StaleWriter, UsageError
from runtime.journal._failures import missing, translate
from runtime.journal._messages import gap, lost
from runtime.journal._outside import Outside
from runtime.journal._reader import Reader
from runtime.journal._store import Grant, Store
from runtime.journal._watch import Watch
from runtime.journal._writer import Batch, Entry, InlineWriter, Operation, SqliteClaim, ThreadWriter, Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runtime.core.ports import Claim, RootInfo
    from runtime.values.events import Fact

MOST_PENDING: Final = 256
"""Batches that may wait for the disk before `barrier` holds everybody up: a slow store slows the run."""
_READERS: Final = 4
"""Reads at a time; each has a connection and, in a threaded journal, a thread."""
_MARKS_KEPT: Final = 1024
"""Trees that were let go and whose watermark is still known."""

Result = TypeVar("Result")


class SqliteJournal(Outside):
    """Facts in a SQLite file (WAL, every commit synced), written in groups.

    One writer thread commits; with `threaded=False` the loop's own thread does, once for all that a pass of the loop
    appends. What one process writes, others can read at the same time.

    If the store fails (a full disk, say), what was appended since the last commit is lost to this process, and every
    later call that would have to write raises the same error; what was committed is intact.

    Args:
        path: The file; made on `open` if it does not exist.
        threaded: False under virtual time: no thread is waited for, and the lease is not renewed.
        codec: How payloads are written; a fresh one if left out.
        lease: Seconds after which another host may take over the trees of a process that fell silent.
        durability: `step`: `barrier` waits for the disk. `async`: it only waits while too many batches are pending.
        patience: Seconds to wait while another process writes.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        threaded: bool = True,
        codec: Codec | None = None,
        lease: float = 30.0,
        durability: Literal["step", "async"] = "step",
        patience: float = 10.0,
    ) -> None:
        self.path = Path(path)
        self.threaded = threaded
        self.codec = codec or Codec()
        self._lease = lease
        self._patience = patience
        self._patient = durability == "step"
        self._writer: Writer | None = None
        self._failure: JournalError | InternalError | None = None
        self._claims: dict[str, SqliteClaim] = {}
        self._marks: dict[str, int] = {}
        self._pending = 0
        self._room = trio.lowlevel.ParkingLot()
        self._readers: list[Reader] = []
        self._limiter = trio.CapacityLimiter(_READERS)
        self._watch: Watch | None = None

    # -------------------------------------------------------------------------------------------- life

    async def open(self) -> None:
        """Open the file, making it if need be. A checkpoint.

        Raises:
            JournalError: It cannot be used; the message says what to do.
        """
        if self._writer is not None:
            raise UsageError(f"journal {self.path} is open already; one `open` is enough")
        if self.threaded:
            store = await trio.to_thread.run_sync(self._open_store)
            self._writer = ThreadWriter(store, self.codec, self._deliver, idle=self._lease / 3)
        else:
            await trio.lowlevel.checkpoint()
            self._writer = InlineWriter(self._open_store(), self.codec, self._deliver)
        self._watch = Watch(self.path, looking=self.threaded, patience=self._patience)

    async def close(self) -> None:
        """Commit what was appended, release every claim and close the file. Not cancellable; a checkpoint.

        Raises:
            JournalError: Something that was appended could not be committed, and nobody has been told yet.
        """
        writer, self._writer = self._writer, None
        if writer is None:
            await trio.lowlevel.checkpoint()
            return
        unheard = self._failure is None
        last = Operation(Store.release_all)
        writer.put(last)
        writer.flush()
        with trio.CancelScope(shield=True):  # bounded by the writer's patience
            await last.done.wait()  # so that no report of a commit is on its way any more
            await writer.stop()
        for claim in list(self._claims.values()):
            self._end(claim)
        while self._readers:
            self._readers.pop().close()
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.close()
        failure, self._failure = self._failure, None
        if failure is not None and unheard:
            raise _again(failure)

    # -------------------------------------------------------------------------------------------- owners

    async def create(
        self, root_id: str, *, kind: str, name: str, definition: str | None, now: float, key: str | None = None
    ) -> SqliteClaim:
        """Make an empty tree and claim it. A checkpoint; not cancellable once it began.

        Raises:
            UsageError: The id is taken.
            KeyTaken: The key is.
            JournalError: The store failed.
        """
        grant = await self._do(lambda store: store.create(root_id, kind, name, definition, now, key))
        return self._granted(root_id, grant)

    async def claim(self, root_id: str, *, now: float) -> SqliteClaim:
        """Take a tree that nobody holds. A checkpoint; not cancellable once it began.

        Raises:
            NotFound: No such tree.
            TreeHeld: A live process of this host holds it, or one of another host whose lease is not over.
            JournalError: The store failed.
        """
        return self._granted(root_id, await self._do(lambda store: store.claim(root_id, now)))

    async def release(self, claim: Claim) -> None:
        """Commit what was appended to the tree and let it go. A checkpoint; not cancellable once it began.

        Nothing happens if the claim has ended already.

        Raises:
            StaleWriter: Another owner had taken the tree over before everything was committed.
            JournalError: The store failed.
        """
        own = self._own(claim)
        if own.ended:
            await trio.lowlevel.checkpoint()
            return
        own.ended = True
        try:
            await self._do(lambda store: store.release(own.tree, own.epoch), checkpoint=False)
        finally:
            self._end(own)
        self._check(own)

    # -------------------------------------------------------------------------------------------- writing

    def append(self, claim: Claim, facts: Sequence[Fact], status: str, taken: int | None = None) -> None:
        """Hand one batch to the writer, all or nothing.

        Raises:
            StaleWriter: The claim has ended, or is known to be lost.
            JournalError: The store has failed.
            InternalError: The batch does not follow the tree's last fact.
        """
        own = self._own(claim)
        self._check(own)
        if own.ended or self._writer is None:
            raise StaleWriter(lost(own.root_id))
        if facts:
            if facts[0].position != own.position + 1:
                raise InternalError(gap(own.root_id, own.position, facts[0].position))
            own.position = facts[-1].position
        self._pending += 1
        self._writer.put(Batch(own, facts, status, taken))
        if not self.threaded:
            # What this pass of the loop appends is one commit, even if nobody asks for it.
            trio.lowlevel.current_trio_token().run_sync_soon(self._flush, idempotent=True)

    def watermark(self, root_id: str) -> int:
        """Return the position up to which facts are known to be durable; 0 for a tree that was never held here."""
        claim = self._claims.get(root_id)
        return claim.durable if claim is not None else self._marks.get(root_id, 0)

    async def barrier(self, claim: Claim, position: int) -> None:
        """Wait until the facts up to `position` are durable, and while too much is pending.

        A checkpoint only if it has to wait.

        Raises:
            StaleWriter: Another owner took the tree over.
            JournalError: The store failed.
        """
        own = self._own(claim)
        self._check(own)
        if not self.threaded and self._obstacle(own, position) is not None:
            await trio.lowlevel.checkpoint()  # whoever else is about to append shares the commit
        while (lot := self._obstacle(own, position)) is not None:
            if own.ended:
                raise StaleWriter(lost(own.root_id))
            if self.threaded:
                await lot.park()
            else:
                self._flush()
            self._check(own)

    # -------------------------------------------------------------------------------------------- reading

    async def read(self, root_id: str, after: int = 0, limit: int = 1000) -> list[Fact]:
        """Return durable facts of one tree in order; none if there is no such tree. A checkpoint.

        Raises:
            CorruptJournal: A stored fact cannot be read back.
            JournalError: The store failed.
        """
        return await self._query(lambda reader: reader.read(root_id, after, limit))

    async def read_all(self, after: int = 0, limit: int = 1000) -> list[tuple[int, Fact]]:
        """Return durable facts of all trees with their offsets, in commit order. A checkpoint.

        Raises:
            CorruptJournal: A stored fact cannot be read back.
            JournalError: The store failed.
        """
        return await self._query(lambda reader: reader.read_all(after, limit))

    async def roots(self) -> list[RootInfo]:
        """Return all trees, newest first. A checkpoint."""
        return await self._query(Reader.roots)

    async def root(self, root_id: str) -> RootInfo:
        """Return one tree. A checkpoint.

        Raises:
            NotFound: No such tree.
        """
        return await self._query(lambda reader: reader.root(root_id))

    async def put_definition(self, text: str) -> str:
        """Keep a definition's text and return its digest. A checkpoint; not cancellable once it began."""
        return await self._do(lambda store: store.put_definition(text))

    async def definition(self, digest: str) -> str:
        """Return a definition's text. A checkpoint.

        Raises:
            NotFound: Nothing of that digest is kept.
        """
        return await self._query(lambda reader: reader.definition(digest))

    # -------------------------------------------------------------------------------------------- inside

    def _open_store(self) -> Store:
        """Open the writing side, with every error put in words."""
        if (problem := missing(self.path)) is not None:
            raise problem
        try:
            return Store(self.path, lease=self._lease, renewing=self.threaded, patience=self._patience)
        except sqlite3.Error as error:
            raise translate(error, self.path) from error

    def _deliver(self, entries: Sequence[Entry], failure: JournalError | InternalError | None) -> None:
        """Take the writer's report of one commit (in the loop)."""
        touched = set()
        for entry in entries:
            if isinstance(entry, Operation):
                entry.error = _again(failure) if failure is not None else entry.error
                entry.done.set()
                continue
            self._pending -= 1
            touched.add(entry.claim)
            if failure is None and entry.written and entry.facts:
                entry.claim.durable = entry.facts[-1].position
        if failure is not None and touched:
            self._failure = self._failure or failure
            touched.update(self._claims.values())  # they will never be durable either
        for claim in touched:
            claim.changed.unpark_all()
        if self._watch is not None:
            self._watch.tell()
        if self._pending <= MOST_PENDING:
            self._room.unpark_all()

    async def _do(self, run: Callable[[Store], Result], *, checkpoint: bool = True) -> Result:
        """Have the writer do something between the batches, and wait for the outcome."""
        if checkpoint:
            await trio.lowlevel.checkpoint_if_cancelled()
        if self._writer is None:
            raise _closed(self.path)
        operation = Operation(run)
        self._writer.put(operation)
        # Whoever left now would not learn that it holds a tree. The writer answers, at the latest out of patience.
        with trio.CancelScope(shield=True):
            if not self.threaded:
                await trio.lowlevel.checkpoint()  # whoever else is about to write shares the commit
                if not operation.done.is_set():
                    self._flush()
            await operation.done.wait()
        if operation.error is not None:
            raise operation.error
        return operation.result  # type: ignore[no-any-return]

    async def _query(self, read: Callable[[Reader], Result]) -> Result:
        """Read through a connection that nobody else uses meanwhile."""
        if self._writer is None:
            raise _closed(self.path)
        if self.threaded:
            return await trio.to_thread.run_sync(self._with_reader, read, limiter=self._limiter)
        self._flush()
        await trio.lowlevel.checkpoint()
        return self._with_reader(read)

    def _with_reader(self, read: Callable[[Reader], Result]) -> Result:
        try:
            reader = self._readers.pop() if self._readers else Reader(self.path, self.codec, patience=self._patience)
            try:
                return read(reader)
            finally:
                self._readers.append(reader)
        except sqlite3.Error as error:
            raise translate(error, self.path) from error

    def _watching(self) -> Watch:
        if self._watch is None:
            raise _closed(self.path)
        return self._watch

    def _flush(self) -> None:
        if self._writer is not None:
            self._writer.flush()

    def _granted(self, root_id: str, grant: Grant) -> SqliteClaim:
        claim = self._claims[root_id] = SqliteClaim(root_id, grant.tree, grant.epoch, grant.position)
        return claim

    def _end(self, claim: SqliteClaim) -> None:
        """Forget a claim, but for its watermark: somebody may still be reading up to it."""
        claim.ended = True
        if self._claims.get(claim.root_id) is claim:
            del self._claims[claim.root_id]
            self._marks.pop(claim.root_id, None)
            self._marks[claim.root_id] = claim.durable
            if len(self._marks) > _MARKS_KEPT:
                del self._marks[next(iter(self._marks))]
        claim.changed.unpark_all()

    def _obstacle(self, claim: SqliteClaim, position: int) -> trio.lowlevel.ParkingLot | None:
        """Return where to wait before going on, if that is necessary."""
        if self._pending > MOST_PENDING:
            return self._room
        if self._patient and claim.durable < position:
            return claim.changed
        return None

    def _check(self, claim: SqliteClaim) -> None:
        """Raise what stands in the way of writing under this claim."""
        if (trouble := self._failure or claim.trouble) is not None:
            raise _again(trouble)

    def _own(self, claim: Claim) -> SqliteClaim:
        if not isinstance(claim, SqliteClaim):
            raise InternalError(f"{claim!r} was not made by this journal; please report this")
        return claim


def _again(error: JournalError | InternalError) -> JournalError | InternalError:
    """Return an error for one more task: each raises its own, so that tracebacks do not pile up in one."""
    fresh = type(error)(str(error))
    fresh.__cause__ = error
    return fresh


def _closed(path: Path) -> UsageError:
    return UsageError(f"journal {path} is not open; call `open` first")
