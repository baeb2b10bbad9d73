"""What a person is told when the SQLite journal cannot be used, and what is left then."""

import os
import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import trio

from runtime.errors import CorruptJournal, JournalError, StaleWriter, UsageError
from runtime.journal.sqlite import SqliteJournal
from runtime.values.events import Custom
from runtime.values.jsonlike import freeze
from tests.runtime.journal.equipment import SQLITE_SORTS, batch, fact, header, new_tree, opened, plain_codec

pytestmark = pytest.mark.parametrize("sort", SQLITE_SORTS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the journal stands."""
    return tmp_path / "journal.db"


def journal_at(path: Path, sort: str) -> SqliteJournal:
    """A journal that does not wait long for others."""
    return SqliteJournal(path, threaded=sort == "sqlite", codec=plain_codec(), patience=0.05)


async def refusal(path: Path, sort: str) -> str:
    """What opening says."""
    with pytest.raises(JournalError) as caught:
        await journal_at(path, sort).open()
    return str(caught.value)


def change(path: Path, *statements: str) -> None:
    """Change the file as another program would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


async def write(path: Path, sort: str) -> None:
    """Store one tree of three facts."""
    async with opened(journal_at(path, sort)) as journal:
        journal.append(await new_tree(journal), batch("k3v9", 1), "RUNNING")


async def test_a_missing_folder_is_named(path: Path, sort: str) -> None:
    """The journal makes no folders; it says which one is missing."""
    assert f"the folder {path} does not exist; make it" in await refusal(path / "deep.db", sort)


async def test_a_folder_is_no_journal(path: Path, sort: str) -> None:
    """A path that names a folder is refused with that word."""
    assert "it is a folder; name a file in it" in await refusal(path.parent, sort)


async def test_a_file_of_another_sort_is_left_alone(path: Path, sort: str) -> None:
    """A text file is no journal and stays as it is."""
    await trio.Path(path).write_text("dear diary\n" * 200, encoding="utf-8")
    assert "it is not a SQLite database" in await refusal(path, sort)
    assert await trio.Path(path).read_text(encoding="utf-8") == "dear diary\n" * 200


async def test_a_damaged_file_promises_nothing(path: Path, sort: str) -> None:
    """The way to a rescue is named, and nobody says that what was stored is safe."""
    await write(path, sort)
    file = trio.Path(path)
    await file.write_bytes((await file.read_bytes())[:8192])
    said = await refusal(path, sort)
    assert "it is damaged" in said
    assert ".recover" in said
    assert "intact" not in said


async def test_a_database_of_another_program_is_left_alone(path: Path, sort: str) -> None:
    """Tables that are not ours are never mixed with ours."""
    change(path, "CREATE TABLE photos (name TEXT)")
    assert f"{path} is the database of another program" in await refusal(path, sort)


async def test_a_newer_format_is_refused(path: Path, sort: str) -> None:
    """A file of a later version is not touched; the message says both versions."""
    await write(path, sort)
    change(path, "PRAGMA user_version = 9")
    assert "written by a newer turntree (its format is 9, this one knows 2)" in await refusal(path, sort)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
async def test_a_folder_that_may_not_be_written_is_named(path: Path, sort: str) -> None:
    """Without the right to write there is no journal, and the message says to whom to give it."""
    path.parent.chmod(0o500)
    assert "let this user write both the file and its folder" in await refusal(path, sort)


async def test_a_locked_file_is_refused_after_some_patience(path: Path, sort: str) -> None:
    """Another program that keeps the file locked is not waited for without end; trying again works."""
    async with opened(journal_at(path, sort)) as journal:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(JournalError, match=r"another program keeps it locked.*close that program"):
                await new_tree(journal)
        await new_tree(journal)


async def test_what_is_already_durable_survives_a_store_that_fails(path: Path, sort: str) -> None:
    """After a failed commit every writer is told, nothing half is stored, and a new journal goes on."""
    journal = journal_at(path, sort)
    await journal.open()
    claim = await new_tree(journal)
    idle = await new_tree(journal, "b2")
    journal.append(claim, batch("k3v9", 1), "RUNNING")
    await journal.barrier(claim, 3)
    with disk_of(1_000_000):
        large = fact(header("k3v9"), 4, Custom("0.1", "page", freeze("x" * 4_000_000)))
        journal.append(claim, [large], "RUNNING")
        with pytest.raises(JournalError, match=f"journal {path}: .*; .*What was committed before is intact"):
            await journal.barrier(claim, 4)
    with pytest.raises(JournalError, match=str(path)):
        journal.append(claim, batch("k3v9", 5), "RUNNING")
    with pytest.raises(JournalError, match=str(path)):
        await journal.barrier(idle, 1)
    assert journal.watermark("k3v9") == 3
    await journal.close()
    async with opened(journal_at(path, sort)) as again:
        claim = await again.claim("k3v9", now=200.0)
        again.append(claim, batch("k3v9", 4), "COMPLETED")
        await again.barrier(claim, 6)
        assert [one.position for one in await again.read("k3v9")] == [1, 2, 3, 4, 5, 6]


@contextmanager
def disk_of(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_failure_that_nobody_heard_of_comes_out_at_close(path: Path, sort: str) -> None:
    """Facts that could not be committed are never lost without a word."""
    journal = journal_at(path, sort)
    await journal.open()
    claim = await new_tree(journal)
    with disk_of(1_000_000):
        journal.append(claim, [fact(header("k3v9"), 1, Custom("0.1", "page", freeze("x" * 4_000_000)))], "RUNNING")
        with pytest.raises(JournalError, match=str(path)):
            await journal.close()


async def test_a_damaged_file_is_reported_as_such(path: Path, sort: str) -> None:
    """Garbage in the file is an error that says so, not an odd value."""
    await write(path, sort)
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(8192)
        file.write(b"\xa5" * (size - 8192))
    journal = journal_at(path, sort)
    await journal.open()
    with pytest.raises(CorruptJournal, match=f"journal {path}: it is damaged.*restore a copy"):
        await journal.read("k3v9")
    await journal.close()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("""'{"step": "two"}'""", r"STEP_STARTED does not fit: expected int, found 'two' @ \$\.step"),
        ("x'7b22737465ff223a327d'", "STEP_STARTED is not valid JSON"),
    ],
)
async def test_a_value_that_cannot_be_loaded_stops_the_reader(path: Path, sort: str, data: str, words: str) -> None:
    """Nothing is replaced by null: the error names tree, position, type and field, and the file stays as it was."""
    await write(path, sort)
    change(path, f"UPDATE facts SET data = {data} WHERE position = 2")
    async with opened(journal_at(path, sort)) as journal:
        with pytest.raises(CorruptJournal, match=f"journal {path}, tree k3v9, position 2: {words}"):
            await journal.read("k3v9")
        with pytest.raises(CorruptJournal, match=words):
            await journal.read_all()
        assert [one.position for one in await journal.read("k3v9", 0, 1)] == [1]


async def test_a_value_that_cannot_be_stored_ends_its_tree_only(path: Path, sort: str) -> None:
    """A batch with an unserialisable value is dropped whole, with what follows it; other trees go on."""
    async with opened(journal_at(path, sort)) as journal:
        odd, sound = await new_tree(journal), await new_tree(journal, "b2")
        journal.append(odd, [*batch("k3v9", 1, 1), fact(header("k3v9"), 2, Custom("0.1", "odd", {1}))], "RUNNING")
        journal.append(sound, batch("b2", 1), "RUNNING")
        await journal.barrier(sound, 3)
        with pytest.raises(JournalError, match="CUSTOM cannot be stored"):
            await journal.barrier(odd, 2)
        with pytest.raises(JournalError, match="CUSTOM cannot be stored"):
            journal.append(odd, batch("k3v9", 3), "RUNNING")
        assert await journal.read("k3v9") == []
        with pytest.raises(JournalError, match="CUSTOM cannot be stored"):
            await journal.release(odd)
        assert (await journal.root("k3v9")).owner is None


async def test_an_unopened_journal_says_so(path: Path, sort: str) -> None:
    """Every call before `open` is answered with what to do; a second `open` is refused."""
    journal = journal_at(path, sort)
    for call in (journal.roots, lambda: new_tree(journal)):
        with pytest.raises(UsageError, match="is not open; call `open` first"):
            await call()
    async with opened(journal):
        with pytest.raises(UsageError, match="is open already"):
            await journal.open()


@pytest.mark.parametrize("_round", range(8))
async def test_many_may_open_a_new_file_at_once(path: Path, sort: str, _round: int) -> None:
    """Whoever comes second finds the tables made, or waits while they are being made."""
    journals = [SqliteJournal(path, threaded=sort == "sqlite", codec=plain_codec()) for _ in range(8)]
    async with trio.open_nursery() as nursery:
        for journal in journals:
            nursery.start_soon(journal.open)
    for number, journal in enumerate(journals):
        await new_tree(journal, f"root{number}")
    assert len(await journals[0].roots()) == 8
    for journal in journals:
        await journal.close()


async def test_a_claim_of_a_closed_journal_is_stale(path: Path, sort: str) -> None:
    """Reopening does not bring old claims back to life."""
    journal = journal_at(path, sort)
    async with opened(journal):
        claim = await new_tree(journal)
    async with opened(journal):
        with pytest.raises(StaleWriter):
            journal.append(claim, batch("k3v9", 1), "RUNNING")
