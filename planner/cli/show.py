"""The command `show`: one Turn in full."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from planner.cli.exits import Exit
from planner.cli.history import failure_text, happened
from planner.cli.place import Place, find_turn
from planner.inspector import answer_command, path_of
from planner.inspector.words import amount, clean, clean_block, instant, plural, span, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planner.inspector import Node
    from runtime.values import events as e

_CHUNK: Final = 2000


async def show(turn: str | None, db: str | None) -> Exit:
    """Print one Turn: its input, what was said and called, its output, errors, usage and children."""
    place = Place.of(db)
    async with place.open() as runtime:
        info, _, node = await find_turn(runtime.journal, turn)
        own: list[e.Fact] = []
        after = 0
        while facts := await runtime.journal.read(info.root_id, after, _CHUNK):
            after = facts[-1].position
            own += [fact for fact in facts if fact.turn_id == node.turn_id]
        now = runtime.clock.now() if info.owner else info.updated_at
    print(show_text(node, own, now, options=place.options))
    return Exit.DONE


def show_text(node: Node, facts: Iterable[e.Fact], now: float, *, options: str = "") -> str:
    """Return the text of `show`."""
    usage = node.total()
    attempt = f", attempt {node.attempt}" if node.attempt > 1 else ""
    took = span(node.elapsed(now)) + ("" if node.ended is not None else " so far")
    lines = [
        f"{path_of(node)} ({node.turn_id}): {_what(node)}{attempt}",
        f"status    {node.status}",
        f"started   {instant(node.started)}, took {took}",
        f"usage     {tokens(usage.input_tokens)} in, {amount(usage.output_tokens)} out, "
        f"{plural(usage.model_calls, 'model call')}, {plural(usage.tool_calls, 'tool call')}, with everything below",
    ]
    if node.recoveries:
        lines.append(f"recovered {plural(node.recoveries, 'time')} after its process had stopped")
    lines += _section("input", node.input)
    history = [line for fact in facts for line in happened(fact)]
    if history:
        lines += ["", "what happened", *[f"  {line}" for line in history]]
    for request in node.requests.values():
        lines += ["", f"asks: {clean(request.message)}", f"  {answer_command(request, options=options)}"]
    if node.error is not None:
        lines += ["", f"error     {failure_text(node.error)}"]
    if node.output is not None:
        lines += _section("output", node.output)
    lines += _children(node, now)
    return "\n".join(lines)


def _what(node: Node) -> str:
    return node.kind if node.kind == node.agent else f"{node.kind} {clean(node.agent)}"


def _section(title: str, value: Any) -> list[str]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return ["", title, *[f"  {line}".rstrip() for line in clean_block(text).splitlines()]]


def _children(node: Node, now: float) -> list[str]:
    skipped = [(key, view.reason) for key, view in node.tasks.items() if view.status == "SKIPPED"]
    if not node.children and not skipped:
        return []
    lines = ["", "children"]
    for child in node.ordered():
        attempt = f", attempt {child.attempt}" if child.attempt > 1 else ""
        what = f"{clean(child.name)} ({_what(child)}{attempt})"
        lines.append(f"  {child.turn_id}  {what}  {child.status}  {span(child.elapsed(now))}")
    return [*lines, *[f"  {key}  SKIPPED: {clean(reason or '')}" for key, reason in skipped]]
