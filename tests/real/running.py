"""Runs a scenario and says, from its facts alone, what happened when."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import attrs

from planner import load_scenario
from planner.engine import TaskCompleted, TaskStarted
from runtime import Status, TurnResult, open_runtime
from runtime.events import Fact, ToolStarted


@attrs.frozen(slots=False)
class History:
    """The facts of a tree that completed, in their order; times count from its start."""

    result: TurnResult
    facts: tuple[Fact, ...]

    @property
    def makespan(self) -> float:
        """Virtual seconds between the start and the ending of the root."""
        return self._since_start(self._own[-1])

    @cached_property
    def started(self) -> Mapping[str, tuple[Fact, ...]]:
        """The starts of each task, items told apart, by the keys of their children."""
        return self._by_task(TaskStarted)

    @cached_property
    def completed(self) -> Mapping[str, tuple[Fact, ...]]:
        """The completions of each task."""
        return self._by_task(TaskCompleted)

    @cached_property
    def tools(self) -> Mapping[str, int]:
        """How many tool calls were made for each task."""
        counts: dict[str, int] = defaultdict(int)
        for fact in self.facts:
            if isinstance(fact.data, ToolStarted):
                counts[fact.task_key] += 1
        return counts

    @property
    def batches(self) -> list[int]:
        """How many tasks started at each of the moments when any did."""
        counts: dict[float, int] = defaultdict(int)
        for starts in self.started.values():
            for fact in starts:
                counts[self._since_start(fact)] += 1
        return [counts[moment] for moment in sorted(counts)]

    def out_of_order(self, needs: Mapping[str, tuple[str, ...]]) -> list[str]:
        """Return what started although something that it needs had not ended, or not exactly once."""
        wrong = [key for key in needs if len(self.started[key]) != 1 or len(self.completed[key]) != 1]
        for key, before in needs.items():
            begin = self.started[key][0]
            for need in before:
                end = self.completed[need][0]
                if end.position >= begin.position or end.time > begin.time:
                    wrong.append(f"{key} before {need}")
        return wrong

    @cached_property
    def _own(self) -> tuple[Fact, ...]:
        return tuple(fact for fact in self.facts if fact.parent_turn_id is None)

    def _since_start(self, fact: Fact) -> float:
        return fact.time - self._own[0].time

    def _by_task(self, kind: type[TaskStarted | TaskCompleted]) -> Mapping[str, tuple[Fact, ...]]:
        found: dict[str, list[Fact]] = defaultdict(list)
        for fact in self._own:
            # A list of items starts and ends too, without a child.
            if isinstance(fact.data, kind) and fact.data.n is not None:
                found[fact.data.key if fact.data.index is None else f"{fact.data.key}[{fact.data.index}]"].append(fact)
        return {key: tuple(facts) for key, facts in found.items()}


async def run_file(path: Path, given: dict[str, Any] | None = None) -> History:
    """Run a scenario file on a memory journal; it must complete."""
    async with open_runtime() as runtime:
        result = await runtime.run(load_scenario(path), given or {})
        facts = await runtime.journal.read(result.turn_id, 0, 1_000_000)
    assert result.status is Status.COMPLETED, result.error
    return History(result, tuple(facts))
