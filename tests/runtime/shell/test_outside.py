"""Acting on a tree that another runtime holds, that nobody holds, or that was started by a key."""

import itertools
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from planner import Ask, Plan, Task
from runtime import Agent, Answer, AnswerInvalid, NotFound, Status, UsageError
from runtime.errors import OwnerSilent
from runtime.journal.memory import MemoryJournal
from runtime.shell.runtime import Runtime
from runtime.testing import FunctionModel, call, say
from runtime.values import events as e
from runtime.values.messages import UserMessage
from tests.runtime.shell.equipment import TimedModel, Tracks, answered, facts_of, opened, types
from tests.runtime.shell.watch import watching

ROOT = "t00001"
FORM = {"amount": "integer"}
NUMBERS = itertools.count()


def asking() -> Plan:
    """A plan that asks twice, while a slow task runs."""
    slow = Agent("slow", model=TimedModel(lambda _: "done", seconds=30.0))
    return Plan(
        [Task("x", ask=Ask("x?")), Task("y", ask=Ask("How much?", form=FORM)), Task("z", agent=slow, prompt="go")]
    )


def elsewhere(journal: MemoryJournal, *definitions: Any) -> Any:
    """A second runtime over the journal, whose trees have other names."""
    return opened(journal, definitions=definitions, ids=lambda now: f"other{next(NUMBERS)}")


def refusals(facts: Any) -> list[tuple[str, str, str, str]]:
    """What was refused: where, which sort, to whom and why."""
    return [
        (fact.turn_id, fact.data.kind, fact.data.by, fact.data.reason)
        for fact in facts
        if isinstance(fact.data, e.RequestRefused)
    ]


async def test_an_answer_to_a_tree_that_another_runtime_runs(autojump_clock: MockClock) -> None:
    """The owner takes it while the rest of the tree runs on; whoever answered is recorded."""
    journal, plan = MemoryJournal(), asking()
    with watching():
        async with opened(journal) as owner, elsewhere(journal, plan) as other:
            turn = await owner.start(plan, {})
            await trio.sleep(1)
            x, y = await other.requests(ROOT)
            await other.answer(x.id, Answer.of("yes"), by="ana")
            await other.answer(y.id, Answer.form({"amount": 3}), by="ben")
            assert trio.current_time() < 2
            assert await other.requests(ROOT) == []
            result = await turn.result()
            assert result.output == {"x": "yes", "y": {"amount": 3}, "z": "done"}
            facts = await facts_of(owner, ROOT)
    answers = [fact.data.by for fact in facts if isinstance(fact.data, e.RequestAnswered)]
    assert answers == ["ana", "ben"]


async def test_late_and_wrong_answers_are_refused_by_the_owner(autojump_clock: MockClock) -> None:
    """With who, when and why, for the one who answered and in the history; the question stays as it is."""
    journal, plan = MemoryJournal(), asking()
    with watching():
        async with opened(journal) as owner, elsewhere(journal, plan) as other:
            turn = await owner.start(plan, {})
            await trio.sleep(1)
            x, y = await other.requests(ROOT)
            await other.answer(x.id, Answer.of("yes"), by="ana")
            with pytest.raises(NotFound, match=f"request {x.id} is not open: already answered by ana"):
                await other.answer(x.id, Answer.of("no"), by="ben")
            with pytest.raises(AnswerInvalid, match="amount"):
                await other.answer(y.id, Answer.form({"amount": "much"}), by="ben")
            with pytest.raises(NotFound, match="it is not open"):
                await other.answer(f"{ROOT}.2:0.1.9", Answer.approve(), by="ben")
            assert [request.id for request in await other.requests(ROOT)] == [y.id]
            await other.answer(y.id, Answer.form({"amount": 3}), by="ana")
            await turn.result()
            facts = await facts_of(owner, ROOT)
    found = refusals(facts)
    assert [(where, kind, by) for where, kind, by, _ in found] == [
        (ROOT, "late", "ben"), (f"{ROOT}.2", "invalid", "ben"), (f"{ROOT}.2", "late", "ben"),
    ]  # fmt: skip
    assert found[0][3] == "already answered by ana"


async def test_of_many_answers_at_once_one_counts(autojump_clock: MockClock) -> None:
    """All the others are told who was faster."""
    journal, plan = MemoryJournal(), Plan([Task("x", ask=Ask("x?")), *asking().tasks[2:]])
    told: list[str] = []
    async with opened(journal) as owner, elsewhere(journal, plan) as other:
        turn = await owner.start(plan, {})
        await trio.sleep(1)
        (x,) = await other.requests(ROOT)

        async def say_it(runtime: Runtime, name: str) -> None:
            try:
                await runtime.answer(x.id, Answer.of(name), by=name)
                told.append("taken")
            except NotFound as error:
                told.append(str(error))

        async with trio.open_nursery() as nursery:
            for number in range(6):
                nursery.start_soon(say_it, other if number % 2 else owner, f"p{number}")
        result = await turn.result()
        assert told.count("taken") == 1
        facts = await facts_of(owner, ROOT)
        (answer,) = [fact.data for fact in facts if isinstance(fact.data, e.RequestAnswered)]
        assert result.output["x"] == answer.by


async def test_a_cancel_of_a_tree_that_another_runtime_runs(autojump_clock: MockClock) -> None:
    """It returns once everything has stopped; a second one finds it ended."""
    journal, plan = MemoryJournal(), asking()
    with watching():
        async with opened(journal) as owner, elsewhere(journal, plan) as other:
            turn = await owner.start(plan, {})
            await trio.sleep(1)
            result = await other.cancel(ROOT, "enough", by="ana")
            assert (result.status, trio.current_time() < 2) == (Status.CANCELLED, True)
            assert (await turn.result()).status is Status.CANCELLED
            again = await other.cancel(ROOT, "more", by="ben")
            assert again.status is Status.CANCELLED
            facts = await facts_of(owner, ROOT)
    assert [fact.data.by for fact in facts if isinstance(fact.data, e.CancellationRequested)] == ["ana"]


@pytest.mark.parametrize("where", ["here", "elsewhere"])
async def test_a_running_agent_is_steered(autojump_clock: MockClock, where: str) -> None:
    """The model reads the hint before its next call, whoever gives it."""
    heard: list[list[object]] = []

    def reply(request: Any) -> Any:
        heard.append([message.content for message in request.messages if isinstance(message, UserMessage)])
        return call(("work", {"name": "a", "seconds": 5.0})) if request.number == 1 else say("done")

    journal, tracks = MemoryJournal(), Tracks()
    agent = Agent("lead", model=FunctionModel(reply), tools=[tracks.work])
    async with opened(journal) as owner, elsewhere(journal, agent) as other:
        turn = await owner.start(agent, "go")
        await trio.sleep(1)
        handle = turn if where == "here" else await other.turn(ROOT)
        await handle.tell("be brief", by="ana")
        result = await turn.result()
        assert result.output == "done"
        assert heard == [["go"], ["go", "be brief"]]
        (hint,) = [fact.data for fact in await facts_of(owner, ROOT) if isinstance(fact.data, e.HintAdded)]
        assert (hint.text, hint.by) == ("be brief", "ana")


@pytest.mark.parametrize("where", ["here", "elsewhere"])
async def test_only_agents_that_run_are_steered(autojump_clock: MockClock, where: str) -> None:
    """Everything else is refused, and nothing is recorded."""
    journal, plan = MemoryJournal(), asking()
    async with opened(journal) as owner, elsewhere(journal, plan) as other:
        turn = await owner.start(plan, {})
        await trio.sleep(1)
        handle = turn if where == "here" else await other.turn(ROOT)
        before = len(await facts_of(owner, ROOT))
        for turn_id in (ROOT, f"{ROOT}.1", f"{ROOT}.9"):
            with pytest.raises(UsageError, match="is no agent that runs"):
                await handle.tell("faster", turn_id=turn_id)
        with pytest.raises(UsageError, match="a hint is some text"):
            await handle.tell("  ")
        assert len(await facts_of(owner, ROOT)) == before
        await handle.tell("faster", turn_id=f"{ROOT}.3")
        await turn.cancel("enough")


async def test_a_handle_follows_a_tree_that_another_runtime_runs(autojump_clock: MockClock) -> None:
    """It reads every fact as it comes, and waits for the result."""
    journal = MemoryJournal()
    agent = Agent("slow", model=TimedModel(lambda _: "done", seconds=10.0))
    async with opened(journal) as owner, elsewhere(journal, agent) as other:
        await owner.start(agent, "hi")
        handle = await other.turn(ROOT)
        seen: list[Any] = []
        async with handle.events() as events:
            seen.extend([event async for event in events])
        assert trio.current_time() == 10
        assert types(seen) == types(await facts_of(owner, ROOT))
        assert (await handle.result()).output == "done"
        with pytest.raises(NotFound):
            await other.turn("t9")


async def test_an_answer_to_a_tree_that_nobody_holds_makes_it_due(autojump_clock: MockClock) -> None:
    """It waits for nobody any more, so that a worker may take it; what was left for it is taken first."""
    journal, plan = MemoryJournal(), Plan([Task("x", ask=Ask("x?")), Task("y", ask=Ask("y?"))])
    with watching():
        async with opened(journal) as owner:
            await owner.run(plan, {})
            x, y = await owner.requests(ROOT)
        async with elsewhere(journal, plan) as other:
            assert (await other.roots())[0].status == "WAITING"
            await journal.submit(
                ROOT, {"do": "answer", "request": x.id, "kind": "value", "value": 1, "by": "ana"}, now=0.0
            )
            await other.answer(y.id, Answer.of(2))
            (info,) = await other.roots()
            assert (info.status, info.owner, info.submissions) == ("RUNNING", None, 0)
            turn = await other.resume(ROOT)
            assert (await turn.result()).output == {"x": 1, "y": 2}


async def test_an_owner_that_does_not_listen(autojump_clock: MockClock) -> None:
    """After some time the one who answered is told that it waits for the owner; it is not lost."""
    journal = MemoryJournal()
    plan = Plan([Task("x", ask=Ask("x?"))])
    async with opened(journal) as owner:
        await owner.run(plan, {})
    claim = await journal.claim(ROOT, now=0.0)
    async with elsewhere(journal, plan) as other:
        (x,) = await other.requests(ROOT)
        with pytest.raises(OwnerSilent, match="it stays in the inbox"):
            await other.answer(x.id, Answer.of(1))
        await journal.release(claim)
        turn = await other.resume(ROOT)
        assert (await turn.result()).output == 1


async def test_an_owner_that_goes_while_one_waits(autojump_clock: MockClock) -> None:
    """Whoever submitted takes it himself, once."""
    journal = MemoryJournal()
    plan = Plan([Task("x", ask=Ask("x?"))])
    async with opened(journal) as owner:
        await owner.run(plan, {})
    claim = await journal.claim(ROOT, now=0.0)
    async with elsewhere(journal, plan) as other, trio.open_nursery() as nursery:
        (x,) = await other.requests(ROOT)
        nursery.start_soon(other.answer, x.id, Answer.of(1))
        await trio.sleep(3)
        await journal.release(claim)
    async with opened(journal, definitions=[plan]) as runtime:
        assert (await (await runtime.resume(ROOT)).result()).output == 1
        assert types(await facts_of(runtime, ROOT)).count("REQUEST_ANSWERED") == 1


async def test_one_key_is_one_tree(autojump_clock: MockClock) -> None:
    """Whoever comes second gets the same tree, here or elsewhere, running or ended."""
    journal, model = MemoryJournal(), TimedModel(lambda _: "done", seconds=5.0)
    agent = Agent("clerk", model=model)
    async with opened(journal) as owner, elsewhere(journal) as other:
        first = await owner.start(agent, "hi", key="m-1")
        second = await owner.start(agent, "hi", key="m-1")
        third = await other.start(agent, "hi", key="m-1")
        assert {first.turn_id, second.turn_id, third.turn_id} == {ROOT}
        assert (await third.result()).output == "done"
        fourth = await other.run(agent, "hi", key="m-1")
        assert (fourth.turn_id, fourth.output) == (ROOT, "done")
        assert model.calls == 1
        assert len(await owner.roots()) == 1


async def test_a_key_with_another_input_is_refused(autojump_clock: MockClock) -> None:
    """The message says which tree has it, and with what."""
    agent = Agent("clerk", model=answered("ok"))
    async with opened() as runtime:
        await runtime.run(agent, "hi", key="m-1")
        with pytest.raises(UsageError, match=f"the key 'm-1' is that of {ROOT}, which was given 'hi'"):
            await runtime.start(agent, "ho", key="m-1")
        with pytest.raises(UsageError, match=f"the key 'm-1' is that of {ROOT}, which runs another agent 'clerk'"):
            await runtime.start(Agent("clerk", model=answered("ok"), instructions="Be kind."), "hi", key="m-1")
        assert len(await runtime.roots()) == 1


async def test_many_start_with_one_key_at_once(autojump_clock: MockClock) -> None:
    """In two runtimes; one tree comes of it."""
    journal, model = MemoryJournal(), TimedModel(lambda _: "done", seconds=5.0)
    agent = Agent("clerk", model=model)
    outputs = []
    async with opened(journal) as owner, elsewhere(journal, agent) as other:

        async def start(runtime: Runtime) -> None:
            turn = await runtime.start(agent, "hi", key="m-1")
            outputs.append((turn.turn_id, (await turn.result()).output))

        async with trio.open_nursery() as nursery:
            for _ in range(5):
                nursery.start_soon(start, owner)
                nursery.start_soon(start, other)
        assert len(set(outputs)) == 1
        assert model.calls == 1


async def test_a_key_goes_on_where_the_first_attempt_died(autojump_clock: MockClock) -> None:
    """Delivered again after a crash: before the first fact, or in the middle."""
    journal, model = MemoryJournal(), TimedModel(lambda _: "done", seconds=5.0)
    agent = Agent("clerk", model=model)
    async with opened(journal) as runtime:
        digest = await runtime.digest(agent)
    claim = await journal.create("dead", kind="agent", name="clerk", definition=digest, now=0.0, key="m-0")
    await journal.release(claim)
    async with opened(journal) as runtime:
        turn = await runtime.start(agent, "hi", key="m-0")
        assert (turn.turn_id, (await turn.result()).output) == ("dead", "done")
        died = await runtime.start(agent, "hi", key="m-1")
        await trio.sleep(1)
    async with elsewhere(journal, agent) as runtime:
        turn = await runtime.start(agent, "hi", key="m-1")
        assert (await turn.result()).output == "done"
        assert turn.turn_id == died.turn_id
