"""Pictures of plans as SVG, drawn without any other program."""

from __future__ import annotations

import unicodedata
from html import escape
from typing import TYPE_CHECKING, Final

from planner.inspector.layout import arrange
from planner.inspector.text_pictures import FILLS
from planner.inspector.words import cut

if TYPE_CHECKING:
    from planner.inspector.picture import Box, Picture

_CELL: Final = 7.6
"""Width of a character of the font, with some to spare for other fonts."""
_LINE: Final = 15.0
_PAD: Final = 12.0
_LONGEST: Final = 34
_RADIUS: Final = {"agent": 4, "tool": 0, "plan": 4, "ask": 16}
_PLAIN: Final = ("#ffffff", "#4b5563")

_STYLE: Final = """<style>
text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #111827; text-anchor: middle }
text.more { fill: #4b5563 }
path { fill: none; stroke: #6b7280; stroke-width: 1.3 }
path.order { stroke-dasharray: 5 4 }
marker path { fill: #6b7280; stroke: none }
</style>"""


def svg(picture: Picture) -> str:
    """Return the picture as one SVG document. Solid arrows carry data, dashed ones only an order."""
    lines = {box.key: [cut(line, _LONGEST) for line in box.lines] for box in picture.boxes}
    sizes = {
        key: (max(map(_cells, shown)) * _CELL + 2 * _PAD, len(shown) * _LINE + _PAD) for key, shown in lines.items()
    }
    layout = arrange(sizes, [(arrow.source, arrow.target) for arrow in picture.arrows])
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{layout.width:.0f}" height="{layout.height:.0f}" '
        f'viewBox="0 0 {layout.width:.0f} {layout.height:.0f}" role="img">',
        f"<title>{escape(picture.name)}</title>",
        _STYLE,
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z"/></marker></defs>',
        f'<rect width="{layout.width:.0f}" height="{layout.height:.0f}" fill="#ffffff"/>',
    ]
    for arrow in picture.arrows:
        sort = "data" if arrow.data else "order"
        way = _curve(layout.routes[arrow.source, arrow.target])
        out.append(f'<path class="{sort}" d="{way}" marker-end="url(#tip)"/>')
    for box in picture.boxes:
        out += _drawn(box, lines[box.key], layout.centres[box.key], sizes[box.key])
    return "\n".join([*out, "</svg>"]) + "\n"


def _drawn(box: Box, lines: list[str], centre: tuple[float, float], size: tuple[float, float]) -> list[str]:
    (x, y), (width, height) = centre, size
    fill, border = FILLS[box.status] if box.status is not None else _PLAIN
    edge = "3" if box.sort == "plan" else "1.4"
    out = [
        f'<g class="{box.sort}{f" {box.status}" if box.status else ""}">',
        f'<rect x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'rx="{_RADIUS[box.sort]}" fill="{fill}" stroke="{border}" stroke-width="{edge}"/>',
    ]
    top = y - (len(lines) - 1) * _LINE / 2 + 4
    for number, line in enumerate(lines):
        sort = ' class="more"' if number else ""
        out.append(f'<text{sort} x="{x:.1f}" y="{top + number * _LINE:.1f}">{escape(line)}</text>')
    return [*out, "</g>"]


def _curve(points: tuple[tuple[float, float], ...]) -> str:
    """Go through the points: curves from layer to layer, straight on within one."""
    (x, y), *rest = points
    out = [f"M{x:.1f} {y:.1f}"]
    for to_x, to_y in rest:
        if to_x == x:
            out.append(f"L{to_x:.1f} {to_y:.1f}")
        else:
            middle = (y + to_y) / 2
            out.append(f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}")
        x, y = to_x, to_y
    return " ".join(out)


def _cells(text: str) -> int:
    return sum([2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text])
