"""A tree that is stopped after any of its batches goes on to the same output; nothing that had finished runs again."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from trio.testing import MockClock

from runtime import UsageError
from runtime.journal.memory import MemoryJournal
from tests.conftest import ROOT as CHECKOUT
from tests.integration.borders import ROOT, Tree, check_history, finish, run_to_end, stop_after
from tests.integration.trees import Ledger, small_tree, whole_tree
from tests.runtime.shell.equipment import facts_of, opened

LARGE = os.environ.get("TURNTREE_PROPERTIES") == "large"
TREE: Tree = whole_tree if LARGE else small_tree
AGAIN = 3
"""Batches after which the second stop comes."""


async def _undisturbed() -> object:
    async with opened() as runtime:
        return await run_to_end(runtime, TREE(Ledger()))


async def test_recovery_in_memory(autojump_clock: MockClock, record_property: Callable[[str, object], None]) -> None:
    """After a stop at any batch border a new runtime brings the tree to the same end."""
    expected = await _undisturbed()
    batches = 1
    while True:
        journal, ledger = MemoryJournal(), Ledger()
        if not await stop_after(journal, TREE, ledger, batches):
            break
        plan = TREE(ledger)
        async with opened(journal, definitions=[plan]) as runtime:
            before = await facts_of(runtime, ROOT)
            assert await finish(runtime) == expected
            await check_history(runtime, ledger, before)
        batches += 1
    record_property("batch borders", batches - 1)
    assert batches > 30


async def test_recovery_that_is_stopped_too(autojump_clock: MockClock) -> None:
    """A stop soon after a stop changes nothing either."""
    expected = await _undisturbed()
    batches = 1
    while True:
        journal, ledger = MemoryJournal(), Ledger()
        if not await stop_after(journal, TREE, ledger, batches):
            break
        async with opened(journal) as runtime:
            first = await facts_of(runtime, ROOT)
        await stop_after(journal, TREE, ledger, AGAIN, resume=True)
        async with opened(journal, definitions=[TREE(ledger)]) as runtime:
            second = await facts_of(runtime, ROOT)
            assert await finish(runtime) == expected
            await check_history(runtime, ledger, first, second)
        batches += 1


async def test_nothing_was_kept(autojump_clock: MockClock) -> None:
    """A tree that was stopped before its first batch says so, and can neither go on nor be cancelled."""
    journal = MemoryJournal()
    assert await stop_after(journal, TREE, Ledger(), 0)
    async with opened(journal, definitions=[TREE(Ledger())]) as runtime:
        for act in (runtime.resume(ROOT), runtime.cancel(ROOT, "never mind")):
            with pytest.raises(UsageError, match="before its first fact was kept; start it again"):
                await act


def test_recovery_after_kill(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """A process that is killed after any committed batch leaves a file from which another one goes on."""
    name = "whole" if LARGE else "small"
    command = [sys.executable, "-m", "tests.integration.victim", name, str(tmp_path)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert [report["batches"] for report in reports] == list(range(1, len(reports) + 1))
    assert [report for report in reports if report["trouble"]] == []
    assert len({json.dumps(report["output"]) for report in reports}) == 1
    record_property("batch borders", len(reports))
    assert len(reports) > 30
