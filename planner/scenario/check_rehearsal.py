"""Hold `scripts` and `expect` against the plan that they talk about."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from planner.engine import PLAN
from planner.plan.faults import did_you_mean
from planner.scenario.document import ScenarioNode, TaskNode
from planner.scenario.shapes import Reading
from runtime.models.script import ScriptInvalid, read_scripts
from runtime.tools.validation import Validator
from runtime.values.events import FACTS


def check_rehearsal(document: ScenarioNode, reading: Reading) -> None:
    """Note everything in `scripts` and `expect` that can mean nothing."""
    tasks = all_tasks(document)
    if document.scripts is not None:
        for name in document.scripts.replies:
            _script_name(name, tasks, document, reading)
        for name, answer in document.scripts.answers.items():
            _answer(name, answer, tasks, reading)
    if document.expect is not None:
        _expected_tasks(document, reading)
        _expected_events(document, tasks, reading)


def playable(document: ScenarioNode, reading: Reading) -> Mapping[str, Any]:
    """Return the replies if a scripted model can play them; else note why not and return none."""
    replies = {} if document.scripts is None else document.scripts.replies
    try:
        read_scripts(replies)
    except ScriptInvalid as invalid:
        for fault in invalid.faults:
            path = ("scripts", *fault.steps)
            # The shape of a reply was read before; what only shows when it is played is left.
            if not any(refused[: len(path)] == path or path[: len(refused)] == refused for refused in reading.refused):
                reading.refuse("bad-script", path, f"this reply cannot be played: {fault.message}")
        return {}
    return replies


def all_tasks(document: ScenarioNode) -> Mapping[str, list[TaskNode]]:
    """Return the tasks of every plan by name; plans may use one name for tasks of their own."""
    found: dict[str, list[TaskNode]] = {}
    plans = [document.plan, *document.plans.values()]
    for plan in plans:
        for name, task in plan.tasks.items():
            found.setdefault(name, []).append(task)
    return found


def _script_name(name: str, tasks: Mapping[str, list[TaskNode]], document: ScenarioNode, reading: Reading) -> None:
    path = ("scripts", name)
    base, bracket, _ = name.partition("[")
    players = [task for task in tasks.get(base, ()) if task.agent is not None]
    if players and not bracket and name in document.agents:
        hint = "rename the task or the agent, so that it is clear whose replies these are"
        reading.refuse("name-clash", path, f"`{name}` is a task and an agent", hint, key=True)
    elif bracket and players and all(task.for_each is None for task in players):
        hint = f"write `{base}`"
        reading.refuse("script-for-nobody", path, f"`{base}` has no items: it has no `for_each`", hint, key=True)
    elif not players and (bracket or name not in document.agents):
        known = [key for key, each in tasks.items() if any(task.agent is not None for task in each)]
        hint = did_you_mean(base, dict.fromkeys([*known, *document.agents]))
        message = f"`{base}` runs no agent" if base in tasks else f"`{base}` is no task and no agent"
        reading.refuse("script-for-nobody", path, message, hint, key=True)


def _answer(name: str, answer: Any, tasks: Mapping[str, list[TaskNode]], reading: Reading) -> None:
    path = ("scripts", "answers", name)
    base = name.partition("[")[0]
    asks = [task.ask for task in tasks.get(base, ()) if task.ask is not None]
    if not asks:
        message = f"`{base}` asks nobody" if base in tasks else f"there is no task `{base}`"
        askers = [key for key, each in tasks.items() if any(task.ask is not None for task in each)]
        hint = did_you_mean(base, askers, otherwise="" if askers else "no task asks anybody")
        reading.refuse("answer-for-nobody", path, message, hint, key=True)
        return
    for ask in asks:
        if ask.form is not None and (problem := Validator(ask.form.document).explain(answer)):
            reading.refuse("bad-answer", path, f"the answer does not fit the form of `{base}`: {problem}")


def _expected_tasks(document: ScenarioNode, reading: Reading) -> None:
    tasks = document.plan.tasks
    for name, expected in (document.expect.tasks if document.expect else {}).items():
        path = ("expect", "tasks", name)
        if name not in tasks:
            reading.refuse(
                "expect-nothing", path, f"the plan has no task `{name}`", did_you_mean(name, tasks), key=True
            )
        elif expected.count is not None and tasks[name].for_each is None:
            hint = "`count` is for tasks with `for_each`"
            reading.refuse("expect-nothing", (*path, "count"), f"`{name}` has no items to count", hint, key=True)


def _expected_events(document: ScenarioNode, tasks: Mapping[str, list[TaskNode]], reading: Reading) -> None:
    types = set(event_types()) if document.expect and document.expect.events else set()
    for index, line in enumerate(document.expect.events if document.expect else ()):
        kind, _, name = line.partition(" ")
        path = ("expect", "events", index)
        if kind not in types:
            reading.refuse("bad-value", path, f"there is no event {kind}", did_you_mean(kind, sorted(types)))
        elif name and name.partition("[")[0] not in tasks:
            base = name.partition("[")[0]
            reading.refuse("expect-nothing", path, f"there is no task `{base}`", did_you_mean(base, tasks))


def event_types() -> Iterator[str]:
    """Yield the types of facts that a run of a scenario can record."""
    payloads: Iterable[Any] = (*FACTS, *PLAN.payloads)
    for payload in payloads:
        yield payload.type
