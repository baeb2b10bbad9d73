"""A tree that has everything: agents under agents, tools of both sorts, items, retries, a question in a nested plan."""

from collections import Counter
from pathlib import Path
from typing import Any

import trio

from planner import Ask, ForEach, Plan, Retry, Task
from runtime import Agent, Answer, ModelReply, ModelRequest, Request, tool
from runtime.testing import call, say
from tests.runtime.shell.equipment import TimedModel

ANSWER = Answer.form({"go": True})


class Ledger:
    """Where the tools of a tree leave a line for each begin and end: in memory, or in a file that outlives us."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lines: list[str] = []

    def note(self, line: str) -> None:
        """Add a line; a file has it even if the process is killed right after."""
        if self._path is None:
            self._lines.append(line)
            return
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def counts(self) -> Counter[str]:
        """Return how often each line was written."""
        if self._path is None:
            return Counter(self._lines)
        return Counter(self._path.read_text(encoding="utf-8").split("\n")[:-1] if self._path.exists() else [])


def _boss(request: ModelRequest) -> ModelReply | str:
    if request.number == 1:
        return call(("clerk", {"task": "a"}), ("clerk", {"task": "b"}), ("count", {"name": "boss"}))
    return "boss is done"


def _clerk(request: ModelRequest) -> ModelReply | str:
    first = getattr(request.messages[0], "content", None)
    if request.number == 1:
        return call(("count", {"name": f"clerk-{first}"}), ("look", {"name": f"clerk-{first}"}))
    return f"clerk did {first}"


def tools(ledger: Ledger) -> tuple[Any, Any, Any]:
    """Return the tools: an asynchronous one, a synchronous one, and one that fails the first time."""
    failed: set[str] = set()

    @tool(replay="safe")
    async def count(name: str) -> str:
        """Take half a second."""
        ledger.note(f"begin count {name}")
        await trio.sleep(0.5)
        ledger.note(f"end count {name}")
        return name

    @tool(replay="safe")
    def look(name: str) -> str:
        """Take no time."""
        ledger.note(f"begin look {name}")
        ledger.note(f"end look {name}")
        return name

    @tool(replay="safe")
    async def flaky(name: str) -> str:
        """Fail in the first attempt, also if it is the first one of a new process."""
        ledger.note(f"begin flaky {name}")
        await trio.sleep(0.1)
        if f"fail flaky {name}" not in ledger.counts() and name not in failed:
            failed.add(name)
            ledger.note(f"fail flaky {name}")
            raise ValueError("not yet")
        ledger.note(f"end flaky {name}")
        return name

    return count, look, flaky


def whole_tree(ledger: Ledger, *, items: int = 2) -> Plan:
    """Return the plan with everything in it."""
    count, look, flaky = tools(ledger)
    clerk = Agent("clerk", model=TimedModel(_clerk, seconds=0.3, name="clerk"), tools=[count, look])
    boss = Agent("boss", model=TimedModel(_boss, seconds=0.2, name="boss"), tools=[count], agents=[clerk])
    names = [f"i{k}" for k in range(items)]
    shape = {"type": "object", "properties": {"items": {"type": "array"}}, "required": ["items"]}
    lister = Agent(
        "lister", model=TimedModel(lambda _: say({"items": names}), seconds=0.1, name="lister"), output=shape
    )
    inner = Plan(
        [
            Task("first", tool=count, inputs={"name": "inner-${inputs.name}"}),
            Task("ask", ask=Ask("Go on with ${inputs.name}?", form={"go": "boolean"}), needs=["first"]),
            Task("then", tool=look, inputs={"name": "inner-${tasks.ask.output.go}"}),
        ],
        name="inner",
        inputs={"name": "string"},
        output="${tasks.then.output}",
    )
    return Plan(
        [
            Task("list", agent=lister, prompt="list"),
            Task(
                "each", ForEach("tasks.list.output.items", key="item", max_parallel=2), tool=count,
                inputs={"name": "each-${item}"},
            ),
            Task("try", tool=flaky, inputs={"name": "try"}, retries=Retry(3, delay=2.0)),
            Task("boss", agent=boss, prompt="lead"),
            Task("nested", plan=inner, inputs={"name": "n"}),
            Task("end", tool=look, inputs={"name": "${tasks.nested.output}-${tasks.boss.output}-${tasks.try.output}"}),
            Task("sum", tool=look, inputs={"name": "all: ${tasks.each.output}"}),
        ],
        name="whole",
        max_parallel=4,
        output={"end": "${tasks.end.output}", "sum": "${tasks.sum.output}"},
    )  # fmt: skip


def small_tree(ledger: Ledger) -> Plan:
    """Return a smaller plan with one of each: items, a retry, an agent with tools, a question in a nested plan."""
    count, look, flaky = tools(ledger)
    clerk = Agent("clerk", model=TimedModel(_clerk, seconds=0.3, name="clerk"), tools=[count, look])
    inner = Plan(
        [
            Task("ask", ask=Ask("Go on?", form={"go": "boolean"})),
            Task("then", tool=look, inputs={"name": "inner-${tasks.ask.output.go}"}),
        ],
        name="inner",
    )
    return Plan(
        [
            Task("each", ForEach(["x", "y"], max_parallel=1), tool=count, inputs={"name": "each-${item}"}),
            Task("try", tool=flaky, inputs={"name": "try"}, retries=Retry(3, delay=2.0)),
            Task("clerk", agent=clerk, prompt="a"),
            Task("nested", plan=inner),
            Task("end", tool=look, inputs={"name": "${tasks.nested.output}-${tasks.clerk.output}-${tasks.try.output}"}),
        ],
        name="small",
        max_parallel=3,
        output={"end": "${tasks.end.output}", "each": "${tasks.each.output}"},
    )


async def agree(_: Request) -> Answer:
    """Answer every question after ten seconds."""
    await trio.sleep(10)
    return ANSWER
