"""A new kind of Turn needs no change anywhere else; an unknown one is refused."""

import random
from pathlib import Path

import pytest
from trio.testing import MockClock

from runtime import open_runtime
from runtime.core import kinds
from runtime.core.grammar import check_grammar
from runtime.core.kinds import all_kinds, find
from runtime.core.simple import Call
from runtime.errors import NotSupportedYet
from runtime.testing import drive
from runtime.values import events as e
from runtime.values.status import Status
from tests.runtime.core.scripts import add
from tests.runtime.core.toys import COUNTDOWN, Countdown, NumberSaid

SAID = [NumberSaid(3), NumberSaid(2), NumberSaid(1)]


def test_a_new_kind_runs_under_the_synchronous_driver() -> None:
    """Its own events are progress for the grammar, and its fold is rebuilt from them."""
    driven = drive(Countdown(), 3, rng=random.Random(0))
    check_grammar(driven.facts, ended=True)
    assert driven.output == "lift-off"
    assert [fact.data for fact in driven.facts[1:-1]] == SAID


async def test_a_new_kind_runs_under_the_runtime(autojump_clock: MockClock, tmp_path: Path) -> None:
    """Shell, codec and journal take it as it is: its facts come back from disk as its own classes."""
    path = tmp_path / "runs.db"
    async with open_runtime(path) as runtime:
        result = await runtime.run(Countdown(), 3)
    async with open_runtime(path) as runtime:
        facts = await runtime.journal.read(result.turn_id)
        again = await (await runtime.resume(result.turn_id)).result()
    check_grammar(facts, ended=True)
    assert (again.status, again.output) == (Status.COMPLETED, "lift-off")
    assert [fact.data for fact in facts[1:-1]] == SAID


def test_kinds_that_are_known() -> None:
    """A registered kind is found by its name and is in the list."""
    assert find("countdown") is COUNTDOWN
    assert COUNTDOWN in all_kinds()


def test_installed_kinds_are_found_without_import(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stored tree may need a kind that nothing has imported; its package says where it is."""
    monkeypatch.setattr(kinds, "_KINDS", {})
    assert find("plan").name == "plan"


def test_an_unknown_kind_is_refused() -> None:
    """The error names what this installation knows."""
    with pytest.raises(NotSupportedYet, match=r"unknown kind of Turn 'clan'; this installation knows .*agent"):
        find("clan")


async def test_some_kinds_cannot_be_roots(autojump_clock: MockClock) -> None:
    """A tool call needs someone who asks for it: at the root it is refused before anything is recorded."""
    async with open_runtime() as runtime:
        with pytest.raises(NotSupportedYet, match="a tree cannot have a call at its root"):
            await runtime.start(Call(add), {"a": 1, "b": 2})
        assert await runtime.roots() == []


def test_some_roots_cannot_be_rebuilt() -> None:
    """A definition that is a program's own cannot be read from a text."""
    with pytest.raises(NotSupportedYet, match="give it: runtime"):
        find("agent").load("{}")


def test_an_event_of_another_kind_has_a_type_of_its_own() -> None:
    """Readers see the wire name that the class declares."""
    header = e.TurnHeader("t", "t", None, "countdown", "1")
    assert e.Fact(header, 1, 1, 0.0, NumberSaid(1)).type == "NUMBER_SAID"
