"""Rebuilding a tree from its facts, and letting it go on where it stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from runtime.core.frame import fold
from runtime.core.kinds import find
from runtime.errors import DefinitionChanged, NotResumable
from runtime.shell.tree import Tree
from runtime.values import signals as s
from runtime.values.commands import RunChild, RunTool

if TYPE_CHECKING:
    from runtime.core.ports import Definition, RootInfo
    from runtime.shell.live import Live
    from runtime.shell.runtime import Runtime
    from runtime.values.envelopes import Fact
    from runtime.values.payloads import EventData

_CHUNK = 2000


async def load_tree(runtime: Runtime, root_id: str, definition: Definition | None, *, claim: bool = True) -> Tree:
    """Read a tree that is not held here, claim it, and fold its Turns.

    Args:
        runtime: Whose journal has it.
        root_id: The tree.
        definition: What it runs; None to find or rebuild it.
        claim: False to look only; then nothing may be recorded.

    Raises:
        NotFound: No such tree.
        TreeHeld: A live process holds it.
        DefinitionChanged: The definition at hand is another one.
        NotResumable: The tree was stopped before it began.
        NotSupportedYet: The journal does not hold enough to rebuild the definition.
    """
    journal = runtime.journal
    info = await journal.root(root_id)
    if definition is None:
        definition = await _definition(runtime, info)
    elif await runtime.digest(definition) != info.definition:
        raise DefinitionChanged(
            f"{root_id} was started with another {info.kind} {info.name!r} (or another version of it); "
            "resume it with the definition that it was started with"
        )
    held = await journal.claim(root_id, now=runtime.clock.now()) if claim else _Nothing(root_id)
    try:
        facts: list[Fact] = []
        while chunk := await journal.read(root_id, len(facts), _CHUNK):
            facts.extend(chunk)
        if not facts:
            raise NotResumable(f"{root_id} was stopped before its first fact was kept; start it again")
        tree = Tree(runtime, held, definition, len(facts))
        turns: dict[str, list[Fact]] = {}
        for fact in facts:
            turns.setdefault(fact.header.turn_id, []).append(fact)
        _restore(tree.root, turns)
    except BaseException:
        if claim:
            with trio.CancelScope(shield=True, deadline=trio.current_time() + 5):
                await journal.release(held)
        raise
    tree.rest()
    return tree


class _Nothing:
    """Stands for a claim where a tree is only looked at."""

    epoch = 0

    def __init__(self, root_id: str) -> None:
        self.root_id = root_id
        self.changed = trio.lowlevel.ParkingLot()


async def _definition(runtime: Runtime, info: RootInfo) -> Definition:
    met = runtime.known.find(info.definition)
    if met is not None:
        return met
    for known in runtime.definitions:
        if known.name == info.name and known.kind == info.kind:
            if await runtime.digest(known) == info.definition:
                return known
            raise DefinitionChanged(
                f"{info.root_id} was started with another version of {info.kind} {info.name!r} than the one given here"
            )
    assert info.definition is not None
    return find(info.kind).load(await runtime.journal.definition(info.definition))


def _restore(live: Live, turns: dict[str, list[Fact]]) -> None:
    facts = turns.pop(live.header.turn_id, [])
    payloads: list[EventData] = [fact.data for fact in facts]
    live.state = fold(live.machine, payloads)
    live.sequence = len(facts)
    state = live.state
    if state.ending is not None:
        return
    commands = [command for command in state.open.values() if type(command) is RunChild]
    for command in [*commands, *[parked.command for parked in state.parked.values()]]:
        child = live.attach(command)
        _restore(child, turns)
    if state.requests:
        live.tree.note_requests(live, {request: fact.time for fact in facts for request in _opened(fact)})


def _opened(fact: Fact) -> tuple[str, ...]:
    key: str | None = getattr(fact.data, "request_key", None)
    return () if key is None else (key,)


def refuse_unsafe_calls(tree: Tree) -> None:
    """Refuse to go on when a tool call was in flight that may not simply run again.

    Raises:
        NotResumable: Naming every such call.
    """
    calls = [
        f"{command.name} ({live.header.turn_id}, call {key}) with {command.arguments!r}"
        for live in tree.lives()
        for key, command in live.state.open.items()
        if type(command) is RunTool and command.tool.replay != "safe"
    ]
    if calls:
        raise NotResumable(
            f"{tree.root_id} stopped while these tool calls were in flight, and they are not declared `replay: safe`: "
            f"{'; '.join(calls)}. Nobody knows whether they took effect. Look, then end the tree with `turntree cancel "
            f"{tree.root_id}`; next time, declare `replay: safe` on tools that may run twice"
        )


def revive(tree: Tree) -> None:
    """Record that the tree was taken over, start what is wanted, and wake what was answered meanwhile."""
    lives = tree.lives()
    for live in lives:
        for command in live.state.open.values():
            live.hold(command)  # all of them, before anything new may start
    for live in lives:
        state = live.state
        if state.dropped:
            live.drop_parked()
        if state.ending is None and state.started and not state.suspended:
            if any(type(command) is not RunChild for command in state.open.values()):
                live.signal(s.Recovered())
            else:
                live.pump()
    for live in lives:
        for n in sorted(live.state.parked):
            child = live.children[n]
            if not child.parked:
                tree.wake(child)
