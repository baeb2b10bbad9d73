"""Every journal agrees with a simple model, whatever is asked of it in whatever order."""

import shutil
import tempfile
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

import attrs
import pytest
import trio
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from runtime.core.ports import Claim, Journal
from runtime.errors import NotFound, StaleWriter, TreeHeld
from runtime.values.events import Fact
from tests.runtime.journal.equipment import SORTS, batch, described, maker

Result = TypeVar("Result")
STATUSES = st.sampled_from(["RUNNING", "WAITING", "COMPLETED"])


class Loop:
    """A trio loop in a thread: Hypothesis calls rules one by one, the journals live as long as the example."""

    def __init__(self) -> None:
        tokens: SimpleQueue[trio.lowlevel.TrioToken] = SimpleQueue()
        self._end = trio.Event()
        self._thread = threading.Thread(target=trio.run, args=(self._main, tokens), daemon=True)
        self._thread.start()
        self._token = tokens.get(timeout=10)

    async def _main(self, tokens: "SimpleQueue[trio.lowlevel.TrioToken]") -> None:
        tokens.put(trio.lowlevel.current_trio_token())
        await self._end.wait()

    def run(self, call: Callable[..., Awaitable[Result]], *arguments: Any, **named: Any) -> Result:
        """Await a call in the loop."""

        async def do() -> Result:
            with trio.fail_after(30):
                return await call(*arguments, **named)

        return trio.from_thread.run(do, trio_token=self._token)

    def stop(self) -> None:
        """End the loop."""
        trio.from_thread.run_sync(self._end.set, trio_token=self._token)
        self._thread.join(timeout=10)


@attrs.define
class ModelTree:
    """What a journal must know of one tree."""

    facts: list[Fact] = attrs.field(factory=list)
    status: str = "RUNNING"
    epoch: int = 1
    held: bool = True


class JournalMachine(RuleBasedStateMachine):
    """Drives two journal objects over the same data, and a model."""

    sort: str
    claims: Bundle[tuple[int, Claim]] = Bundle("claims")
    ended: Bundle[tuple[int, Claim]] = Bundle("ended")

    @initialize()
    def begin(self) -> None:
        """Open two journal objects."""
        self.folder = Path(tempfile.mkdtemp())
        self.loop = Loop()
        make = maker(self.sort, self.folder / "journal.db")
        self.journals: list[Journal] = [make(), make()]
        self.trees: dict[str, ModelTree] = {}
        self.texts: dict[str, str] = {}
        self.restart_everything(restarted=False)

    def teardown(self) -> None:
        """Close everything."""
        for journal in self.journals:
            self.loop.run(journal.close)
        self.loop.stop()
        shutil.rmtree(self.folder)

    @rule(which=st.integers(0, 1), target=claims)
    def create(self, which: int) -> tuple[int, Claim]:
        """Make a tree."""
        root_id = f"root{len(self.trees)}"
        claim = self.loop.run(
            self.journals[which].create, root_id, kind="agent", name="scout", definition=None, now=len(self.trees)
        )
        self.trees[root_id] = ModelTree()
        return which, claim

    @precondition(lambda self: self.trees)
    @rule(which=st.integers(0, 1), data=st.data(), target=claims)
    def claim(self, which: int, data: st.DataObject) -> Any:
        """Claim some tree; a held one is refused."""
        root_id = data.draw(st.sampled_from(sorted(self.trees)))
        tree = self.trees[root_id]
        if tree.held:
            with pytest.raises(TreeHeld):
                self.loop.run(self.journals[which].claim, root_id, now=0.0)
            return multiple()
        claim = self.loop.run(self.journals[which].claim, root_id, now=0.0)
        tree.held, tree.epoch = True, tree.epoch + 1
        assert claim.epoch == tree.epoch
        return which, claim

    @rule(holder=claims, size=st.integers(0, 4), status=STATUSES)
    def append(self, holder: tuple[int, Claim], size: int, status: str) -> None:
        """Append a batch without waiting for it; refused under a claim that has ended."""
        which, claim = holder
        tree = self.trees[claim.root_id]
        facts = batch(claim.root_id, len(tree.facts) + 1, size)
        if not self._current(claim):
            with pytest.raises(StaleWriter):
                self.loop.run(self._append, which, claim, facts, status)
            return
        self.loop.run(self._append, which, claim, facts, status)
        tree.facts += facts
        tree.status = status

    async def _append(self, which: int, claim: Claim, facts: list[Fact], status: str) -> None:
        self.journals[which].append(claim, facts, status)

    @rule(holder=claims)
    def barrier(self, holder: tuple[int, Claim]) -> None:
        """Wait for everything that was appended."""
        which, claim = holder
        if self._current(claim):
            position = len(self.trees[claim.root_id].facts)
            self.loop.run(self.journals[which].barrier, claim, position)
            assert self.journals[which].watermark(claim.root_id) == position

    @rule(holder=consumes(claims), target=ended)
    def release(self, holder: tuple[int, Claim]) -> tuple[int, Claim]:
        """Let a tree go; an old claim changes nothing."""
        which, claim = holder
        current = self._current(claim)
        self.loop.run(self.journals[which].release, claim)
        if current:
            self.trees[claim.root_id].held = False
        return holder

    @rule(holder=ended)
    def write_stale(self, holder: tuple[int, Claim]) -> None:
        """An ended claim is refused, whoever holds the tree now."""
        which, claim = holder
        with pytest.raises(StaleWriter):
            self.loop.run(self._append, which, claim, batch(claim.root_id, 1), "FAILED")

    @rule(holder=claims, reader=st.integers(0, 1), after=st.integers(0, 8), limit=st.integers(1, 5))
    def read(self, holder: tuple[int, Claim], reader: int, after: int, limit: int) -> None:
        """Either journal object reads what is durable."""
        self.barrier(holder)
        root_id = holder[1].root_id
        facts = self.loop.run(self.journals[reader].read, root_id, after, limit)
        expected = self.trees[root_id].facts
        if self._current(holder[1]):
            assert described(facts) == described(expected[after : after + limit])

    @rule(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5))
    def define(self, text: str) -> None:
        """Keep a definition, known ones too."""
        self.texts[self.loop.run(self.journals[0].put_definition, text)] = text
        with pytest.raises(NotFound):
            self.loop.run(self.journals[1].definition, "0" * 64)

    @rule()
    def restart_everything(self, *, restarted: bool = True) -> None:
        """Close both and look at everything that is stored; nothing was lost, nothing is held."""
        if restarted:
            for journal in self.journals:
                self.loop.run(journal.close)
        for journal in self.journals:
            self.loop.run(journal.open)
        for tree in self.trees.values():
            tree.held = False
        infos = {info.root_id: info for info in self.loop.run(self.journals[0].roots)}
        assert list(infos) == list(reversed(self.trees))
        for root_id, tree in self.trees.items():
            info = infos[root_id]
            assert (info.position, info.status, info.owner) == (len(tree.facts), tree.status, None)
            assert described(self.loop.run(self.journals[1].read, root_id)) == described(tree.facts)
        self._compare_feed()
        for digest, text in self.texts.items():
            assert self.loop.run(self.journals[1].definition, digest) == text

    def _compare_feed(self) -> None:
        """The feed holds every fact once, each tree's in order, under rising offsets."""
        feed = self.loop.run(self.journals[0].read_all)
        offsets = [offset for offset, _ in feed]
        assert offsets == sorted(set(offsets))
        for root_id, tree in self.trees.items():
            assert [fact.position for _, fact in feed if fact.root_turn_id == root_id] == [
                fact.position for fact in tree.facts
            ]
        assert len(feed) == sum(len(tree.facts) for tree in self.trees.values())

    def _current(self, claim: Claim) -> bool:
        tree = self.trees[claim.root_id]
        return tree.held and tree.epoch == claim.epoch


@pytest.mark.slow
@pytest.mark.parametrize("sort", SORTS)
def test_journals_agree_with_the_model(sort: str) -> None:
    """Claims, batches, reads, definitions and restarts in random order give what the model says."""
    machine = type("Machine", (JournalMachine,), {"sort": sort})
    run_state_machine_as_test(machine, settings=settings(settings.default, stateful_step_count=25))
