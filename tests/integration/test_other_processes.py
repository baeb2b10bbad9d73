"""Real processes over one journal: what one says to a tree that another one runs counts once, within a second."""

import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio

from planner import Scenario, load_scenario
from runtime import Answer, NotFound, Runtime, Status, open_runtime
from runtime.grammar import check_grammar
from runtime.values import events as e

ROOT = Path(__file__).parent.parent.parent
TIMES = 200 if os.environ.get("TURNTREE_PROPERTIES") == "large" else 8
"""How often each thing is done, at a random moment each time."""
LATE = 5.0
"""Seconds that nothing may take, also on a busy machine; it takes about a tenth of a second on an idle one."""
SCENARIO = """\
turntree: 1
name: long
inputs: {seconds: number}
models: {m: {provider: scripted}}
tools: {work: {python: "slow_tools:work", replay: safe}}
agents: {boss: {model: m, tools: [work]}}
plan:
  tasks:
    colour: {ask: {message: Which colour?}}
    lead: {agent: boss, prompt: "${inputs.seconds}"}
  output: "${tasks.colour.output}"
scripts:
  boss: [{calls: [{work: {seconds: SECONDS}}]}, {text: done}, {text: done as told}]
"""
TOOLS = '''\
"""Tools that leave a trace outside the journal."""

from pathlib import Path

import trio


async def work(seconds: float) -> str:
    """Take some time, and note that it is over."""
    await trio.sleep(seconds)
    with Path(__file__).with_name("trace").open("a") as file:
        file.write("over\\n")
    return "worked"
'''

pytestmark = pytest.mark.slow


@attrs.frozen
class Place:
    """A folder with a journal, and how long things took there."""

    folder: Path
    took: list[float] = attrs.field(factory=list)

    @property
    def journal(self) -> Path:
        """The journal that all processes share."""
        return self.folder / "runs.db"

    def scenario(self, seconds: float) -> Scenario:
        """A plan that asks, and whose agent works for so long."""
        path = self.folder / f"long{seconds}.yaml"
        path.write_text(SCENARIO.replace("SECONDS", str(seconds)))
        return load_scenario(path)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A new folder."""
    (tmp_path / "slow_tools.py").write_text(TOOLS)
    return Place(tmp_path)


@contextmanager
def working(place: Place) -> Iterator[subprocess.Popen[str]]:
    """Another process that works off the journal."""
    command = [sys.executable, "-m", "tests.integration.owner", str(place.journal)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "works\n"
            yield child
        finally:
            child.kill()


async def left(place: Place, scenario: Scenario, count: int) -> list[str]:
    """Start trees and let go of them at once, so that the other process runs them."""
    async with open_runtime(place.journal) as runtime:
        return [(await runtime.start(scenario, {"seconds": 0})).turn_id for _ in range(count)]


async def held(runtime: Runtime, roots: list[str]) -> None:
    """Wait until the other process runs all of these and their tools."""
    while True:
        seen = runtime.journal.news()
        running = 0
        for root in roots:
            info = await runtime.journal.root(root)
            facts = await runtime.journal.read(root)
            recovered = any(isinstance(fact.data, e.ToolStarted) for fact in facts)
            running += info.owner is not None and f"process {os.getpid()} " not in info.owner and recovered
        if running == len(roots):
            return
        with trio.move_on_after(1):
            await runtime.journal.changed(seen)


async def timed(place: Place, action: Any) -> Any:
    """Do something and note how long it took."""
    began = time.perf_counter()
    result = await action
    place.took.append(time.perf_counter() - began)
    return result


async def histories(runtime: Runtime, roots: list[str], sort: type[e.EventData]) -> list[int]:
    """Hold every tree against the grammar, and count the facts of one sort in each."""
    counts = []
    for root in roots:
        facts = await runtime.journal.read(root, 0, 10_000)
        assert [fact.position for fact in facts] == list(range(1, len(facts) + 1))
        check_grammar(facts, ended=(await runtime.journal.root(root)).status in ("COMPLETED", "CANCELLED"))
        counts.append(sum(isinstance(fact.data, sort) for fact in facts))
    return counts


def tell(place: Place, what: str) -> None:
    """Show how long it took, and hold it against what is too long."""
    middle, worst = statistics.median(place.took), max(place.took)
    said = f"{what}: {len(place.took)} times, median {middle * 1000:.0f} ms, longest {worst * 1000:.0f} ms"
    sys.stdout.write(f"{said}\n")
    assert worst < LATE


async def test_answers_to_a_live_owner(place: Place) -> None:
    """Several at once for each question: one is taken, the others hear that they were late."""
    roots = await left(place, place.scenario(600), TIMES)
    late: list[str] = []
    with working(place):
        async with open_runtime(place.journal) as runtime:
            await held(runtime, roots)

            async def answer(root: str, value: str) -> None:
                await trio.sleep(random.random())
                try:
                    await timed(place, runtime.answer(f"{root}.1:0.1.1", Answer.of(value), by=value))
                except NotFound as error:
                    late.append(str(error))

            async with trio.open_nursery() as nursery:
                for root in roots:
                    nursery.start_soon(answer, root, "ana")
                    nursery.start_soon(answer, root, "ben")
            assert len(late) == TIMES
            assert all("already answered by" in message for message in late)
            assert await histories(runtime, roots, e.RequestAnswered) == [1] * TIMES
            assert await histories(runtime, roots, e.RequestRefused) == [1] * TIMES
    tell(place, "answer")


async def test_cancels_of_a_live_owner(place: Place) -> None:
    """The tree has ended when the call returns."""
    roots = await left(place, place.scenario(600), TIMES)
    with working(place):
        async with open_runtime(place.journal) as runtime:
            await held(runtime, roots)

            async def cancel(root: str) -> None:
                await trio.sleep(random.random())
                result = await timed(place, runtime.cancel(root, "enough", by="ana"))
                assert result.status is Status.CANCELLED

            async with trio.open_nursery() as nursery:
                for root in roots:
                    nursery.start_soon(cancel, root)
            assert await histories(runtime, roots, e.CancellationRequested) == [1] * TIMES
    tell(place, "cancel")


async def test_hints_to_a_live_owner(place: Place) -> None:
    """Each is recorded once, by the agent that it was meant for."""
    roots = await left(place, place.scenario(600), TIMES)
    with working(place):
        async with open_runtime(place.journal) as runtime:
            await held(runtime, roots)

            async def steer(root: str) -> None:
                await trio.sleep(random.random())
                await timed(place, runtime.tell(f"{root}.2", "hurry", by="ana"))

            async with trio.open_nursery() as nursery:
                for root in roots:
                    nursery.start_soon(steer, root)
            assert await histories(runtime, roots, e.HintAdded) == [1] * TIMES
    tell(place, "tell")


async def test_an_owner_that_is_killed_meanwhile(place: Place) -> None:
    """Whatever was said before, during and after is taken once; the next worker finishes, and no work is lost."""
    roots = await left(place, place.scenario(0.3), TIMES)
    async with open_runtime(place.journal) as runtime:
        with working(place) as first:
            await held(runtime, roots)

            async def answer(root: str) -> None:
                await trio.sleep(random.random())
                with suppress(NotFound):
                    await runtime.answer(f"{root}.1:0.1.1", Answer.of("blue"), by="ana")

            async with trio.open_nursery() as nursery:
                for root in roots:
                    nursery.start_soon(answer, root)
                await trio.sleep(random.random())
                first.kill()
        with working(place), trio.fail_after(60):
            for root in roots:
                result = await runtime.result(root)
                assert (result.status, result.output) == (Status.COMPLETED, "blue")
        assert await histories(runtime, roots, e.RequestAnswered) == [1] * TIMES
        assert await histories(runtime, roots, e.ToolCompleted) == [1] * TIMES


def _piped(command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


async def test_one_key_from_two_processes(place: Place) -> None:
    """Delivered to both at the same moment, a message makes one tree."""
    scenario = place.scenario(0)
    program = (
        "import sys, trio\n"
        "from planner import load_scenario\n"
        "from runtime import open_runtime\n"
        "async def main():\n"
        "    async with open_runtime(sys.argv[1]) as runtime:\n"
        "        print('ready', flush=True)\n"
        "        sys.stdin.readline()\n"
        "        for number in range(int(sys.argv[3])):\n"
        "            turn = await runtime.start(load_scenario(sys.argv[2]), {'seconds': 0}, key=f'm{number}')\n"
        "            print(turn.turn_id, flush=True)\n"
        "trio.run(main)\n"
    )
    command = [sys.executable, "-c", program, str(place.journal), str(scenario.path), str(TIMES)]
    children = [_piped(command) for _ in range(2)]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    first, second = [child.communicate(timeout=120)[0].split() for child in children]
    assert first == second
    assert len(set(first)) == TIMES
    async with open_runtime(place.journal) as runtime:
        assert len(await runtime.roots()) == TIMES
