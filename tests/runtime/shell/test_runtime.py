"""Starting, running, resuming and closing."""

import pytest
import trio
from trio.testing import MockClock

from runtime import Agent, JournalError, NotFound, StaleWriter, Status, TreeHeld, UsageError, open_runtime
from runtime.errors import DefinitionChanged
from runtime.journal.memory import MemoryJournal
from runtime.journal.sqlite import SqliteJournal
from runtime.testing import FaultyJournal, FunctionModel, call, say
from tests.runtime.shell.equipment import TimedModel, Tracks, answered, facts_of, free, opened, types

ROOT = "t00001"


def slow_agent(name: str = "slow") -> Agent:
    """Return an agent whose model takes ten seconds."""
    return Agent(name, model=TimedModel(lambda _: "done", seconds=10.0))


async def test_run_is_start_and_result(autojump_clock: MockClock) -> None:
    """Both ways give the same result and the same facts, under another id."""
    async with opened() as runtime:
        agent = Agent("clerk", model=answered("hello"))
        ran = await runtime.run(agent, "hi")
        turn = await runtime.start(agent, "hi")
        started = await turn.result()
        assert (ran.status, ran.output, ran.usage) == (started.status, started.output, started.usage)
        assert ran.output == "hello"
        first, second = await facts_of(runtime, ran.turn_id), await facts_of(runtime, turn.turn_id)
        assert types(first) == types(second)
        assert ran.turn_id != started.turn_id


async def test_a_runtime_that_closes_leaves_its_trees_resumable(autojump_clock: MockClock) -> None:
    """Nothing is recorded on the way out; another runtime goes on; a reader of the old one comes to its end."""
    journal, agent = MemoryJournal(), slow_agent()
    seen: list[str] = []
    async with trio.open_nursery() as nursery, opened(journal) as runtime:
        turn = await runtime.start(agent, "hi")

        async def read() -> None:
            async with turn.events() as events:
                seen.extend([event.type async for event in events])

        nursery.start_soon(read)
        await trio.sleep(5)
        before = await facts_of(runtime, ROOT)
    assert seen == types(before)
    async with opened(journal, definitions=[agent]) as runtime:
        assert (await runtime.roots())[0].owner is None
        assert len(await facts_of(runtime, ROOT)) == len(before)
        result = await (await runtime.resume(ROOT)).result()
        assert (result.status, result.output) == (Status.COMPLETED, "done")


async def test_a_run_that_its_caller_leaves_can_go_on_in_the_same_runtime(autojump_clock: MockClock) -> None:
    """Leaving the caller's scope stops the tree, frees its places and lets go of it."""
    agent = Agent("slow", model=TimedModel(lambda _: "done", seconds=10.0))
    async with opened() as runtime:
        with trio.move_on_after(5):
            await runtime.run(agent, "hi")
        assert not runtime.trees
        assert free(runtime)
        assert (await (await runtime.resume(ROOT)).result()).output == "done"


async def test_two_runtimes_in_one_process(autojump_clock: MockClock) -> None:
    """Over one journal each tree has one owner; the other runtime may not resume it meanwhile, but later."""
    journal, agent = MemoryJournal(), slow_agent()
    async with opened(journal, definitions=[agent]) as one, opened(journal, definitions=[agent]) as other:
        await one.start(agent, "hi")
        with pytest.raises(TreeHeld, match="another runtime of this process"):
            await other.resume(ROOT)
        assert await other.requests(ROOT) == []
        await trio.sleep(20)
        assert (await (await other.resume(ROOT)).result()).output == "done"


async def test_two_runs_of_one_definition_do_not_mix(autojump_clock: MockClock) -> None:
    """Every run has an id of its own and makes every call itself, also at the same time."""
    model = TimedModel(lambda request: f"re: {getattr(request.messages[0], 'content', '')}")
    agent = Agent("clerk", model=model)
    async with opened() as runtime:
        turns = [await runtime.start(agent, "same"), await runtime.start(agent, "same")]
        results = [await turn.result() for turn in turns]
        assert [result.output for result in results] == ["re: same", "re: same"]
        assert model.calls == 2
        assert model.most == 2
        assert turns[0].turn_id != turns[1].turn_id


async def test_an_unknown_tree(autojump_clock: MockClock) -> None:
    """Nothing can be done with a tree that is not there."""
    async with opened() as runtime:
        for act in (runtime.resume("t9"), runtime.cancel("t9", "no"), runtime.requests("t9")):
            with pytest.raises(NotFound):
                await act


async def test_another_definition_is_refused(autojump_clock: MockClock) -> None:
    """A tree goes on with the definition that it was started with or not at all."""
    journal = MemoryJournal()
    async with opened(journal) as runtime:
        await runtime.start(Agent("clerk", model=TimedModel(lambda _: "x"), instructions="be kind"), "hi")
    other = Agent("clerk", model=TimedModel(lambda _: "x"), instructions="be rude")
    async with opened(journal, definitions=[other]) as runtime:
        with pytest.raises(DefinitionChanged, match="another version of agent 'clerk'"):
            await runtime.resume(ROOT)
    async with opened(journal) as runtime:
        with pytest.raises(DefinitionChanged, match="resume it with the definition"):
            await runtime.resume(ROOT, other)


async def test_virtual_time_refuses_a_journal_with_a_thread(autojump_clock: MockClock, tmp_path: object) -> None:
    """A clock that jumps would jump while the thread works."""
    with pytest.raises(UsageError, match="threaded=False"):
        async with open_runtime(SqliteJournal(f"{tmp_path}/j.db", threaded=True)):
            pass


async def test_nothing_periodic_runs(autojump_clock: MockClock) -> None:
    """While everything waits for a person nothing wakes up: a year of virtual time costs nothing."""
    async with opened() as runtime:
        turn = await runtime.start(slow_agent(), "hi")
        await turn.result()
        steps = trio.lowlevel.current_statistics()
        assert steps.seconds_to_next_deadline == float("inf")


@pytest.mark.parametrize("append", range(1, 6))
async def test_a_journal_that_fails_stops_the_tree(append: int, autojump_clock: MockClock) -> None:
    """The error is the journal's own; what was kept before is intact, and the tree can go on from there."""
    inner, tracks = MemoryJournal(), Tracks()

    def reply(request: object) -> object:
        return call(("work", {"name": "a"}), ("work", {"name": "b"})) if getattr(request, "number", 0) == 1 else "done"

    agent = Agent("clerk", model=FunctionModel(reply), tools=[tracks.work])  # type: ignore[arg-type]
    async with opened(FaultyJournal(inner, fail_at=[append])) as runtime:
        other = None
        try:
            turn = await runtime.start(agent, "hi")
            async with turn.events() as events, trio.open_nursery() as nursery:
                nursery.start_soon(trio.lowlevel.checkpoint)
                await turn.result()
                async for _ in events:
                    pass
        except* JournalError as failed:
            other = failed
        kept = await inner.read(ROOT)
        assert other is not None or kept[-1].type == "TURN_COMPLETED"
        assert free(runtime)
        result = await runtime.run(Agent("next", model=FunctionModel(lambda _: say("fine"))), "hi")
        assert result.output == "fine", "other trees of the runtime go on"
    if other is not None and kept and "TOOL_STARTED" not in types(kept):
        async with opened(inner, definitions=[agent]) as runtime:
            assert (await (await runtime.resume(ROOT)).result()).output == "done"


async def test_a_tree_that_was_taken_over_stops(autojump_clock: MockClock) -> None:
    """Whoever lost its claim records nothing more and is told so."""
    journal, agent = MemoryJournal(), slow_agent()
    async with opened(journal, definitions=[agent]) as runtime:
        turn = await runtime.start(agent, "hi")
        await trio.sleep(1)
        await journal.release(runtime.trees[ROOT].claim)
        claim = await journal.claim(ROOT, now=0.0)
        before = journal.watermark(ROOT)
        with pytest.raises(StaleWriter, match="not held here any more"):
            await turn.result()
        assert journal.watermark(ROOT) == before
        await journal.release(claim)
        assert (await (await runtime.resume(ROOT)).result()).output == "done"


async def test_a_closed_runtime_starts_nothing(autojump_clock: MockClock) -> None:
    """Who keeps the runtime after its block is told that it is closed."""
    async with opened() as runtime:
        pass
    with pytest.raises(UsageError, match="closed"):
        await runtime.start(slow_agent(), "hi")


async def test_an_error_in_the_block_comes_out_as_itself(autojump_clock: MockClock) -> None:
    """No group hides what the program itself raised."""
    with pytest.raises(ZeroDivisionError):  # noqa: PT012 - the block is what raises
        async with opened() as runtime:
            await runtime.start(slow_agent(), "hi")
            raise ZeroDivisionError
