"""The journal of a process that keeps nothing: plain lists, durable at once."""

from __future__ import annotations

import hashlib
from itertools import count
from typing import TYPE_CHECKING, Final

import attrs
import trio

from runtime.core.ports import Claim, RootInfo
from runtime.errors import InternalError, StaleWriter, TreeHeld
from runtime.journal._messages import gap, lost, no_definition, no_tree, root_taken
from runtime.values.events import Fact

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        self._log: list[Fact] = []
        self._definitions: dict[str, str] = {}
        self._numbers = count()

    async def open(self) -> None:
        """Do nothing: a checkpoint."""
        await trio.lowlevel.checkpoint()

    async def close(self) -> None:
        """Let go of every tree; their facts stay readable. A checkpoint after the work."""
        for tree in self._trees.values():
            self._let_go(tree)
        await trio.lowlevel.checkpoint()

    async def create(self, root_id: str, *, kind: str, name: str, definition: str | None, now: float) -> MemoryClaim:
        """Make an empty tree and claim it. Not a checkpoint, since there is nothing to wait for.

        Raises:
            UsageError: The id is taken.
        """
        if root_id in self._trees:
            raise root_taken(root_id)
        info = RootInfo(
            root_id=root_id, kind=kind, name=name, definition=definition, started_at=now, updated_at=now,
            position=0, status="RUNNING", owner=None,
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

    def append(self, claim: Claim, facts: Sequence[Fact], status: str) -> None:
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
        return list(enumerate(self._log[after : after + limit], after + 1))

    async def roots(self) -> list[RootInfo]:
        """Return all trees, newest first. A checkpoint."""
        await trio.lowlevel.checkpoint()
        trees = sorted(self._trees.values(), key=lambda tree: tree.number, reverse=True)
        return [_info(tree) for tree in trees]

    async def root(self, root_id: str) -> RootInfo:
        """Return one tree. A checkpoint.

        Raises:
            NotFound: No such tree.
        """
        await trio.lowlevel.checkpoint()
        return _info(self._tree(root_id))

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

    def _tree(self, root_id: str) -> _Tree:
        tree = self._trees.get(root_id)
        if tree is None:
            raise no_tree(root_id, self._trees)
        return tree

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


def _info(tree: _Tree) -> RootInfo:
    facts = tree.facts
    return attrs.evolve(
        tree.info,
        updated_at=facts[-1].time if facts else tree.info.updated_at,
        position=len(facts),
        status=tree.status,
        owner=OWNER if tree.claim is not None else None,
    )
