"""The handle of a root: results and cancels."""

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from runtime import Agent, Status, UsageError
from runtime.errors import InternalError
from runtime.shell.turn import Turn
from runtime.testing import SlowJournal
from tests.runtime.shell.equipment import TimedModel, facts_of, free, opened, types

ROOT = "t00001"


def slow_agent() -> Agent:
    """Return an agent whose model takes ten seconds."""
    return Agent("slow", model=TimedModel(lambda _: "done", seconds=10.0))


@pytest.mark.parametrize("journal", [None, SlowJournal])
@pytest.mark.parametrize("after", [None, 0.0, 0.01, 5.0, 10.0, 10.01])
async def test_cancel_at_any_time(after: float | None, journal: Any, autojump_clock: MockClock) -> None:
    """Before the first step, in the middle or in the last moment: one ending, durable when `cancel` returns."""
    async with opened(journal and journal()) as runtime:
        turn = await runtime.start(slow_agent(), "hi")
        if after is not None:
            await trio.sleep(after)
        result = await turn.cancel("enough", by="ada")
        facts = await facts_of(runtime, ROOT)
        assert facts[-1].type in ("TURN_CANCELLED", "TURN_COMPLETED")
        assert result.status in (Status.CANCELLED, Status.COMPLETED)
        assert (await turn.result()).status is result.status
        assert free(runtime)
        if result.status is Status.CANCELLED:
            assert result.error is not None
            assert "enough" in result.error.message
            assert types(facts).count("CANCELLATION_REQUESTED") == 1


async def test_cancel_twice_at_once(autojump_clock: MockClock) -> None:
    """Two that cancel at the same moment get the same ending; it is recorded once."""
    async with opened() as runtime:
        turn = await runtime.start(slow_agent(), "hi")
        await trio.sleep(1)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(turn.cancel, "one")
            nursery.start_soon(turn.cancel, "two")
        assert types(await facts_of(runtime, ROOT)).count("TURN_CANCELLED") == 1
        assert (await turn.cancel("three")).status is Status.CANCELLED


async def test_the_caller_of_run_sees_a_cancel_from_elsewhere(autojump_clock: MockClock) -> None:
    """A run that another task cancels returns the cancelled result to its caller, as any ending."""
    async with opened() as runtime, trio.open_nursery() as nursery:

        async def cancel() -> None:
            await trio.sleep(1)
            await runtime.cancel(ROOT, "from elsewhere")

        nursery.start_soon(cancel)
        result = await runtime.run(slow_agent(), "hi")
        assert result.status is Status.CANCELLED


async def test_a_tree_that_was_let_go_of_cannot_be_cancelled_by_its_old_handle(autojump_clock: MockClock) -> None:
    """The old handle says what to do instead of recording under a claim that is gone."""
    async with opened() as runtime:
        with trio.move_on_after(1):
            await runtime.run(slow_agent(), "hi")
        turn = await runtime.resume(ROOT)
        tree = runtime.trees[ROOT]
        await runtime.let_go(tree)
        with pytest.raises(UsageError, match="resume it, then cancel it"):
            await Turn(runtime, tree.root_id, tree).cancel("late")
        assert turn.turn_id == ROOT


async def test_cancelling_a_tree_that_has_ended_does_nothing(autojump_clock: MockClock) -> None:
    """The ending stays what it was."""
    async with opened() as runtime:
        turn = await runtime.start(slow_agent(), "hi")
        await turn.result()
        before = len(await facts_of(runtime, ROOT))
        assert (await turn.cancel("late")).status is Status.COMPLETED
        assert (await runtime.cancel(ROOT, "late")).status is Status.COMPLETED
        assert len(await facts_of(runtime, ROOT)) == before


async def test_a_bug_surfaces_as_one_error(autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that breaks stops its tree with InternalError, records nothing, and can go on when it is fixed."""
    agent = slow_agent()
    async with opened() as runtime:
        turn = await runtime.start(agent, "hi")
        machine = runtime.known.machine(agent)
        with monkeypatch.context() as patch:

            def broken(_: object) -> None:
                raise KeyError("oops")

            patch.setattr(type(machine), "advance", lambda self, state: broken(state))
            before = len(await facts_of(runtime, ROOT))
            for _ in range(2):
                with pytest.raises(InternalError, match=r"oops.*please report it"):
                    await turn.result()
        assert len(await facts_of(runtime, ROOT)) == before
        assert free(runtime)
        with pytest.raises(InternalError):
            await turn.cancel("too late")
        assert (await (await runtime.resume(ROOT)).result()).output == "done"
