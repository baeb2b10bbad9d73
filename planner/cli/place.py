"""Where the journal is, and which tree or Turn a command means."""

from __future__ import annotations

import difflib
import os
import shlex
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from planner.inspector import Node, TreeView
from runtime.errors import NotFound, UsageError
from runtime.shell.runtime import open_runtime

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from runtime.core.ports import Journal, RootInfo
    from runtime.shell.runtime import Runtime

_DEFAULT: Final = Path(".turntree") / "journal.db"
_CHUNK: Final = 2000
_MOST_NAMED: Final = 5


@attrs.frozen
class Place:
    """The journal that a command works on."""

    path: Path
    given: str | None = None
    """What `--db` said."""

    @classmethod
    def of(cls, given: str | None) -> Place:
        """Return the journal of `--db`, else of `$TURNTREE_DB`, else the one under the working directory."""
        return cls(Path(given or os.environ.get("TURNTREE_DB") or _DEFAULT), given)

    @property
    def options(self) -> str:
        """What a command that is to be copied needs to find the same journal."""
        return "" if self.given is None else f" --db {shlex.quote(self.given)}"

    def prepare(self) -> None:
        """Make the default journal's folder, which nobody wants under version control.

        Raises:
            UsageError: It cannot be made.
        """
        if self.path != _DEFAULT:
            return
        try:
            self.path.parent.mkdir(exist_ok=True)
            ignore = self.path.parent / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")
        except OSError as error:
            raise UsageError(
                f"cannot make the folder {self.path.parent}: {error.strerror}; name a journal with --db FILE"
            ) from error

    def demand(self) -> None:
        """Refuse to go on without a journal, instead of making an empty one.

        Raises:
            NotFound: There is none.
        """
        if not self.path.exists():
            raise NotFound(
                f"there is no journal {self.path}; `turntree run SCENARIO` makes one, "
                "--db FILE and $TURNTREE_DB name others"
            )

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Runtime]:
        """Open a runtime over the journal that is there."""
        self.demand()
        async with open_runtime(self.path) as runtime:
            yield runtime


async def find_tree(journal: Journal, given: str | None) -> RootInfo:
    """Return the tree that a person means: by its id or the beginning of it, or the newest.

    Raises:
        NotFound: There is none, or several begin like that.
    """
    roots = await journal.roots()
    if not roots:
        raise NotFound("there are no trees in this journal yet; `turntree run SCENARIO` starts one")
    if given is None:
        return roots[0]
    wanted = given.partition(":")[0].partition("#")[0].partition(".")[0].lower()
    found = [info for info in roots if info.root_id == wanted] or [
        info for info in roots if wanted and info.root_id.startswith(wanted)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise NotFound(f"{len(found)} trees begin with {wanted!r}; say more of the id: {_named(found)}")
    near = difflib.get_close_matches(wanted, [info.root_id for info in roots], n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"there is {_named(roots)}"
    raise NotFound(f"there is no tree {given!r}; {hint}")


def _named(roots: list[RootInfo]) -> str:
    names = [f"{info.root_id} ({info.name})" for info in roots[:_MOST_NAMED]]
    more = len(roots) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


async def read_view(journal: Journal, root_id: str) -> TreeView:
    """Fold every fact of a tree; works while another process writes it."""
    view = TreeView()
    while facts := await journal.read(root_id, view.position, _CHUNK):
        for fact in facts:
            view.fold(fact)
    return view


async def find_turn(journal: Journal, given: str | None) -> tuple[RootInfo, TreeView, Node]:
    """Return the Turn that a person means, with its tree. The id of the root may be cut short.

    Raises:
        NotFound: There is no such tree, or no such Turn in it.
    """
    info = await find_tree(journal, given)
    view = await read_view(journal, info.root_id)
    if view.root is None:
        raise NotFound(f"{info.root_id} has recorded nothing: the process that started it stopped at once")
    below = (given or "").partition(":")[0].partition("#")[0].partition(".")[2]
    wanted = f"{info.root_id}.{below}" if below else info.root_id
    node = view.nodes.get(wanted)
    if node is None:
        near = difflib.get_close_matches(wanted, view.nodes, n=1)
        hint = f"did you mean {near[0]} ({view.nodes[near[0]].name})?" if near else "`turntree tree` shows all of them"
        raise NotFound(f"there is no Turn {wanted!r} in {info.name}; {hint}")
    return info, view, node
