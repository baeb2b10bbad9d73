"""A journal that fails or takes its time where a test says so."""

import pytest
import trio
from trio.testing import MockClock

from runtime import JournalError, Status, open_runtime
from runtime.core.grammar import check_grammar
from runtime.journal.memory import MemoryJournal
from runtime.testing import FaultyJournal, FunctionModel, SlowJournal
from runtime.values.agent import Agent

AGENT = Agent("lead", model=FunctionModel(lambda request: "done"))


async def appends() -> int:
    """How many appends a run of the agent makes."""
    journal = FaultyJournal(MemoryJournal())
    async with open_runtime(journal) as runtime:
        await runtime.run(AGENT, "go")
    return journal.appends


async def test_a_failed_append_stops_the_tree_and_keeps_nothing(autojump_clock: MockClock) -> None:
    """The caller gets the journal's error; what was recorded before is a valid beginning."""
    count = await appends()
    for n in range(1, count + 1):
        journal = FaultyJournal(MemoryJournal(), fail_at={n})
        async with open_runtime(journal) as runtime:
            with pytest.raises(JournalError, match=f"append {n} fails"):
                await runtime.run(AGENT, "go")
            for root in await journal.roots():
                check_grammar(await journal.read(root.root_id), ended=False)


async def test_a_slow_append_is_invisible_until_it_is_durable(autojump_clock: MockClock) -> None:
    """No reader sees a fact before the barrier that made it durable; the tree ends all the same."""
    journal = SlowJournal(5.0)
    async with open_runtime(journal) as runtime:
        turn = await runtime.start(AGENT, "go")
        await trio.sleep(4.9)
        assert (journal.watermark(turn.turn_id), await journal.read(turn.turn_id)) == (0, [])
        result = await turn.result()
        assert result.status is Status.COMPLETED
        assert trio.current_time() >= 5.0
        check_grammar(await journal.read(turn.turn_id), ended=True)


async def test_everything_else_is_passed_on(autojump_clock: MockClock) -> None:
    """Without faults it is the journal that it wraps."""
    inner = MemoryJournal()
    async with open_runtime(FaultyJournal(inner)) as runtime:
        result = await runtime.run(AGENT, "go")
    assert (await inner.root(result.turn_id)).status == "COMPLETED"
