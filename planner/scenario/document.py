"""The keys that a scenario file may have in this version; SCENARIOS of the documentation explains them."""

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from planner.plan.fields import JsonSchema
from planner.scenario.field_shapes import Fields, OneField
from planner.scenario.records import Node, Record, says
from planner.scenario.rehearsal import DURATION, ExpectNode, Scripts, ScriptsNode
from planner.scenario.shapes import (
    AnyJson,
    AnyMap,
    Choice,
    Either,
    ListOf,
    MapOf,
    Number,
    Text,
    Whole,
    is_list,
    is_mapping,
    is_number,
    is_text,
)

NAME = "[a-z][a-z0-9_]*"
NAME_RULE = "a name is a small letter, then small letters, digits and _"

ON_FAILURE = Choice(("stop", "continue"))
NAMES = ListOf(Text())


@attrs.frozen(kw_only=True)
class ModelNode(Node):
    """A model by the name that agents use."""

    SORT = "a model"

    provider: str = attrs.field(
        metadata=says(
            Text(),
            "Who runs it: `openai`, or any server that speaks its wire; `scripted` plays the replies of `scripts`.",
        )
    )
    model: str | None = attrs.field(default=None, metadata=says(Text(), "The provider's name of the model."))
    max_concurrent: int | None = attrs.field(default=None, metadata=says(Whole(), "How many calls may run at once."))
    base_url: str | None = attrs.field(
        default=None,
        metadata=says(
            Text(r"https?://\S+", "an address such as https://host/v1"),
            "Where the server is; default `$OPENAI_BASE_URL`, else the provider's own.",
        ),
    )
    api_key_env: str | None = attrs.field(
        default=None,
        metadata=says(
            Text(r"[A-Za-z_][A-Za-z0-9_]*", "the name of an environment variable, never the key itself"),
            "The environment variable that holds the key; default `OPENAI_API_KEY`.",
        ),
    )
    structured_output: Literal["schema", "instructions"] = attrs.field(
        default="schema",
        metadata=says(
            Choice(("schema", "instructions")),
            "How it is told of an agent's `output`: by a JSON Schema beside the messages, or in words, for servers that"
            " refuse the former.",
        ),
    )


@attrs.frozen(kw_only=True)
class ToolNode(Node):
    """A tool by the name that agents and tasks use."""

    SORT = "a tool"

    python: str = attrs.field(
        metadata=says(
            Text(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", 'write it as "module:name"'),
            '"module:name" of a Python function, in a file beside the scenario.',
        )
    )
    description: str | None = attrs.field(
        default=None, metadata=says(Text(), "What a model is told; default the function's docstring.")
    )
    replay: str | None = attrs.field(
        default=None,
        metadata=says(Choice(("safe", "ask", "never")), "What may happen to a call that was in flight at a crash."),
    )
    timeout: float | None = attrs.field(default=None, metadata=says(DURATION, "How long one call may take."))
    max_concurrent: int | None = attrs.field(default=None, metadata=says(Whole(), "How many calls may run at once."))


@attrs.frozen(kw_only=True)
class AgentNode(Node):
    """An agent: a model with instructions, and what it may call."""

    SORT = "an agent"

    model: str = attrs.field(metadata=says(Text(), "Name of a model under `models`."))
    instructions: str = attrs.field(default="", metadata=says(Text(), "What the model is told before anything else."))
    description: str = attrs.field(
        default="", metadata=says(Text(), "What a calling agent is told; default the instructions.")
    )
    tools: list[str] = attrs.field(default=(), metadata=says(NAMES, "Tools that it may call."))
    agents: list[str] = attrs.field(
        default=(), metadata=says(NAMES, "Agents that it may call, each as a tool of its own name.")
    )
    inputs: JsonSchema | None = attrs.field(
        default=None, metadata=says(Fields(), "Its inputs when another agent calls it; default one text, `task`.")
    )
    output: JsonSchema | None = attrs.field(
        default=None, metadata=says(OneField(), "Fields of its output; default text.")
    )
    max_iterations: int | None = attrs.field(
        default=None, metadata=says(Whole(), "Model calls that one Turn may make.")
    )
    max_steps: int | None = attrs.field(default=None, metadata=says(Whole(), "Steps that one Turn may take."))
    tool_errors: str | None = attrs.field(
        default=None,
        metadata=says(Choice(("return", "fail")), "Whether the model hears of a tool's failure, or the Turn fails."),
    )
    max_concurrent: int | None = attrs.field(default=None, metadata=says(Whole(), "How many tasks may run it at once."))


@attrs.frozen(kw_only=True)
class RetryNode(Node):
    """How a failed task is tried again."""

    SORT = "`retries`"

    max: int = attrs.field(metadata=says(Whole(), "Tries after the first one."))
    delay: float | None = attrs.field(default=None, metadata=says(DURATION, "Wait before the first retry."))
    factor: float | None = attrs.field(
        default=None, metadata=says(Number(), "Each further wait is this many times longer.")
    )
    only: list[str] | None = attrs.field(
        default=None, metadata=says(ListOf(Text(), 1), "Kinds of failure that are worth a retry.")
    )


@attrs.frozen(kw_only=True)
class AskNode(Node):
    """A question to a person."""

    SORT = "`ask`"

    message: str = attrs.field(metadata=says(Text(), "The question; a template."))
    show: Any = attrs.field(default=None, metadata=says(AnyJson(), "What to show with it; a template value."))
    form: JsonSchema | None = attrs.field(
        default=None, metadata=says(Fields(), "Fields of the answer; default a free value.")
    )


@attrs.frozen(kw_only=True)
class TaskNode(Node):
    """One task: exactly one of agent, tool, plan, ask."""

    SORT = "a task"

    agent: str | None = attrs.field(default=None, metadata=says(Text(), "The agent that does it, with `prompt`."))
    prompt: str | None = attrs.field(default=None, metadata=says(Text(), "What the agent is asked; a template."))
    tool: str | None = attrs.field(default=None, metadata=says(Text(), "The tool to call, with `with`."))
    plan: str | None = attrs.field(default=None, metadata=says(Text(), "The plan under `plans` to run, with `with`."))
    with_: Mapping[str, Any] | None = attrs.field(
        default=None, metadata=says(AnyMap(), "Arguments of the tool or inputs of the plan; template values.")
    )
    ask: AskNode | None = attrs.field(
        default=None, metadata=says(Record(AskNode), "A question to a person; the answer is the output.")
    )
    needs: list[str] = attrs.field(
        default=(), metadata=says(NAMES, "Tasks that come first although nothing of theirs is used.")
    )
    for_each: Any = attrs.field(
        default=None,
        metadata=says(
            Either(((is_text, Text()), (is_list, ListOf(AnyJson()))), "a bare expression or a list"),
            "Run once for each item of this list; a bare expression, or the list.",
        ),
    )
    key: str | None = attrs.field(
        default=None, metadata=says(Text(), "Bare expression that names each item's child; default the index.")
    )
    max_parallel: int | None = attrs.field(default=None, metadata=says(Whole(), "How many items may run at once."))
    allow_failures: int | str | None = attrs.field(
        default=None,
        metadata=says(
            Either(
                (
                    (is_number, Whole(0)),
                    (is_text, Text(r"all|[0-9]+(\.[0-9]+)?%", "write a number, a share such as 5%, or all")),
                ),
                "a number, a share such as 5%, or all",
            ),
            "How many items may fail.",
        ),
    )
    when: str | None = attrs.field(
        default=None, metadata=says(Text(), "Bare expression; the task is skipped when it is false.")
    )
    on_failure: str | None = attrs.field(default=None, metadata=says(ON_FAILURE, "Overrides the plan's."))
    timeout: float | None = attrs.field(default=None, metadata=says(DURATION, "Active time that one attempt may use."))
    retries: Any = attrs.field(
        default=None,
        metadata=says(
            Either(((is_number, Whole(0)), (is_mapping, Record(RetryNode))), "a whole number or a mapping"),
            "How often it is tried again.",
        ),
    )
    estimate: float | None = attrs.field(
        default=None, metadata=says(DURATION, "Expected duration; what takes longest starts first.")
    )


def _named(node: type[Node]) -> MapOf:
    return MapOf(Record(node), NAME, NAME_RULE)


TASKS = MapOf(Record(TaskNode), least=1)


@attrs.frozen(kw_only=True)
class PlanNode(Node):
    """The plan of the scenario."""

    SORT = "the plan"

    tasks: Mapping[str, TaskNode] = attrs.field(metadata=says(TASKS, "The tasks by name."))
    output: Any = attrs.field(
        default=None,
        metadata=says(AnyJson(), "Template value; default the only leaf, else a map of the leaves."),
    )
    max_parallel: int | None = attrs.field(default=None, metadata=says(Whole(), "How many tasks may run at once."))
    on_failure: str | None = attrs.field(
        default=None, metadata=says(ON_FAILURE, "`stop` (default) or let independent tasks go on.")
    )


@attrs.frozen(kw_only=True)
class NestedPlanNode(PlanNode):
    """A plan that tasks can run."""

    SORT = "a plan under `plans`"

    inputs: JsonSchema | None = attrs.field(default=None, metadata=says(Fields(), "What `with` must give."))


@attrs.frozen(kw_only=True)
class ScenarioNode(Node):
    """A whole scenario file."""

    SORT = "a scenario"

    turntree: int = attrs.field(metadata=says(Choice((1,)), "Version of the language; 1."))
    name: str = attrs.field(metadata=says(Text(), "What the scenario is called."))
    plan: PlanNode = attrs.field(metadata=says(Record(PlanNode), "What is run."))
    description: str = attrs.field(default="", metadata=says(Text(), "What it is for."))
    inputs: JsonSchema | None = attrs.field(default=None, metadata=says(Fields(), "What a run must be given."))
    models: Mapping[str, ModelNode] = attrs.field(factory=dict, metadata=says(_named(ModelNode), "Models by name."))
    tools: Mapping[str, ToolNode] = attrs.field(factory=dict, metadata=says(_named(ToolNode), "Tools by name."))
    agents: Mapping[str, AgentNode] = attrs.field(factory=dict, metadata=says(_named(AgentNode), "Agents by name."))
    plans: Mapping[str, NestedPlanNode] = attrs.field(
        factory=dict, metadata=says(_named(NestedPlanNode), "Plans that tasks can run.")
    )
    scripts: ScriptsNode | None = attrs.field(
        default=None, metadata=says(Scripts(), "Replies of scripted models, and answers of people.")
    )
    expect: ExpectNode | None = attrs.field(default=None, metadata=says(Record(ExpectNode), "What a run must come to."))


DOCUMENT = Record(ScenarioNode)
