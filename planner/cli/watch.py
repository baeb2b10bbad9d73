"""Looking on while others run a tree, and running what nobody runs: `tree --follow` and `work`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import trio

from planner.cli.exits import Exit
from planner.cli.place import Place, find_tree
from planner.cli.screen import Lines, Screen
from planner.inspector import TreeView
from planner.inspector.words import clean
from runtime.values.events import ENDINGS

if TYPE_CHECKING:
    from runtime.core.ports import RootInfo
    from runtime.shell.runtime import Runtime

_CHUNK = 1000


async def follow_tree(tree: str | None, db: str | None) -> Exit:
    """Show a tree while it runs, whoever runs it, until it has ended; leaving it changes nothing."""
    async with Place.of(db).open() as runtime:
        info = await find_tree(runtime.journal, tree)
        turn = await runtime.turn(info.root_id)
        view = TreeView()
        with _screen(view, runtime) as screen:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(screen.run)
                async with turn.events() as events:
                    async for event in events:
                        view.fold(event)
                        screen.show(event)
                nursery.cancel_scope.cancel(reason="the tree has ended")
    return Exit.DONE


def _screen(view: TreeView, runtime: Runtime) -> Screen:
    if sys.stderr.isatty():
        from planner.cli.live import LiveTree  # loads slowly, and only terminals need it

        return LiveTree(view, runtime.clock, sys.stderr)
    return Lines(view, sys.stderr)


async def work(db: str | None, *, limit: int) -> Exit:
    """Run every tree that can go on, until interrupted; a line on stdout for each that ends.

    Raises:
        UsageError: The limit is below one.
    """
    async with Place.of(db).open() as runtime:
        print(f"working on {Place.of(db).path}, {limit} trees at a time; Ctrl-C stops it", file=sys.stderr)

        def stuck(info: RootInfo, error: Exception) -> None:
            print(f"{info.root_id} ({clean(info.name)}) cannot go on: {error}", file=sys.stderr)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(_endings, runtime)
            await runtime.work(limit=limit, on_stuck=stuck)
    return Exit.DONE


async def _endings(runtime: Runtime) -> None:
    """Print how trees end from now on."""
    journal = runtime.journal
    after = 0
    while chunk := await journal.read_all(after, _CHUNK):
        after = chunk[-1][0]
    while True:
        seen = journal.news()
        for offset, fact in await journal.read_all(after, _CHUNK):
            after = offset
            if fact.parent_turn_id is None and type(fact.data) in ENDINGS:
                print(f"{fact.root_turn_id} ({clean(fact.agent_id)}) {fact.type.removeprefix('TURN_')}", flush=True)
        await journal.changed(seen)
