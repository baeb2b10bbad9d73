"""The journal of a process that keeps nothing: plain lists, durable at once."""

from __future__ import annotations

import hashlib
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import attrs
import trio

from runtime.core.ports import Claim, RootInfo
from runtime.errors import InternalError, KeyTaken, StaleWriter, TreeHeld
from runtime.journal._memory_inbox import Cursors, Inbox
from runtime.journal._messages import gap, lost, no_definition, no_tree, root_taken
from runtime.values.events import Fact
from runtime.values.status import TERMINAL

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from runtime.core.ports import Submission

OWNER: Final = "another runtime of this process"


@attrs.define(eq=False)
class _Tree:
    info: RootInfo
    number: int
    facts: list[Fact] = attrs.field(factory=list)
    status: str = "RUNNING"
    epoch: int = 0
    claim: MemoryClaim | None = None


class MemoryClaim:
    """The right to write one tree until it is released."""

    __slots__ = ("changed", "epoch", "root_id", "tree")

    def __init__(self, tree: _Tree) -> None:
        self.root_id = tree.info.root_id
        self.epoch = tree.epoch
        self.changed = trio.lowlevel.ParkingLot()
        self.tree = tree


class MemoryJournal:
    """Keeps everything in lists. Several runtimes of one process may share it; closing it keeps the data."""

    threaded = False

    def __init__(self) -> None:
        self._trees: dict[str, _Tree] = {}
        self._keys: dict[str, str] = {}
        self._log: list[Fact | None] = []
        """All facts by offset; None where a tree was pruned."""
        self._definitions: dict[str, str] = {}
        self._numbers = count()
        self._inbox = Inbox()
        self._cursors = Cursors()
        self._news = 0
        self._readers = trio.lowlevel.ParkingLot()

    async def open(self) -> None:
        """Do nothing: a checkpoint."""
        await trio.lowlevel.checkpoint()

    async def close(self) -> None:
        """Let go of every tree; their facts stay readable. A checkpoint after the work."""
        for tree in self._trees.values():
            self._let_go(tree)
        await trio.lowlevel.checkpoint()

    async def create(
        self, root_id: str, *, kind: str, name: str, definition: str | None, now: float, key: str | None = None
    ) -> MemoryClaim:
        """Make an empty tree and claim it. Not a checkpoint, since there is nothing to wait for.

        Raises:
            UsageError: The id is taken.
            KeyTaken: The key is.
        """
        if root_id in self._trees:
            raise root_taken(root_id)
        if key is not None:
            if key in self._keys:
                raise KeyTaken(key, self._keys[key])
            self._keys[key] = root_id
        info = RootInfo(
            root_id=root_id, kind=kind, name=name, definition=definition, started_at=now, updated_at=now,
            position=0, status="RUNNING", owner=None, key=key,
        )  # fmt: skip
        tree = self._trees[root_id] = _Tree(info, next(self._numbers))
        return self._claim(tree)

    async def claim(self, root_id: str, *, now: float) -> MemoryClaim:
        """Take a tree that nobody holds. A checkpoint before the work.

        Raises:
            NotFound: No such tree.
            TreeHeld: Another runtime of this process holds it.
        """
        await trio.lowlevel.checkpoint()
        tree = self._tree(root_id)
        if tree.claim is not None:
            raise TreeHeld(root_id, OWNER)
        return self._claim(tree)

    async def release(self, claim: Claim) -> None:
        """Let a tree go; nothing happens if the claim is no longer the tree's. Not a checkpoint."""
        tree = self._own(claim).tree
        if tree.claim is claim:
            self._let_go(tree)

    def append(self, claim: Claim, facts: Sequence[Fact], status: str, taken: int | None = None) -> None:
        """Add one batch; it is durable, as far as memory is, when this returns.

        Raises:
            StaleWriter: The claim was released.
            InternalError: The batch does not follow the tree's last fact.
        """
        tree = self._own(claim).tree
        if tree.claim is not claim:
            raise StaleWriter(lost(claim.root_id))
        held = tree.facts
        if facts:
            if facts[0].position != len(held) + 1:
                raise InternalError(gap(claim.root_id, len(held), facts[0].position))
            held.extend(facts)
            self._log.extend(facts)
        tree.status = status
        if taken is not None:
            self._inbox.take(taken, facts[0].position if facts else 0)
        self._tell()
        if claim.changed:
            claim.changed.unpark_all()

    def watermark(self, root_id: str) -> int:
        """Return the position of the tree's newest fact, 0 without one."""
        tree = self._trees.get(root_id)
        return len(tree.facts) if tree is not None else 0

    async def barrier(self, claim: Claim, position: int) -> None:
        """Return at once, without a checkpoint.

        Raises:
            StaleWriter: The claim was released.
        """
        if self._own(claim).tree.claim is not claim:
            raise StaleWriter(lost(claim.root_id))

    async def read(self, root_id: str, after: int = 0, limit: int = 1000) -> list[Fact]:
        """Return facts of one tree in order; none if there is no such tree. A checkpoint."""
        await trio.lowlevel.checkpoint()
        tree = self._trees.get(root_id)
        return tree.facts[after : after + limit] if tree is not None else []

    async def read_all(self, after: int = 0, limit: int = 1000) -> list[tuple[int, Fact]]:
        """Return facts of all trees with their offsets, in the order in which they were appended. A checkpoint."""
        await trio.lowlevel.checkpoint()
        found: list[tuple[int, Fact]] = []
        for place in range(after, len(self._log)):
            fact = self._log[place]
            if fact is not None:
                found.append((place + 1, fact))
                if len(found) == limit:
                    break
        return found

    async def roots(self) -> list[RootInfo]:
        """Return all trees, newest first. A checkpoint."""
        await trio.lowlevel.checkpoint()
        trees = sorted(self._trees.values(), key=lambda tree: tree.number, reverse=True)
        return [self._info(tree) for tree in trees]

    async def root(self, root_id: str) -> RootInfo:
        """Return one tree. A checkpoint.

        Raises:
            NotFound: No such tree.
        """
        await trio.lowlevel.checkpoint()
        return self._info(self._tree(root_id))

    async def put_definition(self, text: str) -> str:
        """Keep a definition's text and return its digest. A checkpoint."""
        await trio.lowlevel.checkpoint()
        digest = hashlib.sha256(text.encode()).hexdigest()
        self._definitions[digest] = text
        return digest

    async def definition(self, digest: str) -> str:
        """Return a definition's text. A checkpoint.

        Raises:
            NotFound: Nothing of that digest is kept.
        """
        await trio.lowlevel.checkpoint()
        if digest not in self._definitions:
            raise no_definition(digest)
        return self._definitions[digest]

    # -------------------------------------------------------------------------------------------- from outside

    async def root_of_key(self, key: str) -> RootInfo | None:
        """Return the tree that was started with this key. A checkpoint."""
        await trio.lowlevel.checkpoint()
        return self._info(self._trees[self._keys[key]]) if key in self._keys else None

    async def submit(self, root_id: str, body: Mapping[str, Any], *, now: float) -> int:
        """Leave something for a tree's owner and return its ticket. A checkpoint before the work.

        Raises:
            NotFound: No such tree.
        """
        await trio.lowlevel.checkpoint()
        self._tree(root_id)
        ticket = self._inbox.put(root_id, body, now)
        self._tell()
        return ticket

    async def submissions(self, root_ids: Collection[str]) -> list[Submission]:
        """Return what was left for these trees and is not taken yet, oldest first. A checkpoint."""
        await trio.lowlevel.checkpoint()
        return self._inbox.open(root_ids)

    async def submitted(self, after: int) -> int:
        """Wait until there is a ticket above `after`, and return the newest. A checkpoint."""
        await trio.lowlevel.checkpoint()
        return await self._inbox.after(after)

    async def taken_at(self, ticket: int) -> int | None:
        """Say where a submission was taken, if it was. A checkpoint.

        Raises:
            NotFound: No such ticket was given.
        """
        await trio.lowlevel.checkpoint()
        return self._inbox.taken_at(ticket)

    def news(self) -> int:
        """Return how often something was kept."""
        return self._news

    async def changed(self, seen: int) -> None:
        """Wait until `news()` is not `seen` any more. A checkpoint."""
        await trio.lowlevel.checkpoint()
        while self._news == seen:
            await self._readers.park()

    async def cursor(self, consumer: str) -> int:
        """Return the offset that a consumer has acknowledged last. A checkpoint."""
        await trio.lowlevel.checkpoint()
        return self._cursors.get(consumer, 0)

    async def acknowledge(self, consumer: str, offset: int) -> None:
        """Remember that a consumer is done with everything up to an offset. A checkpoint before the work."""
        await trio.lowlevel.checkpoint()
        self._cursors.acknowledge(consumer, offset)

    async def prune(self, root_ids: Collection[str]) -> int:
        """Remove those of these trees that have ended and that nobody holds; return how many. A checkpoint."""
        await trio.lowlevel.checkpoint()
        gone = {
            name
            for name in root_ids
            if (tree := self._trees.get(name)) is not None and tree.claim is None and tree.status in TERMINAL
        }
        for name in gone:
            tree = self._trees.pop(name)
            if tree.info.key is not None:
                del self._keys[tree.info.key]
        self._inbox.forget(gone)
        self._log = [None if fact is None or fact.header.root_turn_id in gone else fact for fact in self._log]
        used = {tree.info.definition for tree in self._trees.values()}
        self._definitions = {digest: text for digest, text in self._definitions.items() if digest in used}
        return len(gone)

    # -------------------------------------------------------------------------------------------- inside

    def _tell(self) -> None:
        self._news += 1
        if self._readers:
            self._readers.unpark_all()

    def _tree(self, root_id: str) -> _Tree:
        tree = self._trees.get(root_id)
        if tree is None:
            raise no_tree(root_id, self._trees)
        return tree

    def _info(self, tree: _Tree) -> RootInfo:
        facts = tree.facts
        return attrs.evolve(
            tree.info,
            updated_at=facts[-1].time if facts else tree.info.updated_at,
            position=len(facts),
            status=tree.status,
            owner=OWNER if tree.claim is not None else None,
            submissions=len(self._inbox.open({tree.info.root_id})),
        )

    def _claim(self, tree: _Tree) -> MemoryClaim:
        tree.epoch += 1
        tree.claim = MemoryClaim(tree)
        return tree.claim

    def _let_go(self, tree: _Tree) -> None:
        if (claim := tree.claim) is not None:
            tree.claim = None
            claim.changed.unpark_all()

    def _own(self, claim: Claim) -> MemoryClaim:
        if not isinstance(claim, MemoryClaim):
            raise InternalError(f"{claim!r} was not made by this journal; please report this")
        return claim
