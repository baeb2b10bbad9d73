"""A journal of every version of the format is opened, brought up to date, read, and its tree goes on."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import trio

from runtime.grammar import check_grammar
from runtime.journal._schema import VERSION
from runtime.journal.sqlite import SqliteJournal
from runtime.shell.runtime import open_runtime
from runtime.values.requests import Answer
from runtime.values.status import Status

GOLDEN = Path(__file__).parent.parent / "runtime" / "journal" / "golden"
"""Dumps of journals with one tree each: `draft` is written, `ok` asks a person."""


@pytest.fixture(params=sorted(GOLDEN.glob("version-*.sql")), ids=lambda path: path.stem)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The journal that a dump describes."""
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(request.param.read_text())
    connection.close()
    return path


def version(path: Path) -> int:
    """The format of a file."""
    connection = sqlite3.connect(path)
    try:
        ((found,),) = connection.execute("PRAGMA user_version")
    finally:
        connection.close()
    return int(found)


def test_there_is_a_journal_of_every_version() -> None:
    """Older than the present one; whoever changes the format adds a dump of the last."""
    assert {path.stem for path in GOLDEN.glob("*.sql")} == {f"version-{number}" for number in range(1, VERSION)}


async def test_an_old_journal_goes_on(old: Path) -> None:
    """Nothing of it is lost, and what is new works on old trees."""
    async with open_runtime(old) as runtime:
        (info,) = await runtime.roots()
        before = await runtime.journal.read(info.root_id)
        assert [fact.position for fact in before] == list(range(1, info.position + 1))
        check_grammar(before, ended=False)
        (request,) = await runtime.requests(info.root_id)
        assert (request.message, request.show) == ("Send it?", "A page.")
        ticket = await runtime.journal.submit(info.root_id, {"do": "nothing"}, now=1.0)
        assert await runtime.journal.taken_at(ticket) is None
        await runtime.answer(request.id, Answer.approve())
        turn = await runtime.resume(info.root_id)
        result = await turn.result()
        assert result.status is Status.COMPLETED
        after = await runtime.journal.read(info.root_id)
        check_grammar(after, ended=True)
        assert [fact.event_id for fact in after[: len(before)]] == [fact.event_id for fact in before]
    assert version(old) == VERSION


async def test_many_may_open_an_old_journal_at_once(old: Path) -> None:
    """One brings it up to date, the others wait."""
    journals = [SqliteJournal(old) for _ in range(8)]
    async with trio.open_nursery() as nursery:
        for journal in journals:
            nursery.start_soon(journal.open)
    for journal in journals:
        assert len(await journal.roots()) == 1
        await journal.close()
    assert version(old) == VERSION
