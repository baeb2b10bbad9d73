"""Many Turns at once."""

import pytest
import trio
from trio.testing import MockClock

from planner import ForEach, Plan, Task
from runtime import Agent, Budget, Status, Usage
from runtime.testing import call, say
from tests.runtime.shell.equipment import TimedModel, facts_of, free, opened

ROOT = "t00001"


async def test_a_thousand_agents_in_parallel(autojump_clock: MockClock) -> None:
    """A thousand agents side by side take the time of one, and their usage adds up exactly."""
    model = TimedModel(lambda request: say(request.key, usage=Usage(1, 2)), seconds=10.0)
    agent = Agent("clerk", model=model)
    plan = Plan([Task("t", ForEach(list(range(1000))), agent=agent, prompt="go")])
    async with opened() as runtime:
        result = await runtime.run(plan)
        assert result.output == [f"t[{n}]" for n in range(1000)]
        assert model.most == 1000
        assert trio.current_time() < 11
        assert result.usage == Usage(1000, 2000, 1000, 0)
        assert free(runtime)
        assert len(await facts_of(runtime, ROOT)) == 6 + 1000 * 10


@pytest.mark.parametrize("depth", [3, 60])
async def test_a_deep_line_of_agents(depth: int, autojump_clock: MockClock) -> None:
    """Agents may call each other as deep as the tree's limit says; one deeper is denied and the model is told."""

    def reply(request: object) -> object:
        number = getattr(request, "number", 0)
        return call(("self", {"task": "deeper"})) if number == 1 else "back"

    below: list[Agent] = []
    agent = Agent("self", model=TimedModel(reply, seconds=0.1), agents=below)  # type: ignore[arg-type]
    below.append(agent)
    async with opened() as runtime:
        result = await runtime.run(agent, "hi", budget=Budget(depth=depth))
        assert (result.status, result.output) == (Status.COMPLETED, "back")
        facts = await facts_of(runtime, ROOT)
        assert max(fact.turn_id.count(".") for fact in facts) == depth
        (denied,) = [fact for fact in facts if fact.type == "TOOL_DENIED"]
        assert getattr(denied.data, "reason", "") == "depth"
        assert result.usage.model_calls == 2 * (depth + 1)


async def test_many_trees_at_once(autojump_clock: MockClock) -> None:
    """Two hundred trees run side by side, and their facts do not mix."""
    model = TimedModel(lambda request: str(getattr(request.messages[0], "content", "")), seconds=1.0)
    agent = Agent("clerk", model=model)
    async with opened() as runtime:
        turns = [await runtime.start(agent, f"n{n}") for n in range(200)]
        for n, turn in enumerate(turns):
            assert (await turn.result()).output == f"n{n}"
            facts = await facts_of(runtime, turn.turn_id)
            assert {fact.root_turn_id for fact in facts} == {turn.turn_id}
        assert trio.current_time() < 2
