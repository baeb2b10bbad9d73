"""Which rows of a tree are shown: all of them, or as many as fit, the most telling first.

Pure: rows are made here and put on a terminal elsewhere.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import attrs

from planner.inspector import Node, activity
from planner.inspector.words import amount, clean, plural, span
from runtime.values.status import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GLYPHS: Final = {
    Status.READY: "·", Status.RUNNING: "▸", Status.WAITING_FOR_USER: "?", Status.WAITING_FOR_APPROVAL: "?",
    Status.WAITING_FOR_EXTERNAL: "…", Status.WAITING_FOR_BUDGET: "?", Status.WAITING_FOR_CHILD: "…",
    Status.RETRY_SCHEDULED: "↻", Status.COMPLETED: "✓", Status.FAILED: "✗", Status.CANCELLED: "⊘",
    Status.MAX_ITERATIONS_REACHED: "✗", Status.MAX_STEPS_REACHED: "✗", Status.BUDGET_EXCEEDED: "✗",
}  # fmt: skip
_FEW: Final = 8
"""Items of a task that are shown although they are done; of more their number is enough."""
_WORDS: Final = {"COMPLETED": "done", "FAILED": "failed", "CANCELLED": "cancelled", "SKIPPED": "skipped"}


@attrs.frozen
class Row:
    """One line of a tree."""

    depth: int
    glyph: str
    status: str
    """A status of a Turn or task, for its colour; empty for rows that only count."""
    label: str
    elapsed: str = ""
    tokens: str = ""
    text: str = ""


@attrs.define(eq=False)
class Branch:
    """A Turn with its place in the tree, or the items of one task taken together."""

    label: str
    node: Node | None
    """None for a group of items."""
    status: str
    began: float
    below: list[Branch] = attrs.field(factory=list)
    text: str = ""
    """What is said of it; empty to say what its Turn does."""
    tokens: int = 0

    @property
    def rank(self) -> int:
        """How much it matters that it is shown; smaller is more."""
        node = self.node
        if self.status == "RUNNING" and node is not None and not (node.calls or node.children or node.text):
            return 3  # it only waits for its turn
        return _RANKS.get(self.status, 1)


_RANKS: Final = {
    "WAITING_FOR_USER": 0, "FAILED": 1, "RETRY_SCHEDULED": 1, "RUNNING": 2, "WAITING_FOR_CHILD": 2, "CANCELLED": 4,
    "COMPLETED": 4, "SKIPPED": 5,
}  # fmt: skip


def branches(node: Node, now: float, *, folded: bool) -> Branch:
    """Return the tree of what may be shown.

    Args:
        node: The Turn on top.
        now: The time, for what is said of Turns that run.
        folded: Leave out what is below Turns that are done, and attempts that were followed by another.
    """
    top = Branch(_label(node), node, str(node.status), node.started, tokens=node.tokens)
    if folded and node.ending is Status.COMPLETED and node.parent is not None:
        return top
    groups: dict[str, Branch] = {}
    again = {retry.key: retry for retry in node.retries.values()}
    for child in node.ordered():
        if folded and child.replaced:
            continue
        task, bracket, _ = child.key.partition("[")
        view = node.tasks.get(task) if bracket else None
        below = branches(child, now, folded=folded)
        if child.key in again and not child.replaced:
            retry = again[child.key]
            below.status = Status.RETRY_SCHEDULED
            below.text = f"again in {span(retry.due - now)} after {clean(f'{retry.error.kind}: {retry.error.message}')}"
        if view is None or view.items is None:
            top.below.append(below)
            continue
        group = groups.get(task)
        if group is None:
            label = task if child.agent == task else f"{task} ({clean(child.agent)})"
            group = groups[task] = Branch(label, None, view.status, child.started)
            counts = view.counts()
            group.text = _counted(counts, len(view.items))
            top.below.append(group)
        group.tokens += child.tokens
        if not folded or child.ending is not Status.COMPLETED or len(view.items) <= _FEW:
            group.below.append(below)
    for task, view in node.tasks.items():
        if view.status == "SKIPPED" or (view.items is not None and task not in groups):
            text = view.reason or ("no items" if not view.items else _counted(view.counts(), len(view.items)))
            top.below.append(Branch(task, None, view.status, node.started, text=text))
    return top


def _counted(counts: Counter[str], total: int) -> str:
    done = f"{counts['COMPLETED']} of {total} done"
    rest = [f"{counts[status]} {_WORDS[status]}" for status in ("FAILED", "CANCELLED", "SKIPPED") if counts[status]]
    return ", ".join([done, *rest])


def _label(node: Node) -> str:
    name = clean(node.name)
    if node.parent is not None and node.kind in ("agent", "plan") and node.agent != node.key and "[" not in node.key:
        name += f" ({clean(node.agent)})"
    return f"{name} · attempt {node.attempt}" if node.attempt > 1 else name


# ------------------------------------------------------------------------------------------------ choosing


def all_rows(node: Node, now: float) -> list[Row]:
    """Return the row of every Turn."""
    top = branches(node, now, folded=False)
    return [*_written(top, 0, now, None)]


def fitting_rows(node: Node, now: float, height: int) -> list[Row]:
    """Return at most `height` rows (but never none): questions and failures first, then what runs, the newest first.

    What is left out is counted in a row of its own under the Turn that it belongs to.
    """
    top = branches(node, now, folded=True)
    every = [*_flat(top, ())]
    every.sort(key=lambda entry: (entry[0].rank, len(entry[1]), -entry[0].began))
    room = max(height, 1)
    while True:
        chosen = _choose(top, every, room)
        rows = [*_written(top, 0, now, chosen)]
        if len(rows) <= height or room <= 1:
            return rows[: max(height, 1)]
        room = max(1, min(room - 1, room - (len(rows) - height)))


def _flat(branch: Branch, above: tuple[Branch, ...]) -> Iterator[tuple[Branch, tuple[Branch, ...]]]:
    for below in branch.below:
        yield below, (*above, branch)
        yield from _flat(below, (*above, branch))


def _choose(top: Branch, every: Sequence[tuple[Branch, tuple[Branch, ...]]], room: int) -> set[int]:
    chosen = {id(top)}
    for branch, above in every:
        wanted = {id(branch), *[id(each) for each in above]} - chosen
        if len(chosen) + len(wanted) <= room:
            chosen |= wanted
    return chosen


def _written(branch: Branch, depth: int, now: float, chosen: set[int] | None) -> Iterator[Row]:
    yield _row(branch, depth, now)
    hidden: Counter[str] = Counter()
    for below in branch.below:
        if chosen is None or id(below) in chosen:
            yield from _written(below, depth + 1, now, chosen)
        elif below.status in _WORDS:
            hidden[_WORDS[below.status]] += 1
        elif below.rank == 0:
            hidden["asking"] += 1
        else:
            hidden["running"] += 1
    # A group of items says how many are done already.
    if branch.node is None:
        del hidden["done"]
    if hidden:
        counts = ", ".join([f"{count} {word}" for word, count in hidden.items()])
        yield Row(depth + 1, " ", "", f"… {counts}")


def _row(branch: Branch, depth: int, now: float) -> Row:
    node = branch.node
    if node is None:
        glyph = GLYPHS.get(Status(branch.status), "-") if branch.status in Status.__members__ else "-"
        spent = amount(branch.tokens) if branch.tokens else ""
        return Row(depth, glyph, branch.status, clean(branch.label), "", spent, clean(branch.text))
    spent = amount(branch.tokens) if branch.tokens else ""
    text = branch.text or activity(node, now)
    if node.parent is None and node.ending is None and not text and node.planned:
        settled = sum([view.status != "RUNNING" for view in node.tasks.values()])
        text = f"{settled} of {plural(node.planned, 'task')} settled"
    return Row(depth, GLYPHS[Status(branch.status)], branch.status, branch.label, span(node.elapsed(now)), spent, text)
