"""Pictures of plans as text for other programs: Mermaid and Graphviz."""

from __future__ import annotations

from typing import Final

from planner.inspector.picture import STATUSES, Box, Picture
from planner.inspector.words import cut

FILLS: Final = {
    "pending": ("#ffffff", "#9aa0a6"), "running": ("#dbeafe", "#2563eb"), "waiting": ("#fef3c7", "#d97706"),
    "completed": ("#dcfce7", "#16a34a"), "failed": ("#fee2e2", "#dc2626"), "skipped": ("#f3f4f6", "#9ca3af"),
    "cancelled": ("#f3e8ff", "#9333ea"),
}  # fmt: skip
"""Fill and border of a box by status."""

_MERMAID: Final = {"agent": ('["', '"]'), "tool": ('[["', '"]]'), "plan": ('[/"', '"/]'), "ask": ('{{"', '"}}')}
_DOT: Final = {"agent": "box", "tool": "component", "plan": "folder", "ask": "hexagon"}
_WIDTH: Final = 60


def mermaid(picture: Picture) -> str:
    """Return the picture for Mermaid. Solid arrows carry data, dashed ones only an order."""
    ids = {box.key: f"t{number}" for number, box in enumerate(picture.boxes, 1)}
    lines = ["flowchart TD"]
    for box in picture.boxes:
        left, right = _MERMAID[box.sort]
        text = "<br/>".join([_mermaid_text(line) for line in box.lines])
        status = f":::{box.status}" if box.status is not None else ""
        lines.append(f"    {ids[box.key]}{left}{text}{right}{status}")
    lines += [
        f"    {ids[arrow.source]} {'-->' if arrow.data else '-.->'} {ids[arrow.target]}" for arrow in picture.arrows
    ]
    used = {box.status for box in picture.boxes}
    for status in [status for status in STATUSES if status in used]:
        fill, border = FILLS[status]
        lines.append(f"    classDef {status} fill:{fill},stroke:{border},color:#111827")
    return "\n".join(lines) + "\n"


def _mermaid_text(text: str) -> str:
    """Write what Mermaid would read as syntax by its character numbers."""
    return "".join([char if char.isalnum() or char in " _.,-…=" else f"#{ord(char)};" for char in cut(text, _WIDTH)])


def dot(picture: Picture) -> str:
    """Return the picture for Graphviz. Solid arrows carry data, dashed ones only an order."""
    lines = [
        f"digraph {_quoted(picture.name)} {{",
        '    node [fontname="Helvetica", fontsize=11, style=filled, fillcolor="#ffffff"];',
    ]
    lines += [f"    {_quoted(box.key)} [{_attributes(box)}];" for box in picture.boxes]
    for arrow in picture.arrows:
        style = "" if arrow.data else " [style=dashed]"
        lines.append(f"    {_quoted(arrow.source)} -> {_quoted(arrow.target)}{style};")
    return "\n".join([*lines, "}"]) + "\n"


def _attributes(box: Box) -> str:
    text = "\\n".join([_quoted(cut(line, _WIDTH))[1:-1] for line in box.lines])
    given = [f"shape={_DOT[box.sort]}", f'label="{text}"']
    if box.status is not None:
        fill, border = FILLS[box.status]
        given += [f'class="{box.status}"', f'fillcolor="{fill}"', f'color="{border}"']
    return ", ".join(given)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
