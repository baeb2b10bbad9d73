"""The runtime: starts, resumes, answers and cancels trees over one journal."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import trio

from runtime.core.kinds import find
from runtime.errors import KeyTaken, RuntimeFault, UsageError
from runtime.journal import open_journal
from runtime.shell import kinds as kinds  # registers the kind `agent`
from runtime.shell import outside
from runtime.shell.admission import Admission
from runtime.shell.clock import new_root_id, present_clock
from runtime.shell.feed import Feed
from runtime.shell.inbox import attend, take_in
from runtime.shell.known import Known
from runtime.shell.recovery import load_tree, refuse_unsafe_calls, revive
from runtime.shell.runner import PATIENCE, drive, give_up, run_here, single_cause
from runtime.shell.tree import Tree
from runtime.shell.turn import Turn, result_of
from runtime.shell.work import Worker
from runtime.values import signals as s
from runtime.values.budget import Budget
from runtime.values.failure import Cause
from runtime.values.jsonlike import freeze

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable
    from pathlib import Path

    from runtime.core.ports import Clock, Definition, IdSource, Journal, RootInfo
    from runtime.shell.work import OnStuck
    from runtime.values.requests import Answer, Request
    from runtime.values.result import TurnResult


class Runtime:
    """Owns the trees that it started or resumed, until they end or the runtime closes. Made by `open_runtime`."""

    def __init__(
        self, journal: Journal, clock: Clock, ids: IdSource, threads: int, definitions: Iterable[Definition]
    ) -> None:
        self.journal = journal
        self.clock = clock
        self.ids = ids
        self.admission = Admission()
        self.limiter = None if clock.jumps else trio.CapacityLimiter(threads)
        self.token = trio.lowlevel.current_trio_token()
        self.definitions = tuple(definitions)
        self.trees: dict[str, Tree] = {}
        """Trees that this runtime holds."""
        self.nursery: trio.Nursery | None = None
        self.known = Known()

    # -------------------------------------------------------------------------------------------- start and run

    async def start(
        self, what: Definition, input: Any = None, *, key: str | None = None, budget: Budget | None = None
    ) -> Turn:
        """Start a tree in the background and return its root.

        Args:
            what: An agent, a plan or a scenario.
            input: What it is asked; a mapping for plans and scenarios.
            key: Names the tree, such as the id of a message that may be delivered twice. If a tree has the key already,
                that one is returned, and goes on if nobody holds it.
            budget: Limits of the tree.

        Raises:
            UsageError: The definition or the input does not hold, or the key is that of a tree with others; nothing
                was recorded.
        """
        made = await self._make(what, input, key, budget or Budget())
        if isinstance(made, Turn):
            return made
        tree = made
        self.go(tree)
        return Turn(self, tree.root_id, tree)

    async def run(
        self,
        what: Definition,
        input: Any = None,
        *,
        key: str | None = None,
        budget: Budget | None = None,
        on_request: Callable[[Request], Awaitable[Answer | None]] | None = None,
    ) -> TurnResult:
        """Run a tree in the caller's own task until it ends or everything left waits.

        Leaving the caller's scope stops the tree and records nothing: it stays resumable.

        Args:
            what: An agent, a plan or a scenario.
            input: What it is asked.
            key: Names the tree. If a tree has the key already, its result is waited for instead.
            budget: Limits of the tree.
            on_request: Called for each question as soon as it is asked, while the rest of the tree runs on; returns the
                answer, or None to leave the question open.

        Raises:
            UsageError: The definition or the input does not hold; nothing was recorded.
        """
        made = await self._make(what, input, key, budget or Budget())
        if isinstance(made, Turn):
            return await made.result()
        tree = made
        tree.in_caller = True
        try:
            await run_here(self, tree, on_request)
        except BaseExceptionGroup as group:
            raise single_cause(group) from group
        return result_of(tree)

    async def _make(self, what: Definition, input: Any, key: str | None, budget: Budget) -> Tree | Turn:
        """Return a new tree that has begun, or the one that has the key already."""
        sort = getattr(what, "kind", None)
        if isinstance(what, type) or not isinstance(sort, str):
            raise UsageError(f"{what!r} cannot be run; give an Agent, a Plan or a scenario")
        accepted = freeze(find(sort).accept(what, input), where="input")
        digest = await self.digest(what)
        now = self.clock.now()
        try:
            claim = await self.journal.create(
                self.ids(now), kind=sort, name=what.name, definition=digest, now=now, key=key
            )
        except KeyTaken as taken:
            known = await outside.same_tree(self, taken, what, input)
            if known is not None:
                return known
            claim = await self.journal.claim(taken.root_id, now=now)
        tree = Tree(self, claim, what)
        self.trees[tree.root_id] = tree
        try:
            tree.root.signal(s.Start(accepted, max_depth=budget.depth, definition=digest))
        except RuntimeFault:
            with trio.CancelScope(shield=True, deadline=trio.current_time() + PATIENCE):
                await give_up(self, tree)
            raise
        return tree

    async def digest(self, what: Definition) -> str:
        """Keep a definition's text in the journal and return its digest."""
        return await self.known.digest(what, self.journal)

    def go(self, tree: Tree) -> None:
        """See that a tree which can go on has a task."""
        if tree.in_caller:
            tree.stir()
        elif not tree.running and not tree.released:
            if self.nursery is None:
                raise UsageError("this runtime is closed")
            tree.running = True
            tree.idle = False
            self.nursery.start_soon(drive, self, tree)

    # -------------------------------------------------------------------------------------------- resume

    async def resume(self, root_id: str, definition: Definition | None = None) -> Turn:
        """Take a tree that nobody holds and let it go on from its facts.

        What had finished does not run again. A model call that was in flight is made again; a tool call that was in
        flight runs again with the same idempotency key if the tool says `replay: safe`.

        Args:
            root_id: The tree.
            definition: What it runs, where the journal does not hold enough to rebuild that.

        Raises:
            NotFound: No such tree.
            TreeHeld: A live process holds it.
            DefinitionChanged: The definition is not the one that it was started with.
            NotResumable: A tool call was in flight that may not simply run again.
        """
        held = self.trees.get(root_id)
        if held is not None:
            return Turn(self, root_id, held)
        tree = await load_tree(self, root_id, definition)
        try:
            asked = tree.root.state.cancelling
            if asked is not None and tree.root.state.ending is None:  # the process died before it could close the tree
                tree.close(tree.root, Cause("cancelled", asked.reason, asked.by))
            if tree.root.state.ending is None:
                find(tree.definition.kind).prepare(tree.definition)
                refuse_unsafe_calls(tree)
                self.trees[root_id] = tree
                revive(tree)
                await take_in(self, [tree])
                self.go(tree)
                return Turn(self, tree.root_id, tree)
        except BaseException:
            with trio.CancelScope(shield=True, deadline=trio.current_time() + PATIENCE):
                await give_up(self, tree)
            raise
        await self.let_go(tree)
        return Turn(self, tree.root_id, tree)

    # -------------------------------------------------------------------------------------------- from outside

    async def answer(self, request: str, answer: Answer, *, by: str = "someone") -> None:
        """Answer an open question, whoever runs its tree; returns once the answer is durable.

        A tree that nobody holds takes the answer and stays where it is until it is resumed, by a worker perhaps.

        Args:
            request: The request's id.
            answer: What is said.
            by: Who says it.

        Raises:
            NotFound: No such request is open.
            AnswerInvalid: The answer does not fit; the request stays open.
            OwnerSilent: Another live process holds the tree and has not taken the answer yet.
        """
        await outside.answer(self, request, answer, by)

    async def tell(self, turn_id: str, text: str, *, by: str | None = None) -> None:
        """Steer a running agent, whoever runs it; see `Turn.tell`.

        Raises:
            NotFound: No such tree.
            UsageError: The Turn has ended, or is no agent.
            OwnerSilent: A live process holds the tree and has not taken it yet.
        """
        await outside.tell(self, turn_id, text, by)

    async def cancel(self, root_id: str, reason: str, *, by: str | None = None) -> TurnResult:
        """End a tree for good, whoever runs it.

        Returns once everything in it has stopped and its endings are durable.

        Raises:
            NotFound: No such tree.
            OwnerSilent: Another live process holds it and has not taken this yet.
        """
        return await outside.cancel(self, root_id, reason, by)

    async def result(self, root_id: str) -> TurnResult:
        """Wait until a tree has ended or waits for someone outside, whoever runs it, and say how it stands.

        Raises:
            NotFound: No such tree.
        """
        tree = self.trees.get(root_id)
        return await (Turn(self, root_id, tree).result() if tree is not None else outside.at_rest(self, root_id))

    async def turn(self, root_id: str) -> Turn:
        """Return a handle on any tree of the journal.

        Raises:
            NotFound: No such tree.
        """
        await self.journal.root(root_id)
        return Turn(self, root_id, self.trees.get(root_id))

    def feed(
        self,
        types: Collection[str] | None = None,
        *,
        consumer: str | None = None,
        after: int | None = None,
        root_id: str | None = None,
    ) -> Feed:
        """Return the facts of all trees in the order of the journal, for ever; see `Feed`.

        Args:
            types: Names of the facts to have, such as `{"TURN_COMPLETED"}`; all of them if left out.
            consumer: Name under which the journal keeps how far one has come.
            after: Offset to begin behind, without a consumer.
            root_id: Facts of this tree only.

        Raises:
            UsageError: Both a consumer and an offset were given.
        """
        return Feed(self.journal, types, consumer, after, root_id)

    async def work(self, *, limit: int = 8, on_stuck: OnStuck | None = None) -> None:
        """Take on every tree of the journal that can go on and that nobody runs, for ever; cancel it to stop.

        These are the trees whose question was answered, whose owner died or let go of them in the middle, and those for
        which something was left. Several workers may share a journal. A tree that waits is let go of.

        Args:
            limit: How many trees to run at a time.
            on_stuck: Told of each tree that cannot be resumed, and why, as often as something in it has changed.
        """
        await Worker(self, limit, on_stuck).work()

    async def requests(self, root_id: str) -> list[Request]:
        """Return the open questions of a tree, oldest first, also while another process holds it."""
        tree = self.trees.get(root_id)
        if tree is None:
            tree = await load_tree(self, root_id, None, claim=False)
        return list(tree.open_requests())

    async def roots(self) -> list[RootInfo]:
        """Return all trees of the journal, newest first."""
        return await self.journal.roots()

    async def let_go(self, tree: Tree) -> None:
        """Make everything durable, release the claim, and let readers know."""
        tree.released = True
        if self.trees.get(tree.root_id) is tree:
            del self.trees[tree.root_id]
        tree.free()
        try:
            await self.journal.release(tree.claim)
        finally:
            tree.claim.changed.unpark_all()

    def close(self) -> None:
        """Let readers know that nothing more will come from the trees that still ran."""
        self.nursery = None
        for tree in self.trees.values():
            tree.released = True
            tree.claim.changed.unpark_all()


@asynccontextmanager
async def open_runtime(
    journal: Journal | str | Path | None = None,
    *,
    definitions: Iterable[Definition] = (),
    threads: int = 32,
    ids: IdSource = new_root_id,
) -> AsyncIterator[Runtime]:
    """Open a journal and a runtime over it.

    Leaving the block stops what still runs without recording anything: those trees stay resumable.

    Args:
        journal: A journal, the path of a SQLite file, or None to keep everything in memory.
        definitions: Agents and plans that `resume` may find in the journal by digest.
        threads: How many synchronous tools may run at once.
        ids: Where root ids come from.

    Raises:
        JournalError: The journal cannot be used; the message says what to do.
        UsageError: The journal needs threads but the clock is a virtual one, which they would break.
    """
    clock = present_clock()
    store = (
        open_journal(journal, threaded=not clock.jumps)
        if journal is None or isinstance(journal, str | os.PathLike)
        else journal
    )
    if store.threaded and clock.jumps:
        raise UsageError("a journal that commits in a thread stops under virtual time; open it with threaded=False")
    await store.open()
    failure: Exception | None = None
    runtime = Runtime(store, clock, ids, threads, definitions)
    try:
        async with trio.open_nursery() as nursery:
            runtime.nursery = nursery
            nursery.start_soon(attend, runtime)
            try:
                yield runtime
            except Exception as error:  # noqa: BLE001 - raised again below, outside the nursery, so that nothing wraps it
                failure = error
            nursery.cancel_scope.cancel(reason="the runtime is closing")
    finally:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + 30):
            await store.close()
        runtime.close()
    if failure is not None:
        raise failure
