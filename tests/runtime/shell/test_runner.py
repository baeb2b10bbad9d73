"""Who runs a root, and the handler that answers on its behalf."""

import pytest
import trio
from trio.testing import MockClock

from planner import Ask, Plan, Task
from runtime import Answer, AnswerInvalid, Request, Status
from tests.runtime.shell.equipment import Tracks, facts_of, opened, types

ROOT = "t00001"
PLAN = Plan([Task("ask", ask=Ask("go?")), Task("then", ask=Ask("${tasks.ask.output}, sure?"))])


async def test_the_handler_is_asked_while_the_rest_runs(autojump_clock: MockClock) -> None:
    """It is called as soon as a question is open; siblings do not wait for the person."""
    tracks = Tracks()
    plan = Plan([Task("ask", ask=Ask("go?")), Task("work", tool=tracks.work, inputs={"name": "w", "seconds": 3})])
    times: list[float] = []

    async def decide(_: Request) -> Answer:
        times.append(trio.current_time())
        await trio.sleep(10)
        assert tracks.done["w"] == 1
        return Answer.of("go")

    async with opened() as runtime:
        began = trio.current_time()
        result = await runtime.run(plan, on_request=decide)
        assert result.output == {"ask": "go", "work": "w"}
        assert times == [began]


async def test_each_question_is_put_once(autojump_clock: MockClock) -> None:
    """Questions that follow from answers are put too; the handler is its own author."""
    put: list[str] = []

    async def decide(request: Request) -> Answer:
        put.append(request.message)
        return Answer.of("yes")

    async with opened() as runtime:
        result = await runtime.run(PLAN, on_request=decide)
        assert result.output == "yes"
        assert put == ["go?", "yes, sure?"]
        answers = [fact.data for fact in await facts_of(runtime, ROOT) if fact.type == "REQUEST_ANSWERED"]
        assert {getattr(answer, "by", "") for answer in answers} == {"on_request"}


async def test_a_handler_may_leave_a_question_open(autojump_clock: MockClock) -> None:
    """None is no answer: the run comes back with the question, which can be answered later."""

    async def decide(_: Request) -> None:
        await trio.sleep(1)

    async with opened() as runtime:
        result = await runtime.run(PLAN, on_request=decide)
        assert result.status is Status.WAITING_FOR_CHILD
        assert [request.message for request in result.requests] == ["go?"]
        await runtime.answer(result.requests[0].id, Answer.of("later"))
        result = await (await runtime.resume(ROOT)).result()
        assert [request.message for request in result.requests] == ["later, sure?"]


async def test_a_handler_that_breaks_stops_the_run(autojump_clock: MockClock) -> None:
    """Its error comes out as itself; nothing is recorded, and the tree can go on."""

    async def decide(_: Request) -> Answer:
        await trio.sleep(1)
        raise OSError("no terminal")

    async with opened() as runtime:
        with pytest.raises(OSError, match="no terminal"):
            await runtime.run(PLAN, on_request=decide)
        assert not runtime.trees
        turn = await runtime.resume(ROOT)
        assert len((await turn.result()).requests) == 1


async def test_a_handler_whose_answer_does_not_fit(autojump_clock: MockClock) -> None:
    """The program is told; the question stays open."""

    async def decide(_: Request) -> Answer:
        return Answer.form({"x": 1})

    async with opened() as runtime:
        with pytest.raises(AnswerInvalid, match="has no form"):
            await runtime.run(PLAN, on_request=decide)
        assert len(await runtime.requests(ROOT)) == 1


async def test_somebody_else_answers_first(autojump_clock: MockClock) -> None:
    """An answer from elsewhere counts; what the handler says afterwards is dropped."""

    async def decide(request: Request) -> Answer | None:
        if request.message == "go?":
            await trio.sleep(10)
            return Answer.of("slow")
        return Answer.of("yes")

    async with opened() as runtime, trio.open_nursery() as nursery:

        async def answer() -> None:
            await trio.sleep(1)
            (request,) = await runtime.requests(ROOT)
            await runtime.answer(request.id, Answer.of("quick"))

        nursery.start_soon(answer)
        began = trio.current_time()
        result = await runtime.run(PLAN, on_request=decide)
        assert result.output == "yes"
        assert trio.current_time() - began < 5, "nobody waits for the handler that came too late"
        assert types(await facts_of(runtime, ROOT)).count("REQUEST_ANSWERED") == 2
