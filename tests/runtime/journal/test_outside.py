"""What every journal offers to those who do not hold a tree: keys, submissions, news, cursors, pruning."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from runtime.errors import KeyTaken, NotFound, StaleWriter, UsageError
from tests.runtime.journal.equipment import batch, new_tree, opened

if TYPE_CHECKING:
    from runtime.core.ports import Journal
    from tests.runtime.journal.equipment import Make


async def keyed(journal: Journal, root_id: str, key: str) -> object:
    """A tree with a key."""
    return await journal.create(root_id, kind="agent", name="scout", definition=None, now=100.0, key=key)


async def test_a_key_names_one_tree(make: Make) -> None:
    """Whoever comes second is told of the first, and makes nothing."""
    async with opened(make()) as journal:
        assert await journal.root_of_key("order-7") is None
        await keyed(journal, "a1", "order-7")
        with pytest.raises(KeyTaken, match="the key 'order-7' is that of a1") as taken:
            await keyed(journal, "b2", "order-7")
        assert taken.value.root_id == "a1"
        assert [info.root_id for info in await journal.roots()] == ["a1"]
        found = await journal.root_of_key("order-7")
        assert found is not None
        assert (found.root_id, found.key) == ("a1", "order-7")
        await new_tree(journal, "b2")
        assert (await journal.root("b2")).key is None


async def test_of_many_who_start_with_one_key_one_succeeds(make: Make) -> None:
    """At the same time, too."""
    made: list[str] = []
    async with opened(make()) as journal:

        async def start(root_id: str) -> None:
            with suppress(KeyTaken):
                await keyed(journal, root_id, "k")
                made.append(root_id)

        async with trio.open_nursery() as nursery:
            for number in range(8):
                nursery.start_soon(start, f"t{number}")
        assert len(made) == len(await journal.roots()) == 1


async def test_a_submission_is_taken_with_the_batch_that_it_causes(make: Make) -> None:
    """It is there until then, and afterwards one can ask where it went."""
    async with opened(make()) as journal:
        claim = await new_tree(journal)
        await new_tree(journal, "b2")
        first = await journal.submit("k3v9", {"do": "cancel", "reason": "ü"}, now=7.0)
        other = await journal.submit("b2", {"do": "cancel"}, now=8.0)
        second = await journal.submit("k3v9", {"do": "tell"}, now=9.0)
        assert first < other < second
        left = await journal.submissions({"k3v9"})
        assert [(one.ticket, one.root_id, one.at) for one in left] == [(first, "k3v9", 7.0), (second, "k3v9", 9.0)]
        assert left[0].body == {"do": "cancel", "reason": "ü"}
        assert (await journal.root("k3v9")).submissions == 2
        assert await journal.taken_at(first) is None
        journal.append(claim, batch("k3v9", 1), "RUNNING")
        journal.append(claim, batch("k3v9", 4), "RUNNING", taken=first)
        journal.append(claim, [], "RUNNING", taken=second)
        await journal.barrier(claim, 6)
        assert [await journal.taken_at(ticket) for ticket in (first, second, other)] == [4, 0, None]
        assert await journal.submissions({"k3v9"}) == []
        assert [one.ticket for one in await journal.submissions({"k3v9", "b2"})] == [other]


async def test_a_submission_outlives_the_owner(make: Make) -> None:
    """Whoever holds the tree next finds it; a batch of the one before takes nothing any more."""
    async with opened(make()) as journal:
        claim = await new_tree(journal)
        journal.append(claim, batch("k3v9", 1), "RUNNING")
        ticket = await journal.submit("k3v9", {"do": "cancel"}, now=7.0)
        await journal.release(claim)
        with pytest.raises(StaleWriter):
            journal.append(claim, batch("k3v9", 4), "RUNNING", taken=ticket)
        again = await journal.claim("k3v9", now=200.0)
        assert [one.ticket for one in await journal.submissions({"k3v9"})] == [ticket]
        journal.append(again, batch("k3v9", 4), "RUNNING", taken=ticket)
        await journal.barrier(again, 6)
        assert await journal.taken_at(ticket) == 4


async def test_nothing_is_left_for_a_tree_that_is_not_there(make: Make) -> None:
    """Nor is there a ticket that nobody was given."""
    async with opened(make()) as journal:
        await new_tree(journal, "k3v9")
        with pytest.raises(NotFound, match="did you mean k3v9"):
            await journal.submit("k3v8", {}, now=1.0)
        with pytest.raises(NotFound, match="no submission has the ticket 9"):
            await journal.taken_at(9)


async def test_a_submission_wakes_who_waits_for_one(make: Make) -> None:
    """Commits do not; and what was submitted before the wait began is not missed."""
    async with opened(make()) as journal:
        claim = await new_tree(journal)
        seen: list[int] = []

        async def wait(after: int) -> None:
            seen.append(await journal.submitted(after))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait, 0)
            await wait_all_tasks_blocked()
            journal.append(claim, batch("k3v9", 1), "RUNNING")
            await journal.barrier(claim, 3)
            await wait_all_tasks_blocked()
            assert seen == []
            ticket = await journal.submit("k3v9", {"do": "tell"}, now=1.0)
        assert seen == [ticket]
        assert await journal.submitted(0) == ticket


async def test_news_come_with_every_commit(make: Make) -> None:
    """A reader that saw nothing sleeps until there is something, however it comes."""
    async with opened(make()) as journal:
        claim = await new_tree(journal)
        for number in range(3):
            seen = journal.news()
            assert journal.news() == seen
            with trio.fail_after(5):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(journal.changed, seen)
                    await wait_all_tasks_blocked()
                    journal.append(claim, batch("k3v9", 3 * number + 1), "RUNNING")
                    await journal.barrier(claim, 3 * number + 3)
            assert journal.news() != seen
            seen = journal.news()
            await journal.submit("k3v9", {}, now=1.0)
            with trio.fail_after(5):
                await journal.changed(seen)


async def test_another_process_is_heard_of(make: Make) -> None:
    """Within a second: a second journal object stands for it."""
    async with opened(make()) as ours, opened(make()) as theirs:
        if not ours.threaded:
            pytest.skip("under virtual time there is no other process")
        await new_tree(theirs)
        seen = ours.news()
        with trio.fail_after(5):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(ours.changed, seen)
                nursery.start_soon(ours.submitted, 0)
                await theirs.submit("k3v9", {}, now=1.0)


async def test_a_cursor_never_goes_back(make: Make) -> None:
    """Each consumer has its own, and it outlives the journal object."""
    async with opened(make()) as journal:
        assert await journal.cursor("billing") == 0
        for offset in (3, 9, 5):
            await journal.acknowledge("billing", offset)
        await journal.acknowledge("audit", 1)
        assert (await journal.cursor("billing"), await journal.cursor("audit")) == (9, 1)
    async with opened(make()) as journal:
        assert await journal.cursor("billing") == 9


async def test_only_what_has_ended_is_pruned(make: Make) -> None:
    """Whole trees go, with all that belongs to them; nothing of the others does, and no number comes back."""
    async with opened(make()) as journal:
        kept = await journal.put_definition("kept")
        dropped = await journal.put_definition("dropped")
        trees = [("done", "COMPLETED", dropped), ("open", "WAITING", kept), ("held", "FAILED", kept)]
        for root_id, status, definition in [*trees, ("last", "CANCELLED", None)]:
            claim = await journal.create(
                root_id, kind="agent", name="x", definition=definition, now=1.0, key=f"key-{root_id}"
            )
            journal.append(claim, batch(root_id, 1), status)
            await journal.submit(root_id, {}, now=1.0)
            if root_id != "held":
                await journal.release(claim)
        before = await journal.read_all()
        assert await journal.prune(["done", "open", "held", "last", "nobody"]) == 2
        assert {info.root_id for info in await journal.roots()} == {"open", "held"}
        assert await journal.read("done") == []
        assert [offset for offset, _ in await journal.read_all()] == [
            offset for offset, fact in before if fact.root_turn_id in ("open", "held")
        ]
        assert await journal.definition(kept) == "kept"
        with pytest.raises(NotFound):
            await journal.definition(dropped)
        assert await journal.root_of_key("key-done") is None
        again = await journal.create("new", kind="agent", name="x", definition=None, now=2.0, key="key-done")
        journal.append(again, batch("new", 1), "RUNNING")
        await journal.barrier(again, 3)
        assert (await journal.read_all())[-1][0] > before[-1][0]
        assert await journal.submit("new", {}, now=1.0) == 5


async def test_what_outsiders_ask_of_a_broken_store_is_an_error(make: Make) -> None:
    """A closed journal says so, and does not hang."""
    journal = make()
    async with opened(journal):
        await new_tree(journal)
    if hasattr(journal, "path"):
        with pytest.raises(UsageError, match="not open"):
            await journal.submit("k3v9", {}, now=1.0)
        with pytest.raises(UsageError, match="not open"):
            await journal.changed(0)
