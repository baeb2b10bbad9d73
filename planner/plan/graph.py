"""Who waits for whom in a plan, what that makes the order, and how much is left to do after each task."""

from __future__ import annotations

import functools
import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from planner.plan.references import Scan, scan_task
from planner.plan.values import Task

if TYPE_CHECKING:
    from planner.plan.values import Plan

_CYCLE_EFFORT = 400_000
"""How many nodes and edges the search for short cycles may look at, about a second's work."""


@attrs.frozen(eq=False)
class PlanGraph:
    """The tasks of a plan as a graph; the edges are its needs.

    A plan with faults has a graph too: needs that name no task are left out, of two tasks with one name the first
    counts, and tasks that wait for each other are missing from everything that has an order.
    """

    tasks: Mapping[str, Task]
    """By name, in the order of the plan."""
    needs: Mapping[str, tuple[str, ...]]
    """What must be settled before a task: first what it refers to, then what it only names under `needs`."""
    data: Mapping[str, int]
    """How many of a task's needs it refers to; the ones after these are for order only."""
    users: Mapping[str, tuple[str, ...]]
    """Which tasks need a task, in the order of the plan."""
    order: tuple[str, ...]
    """A topological order: of all tasks that could come next, always the first in the plan."""

    @classmethod
    def of(cls, plan: Plan) -> PlanGraph:
        """Build the graph of a plan, in time linear in its size but for a logarithm."""
        return cls.from_scans(plan, [scan_task(task) for task in plan.tasks])

    @classmethod
    def from_scans(cls, plan: Plan, scans: Sequence[Scan]) -> PlanGraph:
        """Build the graph of a plan whose tasks have been read already."""
        tasks: dict[str, Task] = {}
        needs: dict[str, tuple[str, ...]] = {}
        data: dict[str, int] = {}
        users: dict[str, list[str]] = {task.key: [] for task in plan.tasks}
        for task, scan in zip(plan.tasks, scans, strict=True):
            key = task.key
            if key in tasks:
                continue
            tasks[key] = task
            found: dict[str, None] = {}
            for _, references in scan.found:
                for reference in references:
                    # Bare `tasks` is a fault of the text, so a name follows.
                    if reference.root == "tasks" and (name := str(reference.parts[0])) in users:
                        found[name] = None
            data[key] = len(found)
            for name in task.needs:
                if name in users:
                    found[name] = None
            needs[key] = tuple(found)
            for name in found:
                users[name].append(key)
        frozen = {key: tuple(found) for key, found in users.items()}
        return cls(tasks, needs, data, frozen, _ordered(needs, frozen))

    @property
    def leaves(self) -> tuple[str, ...]:
        """The tasks that no other one needs, in the order of the plan."""
        return tuple(key for key, users in self.users.items() if not users)

    def is_data(self, key: str, need: str) -> bool:
        """Whether `key` uses what `need` brings, and does not merely come after it."""
        return need in self.needs[key][: self.data[key]]

    def levels(self) -> tuple[tuple[str, ...], ...]:
        """The tasks in waves: each stands one wave after the last of its needs."""
        depths: dict[str, int] = {}
        waves: list[list[str]] = []
        for key in self.order:
            depth = depths[key] = max((depths[need] + 1 for need in self.needs[key]), default=0)
            if depth == len(waves):
                waves.append([])
            waves[depth].append(key)
        return tuple(tuple(wave) for wave in waves)

    def remaining(self, key: str) -> float:
        """The seconds from a task's start to the end of the plan at best: its longest path to a leaf by `estimate`.

        A task without an estimate counts as the mean of those that have one; if none has, each counts as 1.

        Raises:
            KeyError: No such task, or one that waits in a circle or for one that does.
        """
        return self._remaining[key]

    @functools.cached_property
    def _remaining(self) -> Mapping[str, float]:
        given = [task.estimate for task in self.tasks.values() if task.estimate is not None]
        usual = sum(given) / len(given) if given else 1.0
        left: dict[str, float] = {}
        for key in reversed(self.order):
            own = self.tasks[key].estimate
            after = max((left[user] for user in self.users[key] if user in left), default=0.0)
            left[key] = (usual if own is None else own) + after
        return left

    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """Find who waits for whom in circles, shortest first: `("a", "b", "a")` when a needs b and b needs a.

        Each task in a circle is in one of those found, by the shortest way through it, as far as a plan's size allows;
        every separate knot of tasks gives at least one. Each begins with its task that stands first in the plan.
        """
        if len(self.order) == len(self.tasks):
            return ()
        # Here and not at the top: it takes longer to load than thousands of tasks to check.
        import networkx as nx

        position = {key: index for index, key in enumerate(self.tasks)}
        unordered = set(self.tasks) - set(self.order)
        edges = [(key, need) for key in self.tasks if key in unordered for need in self.needs[key]]
        knots: Iterable[set[str]] = nx.strongly_connected_components(nx.DiGraph(edges))
        found: set[tuple[str, ...]] = set()
        for knot in knots:
            within = {key: [need for need in self.needs[key] if need in knot] for key in knot}
            size = len(knot) + sum(map(len, within.values()))
            starts = sorted(knot, key=position.__getitem__)[: max(1, _CYCLE_EFFORT // size)]
            for start in starts:
                if (circle := _shortest_circle(start, within)) is not None:
                    first = min(range(len(circle)), key=lambda index: position[circle[index]])
                    found.add((*circle[first:], *circle[:first], circle[first]))
        return tuple(sorted(found, key=lambda circle: (len(circle), [position[key] for key in circle])))


def _ordered(needs: Mapping[str, tuple[str, ...]], users: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Sort topologically, in favour of what stands first; what waits in a circle is left out."""
    keys = list(needs)
    position = {key: index for index, key in enumerate(keys)}
    open_needs = {key: len(found) for key, found in needs.items()}
    ready = [index for index, key in enumerate(keys) if not open_needs[key]]
    order: list[str] = []
    while ready:
        key = keys[heapq.heappop(ready)]
        order.append(key)
        for user in users[key]:
            open_needs[user] -= 1
            if not open_needs[user]:
                heapq.heappush(ready, position[user])
    return tuple(order)


def _shortest_circle(start: str, edges: Mapping[str, Iterable[str]]) -> tuple[str, ...] | None:
    """The shortest way from `start` back to it, without the repeated end; of equal ones the first by order of edges."""
    came_from: dict[str, str] = {}
    wave = [start]
    while wave:
        reached: list[str] = []
        for key in wave:
            for need in edges[key]:
                if need == start:
                    return _way_back(key, came_from)
                if need not in came_from:
                    came_from[need] = key
                    reached.append(need)
        wave = reached
    return None


def _way_back(key: str, came_from: Mapping[str, str]) -> tuple[str, ...]:
    way = [key]
    while way[-1] in came_from:
        way.append(came_from[way[-1]])
    return tuple(reversed(way))
