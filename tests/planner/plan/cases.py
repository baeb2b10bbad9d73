"""Every fault that a plan can have: plans with exactly one, and how it is reported."""

from typing import Any, NamedTuple

from planner.plan import Ask, ForEach, Plan, Retry, Task
from tests.planner.plan.plans import WRITER, agent, lookup, write

FOUND = {"type": "object", "properties": {"url": {"type": "string"}}, "additionalProperties": False}
LIST = {"type": "object", "properties": {"urls": {"type": "array", "items": {"type": "string"}}, "n": FOUND}}
INNER = Plan(
    [write("sum", "Add ${inputs.n}")], name="inner", inputs={"n": "integer", "s": {"type": "string", "default": ""}}
)


class Case(NamedTuple):
    """One fault: the tasks that have it, and how it is reported."""

    code: str
    path: tuple[str | int, ...]
    said: str
    hint: str
    tasks: list[Task]
    plan: dict[str, Any] = {}  # noqa: RUF012 - never changed
    offset: int | None = None
    in_key: bool = False


def broken(key: Any = "a", **settings: Any) -> list[Task]:
    """One task with these settings."""
    return [write(key, **settings)]


NAMES = "use lower-case letters, digits and _, and begin with a letter"
CASES = [
    Case("bad-name", ("tasks", "Read"), "'Read' cannot be the name of a task", NAMES, broken("Read"), in_key=True),
    Case(
        "bad-name", ("tasks", 3), "3 cannot be the name of a task", NAMES, broken(3), in_key=True,
    ),
    Case(
        "bad-name", ("inputs", "Topic"), "`Topic` cannot be the name of an input", NAMES, broken(),
        {"inputs": {"Topic": "string"}}, in_key=True,
    ),
    Case(
        "duplicate-key", ("tasks", "a"), "there is another task `a` before this one", "rename one of them",
        broken() + broken(), in_key=True,
    ),
    Case(
        "nothing-to-run", ("tasks", "a"), "this task runs nothing", "give it one of `agent`, `tool`, `plan`, `ask`",
        [Task("a")], in_key=True,
    ),
    Case(
        "two-things-to-run", ("tasks", "a", "tool"), "a task runs one thing, but this one has `agent` and `tool`",
        "make a task of each", broken(tool=lookup), in_key=True,
    ),
    Case(
        "missing-prompt", ("tasks", "a", "agent"), "an agent needs a `prompt`", "add `prompt: …` to the task",
        [Task("a", agent=WRITER)], in_key=True,
    ),
    Case(
        "stray-key", ("tasks", "a", "prompt"), "only an agent takes a `prompt`",
        "give values under `with` (`inputs` in Python)", [Task("a", tool=lookup, prompt="x")], in_key=True,
    ),
    Case(
        "stray-key", ("tasks", "a", "prompt"), "only an agent takes a `prompt`", "an `ask` has its `message`",
        [Task("a", ask=Ask("Go?"), prompt="x")], in_key=True,
    ),
    Case(
        "stray-key", ("tasks", "a", "with"), "only a tool or a plan takes `with` (`inputs` in Python)",
        "put the values into the `prompt`", broken(inputs={"n": 1}), in_key=True,
    ),
    Case(
        "stray-key", ("tasks", "a", "with"), "only a tool or a plan takes `with` (`inputs` in Python)",
        "put the values into `show`", [Task("a", ask=Ask("Go?"), inputs={"n": 1})], in_key=True,
    ),
    Case(
        "bad-value", ("tasks", "a", "prompt"), "`prompt` must be a text, not 5", "",
        [Task("a", agent=WRITER, prompt=5)],  # type: ignore[arg-type]
    ),
    Case(
        "bad-value", ("tasks", "a", "with"), "`with` must be a map of names to values, not 'x'", "",
        [Task("a", plan=INNER, inputs="x")],  # type: ignore[arg-type]
    ),
    Case(
        "bad-value", ("tasks", "a", "when"), "`when` must be an expression, not True", "write it as a text",
        broken(when=True),
    ),
    Case(
        "bad-value", ("tasks", "a", "on_failure"), "`on_failure` must be `stop` or `continue`, not 'go'", "",
        broken(on_failure="go"),
    ),
    Case(
        "bad-value", ("tasks", "a", "timeout"), "`timeout` must be a number of seconds above 0, not 0", "",
        broken(timeout=0),
    ),
    Case(
        "bad-value", ("tasks", "a", "estimate"), "`estimate` must be a number of seconds from 0 up, not inf", "",
        broken(estimate=float("inf")),
    ),
    Case(
        "bad-value", ("tasks", "a", "estimate"), "`estimate` must be a number of seconds from 0 up, not -1", "",
        broken(estimate=-1),
    ),
    Case(
        "bad-value", ("tasks", "a", "retries", "max"), "`max` must be a whole number from 0 up, not -1", "",
        broken(retries=-1),
    ),
    Case(
        "bad-value", ("tasks", "a", "retries", "delay"), "`delay` must be a number of seconds from 0 up, not -1", "",
        broken(retries=Retry(1, delay=-1)),
    ),
    Case(
        "bad-value", ("tasks", "a", "retries", "factor"), "`factor` must be a number above 0, not 0", "",
        broken(retries=Retry(1, factor=0)),
    ),
    Case(
        "bad-value", ("tasks", "a", "max_parallel"), "`max_parallel` must be a whole number above 0, not 0", "",
        broken(for_each=ForEach([1], max_parallel=0)),
    ),
    Case(
        "bad-value", ("tasks", "a", "allow_failures"),
        "`allow_failures` must be a number of items, a share such as `5%`, or `all`, not 'some'", "",
        broken(for_each=ForEach([1], allow_failures="some")),
    ),
    Case(
        "bad-value", ("tasks", "a", "allow_failures"),
        "`allow_failures` must be a number of items, a share such as `5%`, or `all`, not '101%'", "",
        broken(for_each=ForEach([1], allow_failures="101%")),
    ),
    Case(
        "bad-value", ("tasks", "a", "allow_failures"),
        "`allow_failures` must be a number of items, a share such as `5%`, or `all`, not True", "",
        broken(for_each=ForEach([1], allow_failures=True)),
    ),
    Case(
        "bad-value", ("on_failure",), "`on_failure` must be `stop` or `continue`, not 'go'", "", broken(),
        {"on_failure": "go"},
    ),
    Case(
        "bad-value", ("max_parallel",), "`max_parallel` must be a whole number above 0, not True", "", broken(),
        {"max_parallel": True},
    ),
    Case(
        "unknown-kind", ("tasks", "a", "retries", "only"), "there is no kind of failure `time_out`",
        "did you mean `timeout`?",
        broken(retries=Retry(1, only=frozenset({"time_out", "server"}))),
    ),
    Case(
        "unknown-type", ("inputs", "n"), "there is no type `strng`", "did you mean `string`?", broken(),
        {"inputs": {"n": "strng"}},
    ),
    Case(
        "bad-field", ("tasks", "a", "ask", "form", "n", "enum"), "`enum` must list at least one value", "",
        [Task("a", ask=Ask("Go?", form={"n": {"type": "string", "enum": []}}))],
    ),
    Case(
        "bad-default", ("inputs", "n", "default"), "`default` must be an integer, not \"x\"", "", broken(),
        {"inputs": {"n": {"type": "integer", "default": "x"}}},
    ),
    Case(
        "schema-file", ("inputs", "n", "schema"), "n.json cannot be read from here",
        "write the fields here, or give a JsonSchema",
        broken(), {"inputs": {"n": {"schema": "n.json"}}},
    ),
    Case(
        "bad-expression", ("tasks", "a", "prompt"), "this `${` is never closed",
        "close it with `}`, or write `$${` for the characters `${`", [write("a", "See ${inputs.n")], offset=4,
    ),
    Case(
        "bad-expression", ("tasks", "a", "with", "n", 0), "unknown name `input`", "did you mean `inputs`?",
        [Task("a", plan=INNER, inputs={"n": ["${input.n}"]})], offset=2,
    ),
    Case(
        "bad-expression", ("tasks", "a", "when"), "`&&` is not an operator here", "write `and`", broken(when="1 && 2"),
        offset=2,
    ),
    Case(
        "braces-in-expression", ("tasks", "a", "when"), "`when` is an expression itself, so it takes no `${…}`",
        "write it bare: `inputs.go`", broken(when=" ${ inputs.go }"), offset=1,
    ),
    Case(
        "unknown-task", ("tasks", "b", "prompt"), "there is no task `reed`", "did you mean `read`?",
        [write("read"), write("b", "Use ${tasks.reed.output}")], offset=6,
    ),
    Case(
        "unknown-task", ("tasks", "a", "needs", 0), "there is no task `reed`", "did you mean `read`?",
        [write("a", needs=["reed"]), write("read")],
    ),
    Case(
        "unknown-task", ("output", "x"), "there is no task `b`", "there is `a`", broken(),
        {"output": {"x": "${tasks.b.output}"}}, offset=2,
    ),
    Case(
        "self-reference", ("tasks", "a", "prompt"), "`a` refers to itself: a -> a", "a task cannot see its own result",
        [write("a", "${tasks.a.output}")], offset=2,
    ),
    Case("self-reference", ("tasks", "a", "needs", 0), "`a` needs itself: a -> a", "remove it", broken(needs=["a"])),
    Case(
        "cycle", ("tasks", "a", "prompt"), "these tasks wait for each other: a -> c -> b -> a",
        "take out one of these references or needs",
        [write("a", "Use ${tasks.c.output}"), write("b", needs=["a"]), write("c", when="tasks.b.output")], offset=6,
    ),
    Case(
        "cycle", ("tasks", "a", "needs", 1), "these tasks wait for each other: a -> b -> a",
        "take out one of these references or needs",
        [write("x"), write("a", needs=["x", "b"]), write("b", needs=["a"])],
    ),
    Case(
        "unknown-root", ("tasks", "a", "prompt"), "`args` has no value here",
        "`args` is known only in the rules of a tool's approval", [write("a", "${args.n}")], offset=2,
    ),
    Case(
        "unknown-root", ("tasks", "a", "when"), "`plan` has no value here",
        "`plan` is known only in tasks that run at the end of a plan", broken(when="plan.status == 'FAILED'"), offset=0,
    ),
    Case(
        "unknown-root", ("output",), "`output` has no value here",
        "`output` is known only where a task's result is looked at to repeat it; write `tasks.NAME.output`", broken(),
        {"output": "${output}"}, offset=2,
    ),
    Case(
        "no-item", ("tasks", "a", "prompt"), "`item` has no value here", "only a task with `for_each` has it",
        [write("a", "${item.n}")], offset=2,
    ),
    Case(
        "no-item", ("output",), "`index` has no value here", "only a task with `for_each` has it", broken(),
        {"output": "${index}"}, offset=2,
    ),
    Case(
        "no-item", ("tasks", "a", "for_each"), "`item` has no value here", "the list comes first, its items after it",
        broken(for_each=ForEach("item.list")), offset=0,
    ),
    Case(
        "not-a-list", ("tasks", "b", "for_each"), "`for_each` goes through a list, but `tasks.a.output` is a string",
        "",
        [write("a"), write("b", for_each=ForEach("tasks.a.output"))], offset=0,
    ),
    Case(
        "not-a-list", ("tasks", "a", "for_each"), "`for_each` goes through a list, but `inputs.m` is an object",
        "go through its pairs with `inputs.m | items`", broken(for_each=ForEach("inputs.m")),
        {"inputs": {"m": {"x": "string"}}},
        offset=0,
    ),
    Case(
        "not-a-list", ("tasks", "a", "for_each"), "`for_each` goes through a list, not 3",
        "name a list, or write one: `[a, b]`",
        broken(for_each=ForEach(3)),  # type: ignore[arg-type]
    ),
    Case(
        "unknown-input", ("tasks", "a", "prompt"), "there is no input `topik`", "did you mean `topic`?",
        [write("a", "On ${inputs.topik}")], {"inputs": {"topic": "string"}}, offset=5,
    ),
    Case(
        "unknown-input", ("tasks", "a", "when"), "there is no input `x`", "the plan declares no inputs",
        broken(when="inputs.x"), {"inputs": {}}, offset=0,
    ),
    Case(
        "unknown-field", ("tasks", "a", "prompt"), "`inputs.m` has no `y`", "there is `x`",
        [write("a", "${inputs.m.y}")],
        {"inputs": {"m": {"x": "string"}}}, offset=2,
    ),
    Case(
        "unknown-field", ("tasks", "b", "key"), "`item` is a string, so it has no field `url`", "",
        [Task("a", agent=agent(LIST), prompt="x"), write("b", for_each=ForEach("tasks.a.output.urls", key="item.url"))],
        offset=0,
    ),
    Case(
        "unknown-field", ("tasks", "a", "when"), "`item` has no `c`", "there is `a`, `b`",
        broken(for_each=ForEach([{"a": 1}, {"b": 2}]), when="item.c"), offset=0,
    ),
    Case(
        "unknown-output-field", ("tasks", "b", "prompt"), "`tasks.a.output` has no `ulr`", "did you mean `url`?",
        [Task("a", agent=agent(FOUND), prompt="x"), write("b", "${tasks.a.output.ulr}")], offset=2,
    ),
    Case(
        "unknown-output-field", ("tasks", "b", "prompt"), "`tasks.a.output` is a string, so it has no field `url`", "",
        [write("a"), write("b", "${tasks.a.output.url}")], offset=2,
    ),
    Case(
        "unknown-output-field", ("tasks", "b", "prompt"),
        "`tasks.a.output.go` is true or false, so it has no item [0]", "",
        [Task("a", ask=Ask("Go?", form={"go": "boolean"})), write("b", "${tasks.a.output.go[0]}")], offset=2,
    ),
    Case(
        "unknown-output-field", ("tasks", "b", "prompt"),
        "`tasks.a.output` is a list of strings, so it has no field `url`",
        "write `tasks.a.output[0].url` for the first, or go through the list with `for_each`",
        [write("a", for_each=ForEach([1])), write("b", "${tasks.a.output.url}")], offset=2,
    ),
    Case(
        "unknown-output-field", ("tasks", "b", "prompt"), "`tasks.a.output` is a string, so it has no field `length`",
        "write `tasks.a.output | length`", [write("a"), write("b", "${tasks.a.output.length}")], offset=2,
    ),
    Case(
        "unknown-output-field", ("tasks", "b", "prompt"), "`tasks.a` has no `items`",
        "only a task with `for_each` has items; write `tasks.a.output`", [write("a"), write("b", "${tasks.a.items}")],
        offset=2,
    ),
    Case(
        "unknown-output-field", ("tasks", "b", "prompt"), "`tasks.a` has no `url`",
        "a task has output, status, error; is it a field of `output`?", [write("a"), write("b", "${tasks.a.url}")],
        offset=2,
    ),
    Case(
        "unknown-output-field", ("tasks", "b", "prompt"), "`tasks.a` alone is not a value", "write `tasks.a.output`",
        [write("a"), write("b", "${tasks.a}")], offset=2,
    ),
    Case(
        "missing-input", ("tasks", "a", "with"), "plan `inner` is not given its input `n`",
        "add it under `with` (`inputs` in Python): `n: …`", [Task("a", plan=INNER, inputs={})], in_key=True,
    ),
    Case(
        "missing-input", ("tasks", "a", "plan"), "plan `inner` is not given its input `n`",
        "add it under `with` (`inputs` in Python): `n: …`", [Task("a", plan=INNER)], in_key=True,
    ),
    Case(
        "unknown-input-of-plan", ("tasks", "a", "with", "m"), "plan `inner` has no input `m`", "there is `n`, `s`",
        [Task("a", plan=INNER, inputs={"n": 1, "m": 2})], in_key=True,
    ),
    Case(
        "unknown-input-of-plan", ("tasks", "a", "with", "m"), "plan `plan` has no input `m`", "it declares none",
        [Task("a", plan=Plan([write("b")], inputs={}), inputs={"m": 2})], in_key=True,
    ),
    Case(
        "type-mismatch", ("tasks", "a", "with", "n"), "`n` must be an integer, not \"many\"", "",
        [Task("a", plan=INNER, inputs={"n": "many"})],
    ),
    Case(
        "type-mismatch", ("tasks", "a", "with", "n"), "`n` must be an integer, not a string", "",
        [write("b"), Task("a", plan=INNER, inputs={"n": "${tasks.b.output}"})],
    ),
    Case(
        "unknown-output-field", ("tasks", "a", "plan", "tasks", "y", "prompt"),
        "`tasks.x.output` is a string, so it has no field `n`", "",
        [Task("a", plan=Plan([write("x"), write("y", "${tasks.x.output.n}")]))], offset=2,
    ),
]  # fmt: skip
