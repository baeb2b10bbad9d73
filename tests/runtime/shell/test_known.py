"""Definitions that a runtime has met."""

from trio.testing import MockClock

from runtime import Agent
from runtime.journal.memory import MemoryJournal
from runtime.shell.known import _MOST, Known
from runtime.testing import FunctionModel
from tests.runtime.shell.equipment import opened

ROOT = "t00001"


def agent(name: str) -> Agent:
    """Return an agent that says its name."""
    return Agent(name, model=FunctionModel(lambda _: name))


async def test_a_runtime_resumes_what_it_has_met(autojump_clock: MockClock) -> None:
    """A tree that ended here is found again without being given its definition."""
    async with opened(MemoryJournal()) as runtime:
        await runtime.run(agent("a"), "hi")
        assert (await (await runtime.resume(ROOT)).result()).output == "a"


async def test_a_definition_is_made_ready_once_and_kept_for_a_while(autojump_clock: MockClock) -> None:
    """The same definition has one machine; a program that makes new ones all the time does not grow."""
    known, journal = Known(), MemoryJournal()
    first = agent("first")
    assert known.machine(first) is known.machine(first)
    digest = await known.digest(first, journal)
    assert known.find(digest) is first
    for n in range(_MOST):
        known.machine(agent(f"a{n}"))
    assert known.find(digest) is None
    assert await known.digest(first, journal) == digest
