"""Workers take on what can go on, once, and leave alone what waits."""

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from planner import Ask, Plan, Task
from runtime import Agent, Answer, UsageError, tool
from runtime.journal.memory import MemoryJournal
from runtime.testing import FunctionModel, call, say
from runtime.values import events as e
from tests.runtime.shell.equipment import Tracks, facts_of, opened
from tests.runtime.shell.watch import watching


def asking(tracks: Tracks) -> Plan:
    """A plan that works, asks, and works on."""
    work = tool(replay="safe")(tracks.work)
    return Plan(
        [
            Task("before", tool=work, inputs={"name": "before ${inputs.name}"}),
            Task("ask", ask=Ask("${inputs.name}?"), needs=["before"]),
            Task("after", tool=work, inputs={"name": "after ${inputs.name}"}, needs=["ask"]),
        ],
        inputs={"name": "string"},
        output="${tasks.ask.output}",
    )


async def waiting(journal: MemoryJournal, plan: Plan, count: int) -> list[str]:
    """Trees that wait, and that nobody holds; returns their questions."""
    async with opened(journal) as runtime:
        return [(await runtime.run(plan, {"name": f"n{number}"})).requests[0].id for number in range(count)]


async def ended(runtime: Any, count: int) -> None:
    """Wait until so many trees have completed."""
    while True:
        seen = runtime.journal.news()
        if [info.status for info in await runtime.roots()].count("COMPLETED") >= count:
            return
        await runtime.journal.changed(seen)


async def test_two_workers_finish_what_was_answered(autojump_clock: MockClock) -> None:
    """Forty trees, answered in one go: each goes on once, with either of the two."""
    journal, tracks = MemoryJournal(), Tracks()
    plan = asking(tracks)
    ids = await waiting(journal, plan, 40)
    with watching():
        async with opened(journal, definitions=[plan]) as one, opened(journal, definitions=[plan]) as two:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(one.work)
                nursery.start_soon(two.work)
                await trio.sleep(5)
                assert all(info.owner is None and info.status == "WAITING" for info in await one.roots())
                for number, request in enumerate(ids):
                    await one.answer(request, Answer.of(number))
                await ended(one, 40)
                nursery.cancel_scope.cancel()
            for info in await one.roots():
                facts = await facts_of(one, info.root_id)
                assert sum(isinstance(fact.data, e.RequestAnswered) for fact in facts) == 1
    assert len(tracks.begun) == 80
    assert set(tracks.begun.values()) == {1}


async def test_a_worker_runs_so_many_at_a_time(autojump_clock: MockClock) -> None:
    """The next one comes when one has ended."""
    journal, tracks = MemoryJournal(), Tracks()
    plan = asking(tracks)
    ids = await waiting(journal, plan, 6)
    most = 0
    async with opened(journal, definitions=[plan]) as runtime, trio.open_nursery() as nursery:
        for request in ids:
            await runtime.answer(request, Answer.of(1))
        nursery.start_soon(lambda: runtime.work(limit=2))
        while [info.status for info in await runtime.roots()].count("COMPLETED") < 6:
            most = max(most, sum(info.owner is not None for info in await runtime.roots()))
            await trio.sleep(0.05)
        nursery.cancel_scope.cancel()
    assert most == 2


async def test_a_worker_takes_over_what_was_left_in_the_middle(autojump_clock: MockClock) -> None:
    """An owner that went away leaves its tree; a tree that another one runs is left to it."""
    journal, tracks = MemoryJournal(), Tracks()
    plan = asking(tracks)
    with watching():
        async with opened(journal) as owner:
            await owner.start(plan, {"name": "left"})
            await trio.sleep(0.5)
        async with opened(journal, definitions=[plan]) as runtime, trio.open_nursery() as nursery:
            nursery.start_soon(runtime.work)
            await trio.sleep(10)
            (info,) = await runtime.roots()
            assert (info.status, info.owner) == ("WAITING", None)
            (request,) = await runtime.requests(info.root_id)
            await journal.submit(
                info.root_id, {"do": "answer", "request": request.id, "kind": "value", "value": 1, "by": "a"}, now=0.0
            )
            await ended(runtime, 1)
            nursery.cancel_scope.cancel()


async def test_a_tree_that_cannot_go_on_is_named_once(autojump_clock: MockClock) -> None:
    """Again only when something in it has changed; the others go on."""
    journal, tracks = MemoryJournal(), Tracks()
    plan = asking(tracks)

    @tool(replay="ask")
    async def pay() -> str:
        """Pay, once."""
        await trio.sleep(100)
        return "paid"

    model = FunctionModel(lambda request: call(("pay", {})) if request.number == 1 else say("done"))
    payer = Agent("payer", model=model, tools=[pay])
    ids = await waiting(journal, plan, 1)
    async with opened(journal, ids=lambda now: "paying") as runtime:
        await runtime.start(payer, "go")
        await trio.sleep(1)
    stuck: list[str] = []
    async with opened(journal, definitions=[plan, payer]) as runtime, trio.open_nursery() as nursery:
        nursery.start_soon(lambda: runtime.work(on_stuck=lambda info, error: stuck.append(f"{info.name}: {error}")))
        await trio.sleep(5)
        await runtime.answer(ids[0], Answer.of(1))
        await ended(runtime, 1)
        assert len(stuck) == 1
        assert stuck[0].startswith("payer: ")
        assert "pay" in stuck[0]
        nursery.cancel_scope.cancel()


async def test_a_worker_that_may_run_nothing(autojump_clock: MockClock) -> None:
    """At least one."""
    async with opened() as runtime:
        with pytest.raises(UsageError, match="at least one tree at a time, not 0"):
            await runtime.work(limit=0)
