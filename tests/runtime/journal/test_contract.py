"""What every journal does."""

import hashlib
from pathlib import Path

import pytest
import trio
from trio.testing import assert_checkpoints, assert_no_checkpoints, wait_all_tasks_blocked

from runtime.core.ports import Journal
from runtime.errors import InternalError, NotFound, StaleWriter, TreeHeld, UsageError
from runtime.journal import MemoryJournal, open_journal
from runtime.journal.sqlite import SqliteJournal
from runtime.values.events import Custom, ToolCompleted, TurnHeader, Unknown
from runtime.values.jsonlike import freeze
from tests.runtime.journal.equipment import Make, batch, described, fact, header, new_tree, opened


async def test_what_was_appended_is_read_back_in_order(make: Make) -> None:
    """Facts come back equal, from any position on, as many as asked for."""
    async with opened(make()) as journal:
        claim = await new_tree(journal)
        child = TurnHeader("k3v9.1", "k3v9", "k3v9", "reader", "2", "read[a]", ("read[a]",))
        facts = [*batch("k3v9", 1), *batch("k3v9", 4, 2, head=child), fact(child, 6, Unknown("NEWER", freeze([1])))]
        journal.append(claim, facts[:3], "RUNNING")
        journal.append(claim, facts[3:], "RUNNING")
        await journal.barrier(claim, 6)
        assert described(await journal.read("k3v9")) == described(facts)
        assert described(await journal.read("k3v9", 2, 3)) == described(facts[2:5])
        assert await journal.read("k3v9", 6) == []
        assert await journal.read("nobody") == []


async def test_all_trees_are_read_in_commit_order(make: Make) -> None:
    """The feed over all trees has rising offsets, from which it can go on."""
    async with opened(make()) as journal:
        first, second = await new_tree(journal, "a1"), await new_tree(journal, "b2")
        for claim, position in [(first, 1), (second, 1), (first, 4)]:
            journal.append(claim, batch(claim.root_id, position), "RUNNING")
            await journal.barrier(claim, position + 2)
        feed = await journal.read_all()
        order = [*batch("a1", 1), *batch("b2", 1), *batch("a1", 4)]
        assert described([fact for _, fact in feed]) == described(order)
        offsets = [offset for offset, _ in feed]
        assert offsets == sorted(set(offsets))
        assert [offset for offset, _ in await journal.read_all(offsets[2], 2)] == offsets[3:5]


async def test_trees_are_listed_newest_first(make: Make) -> None:
    """A tree's row tells how far it came, without reading its facts."""
    async with opened(make()) as journal:
        old = await new_tree(journal, "old", now=50.0)
        await new_tree(journal, "new", now=60.0)
        journal.append(old, batch("old", 1), "WAITING")
        await journal.release(old)
        new, done = await journal.roots()
        assert (new.root_id, new.position, new.status, new.updated_at) == ("new", 0, "RUNNING", 60.0)
        assert new.owner is not None
        assert (done.position, done.status, done.started_at, done.updated_at) == (3, "WAITING", 50.0, 100.375)
        assert (done.kind, done.name, done.definition, done.owner) == ("agent", "scout", None, None)
        assert await journal.root("old") == done


async def test_a_status_may_change_without_facts(make: Make) -> None:
    """An empty batch only says how the tree stands."""
    async with opened(make()) as journal:
        claim = await new_tree(journal)
        journal.append(claim, [], "WAITING")
        await journal.release(claim)
        assert (await journal.root("k3v9")).status == "WAITING"


async def test_an_unknown_tree_is_answered_with_the_nearest(make: Make) -> None:
    """A mistyped id is met with the one that was probably meant."""
    async with opened(make()) as journal:
        await new_tree(journal)
        with pytest.raises(NotFound, match=r"'k3v8'.*did you mean k3v9\?"):
            await journal.root("k3v8")
        with pytest.raises(NotFound, match=r"did you mean k3v9\?"):
            await journal.claim("k3v8", now=1.0)


async def test_ids_are_unique(make: Make) -> None:
    """A second tree of the same id is refused, and changes nothing."""
    async with opened(make()) as journal:
        await new_tree(journal, "a1")
        with pytest.raises(UsageError, match="tree 'a1' already"):
            await new_tree(journal, "a1")
        assert [info.root_id for info in await journal.roots()] == ["a1"]


async def test_a_held_tree_is_refused_and_a_released_one_taken(make: Make) -> None:
    """One owner at a time, each with an epoch of its own."""
    async with opened(make()) as journal:
        claim = await new_tree(journal)
        with pytest.raises(TreeHeld, match=r"k3v9 is held by .*process"):
            await journal.claim("k3v9", now=1.0)
        journal.append(claim, batch("k3v9", 1), "RUNNING")
        await journal.release(claim)
        again = await journal.claim("k3v9", now=1.0)
        assert again.epoch == claim.epoch + 1
        journal.append(again, batch("k3v9", 4), "RUNNING")
        await journal.release(again)
        assert len(await journal.read("k3v9")) == 6


async def test_a_claim_that_ended_writes_nothing(make: Make) -> None:
    """After release, the old claim is refused, also when the tree has a new owner; releasing it again is harmless."""
    async with opened(make()) as journal:
        stale = await new_tree(journal)
        await journal.release(stale)
        claim = await journal.claim("k3v9", now=1.0)
        with pytest.raises(StaleWriter, match="k3v9 is not held here"):
            journal.append(stale, batch("k3v9", 1), "RUNNING")
        with pytest.raises(StaleWriter):
            await journal.barrier(stale, 1)
        await journal.release(stale)
        journal.append(claim, batch("k3v9", 1), "RUNNING")
        await journal.barrier(claim, 3)
        assert len(await journal.read("k3v9")) == 3


async def test_a_batch_must_follow_the_newest_fact(make: Make) -> None:
    """Positions have no gaps and nothing is written twice; the tree stays as it was."""
    async with opened(make()) as journal:
        claim = await new_tree(journal)
        journal.append(claim, batch("k3v9", 1), "RUNNING")
        for first in (1, 3, 5):
            with pytest.raises(InternalError, match=f"ends at position 3, but the next batch begins at {first}"):
                journal.append(claim, batch("k3v9", first), "RUNNING")
        journal.append(claim, batch("k3v9", 4), "RUNNING")
        await journal.barrier(claim, 6)
        assert [fact.position for fact in await journal.read("k3v9")] == [1, 2, 3, 4, 5, 6]


async def test_barriers_raise_the_watermark(make: Make) -> None:
    """After a barrier the facts are durable and known to be; a second one does not wait."""
    async with opened(make()) as journal:
        claim = await new_tree(journal)
        assert journal.watermark("k3v9") == 0
        journal.append(claim, batch("k3v9", 1), "RUNNING")
        await journal.barrier(claim, 3)
        assert journal.watermark("k3v9") == 3
        with assert_no_checkpoints():
            await journal.barrier(claim, 3)
        await journal.release(claim)
        assert journal.watermark("k3v9") == 3
        assert journal.watermark("nobody") == 0


async def test_whoever_parks_on_a_claim_is_woken_by_commits(make: Make) -> None:
    """A stream may park on the claim itself; an append without a barrier still wakes it."""
    async with opened(make()) as journal, trio.open_nursery() as nursery:
        claim = await new_tree(journal)
        nursery.start_soon(claim.changed.park)
        await wait_all_tasks_blocked()
        journal.append(claim, batch("k3v9", 1), "RUNNING")
        with trio.fail_after(10):
            while nursery.child_tasks:
                await wait_all_tasks_blocked(0.001)
        assert journal.watermark("k3v9") == 3


async def test_closing_keeps_the_data_and_frees_the_trees(make: Make) -> None:
    """What was appended before the close is there afterwards, and anybody may go on."""
    async with opened(make()) as journal:
        claim = await new_tree(journal)
        journal.append(claim, batch("k3v9", 1), "RUNNING")
    async with opened(make()) as journal:
        assert (await journal.root("k3v9")).owner is None
        claim = await journal.claim("k3v9", now=1.0)
        journal.append(claim, batch("k3v9", 4), "RUNNING")
        await journal.barrier(claim, 6)
        assert len(await journal.read("k3v9")) == 6


@pytest.mark.parametrize("ending", ["release", "close"])
async def test_the_end_of_a_claim_wakes_whoever_waits(make: Make, ending: str) -> None:
    """Nobody is left waiting for a tree that was let go, and its claim writes nothing; a second close is harmless."""
    journal = make()
    await journal.open()
    claim = await new_tree(journal)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(claim.changed.park)
        await wait_all_tasks_blocked()
        await (journal.release(claim) if ending == "release" else journal.close())
    with pytest.raises(StaleWriter):
        journal.append(claim, batch("k3v9", 1), "RUNNING")
    await journal.close()
    await journal.close()


async def test_definitions_are_kept_by_digest(make: Make) -> None:
    """The same text has one digest, and the digest leads back to the text."""
    async with opened(make()) as journal:
        text = "plan: é\n"
        digest = await journal.put_definition(text)
        assert digest == await journal.put_definition(text) == hashlib.sha256(text.encode()).hexdigest()
        assert await journal.definition(digest) == text
        with pytest.raises(NotFound, match="no definition with the digest 'feed'"):
            await journal.definition("feed")


async def test_text_of_any_script_is_stored_as_valid_unicode(make: Make) -> None:
    """Emoji, joined families, combining accents and halves of a pair come back as valid text at every fact."""
    texts = ["👩‍👩‍👧", "e\u0301", "\ud83d\ude00", "\ud83d", "a\0b", "🏴󠁧󠁢󠁷󠁬󠁳󠁿" * 1000]
    async with opened(make()) as journal:
        claim = await new_tree(journal)
        for position, text in enumerate(texts, 1):
            journal.append(claim, [fact(header("k3v9"), position, ToolCompleted("0.1", freeze(text)))], "RUNNING")
        await journal.barrier(claim, len(texts))
        stored = [fact.data for fact in await journal.read("k3v9")]
    found = [data.result for data in stored if isinstance(data, ToolCompleted)]
    assert found == ["👩‍👩‍👧", "e\u0301", "😀", "\ufffd", "a\ufffdb", texts[-1]]
    assert [text.encode().decode() for text in found] == found


async def test_large_facts_are_kept(make: Make) -> None:
    """A result of megabytes is one fact like any other."""
    async with opened(make()) as journal:
        claim = await new_tree(journal)
        large = fact(header("k3v9"), 1, Custom("0.1", "page", freeze({"text": "é" * 2_000_000})))
        journal.append(claim, [large], "RUNNING")
        await journal.barrier(claim, 1)
        assert described(await journal.read("k3v9")) == described([large])


async def test_a_cancelled_claim_holds_nothing(make: Make) -> None:
    """Whoever was cancelled did not take the tree; whoever took it was not cancelled."""
    async with opened(make()) as journal:
        claims = []
        with trio.CancelScope() as scope:
            scope.cancel(reason="the caller left")
            claims.append(await new_tree(journal))
        assert len(claims) == len(await journal.roots())


async def test_public_calls_are_checkpoints(make: Make) -> None:
    """Every call that reads lets others run, also when it need not wait."""
    journal = make()
    with assert_checkpoints():
        await journal.open()
    await exercise(journal)
    with assert_checkpoints():
        await journal.close()


async def exercise(journal: Journal) -> None:
    """Read everything once, each time watching for a checkpoint."""
    with assert_checkpoints():
        await journal.read("k3v9")
    with assert_checkpoints():
        await journal.read_all()
    with assert_checkpoints():
        await journal.roots()
    with assert_checkpoints():
        digest = await journal.put_definition("x")
    with assert_checkpoints():
        await journal.definition(digest)


def test_settings_name_a_journal(tmp_path: Path) -> None:
    """A file means SQLite; no file, or `:memory:`, means a journal that keeps nothing."""
    assert isinstance(open_journal(None), MemoryJournal)
    assert isinstance(open_journal(":memory:"), MemoryJournal)
    assert isinstance(open_journal(tmp_path / "journal.db"), SqliteJournal)
