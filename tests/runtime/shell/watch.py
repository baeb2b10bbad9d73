"""Looks over the shell's shoulder: after every batch the facts must rebuild the live state, and stay grammatical."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs
import pytest

from runtime.core.frame import Frame
from runtime.core.grammar import check_grammar
from runtime.shell import recovery
from runtime.shell.live import Live
from runtime.shell.tree import Tree
from runtime.values.events import EventData, Fact

NOTES = {"fresh", "dropped"}
"""Slots that are notes to the shell: a rebuilt fold has them again, but not at every moment."""
PLAIN = {str, int, float, bool}
LARGE = 40
"""Children from which on a Turn is only looked at when the test is over."""


def picture(value: Any) -> Any:
    """Return a part of a fold in a form that can be compared, however it compares itself."""
    if value is None or type(value) in PLAIN:
        return value
    if isinstance(value, Frame):
        names = sorted({name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())} - NOTES)
        return {name: picture(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {key: seen for key, inner in value.items() if (seen := picture(inner)) != []}
    if isinstance(value, list | tuple):
        return [picture(inner) for inner in value]
    if attrs.has(type(value)) and not type(value).__dict__.get("__eq__"):
        names = [field.name for field in attrs.fields(type(value)) if field.name not in ("compiled", "definition")]
        return [type(value).__name__, *[picture(getattr(value, name)) for name in names]]
    return value


def _failed(root: Live) -> bool:
    """Whether a root's tree was stopped by a fault; one that ended well has let go of its tree."""
    tree = getattr(root, "tree", None)
    return tree is not None and tree.failure is not None


class Watch:
    """Every tree that the watched code ran."""

    def __init__(self) -> None:
        self.histories: dict[tuple[int, str], list[Fact]] = {}
        self.roots: dict[tuple[int, str], Live] = {}
        self.shadows: dict[int, tuple[Live, Any]] = {}
        """A second fold of each live Turn, fed from facts only."""
        self.journals: list[Any] = []
        self.batches = 0

    def seed(self, tree: Tree, facts: Iterable[Fact]) -> None:
        """Take in the facts that a tree was rebuilt from."""
        self._history(tree)[:] = facts

    def recorded(self, tree: Tree, facts: list[Fact]) -> None:
        """Take in a batch that the journal has."""
        self._history(tree).extend(facts)
        self.batches += 1

    def compare(self, live: Live) -> None:
        """Hold a Turn's live state against the fold of its facts."""
        if live.tree.failure is not None or live.state.children > LARGE:
            return
        known = self.shadows.get(id(live))
        facts = [fact.data for fact in self._history(live.tree) if fact.turn_id == live.header.turn_id]
        done, shadow = (0, live.machine.new()) if known is None else known[1]
        _feed(live.machine, shadow, facts[done:])
        self.shadows[id(live)] = (live, (len(facts), shadow))
        assert picture(live.state) == picture(shadow), f"{live.header.turn_id} differs from the fold of its facts"

    def check(self) -> None:
        """Check the whole history of every tree."""
        for key, facts in self.histories.items():
            root = self.roots[key]
            check_grammar(facts, ended=root.state.ending is not None and not _failed(root))

    def _history(self, tree: Tree) -> list[Fact]:
        key = (id(tree.journal), tree.root_id)
        if key not in self.histories:
            self.journals.append(tree.journal)  # so that its id stays its own
        self.roots[key] = tree.root
        return self.histories.setdefault(key, [])


def _feed(machine: Any, state: Any, facts: list[EventData]) -> None:
    for event in facts:
        machine.apply(state, event)


@contextmanager
def watching() -> Iterator[Watch]:
    """Watch every tree of this process while the block runs, then check their histories."""
    watch = Watch()
    append, record, close, restore = Tree._append, Tree.record, Tree.close, recovery._restore

    def watched_append(tree: Tree, facts: list[Fact], taken: int | None = None) -> None:
        append(tree, facts, taken)
        watch.recorded(tree, facts)

    def watched_record(tree: Tree, live: Live, events: Any, taken: int | None = None) -> None:
        record(tree, live, events, taken)
        watch.compare(live)

    def watched_close(tree: Tree, live: Live, cause: Any) -> None:
        below = [live]
        for one in below:
            below.extend(one.children.values())
        close(tree, live, cause)
        for one in below:
            if one.state.started:
                watch.compare(one)

    def watched_restore(live: Live, turns: dict[str, list[Fact]]) -> None:
        if live.parent is None:
            watch.seed(live.tree, sorted((f for facts in turns.values() for f in facts), key=lambda f: f.position))
        restore(live, turns)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tree, "_append", watched_append)
        patch.setattr(Tree, "record", watched_record)
        patch.setattr(Tree, "close", watched_close)
        patch.setattr(recovery, "_restore", watched_restore)
        yield watch
    watch.check()
