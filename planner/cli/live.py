"""The live tree: painted by one task, at most ten times a second, when something has happened."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Self

import trio
from rich.cells import cell_len
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from planner.cli.rows import fitting_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from planner.cli.rows import Row
    from planner.inspector import TreeView
    from runtime.core.ports import Clock
    from runtime.values.events import Event

_FASTEST: Final = 0.1
"""Seconds from one painting to the next at least."""
_SLOWEST: Final = 1.0
"""Seconds after which clocks on the screen are brought up to date although nothing has happened."""
_PAUSED: Final = 10
"""Rows that stay on the screen above a question."""
_STYLES: Final = {
    "RUNNING": "cyan", "WAITING_FOR_USER": "bold yellow", "WAITING_FOR_CHILD": "dim", "RETRY_SCHEDULED": "magenta",
    "COMPLETED": "green", "FAILED": "red", "CANCELLED": "dim red", "SKIPPED": "dim",
}  # fmt: skip


class LiveTree:
    """A screen that keeps painting the tree in place.

    Args:
        view: The tree, which has folded an event before it is shown.
        clock: Tells the time that is shown; under virtual time nothing is painted between events.
        out: The terminal.
    """

    wants_previews = True

    def __init__(self, view: TreeView, clock: Clock, out: TextIO) -> None:
        self._view = view
        self._clock = clock
        self._console = Console(file=out)
        self._live: Live | None = None
        self._changed = trio.Event()

    def __enter__(self) -> Self:
        self._begin()
        return self

    def __exit__(self, *error: object) -> None:
        self._end()

    def show(self, event: Event) -> None:
        """Have the tree painted soon."""
        self._changed.set()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the tree on the screen as it is, and go on below what is written in the block."""
        self._end(_PAUSED)
        try:
            yield
        finally:
            self._begin()

    async def run(self) -> None:
        """Paint until cancelled."""
        slowest = float("inf") if self._clock.jumps else _SLOWEST
        while True:
            with trio.move_on_after(slowest):
                await self._changed.wait()
            self._changed = trio.Event()
            self._paint()
            await trio.sleep(_FASTEST)

    def _begin(self) -> None:
        self._live = Live(console=self._console, auto_refresh=False, vertical_overflow="crop")
        self._live.start()

    def _end(self, height: int | None = None) -> None:
        live, self._live = self._live, None
        if live is not None:
            live.update(self._picture(height), refresh=True)
            live.stop()

    def _paint(self) -> None:
        if self._live is not None:
            self._live.update(self._picture(), refresh=True)

    def _picture(self, height: int | None = None) -> Table | Text:
        root = self._view.root
        if root is None:
            return Text("")
        size = self._console.size
        room = size.height - 2
        rows = fitting_rows(root, self._clock.now(), room if height is None else min(height, room))
        return table(rows, size.width)


def table(rows: list[Row], width: int) -> Table:
    """Return the rows as columns that fit the width: what is too long is cut, nothing is wrapped."""
    elapsed = max([cell_len(row.elapsed) for row in rows], default=0)
    spent = max([cell_len(row.tokens) for row in rows], default=0)
    labels = min(max([_label_width(row) for row in rows], default=0), max(width * 2 // 5, 20))
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, overflow="ellipsis", width=labels)
    grid.add_column(no_wrap=True, justify="right", width=elapsed)
    grid.add_column(no_wrap=True, justify="right", width=spent)
    grid.add_column(no_wrap=True, overflow="ellipsis", width=max(width - labels - elapsed - spent - 4, 1))
    for row in rows:
        style = _STYLES.get(row.status, "red" if row.status else "dim")
        label = Text("  " * row.depth)
        label.append(f"{row.glyph} ", style=style)
        label.append(row.label, style="" if row.status else "dim")
        text = Text(row.text, style=style if row.status in _LOUD else "dim")
        grid.add_row(label, Text(row.elapsed, style="dim"), Text(row.tokens, style="dim"), text)
    return grid


def _label_width(row: Row) -> int:
    return 2 * row.depth + 2 + cell_len(row.label)


_LOUD: Final = frozenset({"WAITING_FOR_USER", "FAILED", "RETRY_SCHEDULED"})
