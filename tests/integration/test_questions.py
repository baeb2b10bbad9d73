"""Questions of a tree: answered in any order, in any process, while others run or after everything has parked."""

import itertools
from typing import Any

import hypothesis.strategies as st
import pytest
import trio
from hypothesis import given
from trio.testing import MockClock

from planner import Ask, ForEach, Plan, Task
from runtime import Answer, AnswerInvalid, NotFound, Request, Runtime, Status, tool
from runtime.journal.memory import MemoryJournal
from runtime.testing import SlowJournal
from tests.runtime.shell.equipment import Tracks, facts_of, opened, types
from tests.runtime.shell.watch import watching

ROOT = "t00001"


def asking(tracks: Tracks, names: list[str]) -> Plan:
    """Return a plan that asks for each name in a plan of its own, between two pieces of work."""
    work = tool(replay="safe")(tracks.work)
    inner = Plan(
        [
            Task("before", tool=work, inputs={"name": "before ${inputs.name}"}),
            Task("ask", ask=Ask("${inputs.name}?"), needs=["before"]),
            Task("again", ask=Ask("${inputs.name} (${tasks.ask.output}), really?")),
            Task("after", tool=work, inputs={"name": "after ${inputs.name}"}, needs=["again"]),
        ],
        name="inner",
        output=["${tasks.ask.output}", "${tasks.again.output}"],
    )
    return Plan([Task("all", ForEach(names, key="item"), plan=inner, inputs={"name": "${item}"})])


def messages(requests: Any) -> list[str]:
    """Return what is asked."""
    return sorted(request.message for request in requests)


async def test_a_parked_tree_waits_without_a_task_and_goes_on(autojump_clock: MockClock) -> None:
    """Everything left waits: the result says what is open; answers let just that part go on, once each."""
    tracks = Tracks()
    async with opened() as runtime:
        result = await runtime.run(asking(tracks, ["a", "b"]))
        assert result.status is Status.WAITING_FOR_CHILD
        assert messages(result.requests) == ["a?", "b?"]
        assert result.hint == f"answer {result.requests[0].id}, then resume {ROOT}"
        asked = {request.message: request for request in result.requests}
        assert asked["b?"].path == ("all[b]", "ask")
        await runtime.answer(asked["b?"].id, Answer.of("yes"))
        turn = await runtime.resume(ROOT)
        result = await turn.result()
        assert messages(result.requests) == ["a?", "b (yes), really?"]
        for _ in range(3):
            for request in (await turn.result()).requests[:1]:
                await runtime.answer(request.id, Answer.of("ok"))
        result = await turn.result()
        assert result.output == [["ok", "ok"], ["yes", "ok"]]
    assert tracks.begun == {"before a": 1, "before b": 1, "after a": 1, "after b": 1}


async def test_an_answered_question_is_closed_for_good(autojump_clock: MockClock) -> None:
    """A second answer is refused with the questions that are still open; the first one counts."""
    async with opened() as runtime:
        plan = Plan([Task("x", ask=Ask("x?")), Task("y", ask=Ask("y?"))])
        result = await runtime.run(plan)
        first, second = result.requests
        await runtime.answer(first.id, Answer.of("one"))
        with pytest.raises(NotFound, match=f"is not open.*open in this tree: {second.id}"):
            await runtime.answer(first.id, Answer.of("two"))
        await runtime.answer(second.id, Answer.of("three"))
        result = await (await runtime.resume(ROOT)).result()
        assert result.output == {"x": "one", "y": "three"}


async def test_two_answers_at_the_same_moment(autojump_clock: MockClock) -> None:
    """Of two that answer at once one wins and the other one is told; the task ends once."""
    async with opened() as runtime:
        result = await runtime.run(Plan([Task("x", ask=Ask("x?"))]))
        (request,) = result.requests
        lost: list[str] = []

        async def say(text: str) -> None:
            try:
                await runtime.answer(request.id, Answer.of(text))
            except NotFound:
                lost.append(text)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(say, "one")
            nursery.start_soon(say, "two")
        result = await (await runtime.resume(ROOT)).result()
        assert len(lost) == 1
        assert result.output == ({"one", "two"} - set(lost)).pop()
        assert types(await facts_of(runtime, ROOT)).count("REQUEST_ANSWERED") == 1


FORM = {"go": "boolean", "note": "optional string"}


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        (Answer.approve(), "wants a form with go, note"),
        (Answer.of(1), "wants a form with go, note"),
        (Answer.form({}), "go"),
        (Answer.form({"go": "yes"}), "go"),
        (Answer.form({"go": True, "more": 1}), "more"),
        (Answer.form({"go": object()}), "go"),
        (Answer.form({"go": True, "note": object()}), "note"),
        (Answer("form", 5), "an object"),
        (Answer.reject("  "), "needs a reason"),
    ],
)
async def test_an_answer_that_does_not_fit_leaves_the_question_open(
    answer: Answer, wrong: str, autojump_clock: MockClock
) -> None:
    """It is refused with what is wrong; nothing is recorded, and a right answer is taken afterwards."""
    async with opened() as runtime:
        result = await runtime.run(Plan([Task("x", ask=Ask("x?", form=FORM))]))
        (request,) = result.requests
        before = await facts_of(runtime, ROOT)
        with pytest.raises(AnswerInvalid, match=wrong):
            await runtime.answer(request.id, answer)
        assert len(await facts_of(runtime, ROOT)) == len(before)
        assert await runtime.requests(ROOT) == [request]
        await runtime.answer(request.id, Answer.form({"go": True}))
        result = await (await runtime.resume(ROOT)).result()
        assert result.output == {"go": True, "note": None}


async def test_a_question_without_a_form_takes_no_form(autojump_clock: MockClock) -> None:
    """Who fills in a form that nobody gave is told so; approving gives true."""
    async with opened() as runtime:
        (request,) = (await runtime.run(Plan([Task("x", ask=Ask("x?"))]))).requests
        with pytest.raises(AnswerInvalid, match="has no form"):
            await runtime.answer(request.id, Answer.form({"go": True}))
        await runtime.answer(request.id, Answer.approve())
        assert (await (await runtime.resume(ROOT)).result()).output is True


async def test_declining_is_an_answer(autojump_clock: MockClock) -> None:
    """A rejection needs no form and fails the task with its reason."""
    async with opened() as runtime:
        (request,) = (await runtime.run(Plan([Task("x", ask=Ask("x?", form=FORM))]))).requests
        await runtime.answer(request.id, Answer.reject("too dear"), by="ada")
        result = await (await runtime.resume(ROOT)).result()
        assert result.status is Status.FAILED
        assert result.error is not None
        assert result.error.kind == "rejected"
        assert "ada said no: too dear" in result.error.message


@pytest.mark.parametrize("name", ["nonsense", "", ":", "t00001", "t00001:", "t00001.9:0.1.1", "t00001.x:0.1.1", "t9:1"])
async def test_a_name_that_is_no_open_request(name: str, autojump_clock: MockClock) -> None:
    """Whatever a person types, the answer is one sentence and no traceback."""
    async with opened() as runtime:
        await runtime.run(Plan([Task("x", ask=Ask("x?"))]))
        with pytest.raises(NotFound):
            await runtime.answer(name, Answer.approve())


@pytest.mark.parametrize("journal", [MemoryJournal, SlowJournal])
@pytest.mark.parametrize("after", [0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.5, 1.0, 1.005, 1.01, 1.02])
async def test_answers_while_siblings_run_and_while_all_parks(
    after: float, journal: Any, autojump_clock: MockClock
) -> None:
    """An answer may come before the parents know that something waits, while they park, or much later."""
    tracks = Tracks()
    inner = Plan([Task("ask", ask=Ask("go?"))], name="inner")
    middle = Plan([Task("inner", plan=inner)], name="middle")
    plan = Plan([Task("deep", plan=middle), Task("work", tool=tracks.work, inputs={"name": "w"})])
    async with opened(journal()) as runtime:
        turn = await runtime.start(plan)
        while not (open_ := await runtime.requests(ROOT)):
            await trio.lowlevel.checkpoint()
        await trio.sleep(after)
        await runtime.answer(open_[0].id, Answer.of("go"))
        result = await turn.result()
        assert result.output == {"deep": "go", "work": "w"}


async def test_a_rejected_item_ends_its_parked_siblings(autojump_clock: MockClock) -> None:
    """When too many items failed, those that wait for an answer are closed, and the plan goes on."""
    async with opened() as runtime:
        plan = Plan([Task("all", ForEach(["a", "b", "c"]), ask=Ask("${item}?"), on_failure="continue")])
        result = await runtime.run(plan)
        await runtime.answer(result.requests[1].id, Answer.reject("no"))
        result = await (await runtime.resume(ROOT)).result()
        assert result.status is Status.FAILED
        assert [item.status for item in result.tasks["all"].items] == ["CANCELLED", "FAILED", "CANCELLED"]
        assert result.requests == ()


async def test_a_question_that_nobody_needs_any_more_is_withdrawn(autojump_clock: MockClock) -> None:
    """A task that fails in the very moment in which a sibling asks stops the plan and withdraws the question."""

    async def break_down() -> str:
        """Fail at once."""
        raise ValueError("broken")

    async with opened() as runtime:
        for _ in range(20):  # trio takes the tasks in another order each time
            result = await runtime.run(Plan([Task("ask", ask=Ask("go?")), Task("bad", tool=break_down)]))
            assert result.status is Status.FAILED
            assert result.requests == ()
            facts = await facts_of(runtime, result.turn_id)
            assert types(facts).count("REQUEST_WITHDRAWN") == 1


async def _answer_one(runtime: Runtime, request: Request, said: dict[str, str]) -> None:
    said[request.message] = f"answer {len(said)}"
    await runtime.answer(request.id, Answer.of(said[request.message]))


async def _scramble(names: list[str], choices: list[int], restarts: list[bool]) -> None:
    tracks, journal = Tracks(), MemoryJournal()
    plan = asking(tracks, names)
    said: dict[str, str] = {}
    picks, cuts = itertools.cycle(choices), itertools.cycle(restarts)
    root_id = None
    done = False
    while not done:
        async with opened(journal, definitions=[plan]) as runtime:
            turn = await (runtime.start(plan) if root_id is None else runtime.resume(root_id))
            root_id = turn.turn_id
            while not done:
                result = await turn.result()
                done = result.status.terminal
                if not done:
                    assert said.keys().isdisjoint(messages(result.requests))
                    await _answer_one(runtime, result.requests[next(picks) % len(result.requests)], said)
                    if next(cuts):
                        break
    assert result.status is Status.COMPLETED
    assert result.output == [
        [said[f"{name}?"], said[f"{name} ({said[f'{name}?']}), really?"]] for name in names
    ]  # each question got its own answer
    assert set(tracks.done.values()) == {1}


@given(
    st.integers(1, 4).map(lambda n: list("abcd"[:n])),
    st.lists(st.integers(0, 7), min_size=1, max_size=8),
    st.lists(st.booleans(), min_size=1, max_size=6),
)
def test_any_order_of_answers_with_restarts_between(names: list[str], choices: list[int], restarts: list[bool]) -> None:
    """Several open questions: each answer reaches its own one, none is asked twice, nothing runs twice."""
    with watching():
        trio.run(_scramble, names, choices, restarts, clock=MockClock(autojump_threshold=0))
