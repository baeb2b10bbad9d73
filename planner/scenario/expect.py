"""Hold a run against what its scenario expects, and its scripts against what was played."""

import difflib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs

from planner.scenario.build import Scenario
from planner.scenario.records import ABSENT
from planner.scenario.rehearsal import BoundsNode, ExpectedTaskNode, ExpectNode
from runtime.models.scripted import ScriptedModel
from runtime.values.events import Fact, ModelStarted, TurnCompleted, TurnFailed, TurnStarted
from runtime.values.result import TaskResult, TurnResult

_LONGEST_DIFF = 40


@attrs.frozen
class Difference:
    """One thing that did not come out as the scenario says."""

    where: str
    """Key of the scenario: `expect.tasks.read.count`, `scripts.reader`."""
    lines: tuple[str, ...]
    """What was expected and what came instead."""

    def __str__(self) -> str:
        return "\n".join([self.where, *(f"  {line}" for line in self.lines)])


def differences(scenario: Scenario, result: TurnResult, facts: Sequence[Fact]) -> list[Difference]:
    """Compare a run that has ended with `expect`, and name replies of `scripts` that nobody heard.

    Args:
        scenario: What was run.
        result: What came of it.
        facts: Every fact of the tree, in order.

    Returns:
        Everything that differs; empty if the run came out as expected, or was no rehearsal: what models that somebody
        runs will say cannot be written down beforehand.
    """
    if scenario.live_models:
        return []
    found = list(_leftover(scenario, facts))
    if scenario.document.expect is not None:
        found = [*_expected(scenario.document.expect, result, facts), *found]
    return found


def _expected(expect: ExpectNode, result: TurnResult, facts: Sequence[Fact]) -> Iterator[Difference]:
    if expect.status is not None and expect.status != result.status:
        got = str(result.status)
        if result.error is not None:
            got += f": {result.error.message}"
        yield _plain("expect.status", expect.status, got)
    for name, task in expect.tasks.items():
        yield from _task(f"expect.tasks.{name}", task, result.tasks.get(name))
    if expect.output is not ABSENT:
        yield from _value("expect.output", expect.output, result.output)
    if expect.usage is not None:
        for name in type(expect.usage).keys():  # noqa: SIM118 - a method, not a mapping's
            yield from _bound(f"expect.usage.{name}", getattr(expect.usage, name), getattr(result.usage, name))
    yield from _order(expect.events, facts)


def _task(where: str, expected: ExpectedTaskNode, task: TaskResult | None) -> Iterator[Difference]:
    if task is None:
        yield _plain(where, "a task", "none: the plan never began")
        return
    if expected.status is not None and expected.status != task.status:
        reason = task.reason or (task.error.message if task.error is not None else "")
        yield _plain(f"{where}.status", expected.status, f"{task.status}: {reason}" if reason else task.status)
    if expected.count is not None and expected.count != len(task.items):
        keys = ", ".join(item.key for item in task.items[:8])
        yield _plain(f"{where}.count", expected.count, f"{len(task.items)}: {keys}" if keys else 0)
    if expected.output is not ABSENT:
        yield from _value(f"{where}.output", expected.output, task.output)


def _bound(where: str, expected: Any, got: int) -> Iterator[Difference]:
    match expected:
        case BoundsNode(min=least, max=most):
            if least is not None and got < least:
                yield _plain(where, f"at least {least}", got)
            if most is not None and got > most:
                yield _plain(where, f"at most {most}", got)
        case int() if expected != got:
            yield _plain(where, expected, got)


def _order(expected: Sequence[str], facts: Iterable[Fact]) -> Iterator[Difference]:
    ahead = iter(facts)
    before = "the start"
    for index, line in enumerate(expected):
        kind, _, task = line.partition(" ")
        if not any(fact.type == kind and (not task or _is_about(fact, task)) for fact in ahead):
            yield _plain(f"expect.events[{index}]", f"{line} after {before}", "none")
            return
        before = line


def _is_about(fact: Fact, task: str) -> bool:
    names = (getattr(fact.data, "key", ""), fact.task_key)
    return any(name == task or name.partition("[")[0] == task for name in names if isinstance(name, str))


def _leftover(scenario: Scenario, facts: Iterable[Fact]) -> Iterator[Difference]:
    scripted = {
        name: agent.model for name, agent in scenario.parts.agents.items() if isinstance(agent.model, ScriptedModel)
    }
    if not scripted:
        return
    model = next(iter(scripted.values()))  # all of them play the same scripts
    for sentence in model.leftover(_turns(facts, scripted)):
        where, _, rest = sentence.partition(": ")
        yield Difference(where, (rest,))


def _turns(facts: Iterable[Fact], agents: Iterable[str]) -> Iterator[tuple[str, str, int, int]]:
    """Yield key, agent, attempt and number of model calls of each agent's Turn that came to an end by itself."""
    started: dict[str, tuple[str, str, int]] = {}
    calls: dict[str, int] = {}
    for fact in facts:
        match fact.data:
            case TurnStarted(kind="agent", key=key, attempt=attempt) if fact.agent_id in agents:
                started[fact.turn_id] = (key, fact.agent_id, attempt)
            case ModelStarted():
                calls[fact.turn_id] = calls.get(fact.turn_id, 0) + 1
            case TurnCompleted() | TurnFailed() if fact.turn_id in started:
                key, agent, attempt = started[fact.turn_id]
                yield key, agent, attempt, calls.get(fact.turn_id, 0)


def _plain(where: str, expected: object, got: object) -> Difference:
    return Difference(where, (f"expected {expected}", f"got      {got}"))


def _value(where: str, expected: Any, got: Any) -> Iterator[Difference]:
    if expected == got:
        return
    if not isinstance(expected, dict | list) or not isinstance(got, dict | list):
        yield _plain(where, json.dumps(expected, ensure_ascii=False), json.dumps(got, ensure_ascii=False))
        return
    lines = [
        line.rstrip("\n")
        for line in difflib.unified_diff(_pretty(expected), _pretty(got), "expected", "got", n=2, lineterm="")
    ]
    more = len(lines) - _LONGEST_DIFF
    yield Difference(where, (*lines[:_LONGEST_DIFF], *([f"… {more} more lines"] if more > 0 else [])))


def _pretty(value: Any) -> list[str]:
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False).splitlines()
