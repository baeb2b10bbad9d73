"""A cancel at each task step of a tree: ours ends it for good, the environment's leaves it resumable."""

import os
from collections.abc import Callable

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from planner import Plan
from runtime import Runtime, Status, Turn
from runtime.core.grammar import check_grammar
from runtime.core.ports import Journal
from runtime.journal.memory import MemoryJournal
from runtime.testing import SlowJournal, cancel_at_every_step
from runtime.testing.steps import Arm
from tests.integration.trees import ANSWER, Ledger, agree, small_tree, whole_tree
from tests.runtime.shell.equipment import facts_of, free, opened

LARGE = os.environ.get("TURNTREE_PROPERTIES") == "large"
TREES: list[Callable[[Ledger], Plan]] = [whole_tree] if LARGE else [small_tree]
JOURNALS: list[Callable[[], Journal]] = [MemoryJournal, SlowJournal]


async def _answer_all(runtime: Runtime, turn: Turn) -> None:
    """Answer whatever is open as soon as nothing else goes on, until the tree has ended."""
    while not (result := await turn.result()).status.terminal:
        for request in result.requests:
            await runtime.answer(request.id, ANSWER)


async def _undisturbed(tree: Callable[[Ledger], Plan]) -> object:
    async with opened() as runtime:
        result = await runtime.run(tree(Ledger()), on_request=agree)
        assert result.status is Status.COMPLETED
        return result.output


def _nothing_runs(before: int) -> bool:
    return trio.lowlevel.current_statistics().tasks_living == before


@pytest.mark.parametrize("journal", JOURNALS)
@pytest.mark.parametrize("tree", TREES)
async def test_our_cancel_closes_everything(
    tree: Callable[[Ledger], Plan],
    journal: Callable[[], Journal],
    autojump_clock: MockClock,
    record_property: Callable[[str, object], None],
) -> None:
    """Whenever a tree is cancelled, its history is closed and valid, its tasks are gone and its places free."""

    async def make(arm: Arm) -> None:
        ledger = Ledger()
        async with opened(journal()) as runtime, trio.open_nursery() as nursery:
            living = trio.lowlevel.current_statistics().tasks_living
            turn = await runtime.start(tree(ledger))
            over = False
            arm(lambda: None if over else nursery.start_soon(turn.cancel, "enough"))
            await _answer_all(runtime, turn)
            result = await turn.cancel("too late to matter")
            over = True
            await trio.testing.wait_all_tasks_blocked()
            facts = await facts_of(runtime, turn.turn_id)
            check_grammar(facts, ended=True)
            assert result.status in (Status.CANCELLED, Status.COMPLETED)
            assert result.requests == ()
            assert free(runtime)
            assert _nothing_runs(living)
            noted = ledger.counts()
            await trio.sleep(1000)
            assert ledger.counts() == noted
            assert len(await facts_of(runtime, turn.turn_id)) == len(facts)

    steps = await cancel_at_every_step(make)
    record_property("task steps", steps)
    print(f"cancelled at each of {steps} task steps")  # noqa: T201 - read with -s
    assert steps > 40


@pytest.mark.parametrize("journal", JOURNALS)
@pytest.mark.parametrize("tree", TREES)
async def test_a_cancel_from_outside_leaves_it_resumable(
    tree: Callable[[Ledger], Plan],
    journal: Callable[[], Journal],
    autojump_clock: MockClock,
    record_property: Callable[[str, object], None],
) -> None:
    """Whenever the caller's scope is cancelled, nothing more is recorded and a resume comes to the same output."""
    expected = await _undisturbed(tree)

    async def make(arm: Arm) -> None:
        ledger = Ledger()
        plan = tree(ledger)
        async with opened(journal(), definitions=[plan]) as runtime:
            living = trio.lowlevel.current_statistics().tasks_living
            with trio.CancelScope() as scope:
                arm(scope.cancel)
                await runtime.run(plan, on_request=agree)
            assert _nothing_runs(living)
            assert free(runtime)
            roots = await runtime.roots()
            if not roots or not (facts := await facts_of(runtime, roots[0].root_id)):
                return
            assert roots[0].owner is None
            check_grammar(facts, ended=not scope.cancelled_caught)
            turn = await runtime.resume(roots[0].root_id)
            await _answer_all(runtime, turn)
            result = await turn.result()
            assert (result.status, result.output) == (Status.COMPLETED, expected)
            ends = {line: n for line, n in ledger.counts().items() if line.startswith("end")}
            assert all(n <= 2 for n in ends.values())
            assert free(runtime)

    steps = await cancel_at_every_step(make)
    record_property("task steps", steps)
    print(f"cut from outside at each of {steps} task steps")  # noqa: T201 - read with -s
    assert steps > 40
