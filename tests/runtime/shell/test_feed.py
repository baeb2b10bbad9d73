"""The facts of all trees, for consumers that come and go."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
import trio
from hypothesis import given
from trio.testing import MockClock

from runtime import Agent, UsageError
from runtime.events import Fact
from runtime.journal.memory import MemoryJournal
from runtime.journal.sqlite import SqliteJournal
from runtime.shell.feed import Feed
from runtime.shell.runtime import Runtime
from tests.runtime.shell.equipment import TimedModel, answered, opened


async def take(feed: Feed, count: int) -> list[Fact]:
    """Read so many facts."""
    return [await anext(feed) for _ in range(count)]


def ids(facts: Sequence[Fact]) -> list[str]:
    """Their names."""
    return [fact.event_id for fact in facts]


async def everything(runtime: Runtime) -> list[str]:
    """The names of all facts of the journal."""
    return [fact.event_id for _, fact in await runtime.journal.read_all()]


async def test_a_feed_has_every_fact_as_it_comes(autojump_clock: MockClock) -> None:
    """Of all trees, in the order of the journal, those that were there and those that come."""
    seen: list[Fact] = []
    agent = Agent("clerk", model=TimedModel(lambda _: "ok", seconds=1.0))
    async with opened() as runtime, trio.open_nursery() as nursery:

        async def read() -> None:
            async with runtime.feed() as feed:
                async for fact in feed:
                    seen.append(fact)  # noqa: PERF401 - it never ends

        await runtime.run(agent, "before")
        nursery.start_soon(read)
        turns = [await runtime.start(agent, "at once") for _ in range(3)]
        for turn in turns:
            await turn.result()
        await trio.testing.wait_all_tasks_blocked()
        assert ids(seen) == await everything(runtime)
        nursery.cancel_scope.cancel()


async def test_types_and_trees_are_chosen(autojump_clock: MockClock) -> None:
    """Everything else is passed over."""
    agent = Agent("clerk", model=answered("ok"))
    async with opened() as runtime:
        first, second = await runtime.run(agent, "a"), await runtime.run(agent, "b")
        async with runtime.feed({"TURN_COMPLETED"}) as feed:
            assert [fact.root_turn_id for fact in await take(feed, 2)] == [first.turn_id, second.turn_id]
        async with runtime.feed(root_id=second.turn_id) as feed:
            assert {fact.root_turn_id for fact in await take(feed, 6)} == {second.turn_id}
        offset = (await runtime.journal.read_all())[6][0]
        async with runtime.feed(after=offset) as feed:
            assert ids(await take(feed, 3)) == (await everything(runtime))[7:10]


@pytest.mark.parametrize("sort", ["memory", "sqlite"])
async def test_a_consumer_goes_on_behind_what_it_acknowledged(
    autojump_clock: MockClock, tmp_path: Path, sort: str
) -> None:
    """What it had read and not acknowledged comes again, also in another runtime."""
    journal: Any = MemoryJournal() if sort == "memory" else SqliteJournal(tmp_path / "j.db", threaded=False)
    agent = Agent("clerk", model=answered("ok"))
    async with opened(journal) as runtime:
        await runtime.run(agent, "a")
        async with runtime.feed(consumer="billing") as feed:
            facts = await take(feed, 5)
            await feed.acknowledge(facts[2])
            with pytest.raises(UsageError, match="still to be acknowledged"):
                await feed.acknowledge(facts[1])
    async with opened(journal) as runtime:
        async with runtime.feed(consumer="billing") as feed:
            assert ids(await take(feed, 3)) == (await everything(runtime))[3:6]
        async with runtime.feed(consumer="audit") as feed:
            assert ids(await take(feed, 2)) == (await everything(runtime))[:2]


async def test_what_cannot_be_meant_is_refused(autojump_clock: MockClock) -> None:
    """With what to do instead."""
    async with opened() as runtime:
        await runtime.run(Agent("clerk", model=answered("ok")), "a")
        with pytest.raises(UsageError, match="leave out `after`, or the consumer"):
            runtime.feed(consumer="x", after=3)
        with pytest.raises(UsageError, match="types is a set of names"):
            runtime.feed("TURN_COMPLETED")
        async with runtime.feed() as feed:
            (fact,) = await take(feed, 1)
            with pytest.raises(UsageError, match="open it with consumer=NAME"):
                await feed.acknowledge(fact)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), max_size=12))
def test_a_consumer_that_comes_and_goes_misses_nothing(visits: list[tuple[int, int]]) -> None:
    """However many it reads and acknowledges at each visit, it gets exactly the facts from its cursor on."""

    async def main() -> None:
        async with opened() as runtime:
            agent = Agent("clerk", model=answered("ok"))
            for _ in range(20):
                await runtime.run(agent, "a")
            facts = await everything(runtime)
            cursor = 0
            for reads, acknowledged in visits:
                async with runtime.feed(consumer="c") as feed:
                    got = await take(feed, min(reads, len(facts) - cursor))
                    assert ids(got) == facts[cursor : cursor + len(got)]
                    done = min(acknowledged, len(got))
                    if done:
                        await feed.acknowledge(got[done - 1])
                    cursor += done

    trio.run(main, clock=MockClock(autojump_threshold=0))
