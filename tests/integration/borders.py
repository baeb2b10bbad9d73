"""Stopping a tree at a batch border, letting it go on, and what must hold then."""

from collections import Counter
from collections.abc import Callable, Sequence

import trio.testing

from planner import Plan
from runtime import JournalError, Runtime, Status
from runtime.core.grammar import check_grammar
from runtime.core.ports import Journal
from runtime.testing import FaultyJournal
from runtime.values import events as e
from runtime.values.events import Fact
from tests.integration.trees import ANSWER, Ledger
from tests.runtime.shell.equipment import facts_of, opened

Tree = Callable[[Ledger], Plan]
ROOT = "t00001"


async def run_to_end(runtime: Runtime, plan: Plan) -> object:
    """Start a tree, answer its questions, and return the output."""
    turn = await runtime.start(plan)
    return await finish(runtime, turn.turn_id)


async def finish(runtime: Runtime, root_id: str = ROOT) -> object:
    """Take a tree where it stands to its end and return the output."""
    turn = await runtime.resume(root_id)
    while not (result := await turn.result()).status.terminal:
        assert result.requests, f"{root_id} waits for nobody"
        for request in result.requests:
            await runtime.answer(request.id, ANSWER)
    assert result.status is Status.COMPLETED, result.error
    return result.output


async def stop_after(journal: Journal, tree: Tree, ledger: Ledger, batches: int, *, resume: bool = False) -> bool:
    """Run a tree over a journal that fails once so many batches are kept; False if the tree ended before.

    Args:
        journal: Keeps the batches.
        tree: Builds the plan.
        ledger: Where its tools leave their lines.
        batches: How many appends succeed.
        resume: Whether the tree is there already and goes on.
    """
    plan = tree(ledger)
    faulty = FaultyJournal(journal, fail_at=[batches + 1])
    async with opened(faulty, definitions=[plan]) as runtime:
        try:
            await (finish(runtime) if resume else run_to_end(runtime, plan))
        except JournalError:
            await trio.testing.wait_all_tasks_blocked()
            assert not runtime.trees, "a tree that failed is let go of"
            return True
        return False


def recorded_ends(facts: Sequence[Fact]) -> Counter[str]:
    """Return for each tool call that is recorded as completed the line that its tool wrote at its end."""
    calls = {
        (fact.turn_id, fact.data.call_key): f"end {fact.data.name} {fact.data.arguments['name']}"
        for fact in facts
        if isinstance(fact.data, e.ToolStarted)
    }
    return Counter(calls[fact.turn_id, fact.data.call_key] for fact in facts if isinstance(fact.data, e.ToolCompleted))


async def check_history(runtime: Runtime, ledger: Ledger, *stops: Sequence[Fact], root_id: str = ROOT) -> None:
    """Hold the whole history against what was there at each stop: nothing is lost, nothing finished ran again."""
    facts = await facts_of(runtime, root_id)
    check_grammar(facts, ended=True)
    for stopped in stops:
        check_grammar(stopped, ended=False)
        assert [fact.event_id for fact in stopped] == [fact.event_id for fact in facts[: len(stopped)]]
    noted = ledger.counts()
    ends = recorded_ends(facts)
    assert set(ends.values()) == {1}, "every tool call completes once"
    finished = {line for line in ends for stopped in stops[:1] if line in recorded_ends(stopped)}
    for line in ends:
        most = 1 if line in finished else 1 + len(stops)
        assert 1 <= noted[line] <= most, f"{line!r} was written {noted[line]} times"
