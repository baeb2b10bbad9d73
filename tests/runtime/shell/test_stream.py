"""Reading a tree: facts in order, each once, from any position, with previews in between."""

import gc
from typing import Any

import hypothesis.strategies as st
import pytest
import trio
from hypothesis import given
from trio.testing import MockClock

from planner import Ask, ForEach, Plan, Task
from runtime import Agent, Answer, Runtime, ToolContext, Turn, tool
from runtime.models.scripted import ScriptedModel
from runtime.testing import SlowJournal
from tests.runtime.shell.equipment import Tracks, facts_of, opened, types
from tests.runtime.shell.watch import watching

ROOT = "t00001"
SCRIPTS = {"writer": [{"thinking": "hm", "text": "one two three", "chunks": 4, "delay": "1s"}]}


def work(items: int = 4) -> Plan:
    """Return a plan whose items show a few things each."""

    @tool
    async def show(context: ToolContext, n: int) -> int:
        """Show progress and output."""
        for k in range(3):
            context.progress(f"step {k}", k / 3)
            context.output(f"{k}")
            context.emit("mark", {"k": k})
            await trio.sleep(0.1 * n)
        return n

    writer = Agent("writer", model=ScriptedModel(scripts=SCRIPTS))
    return Plan(
        [
            Task("items", ForEach(list(range(items)), max_parallel=3), tool=show, inputs={"n": "${item}"}),
            Task("write", agent=writer, prompt="write"),
        ]
    )


async def read(turn: Turn, after: int = 0, *, previews: bool = False, pause: float = 0.0) -> list[Any]:
    """Read a tree to its end, as slowly as wanted."""
    seen = []
    async with turn.events(after=after, previews=previews) as events:
        async for event in events:
            seen.append(event)
            if pause:
                await trio.sleep(pause)
    return seen


@pytest.mark.parametrize("journal", [None, SlowJournal])
async def test_readers_of_all_sorts_see_the_same(journal: Any, autojump_clock: MockClock) -> None:
    """Early, late, slow and eager readers get the same facts in the same order, and then the end."""
    async with opened(journal and journal()) as runtime:
        turn = await runtime.start(work())
        seen: dict[str, list[str]] = {}

        async def look(name: str, wait: float, pause: float, sort: str) -> None:
            await trio.sleep(wait)
            events = await read(turn, previews=sort == "previews", pause=pause)
            seen[name] = [event.event_id for event in events if event.position is not None]

        async with trio.open_nursery() as nursery:
            nursery.start_soon(look, "early", 0, 0, "facts")
            nursery.start_soon(look, "eager", 0, 0, "previews")
            nursery.start_soon(look, "late", 0.25, 0, "previews")
            nursery.start_soon(look, "slow", 0, 0.3, "previews")
            nursery.start_soon(look, "afterwards", 100, 0, "previews")
        expected = [fact.event_id for fact in await facts_of(runtime, ROOT)]
        assert seen == dict.fromkeys(["early", "eager", "late", "slow", "afterwards"], expected)


async def _suffix(after: int, wait: float) -> None:
    async with opened() as runtime:
        turn = await runtime.start(work(2))
        await trio.sleep(wait)
        seen = await read(turn, after)
        everything = await facts_of(runtime, ROOT)
        assert seen == everything[after:]


@given(st.integers(0, 60), st.floats(0, 3))
def test_events_after_a_position_are_the_suffix(after: int, wait: float) -> None:
    """Whoever joins at any time from any position gets exactly what comes after it."""
    with watching():
        trio.run(_suffix, after, wait, clock=MockClock(autojump_threshold=0))


async def test_a_cursor_survives_empty_reconnects(autojump_clock: MockClock) -> None:
    """Connecting and leaving without reading loses nothing and repeats nothing."""
    async with opened() as runtime:
        turn = await runtime.start(work())
        got: list[Any] = []
        while len(got) < 15:
            async with turn.events(after=len(got), previews=True):
                pass
            async with turn.events(after=len(got)) as events:
                async for event in events:
                    got.append(event)
                    break
        assert [event.position for event in got] == list(range(1, 16))
        await turn.result()


async def test_leaving_early_is_safe(autojump_clock: MockClock) -> None:
    """A stream that was read half, dropped, collected, or left twice disturbs nobody; another task may read on."""
    async with opened() as runtime:
        turn = await runtime.start(work())
        stream = turn.events(previews=True)
        async with stream as events:
            first = await anext(aiter(events))
        await stream.__aexit__(None, None, None)
        assert first.type == "TURN_STARTED"
        dropped: Any = aiter(turn.events())
        await anext(dropped)
        del dropped
        gc.collect()
        async with turn.events() as shared, trio.open_nursery() as nursery:
            await anext(shared)

            async def read_on() -> None:
                assert (await anext(shared)).position == 2

            nursery.start_soon(read_on)
        assert not runtime.trees[ROOT].watchers
        assert (await turn.result()).status == "COMPLETED"


async def test_previews_come_after_the_facts_before_them(autojump_clock: MockClock) -> None:
    """A preview never overtakes a fact that was recorded before it, and none follows the ending of its call."""
    for journal in (None, SlowJournal()):
        async with opened(journal) as runtime:
            turn = await runtime.start(work())
            position, over = 0, set()
            for event in await read(turn, previews=True):
                key = (event.turn_id, getattr(event, "call_key", None) or getattr(event.data, "call_key", None))
                if event.position is None:
                    assert event.after <= position
                    assert key not in over
                else:
                    position = event.position
                    if event.type in ("TOOL_COMPLETED", "MODEL_COMPLETED"):
                        over.add(key)
            assert len(over) == 5


async def test_a_call_is_seen_when_it_starts(autojump_clock: MockClock) -> None:
    """The start of a tool call is readable while the tool still runs."""
    tracks = Tracks()
    async with opened() as runtime:
        turn = await runtime.start(Plan([Task("w", tool=tracks.work, inputs={"name": "w", "seconds": 5})]))
        async with turn.events() as events:
            async for event in events:
                if event.type == "TOOL_STARTED":
                    assert tracks.begun["w"] <= 1
                    assert tracks.done["w"] == 0
                    break
        assert trio.current_time() < 5
        await turn.result()


async def test_a_reader_of_one_child_sees_a_whole_history(autojump_clock: MockClock) -> None:
    """Filtered by Turn, the stream of the root holds each child's own, with its parents and its path."""
    async with opened() as runtime:
        turn = await runtime.start(work())
        events = await read(turn)
        for n in range(1, 6):
            own = [event for event in events if event.turn_id == f"{ROOT}.{n}"]
            assert [event.sequence for event in own] == list(range(1, len(own) + 1))
            assert {(event.parent_turn_id, event.root_turn_id) for event in own} == {(ROOT, ROOT)}
            assert own[0].type == "TURN_STARTED"
            assert own[-1].type == "TURN_COMPLETED"
            assert own[0].path == (own[0].task_key,)


async def test_a_far_reader_gets_what_memory_has_dropped(autojump_clock: MockClock) -> None:
    """A reader that starts thousands of facts late is served from the journal."""
    async with opened() as runtime:
        turn = await runtime.start(work(400))
        await trio.sleep(1000)
        late = await read(turn)
        assert len(late) > 4000
        assert late == await _all(runtime)


async def _all(runtime: Runtime) -> list[Any]:
    return list(await facts_of(runtime, ROOT))


async def test_a_reader_of_a_parked_tree_sees_the_rest(autojump_clock: MockClock) -> None:
    """While the tree waits for a person its stream waits too, and goes on without a gap."""
    async with opened() as runtime, trio.open_nursery() as nursery:
        turn = await runtime.start(Plan([Task("ask", ask=Ask("go?"))]))

        async def answer() -> None:
            await trio.sleep(3600)
            (request,) = await runtime.requests(ROOT)
            await runtime.answer(request.id, Answer.approve())

        nursery.start_soon(answer)
        events = await read(turn)
        assert [event.position for event in events] == list(range(1, len(events) + 1))
        assert types(events)[-1] == "TURN_COMPLETED"
