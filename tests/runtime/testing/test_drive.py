"""The synchronous driver: random orders that the runtime could take, the same ones for the same seed."""

import random

import attrs
import pytest
from trio.testing import MockClock

from planner import Ask, ForEach, Plan, Task
from runtime import Answer, Request, UsageError, open_runtime
from runtime.core.grammar import check_grammar
from runtime.core.kinds import Kind, register
from runtime.errors import InternalError
from runtime.testing import DrivenTurn, FunctionModel, call, drive, perform
from runtime.tools.function import tool
from runtime.values import signals as s
from runtime.values.agent import Agent
from runtime.values.commands import CallModel, RunTool
from runtime.values.status import Status
from tests.runtime.core.toys import CountdownMachine


@tool(replay="safe")
def double(n: int) -> int:
    """Double a number."""
    return 2 * n


BOT = Agent(
    "bot",
    model=FunctionModel(lambda request: "heard " + str(getattr(request.messages[0], "content", "")), max_concurrent=1),
)
PLAN = Plan(
    [
        Task("twice", ForEach([1, 2, 3], max_parallel=2), tool=double, inputs={"n": "${item}"}),
        Task("gate", ask=Ask("Go on?")),
        Task("tell", agent=BOT, prompt="${tasks.twice.output} ${tasks.gate.output}"),
    ]
)
GO = {"gate": Answer.of("yes")}


def test_the_same_seed_gives_the_same_facts() -> None:
    """A failing order can be met again."""
    one, two = [drive(PLAN, rng=random.Random(5), answers=GO).facts for _ in range(2)]
    assert [fact.data for fact in one] == [fact.data for fact in two]
    assert [fact.event_id for fact in one] == [fact.event_id for fact in two]


def test_other_seeds_give_other_orders() -> None:
    """Orders differ, results do not."""
    runs = [drive(PLAN, rng=random.Random(seed), answers=GO) for seed in range(20)]
    assert len({tuple([fact.event_id for fact in run.facts]) for run in runs}) > 10
    assert {run.output for run in runs} == {"heard [2,4,6] yes"}


def test_an_unanswered_question_leaves_the_tree_waiting() -> None:
    """Everything else runs first; then the tree waits as it would under the runtime."""
    run = drive(PLAN, rng=random.Random(1))
    check_grammar(run.facts, ended=False)
    assert (run.status, run.output) == (Status.WAITING_FOR_CHILD, None)
    assert run.tasks["twice"].output == [2, 4, 6]


def test_answers_may_come_from_a_function() -> None:
    """The function sees the request, and may leave it open."""
    seen: list[Request] = []

    def decide(request: Request) -> Answer | None:
        seen.append(request)
        return Answer.of("yes") if len(seen) > 3 else None

    assert drive(PLAN, rng=random.Random(1), answers=decide).status is Status.COMPLETED
    assert (seen[0].task_key, seen[0].message, seen[0].path) == ("gate", "Go on?", ("gate",))


@pytest.mark.parametrize("after", range(25))
def test_a_cancel_may_come_anywhere(after: int) -> None:
    """The tree is closed with everything in it, children before parents."""
    run = drive(PLAN, rng=random.Random(after), answers=GO, cancel_after=after)
    check_grammar(run.facts, ended=True)
    assert run.status in (Status.CANCELLED, Status.COMPLETED)
    assert all(turn.state.ending is not None for turn in run.turns.values())


def test_slots_bound_what_is_open() -> None:
    """No order opens more at a time than there are places."""
    most = 0

    def watch(run: object, turn: DrivenTurn) -> None:
        nonlocal most
        most = max(most, sum(command.key.startswith("twice") for command in turn.state.attached.values()))

    for seed in range(10):
        drive(PLAN, rng=random.Random(seed), answers=GO, watch=watch)
    assert most == 2


def test_a_tree_can_be_rebuilt_from_any_batch() -> None:
    """A Turn's fold is made from the facts up to a position."""
    run = drive(PLAN, rng=random.Random(3), answers=GO)
    assert run.refold("t00001").status is Status.COMPLETED
    assert run.refold("t00001", run.batches[0]).status is Status.RUNNING
    assert run.batches[-1] == len(run.facts)


def test_a_performer_of_ones_own() -> None:
    """How calls end can be said by the test; here a tool asks to stop before it returns."""
    agent = Agent("lead", model=FunctionModel(lambda request: call(("double", {"n": 4}))), tools=[double])

    def own(turn: DrivenTurn, command: CallModel | RunTool) -> s.Signal:
        if isinstance(command, RunTool) and turn.state.stop is None:
            return s.ToolAskedToStop(command.call_key, "enough")
        return perform(turn, command)

    assert drive(agent, "go", rng=random.Random(0), perform=own).output == 8


def test_inputs_are_checked_as_under_the_runtime() -> None:
    """What a plan declares must be there before anything runs."""
    with pytest.raises(UsageError, match="topic"):
        drive(attrs.evolve(PLAN, inputs={"topic": "string"}), {}, rng=random.Random(0))


class _Lazy(CountdownMachine):
    kind = "lazy"

    def advance(self, state: object) -> tuple[()]:
        """Do nothing, for ever."""
        return ()


@attrs.frozen
class _Nothing:
    kind = "lazy"
    name: str = "lazy"
    version: str = "1"


def test_a_turn_that_hangs_is_an_error() -> None:
    """A machine that has not ended and opens nothing is a bug, and is not waited for."""
    register(Kind(name="lazy", build=lambda _: _Lazy()))
    with pytest.raises(InternalError, match="has nothing to do"):
        drive(_Nothing(), 1, rng=random.Random(0))


async def test_the_runtime_gives_the_same_result(autojump_clock: MockClock) -> None:
    """What is driven here ends as it does under trio."""

    async def yes(request: Request) -> Answer:
        return Answer.of("yes")

    async with open_runtime() as runtime:
        result = await runtime.run(PLAN, on_request=yes)
    run = drive(PLAN, rng=random.Random(0), answers=GO)
    assert (run.output, run.tasks, run.root.state.usage) == (result.output, result.tasks, result.usage)
