"""The SQLite journal among processes: killed owners, live owners, readers beside a writer."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from runtime.errors import TreeHeld
from runtime.journal.sqlite import SqliteJournal
from tests.runtime.journal.equipment import batch, opened, plain_codec

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).parents[3]


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[SqliteJournal]:
    """A journal of this process over the children's file."""
    async with opened(SqliteJournal(tmp_path / "journal.db", codec=plain_codec())) as journal:
        assert isinstance(journal, SqliteJournal)
        yield journal


@contextmanager
def child(job: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that does its job until the end of the block, at the latest."""
    command = [sys.executable, "-m", "tests.runtime.journal.child", job, str(path)]
    process = subprocess.Popen(command, cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> str:
    """The next thing that a child says."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize("kills_after", [1, 2, 7, 20])
async def test_a_killed_owner_loses_nothing_that_it_was_told_of(journal: SqliteJournal, kills_after: int) -> None:
    """Everything acknowledged is there, no batch is half there, and the tree can be taken at once."""
    with child("write", journal.path) as process:
        told = [int(line(process)) for _ in range(kills_after)][-1]
        with pytest.raises(TreeHeld, match=f"held by process {process.pid} on "):
            await journal.claim("k3v9", now=200.0)
        owner = (await journal.root("k3v9")).owner
        assert owner is not None
        assert owner.startswith(f"process {process.pid} on ")
        process.kill()
        process.wait()
        assert process.stdout is not None
        told = max([told, *[int(word) for word in process.stdout.read().split("\n")[:-1]]])
    info = await journal.root("k3v9")
    facts = await journal.read("k3v9", limit=100_000)
    assert [fact.position for fact in facts] == list(range(1, info.position + 1))
    assert info.position >= told
    assert info.position % 3 == 0
    assert info.owner is None
    claim = await journal.claim("k3v9", now=200.0)
    assert claim.epoch == 2
    journal.append(claim, batch("k3v9", info.position + 1), "COMPLETED")
    await journal.barrier(claim, info.position + 3)
    locks = list(journal.path.with_name("journal.db.owners").iterdir())
    assert len(locks) == 1, "the dead owner's lock file was not removed"


async def test_only_one_of_several_takes_a_dead_owners_tree(journal: SqliteJournal) -> None:
    """Processes that go for the same tree at the same time never share it: one line of events."""
    with child("write", journal.path) as process:
        line(process)
        process.kill()
        process.wait()
    before = (await journal.root("k3v9")).position
    with ExitStack() as stack:
        rivals = [stack.enter_context(child("hold", journal.path)) for _ in range(3)]
        assert sorted(line(rival) for rival in rivals) == ["refused", "refused", "won"]
        assert (await journal.root("k3v9")).position == before + 3
        with pytest.raises(TreeHeld):
            await journal.claim("k3v9", now=200.0)
    assert (await journal.claim("k3v9", now=200.0)).epoch == 3


def test_several_processes_read_while_one_writes(tmp_path: Path) -> None:
    """Readers see whole batches, in order, without gaps, and hold nobody up."""
    with ExitStack() as stack:
        writer = stack.enter_context(child("write", tmp_path / "journal.db"))
        line(writer)
        readers = [stack.enter_context(child("watch", tmp_path / "journal.db")) for _ in range(2)]
        assert [line(reader) for reader in readers] == ["read True", "read True"]
        assert int(line(writer)) > 0


def test_importing_the_journals_is_light() -> None:
    """SQLite and the codec are loaded by whoever opens a file, and not before."""
    heavy = "{'sqlite3', 'cattrs', 'runtime.codec'}"
    program = f"import sys, runtime, runtime.journal; print(*sorted({heavy} & set(sys.modules)))"
    # Without what makes coverage measure subprocesses, since that keeps its data in SQLite itself.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    loaded = subprocess.run(
        [sys.executable, "-c", program], cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=True
    )
    assert loaded.stdout.split() == []
