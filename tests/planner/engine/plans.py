"""Random plans of everything that tasks can be."""

from typing import Any

from hypothesis import strategies as st

from planner import Ask, ForEach, Plan, Retry, Task
from runtime import Answer, Request
from tests.planner.engine.kit import WORKER, double

INPUTS = {"go": True, "items": [1, -2, 3]}
KINDS = ["transport", "server"]
SHARES: list[int | str] = [0, 1, "50%", "all"]


def answer(request: Request) -> Answer:
    """Answer every question: no to those that ask for it."""
    return Answer.reject("no") if "refuse" in request.message else Answer.of("yes")


@st.composite
def tasks(draw: st.DrawFn, number: int, *, steady: bool, depth: int) -> Task:
    """Make the task `t<number>`; what it needs comes before it."""
    key = f"t{number}"
    before = [f"t{n}" for n in range(number)]
    used = draw(st.lists(st.sampled_from(before), max_size=2, unique=True)) if before else []
    text = " ".join([f"${{tasks.{name}.output}}" for name in used]) or "x"
    options: dict[str, Any] = {
        "needs": draw(st.lists(st.sampled_from(before), max_size=1)) if before else [],
        "when": draw(st.sampled_from([None, None, None, "inputs.go", "not inputs.go"])),
        "retries": draw(st.sampled_from([None, 1, Retry(2, only=frozenset({"transport"}))])),
        "on_failure": draw(st.sampled_from(["continue"] if steady else [None, "stop", "continue"])),
        "estimate": draw(st.sampled_from([None, 1, 5])),
    }
    sort = draw(st.sampled_from(["agent", "agent", "each", "each tool", "tool", "ask", *(["plan"] if depth else [])]))
    allowed: int | str = draw(st.sampled_from(SHARES[-1:] if steady else SHARES))
    each = ForEach(
        draw(st.sampled_from(["inputs.items", [1, 2], []])),
        key=draw(st.sampled_from([None, "item", "index"])),
        max_parallel=draw(st.sampled_from([None, 1, 2])),
        allow_failures=allowed,
    )
    prompt = f"{draw(st.sampled_from([0, 0, 1, 9]))} {draw(st.sampled_from(KINDS))} {text}"
    if sort == "agent":
        return Task(key, agent=WORKER, prompt=prompt, **options)
    if sort == "each":
        options["when"] = draw(st.sampled_from([None, "item > 1"]))
        return Task(key, each, agent=WORKER, prompt=f"{prompt} ${{item}}", **options)
    if sort == "each tool":
        return Task(key, each, tool=double, inputs={"n": "${item}"}, **options)
    if sort == "tool":
        return Task(key, tool=double, inputs={"n": draw(st.sampled_from([1, -1]))}, **options)
    if sort == "ask":
        return Task(key, ask=Ask(draw(st.sampled_from(["ok?", "refuse?"])), text), **options)
    return Task(key, plan=draw(plans(steady=steady, depth=depth - 1)), inputs=INPUTS, **options)


@st.composite
def plans(draw: st.DrawFn, *, steady: bool = False, depth: int = 1) -> Plan:
    """Make a plan. A steady one ends the same in every order: no failure stops or gives up anything."""
    count = draw(st.integers(1, 5))
    return Plan(
        [draw(tasks(number, steady=steady, depth=depth)) for number in range(count)],
        max_parallel=draw(st.sampled_from([None, 1, 2])),
        on_failure="continue" if steady else draw(st.sampled_from(["stop", "continue"])),
    )
