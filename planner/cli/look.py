"""The commands that look at trees and change nothing: `list tree why requests events`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import attrs
import orjson

from planner.cli.exits import Exit
from planner.cli.place import Place, find_tree, find_turn, read_view
from planner.cli.results import requests_document
from planner.cli.rows import Row, all_rows
from planner.inspector import Setting, TreeView, answer_command, path_of, why
from planner.inspector.words import amount, clean, cut, short, span
from runtime.codec import Codec
from runtime.core.ports import RootInfo
from runtime.values.events import ENDINGS
from runtime.values.status import TERMINAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planner.inspector import Node
    from runtime.shell.runtime import Runtime
    from runtime.values.events import Fact

_NEWEST: Final = 20
"""Trees that `list` reads when it is not asked for all."""
_CHUNK: Final = 1000
_CODEC: Final = Codec()


@attrs.frozen(kw_only=True)
class Listed:
    """What `list` says of one tree."""

    info: RootInfo
    tokens: int
    questions: int
    ended: float | None

    @property
    def status(self) -> str:
        """Where it stands; a tree in flight that no process holds has stopped."""
        if self.info.status == "RUNNING" and self.info.owner is None:
            return "STOPPED"
        return self.info.status


async def list_trees(db: str | None, *, every: bool) -> Exit:
    """Print the trees of the journal, newest first."""
    async with Place.of(db).open() as runtime:
        roots = await runtime.roots()
        shown = roots if every else roots[:_NEWEST]
        listed = [await _listed(runtime, info) for info in shown]
        now = runtime.clock.now()
    if not roots:
        print("no trees yet; `turntree run SCENARIO` starts one", file=sys.stderr)
        return Exit.DONE
    print(list_text(listed, now))
    if len(shown) < len(roots):
        print(f"… {len(roots) - len(shown)} older ones: turntree list --all", file=sys.stderr)
    return Exit.DONE


async def _listed(runtime: Runtime, info: RootInfo) -> Listed:
    view = await read_view(runtime.journal, info.root_id)
    root = view.root
    if root is None:
        return Listed(info=info, tokens=0, questions=0, ended=None)
    return Listed(info=info, tokens=root.tokens, questions=len(view.requests), ended=root.ended)


def list_text(listed: Sequence[Listed], now: float) -> str:
    """Return the table of `list`."""
    rows = [("ID", "NAME", "STATUS", "AGE", "TOOK", "TOKENS", "QUESTIONS", "HOLDER")]
    for each in listed:
        info = each.info
        until = each.ended if each.ended is not None else (now if info.owner else info.updated_at)
        holder = clean(info.owner) if info.owner else ("-" if each.ended is not None else "nobody")
        rows.append(
            (
                info.root_id,
                cut(clean(info.name), 28),
                each.status,
                span(now - info.started_at),
                span(until - info.started_at),
                amount(each.tokens),
                str(each.questions or "-"),
                holder,
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join([cell.ljust(width) for cell, width in zip(row, widths, strict=True)]).rstrip() for row in rows]
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------ tree and why


async def tree(turn: str | None, db: str | None) -> Exit:
    """Print a Turn and everything below it, one line each."""
    async with Place.of(db).open() as runtime:
        info, _, node = await find_turn(runtime.journal, turn)
        now = runtime.clock.now() if info.owner else info.updated_at
        print(tree_text(node, now))
        if info.owner is None and info.status == "RUNNING":
            print(f"it stopped in flight; go on with: turntree resume {info.root_id}", file=sys.stderr)
    return Exit.DONE


def tree_text(node: Node, now: float) -> str:
    """Return the text of `tree`."""
    rows = all_rows(node, now)
    rows[0] = attrs.evolve(rows[0], label=f"{rows[0].label} {node.turn_id}")
    widest = min(max(2 * row.depth + 2 + len(row.label) for row in rows), 60)
    return "\n".join([_row_text(row, widest) for row in rows])


def _row_text(row: Row, widest: int) -> str:
    label = f"{'  ' * row.depth}{row.glyph} {row.label}".ljust(widest)
    status = f"{row.elapsed:>9}  {row.tokens:>7}  {row.status.lower().replace('_', ' '):<16}"
    return f"{label} {status}  {short(row.text, 100)}".rstrip()


async def explain(turn: str | None, db: str | None) -> Exit:
    """Print why a Turn waits or how it ended, one sentence for each cause."""
    place = Place.of(db)
    async with place.open() as runtime:
        info, _, node = await find_turn(runtime.journal, turn)
        setting = Setting(now=runtime.clock.now(), held=info.owner is not None, options=place.options)
    print(why_text(node, setting))
    return Exit.DONE


def why_text(node: Node, setting: Setting) -> str:
    """Return the text of `why`."""
    return "\n".join([f"{path_of(node)} ({node.turn_id}) {node.status}", *[f"  {each}" for each in why(node, setting)]])


# ------------------------------------------------------------------------------------------------ requests


async def requests(tree: str | None, db: str | None, *, json: bool) -> Exit:
    """Print the open questions of a tree, oldest first."""
    place = Place.of(db)
    async with place.open() as runtime:
        info = await find_tree(runtime.journal, tree)
        view = await read_view(runtime.journal, info.root_id)
        now = runtime.clock.now()
    if json:
        print(requests_document(view.requests.values()))
    elif view.requests:
        print(requests_text(view, now, place.options))
    else:
        print(f"{info.name} ({info.root_id}) has no open questions", file=sys.stderr)
    return Exit.DONE


def requests_text(view: TreeView, now: float, options: str) -> str:
    """Return the text of `requests`."""
    lines = []
    for request in view.requests.values():
        where = clean("/".join(request.path) or request.turn_id)
        lines.append(f"{where}: {short(request.message, 160)} ({span(now - request.asked_at)} ago)")
        if request.show is not None:
            lines.append(f"  shows {short(request.show, 140)}")
        lines.append(f"  {answer_command(request, options=options)}")
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------ events


async def events(tree: str | None, db: str | None, *, after: int, every: bool, follow: bool, jsonl: bool) -> Exit:
    """Print the facts of a tree, or of all trees in the order in which they were committed.

    With `every`, `after` counts in the order of the whole journal. With `follow`, new facts are printed as they come,
    until the tree has ended.
    """
    async with Place.of(db).open() as runtime:
        journal = runtime.journal
        info = None if every and tree is None else await find_tree(journal, tree)
        ended = False
        while True:
            seen = journal.news()
            if info is None:
                numbered = await journal.read_all(after, _CHUNK)
            else:
                numbered = [(fact.position, fact) for fact in await journal.read(info.root_id, after, _CHUNK)]
            for number, fact in numbered:
                after = number
                print(
                    orjson.dumps(_CODEC.wire(fact)).decode() if jsonl else event_line(number, fact, every=info is None),
                    flush=follow,
                )
                ended = info is not None and fact.parent_turn_id is None and type(fact.data) in ENDINGS
            if numbered:
                continue
            if ended or not follow or (info is not None and (await journal.root(info.root_id)).status in TERMINAL):
                return Exit.DONE
            await journal.changed(seen)


def event_line(number: int, fact: Fact, *, every: bool = False) -> str:
    """Return a fact on one line: where it stands, when, who, what."""
    header = fact.header
    name = clean("/".join(header.path)) or clean(header.agent_id)
    if every:
        name = f"{header.root_turn_id} {name}"
    time = fact.occurred_at.strftime("%H:%M:%S.%f")[:-3]
    data = _CODEC.wire(fact)["data"]
    given = short({key: value for key, value in data.items() if value is not None}, 120) if data else ""
    return f"{number:>6}  {time}  {name:<24}  {fact.type:<22}  {given}".rstrip()
