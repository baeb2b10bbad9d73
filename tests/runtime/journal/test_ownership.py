"""One owner per tree in the SQLite journal, also across hosts; and what a slow store does to writers."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import trio
from trio.testing import assert_checkpoints, wait_all_tasks_blocked

from runtime.core.ports import Claim
from runtime.errors import StaleWriter, TreeHeld
from runtime.journal.sqlite import MOST_PENDING, SqliteJournal
from tests.runtime.journal.equipment import SQLITE_SORTS, batch, new_tree, opened, plain_codec

both = pytest.mark.parametrize("sort", SQLITE_SORTS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the journal stands."""
    return tmp_path / "journal.db"


def journal_at(path: Path, sort: str = "sqlite", *, lease: float = 30.0) -> SqliteJournal:
    """A journal over the file."""
    return SqliteJournal(path, threaded=sort == "sqlite", codec=plain_codec(), lease=lease)


def locks(path: Path) -> list[Path]:
    """Lock files beside the journal."""
    return list(path.with_name("journal.db.owners").glob("*.lock"))


def move_to_another_host(path: Path) -> None:
    """Let every owner seem to live on another machine."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE owners SET host = 'elsewhere'")


@both
async def test_two_journals_of_one_process_exclude_each_other(path: Path, sort: str) -> None:
    """A lock belongs to a journal object, not to the process; its end frees the tree at once."""
    async with opened(journal_at(path, sort)) as second:
        async with opened(journal_at(path, sort)) as first:
            claim = await new_tree(first)
            first.append(claim, batch("k3v9", 1), "RUNNING")
            await first.barrier(claim, 3)
            with pytest.raises(TreeHeld, match=r"held by process \d+ on \S+ since 1970-01-01T00:01:40Z"):
                await second.claim("k3v9", now=200.0)
            held = await second.root("k3v9")
            assert held.owner is not None
            assert held.owner.startswith("process ")
            assert len(await second.read("k3v9")) == 3
        assert (await second.claim("k3v9", now=200.0)).epoch == 2


@both
async def test_taking_and_letting_go_are_checkpoints(path: Path, sort: str) -> None:
    """Calls that write let others run, also when there is nothing to let go."""
    async with opened(journal_at(path, sort)) as journal:
        with assert_checkpoints():
            claim = await new_tree(journal)
        for _ in range(2):
            with assert_checkpoints():
                await journal.release(claim)
        with assert_checkpoints():
            await journal.claim("k3v9", now=200.0)


@both
async def test_lock_files_are_removed(path: Path, sort: str) -> None:
    """A journal that only reads has none; one that wrote leaves none behind."""
    async with opened(journal_at(path, sort)) as journal:
        await journal.roots()
        assert locks(path) == []
        await new_tree(journal)
        assert len(locks(path)) == 1
    assert locks(path) == []


@both
async def test_an_owner_elsewhere_keeps_its_tree_until_its_lease_is_over(path: Path, sort: str) -> None:
    """The first owner is fenced off: nothing that it appends afterwards is stored, not even half a batch."""
    async with opened(journal_at(path, sort)) as first, opened(journal_at(path, sort)) as second:
        lost, kept = await new_tree(first), await new_tree(first, "b2")
        move_to_another_host(path)
        with pytest.raises(TreeHeld, match="on elsewhere since"):
            await second.claim("k3v9", now=129.0)
        claim = await second.claim("k3v9", now=131.0)
        second.append(claim, batch("k3v9", 1, 1), "RUNNING")
        await second.barrier(claim, 1)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lost.changed.park)
            await wait_all_tasks_blocked()
            first.append(lost, batch("k3v9", 1), "FAILED")
            first.append(kept, batch("b2", 1), "RUNNING")
            await first.barrier(kept, 3)
        with pytest.raises(StaleWriter, match="k3v9 is not held here any more"):
            await first.barrier(lost, 3)
        with pytest.raises(StaleWriter):
            first.append(lost, batch("k3v9", 4), "FAILED")
        with pytest.raises(StaleWriter):
            await first.release(lost)
        assert [one.position for one in await second.read("k3v9")] == [1]
        assert (await second.root("k3v9")).status == "RUNNING"
        assert (await second.root("b2")).position == 3
        second.append(claim, batch("k3v9", 2), "RUNNING")
        await second.barrier(claim, 4)


@both
async def test_a_tree_whose_lease_is_over_is_shown_as_free(path: Path, sort: str) -> None:
    """An owner elsewhere that fell silent long ago holds nothing."""
    async with opened(journal_at(path, sort)) as journal:
        await new_tree(journal)
        move_to_another_host(path)
        assert (await journal.root("k3v9")).owner is None


async def test_leases_are_renewed_while_nothing_happens(path: Path) -> None:
    """A live owner keeps its trees although it writes nothing."""
    async with opened(journal_at(path, lease=0.03)) as journal:
        await new_tree(journal)
        with trio.fail_after(10), closing(sqlite3.connect(path)) as connection:
            ends: set[float] = set()
            while len(ends) < 4:
                ends |= set(connection.execute("SELECT lease_until FROM owners").fetchone())
                await trio.lowlevel.checkpoint()
    assert max(ends) > 1_700_000_000


async def test_a_slow_store_slows_its_writers(path: Path) -> None:
    """However slow the disk, a bounded number of batches waits for it, also where nobody waits for each."""
    journal = SqliteJournal(path, codec=plain_codec(), durability="async", patience=60.0)
    appended = 0

    async def write() -> None:
        nonlocal appended
        for position in range(1, 4 * MOST_PENDING):
            journal.append(claim, batch("k3v9", position, 1), "RUNNING")
            appended = position
            await journal.barrier(claim, position)

    async with opened(journal):
        claim = await new_tree(journal)
        async with trio.open_nursery() as nursery:
            with closing(sqlite3.connect(path, isolation_level=None)) as slow:
                slow.execute("BEGIN IMMEDIATE")
                nursery.start_soon(write)
                await wait_all_tasks_blocked()
                assert appended == MOST_PENDING + 1
        assert appended == 4 * MOST_PENDING - 1
    async with opened(journal):
        assert (await journal.root("k3v9")).position == appended


@both
async def test_writers_share_commits(path: Path, sort: str) -> None:
    """Batches of many trees that are appended at the same time become durable together."""

    async def write(claim: Claim, first: int) -> None:
        journal.append(claim, batch(claim.root_id, first), "RUNNING")
        await journal.barrier(claim, first + 2)

    async with opened(journal_at(path, sort)) as journal:
        claims = [await new_tree(journal, f"root{number}") for number in range(20)]
        start = log_size(path)
        async with trio.open_nursery() as nursery:
            for claim in claims:
                nursery.start_soon(write, claim, 1)
        middle = log_size(path)
        await write(claims[0], 4)
        assert middle - start < 10 * (log_size(path) - middle)


def log_size(path: Path) -> int:
    """Bytes that were written ahead; each commit adds whole pages."""
    return path.with_name("journal.db-wal").stat().st_size


def test_a_loop_that_ends_without_closing_frees_its_trees(path: Path) -> None:
    """A program that forgot to close its journal does not hold trees for ever."""

    async def forget() -> None:
        journal = journal_at(path, lease=0.03)
        await journal.open()
        await new_tree(journal)

    async def take() -> int:
        async with opened(journal_at(path)) as journal:
            with trio.fail_after(10):
                while True:
                    try:
                        return (await journal.claim("k3v9", now=200.0)).epoch
                    except TreeHeld:
                        await trio.lowlevel.checkpoint()

    trio.run(forget)
    assert trio.run(take) == 2
