"""Where the boxes of a plan stand: layers by longest path, ordered so that few arrows cross.

An arrow that spans several layers gets a narrow place in each of those between, so that it passes beside the boxes and
not through them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import attrs
import networkx as nx

Spot = str | tuple[str, str, int]
"""A box by its key, or the place where an arrow (source, target) crosses a layer."""

GAP_X: Final = 28.0
GAP_Y: Final = 46.0
LANE: Final = 10.0
"""Width of the place in which an arrow passes a layer."""
_SWEEPS: Final = 8
_MOST_SPOTS: Final = 4000
"""Beyond it nothing is put in order any more: nobody reads such a picture, but it must not take minutes."""


@attrs.frozen
class Layout:
    """Centres of boxes, and the points that each arrow goes through."""

    centres: Mapping[str, tuple[float, float]]
    routes: Mapping[tuple[str, str], tuple[tuple[float, float], ...]]
    """From below the source to above the target."""
    width: float
    height: float


def arrange(sizes: Mapping[str, tuple[float, float]], arrows: Iterable[tuple[str, str]]) -> Layout:
    """Place boxes of these sizes so that every arrow points down.

    Args:
        sizes: Width and height of each box.
        arrows: Pairs of source and target, without a circle.
    """
    edges = list(arrows)
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(sizes)
    graph.add_edges_from(edges)
    level = {key: depth for depth, wave in enumerate(nx.topological_generations(graph)) for key in wave}
    layers: list[list[Spot]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for key in sizes:
        layers[level[key]].append(key)
    links: list[tuple[Spot, Spot]] = []
    chains: dict[tuple[str, str], list[Spot]] = {}
    for source, target in edges:
        chain: list[Spot] = [source]
        for depth in range(level[source] + 1, level[target]):
            spot = (source, target, depth)
            layers[depth].append(spot)
            chain.append(spot)
        chain.append(target)
        chains[source, target] = chain
        links += itertools.pairwise(chain)
    _untangle(layers, links)
    return _placed(layers, links, chains, sizes)


def _untangle(layers: list[list[Spot]], links: Sequence[tuple[Spot, Spot]]) -> None:
    """Order each layer by the mean place of its neighbours, down and up in turn."""
    if sum(map(len, layers)) > _MOST_SPOTS:
        return
    above: dict[Spot, list[Spot]] = {}
    below: dict[Spot, list[Spot]] = {}
    for upper, lower in links:
        above.setdefault(lower, []).append(upper)
        below.setdefault(upper, []).append(lower)
    for sweep in range(_SWEEPS):
        neighbours, order = (above, layers[1:]) if sweep % 2 == 0 else (below, layers[-2::-1])
        place = {spot: index / max(len(layer) - 1, 1) for layer in layers for index, spot in enumerate(layer)}
        for layer in order:
            means = {
                spot: sum([place[other] for other in neighbours[spot]]) / len(neighbours[spot])
                if spot in neighbours
                else place[spot]
                for spot in layer
            }
            layer.sort(key=means.__getitem__)
            place.update({spot: index / max(len(layer) - 1, 1) for index, spot in enumerate(layer)})


def _placed(
    layers: Sequence[Sequence[Spot]],
    links: Sequence[tuple[Spot, Spot]],
    chains: Mapping[tuple[str, str], Sequence[Spot]],
    sizes: Mapping[str, tuple[float, float]],
) -> Layout:
    wide = {spot: sizes[spot][0] if isinstance(spot, str) else LANE for layer in layers for spot in layer}
    x = _columns(layers, links, wide)
    least = min((x[spot] - wide[spot] / 2 for spot in x), default=0.0)
    top = GAP_X
    centres: dict[str, tuple[float, float]] = {}
    bands: dict[Spot, tuple[float, float]] = {}
    for layer in layers:
        height = max(sizes[spot][1] for spot in layer if isinstance(spot, str))
        for spot in layer:
            x[spot] += GAP_X - least
            if isinstance(spot, str):
                own = sizes[spot][1]
                centres[spot] = (x[spot], top + height / 2)
                bands[spot] = (top + (height - own) / 2, top + (height + own) / 2)
            else:
                bands[spot] = (top, top + height)
        top += height + GAP_Y
    routes = {}
    for arrow, (first, *between, last) in chains.items():
        points = [(x[first], bands[first][1])]
        points += [(x[spot], bands[spot][end]) for spot in between for end in (0, 1)]
        routes[arrow] = (*points, (x[last], bands[last][0]))
    width = max((x[spot] + wide[spot] / 2 for spot in x), default=0.0) + GAP_X
    return Layout(centres, routes, width, top - GAP_Y + GAP_X if layers else 2 * GAP_X)


def _columns(
    layers: Sequence[Sequence[Spot]], links: Sequence[tuple[Spot, Spot]], wide: Mapping[Spot, float]
) -> dict[Spot, float]:
    """Pull every spot towards its neighbours as far as the order in its layer allows."""
    x: dict[Spot, float] = {}
    for layer in layers:
        total = sum([wide[spot] for spot in layer]) + GAP_X * (len(layer) - 1)
        left = -total / 2
        for spot in layer:
            x[spot] = left + wide[spot] / 2
            left += wide[spot] + GAP_X
    if len(x) > _MOST_SPOTS:
        return x
    near: dict[Spot, list[Spot]] = {spot: [] for spot in x}
    for upper, lower in links:
        near[upper].append(lower)
        near[lower].append(upper)
    for _ in range(_SWEEPS):
        for layer in layers:
            wish = [
                sum([x[other] for other in near[spot]]) / len(near[spot]) if near[spot] else x[spot] for spot in layer
            ]
            _settle(layer, wish, wide, x)
    return x


def _settle(layer: Sequence[Spot], wish: Sequence[float], wide: Mapping[Spot, float], x: dict[Spot, float]) -> None:
    """Put spots where they wish to be, in order and apart: neighbours that collide share their mean wish."""
    blocks: list[tuple[float, int, float]] = []  # sum of wishes for the block's start, members, width so far
    for spot, want in zip(layer, wish, strict=True):
        half = wide[spot] / 2
        total, count, size = want - half, 1, wide[spot] + GAP_X
        while blocks and blocks[-1][0] / blocks[-1][1] + blocks[-1][2] > total / count:
            before, members, length = blocks.pop()
            total, count, size = before + total - length * count, members + count, length + size
        blocks.append((total, count, size))
    spots = iter(layer)
    for total, count, _ in blocks:
        left = total / count
        for _ in range(count):
            spot = next(spots)
            x[spot] = left + wide[spot] / 2
            left += wide[spot] + GAP_X
