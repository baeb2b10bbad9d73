"""What stands in for the world when a scenario is tried out, and what the trial must come to: `scripts`, `expect`."""

from collections.abc import Mapping
from typing import Any

import attrs

from planner.scenario.places import PathKey
from planner.scenario.reader import UNREADABLE
from planner.scenario.records import ABSENT, Node, Record, Schemas, says
from planner.scenario.shapes import (
    AnyJson,
    AnyMap,
    Choice,
    Either,
    ListOf,
    MapOf,
    Reading,
    Shape,
    Text,
    Whole,
    Written,
    is_list,
    is_mapping,
    is_number,
    is_text,
)  # fmt: skip
from runtime.values.status import Status
from runtime.values.units import parse_count, parse_duration

DURATION = Written("seconds, or a duration such as 30s", parse_duration, r"[0-9]+(\.[0-9]+)? ?(ms|s|m|h|d)")
COUNT = Written(
    "a number, or a count such as 20k",
    parse_count,
    r"[0-9]+|[0-9]+(\.[0-9]{1,3})? ?k|[0-9]+(\.[0-9]{1,6})? ?M",
    "integer",
)
STATUSES = tuple(str(status) for status in Status)
TASK_STATUSES = ("COMPLETED", "FAILED", "SKIPPED", "CANCELLED", "PENDING", "RUNNING", "WAITING")


@attrs.frozen(kw_only=True)
class TokensNode(Node):
    """Tokens that a scripted reply claims to have used."""

    SORT = "`usage` of a reply"

    input: int | None = attrs.field(default=None, metadata=says(COUNT, "Input tokens."))
    output: int | None = attrs.field(default=None, metadata=says(COUNT, "Output tokens."))


@attrs.frozen(kw_only=True)
class ReplyNode(Node):
    """One reply of a scripted model."""

    SORT = "a reply"

    text: str | None = attrs.field(default=None, metadata=says(Text(blank=True), "Plain text."))
    json: Any = attrs.field(default=None, metadata=says(AnyJson(), "The structured output."))
    calls: list[Mapping[str, Any]] | None = attrs.field(
        default=None,
        metadata=says(
            ListOf(MapOf(Either(((is_mapping, AnyMap()), (is_text, Text(blank=True))), "a mapping of arguments")), 1),
            "Tool calls: [{tool: {args}}]; text as arguments stands for what is no valid JSON.",
        ),
    )
    error: str | None = attrs.field(default=None, metadata=says(Text(), "Kind of error with which the call fails."))
    thinking: str | None = attrs.field(default=None, metadata=says(Text(blank=True), "Reasoning that comes first."))
    usage: TokensNode | None = attrs.field(default=None, metadata=says(Record(TokensNode), "Tokens used."))
    delay: float | None = attrs.field(default=None, metadata=says(DURATION, "How long the call takes."))
    chunks: Any = attrs.field(
        default=None,
        metadata=says(
            Either(((is_number, Whole()), (is_list, ListOf(AnyJson(), 1))), "a number of pieces, or the pieces"),
            "How the text arrives.",
        ),
    )


REPLIES = ListOf(Record(ReplyNode))


@attrs.frozen(kw_only=True)
class AttemptsNode(Node):
    """Replies by attempt of the task."""

    SORT = "a script"

    attempts: list[list[ReplyNode]] = attrs.field(
        metadata=says(ListOf(REPLIES, 1), "One list of replies for each attempt.")
    )


SCRIPT = Either(((is_list, REPLIES), (is_mapping, Record(AttemptsNode))), "a list of replies or {attempts: […]}")


@attrs.frozen(kw_only=True)
class ScriptsNode(Node):
    """Everything that a scenario plays by itself."""

    SORT = "`scripts`"

    answers: Mapping[str, Any] = attrs.field(
        factory=dict, metadata=says(AnyMap(), "What people answer, by `ask` task.")
    )
    replies: Mapping[str, Any] = {}
    """What models reply, as it is written, by item, task or agent."""


_OURS = frozenset({*ScriptsNode.keys(), "tool_results"})
"""Keys of `scripts` that are no names; results of remote tools come with remote tools."""


class Scripts(Shape):
    """`scripts`: a key of ours, and any number of names with replies."""

    words = "a mapping"

    def _take(self, value: Any, path: PathKey, reading: Reading) -> Any:
        """Read our own key as a record and every other key as a script."""
        if not isinstance(value, Mapping):
            return self.wrong(value, path, reading)
        ours = {name: each for name, each in value.items() if name in _OURS}
        node: ScriptsNode = Record(ScriptsNode).read(ours, path, reading)
        replies = {
            name: each
            for name, each in value.items()
            if name not in ours and SCRIPT.read(each, (*path, name), reading) is not UNREADABLE
        }
        return attrs.evolve(node, replies=replies)

    def schema(self, schemas: Schemas) -> dict[str, Any]:
        """Let the names be open."""
        reference = Record(ScriptsNode).schema(schemas)
        ours = schemas.defs["ScriptsNode"]
        ours["properties"] |= {name: False for name in _OURS if name not in ours["properties"]}
        ours["additionalProperties"] = SCRIPT.schema(schemas)
        return reference


@attrs.frozen(kw_only=True)
class BoundsNode(Node):
    """Limits that a number must keep."""

    SORT = "a bound"

    min: int | None = attrs.field(default=None, metadata=says(COUNT, "At least."))
    max: int | None = attrs.field(default=None, metadata=says(COUNT, "At most."))


BOUNDS = Either(
    ((lambda value: is_number(value) or is_text(value), COUNT), (is_mapping, Record(BoundsNode))),
    "a number or {min, max}",
)


@attrs.frozen(kw_only=True)
class UsageNode(Node):
    """What the run may have used."""

    SORT = "`usage` of `expect`"

    input_tokens: Any = attrs.field(default=None, metadata=says(BOUNDS, "Tokens read by models."))
    output_tokens: Any = attrs.field(default=None, metadata=says(BOUNDS, "Tokens written by models."))
    total_tokens: Any = attrs.field(default=None, metadata=says(BOUNDS, "Both."))
    model_calls: Any = attrs.field(default=None, metadata=says(BOUNDS, "Model calls."))
    tool_calls: Any = attrs.field(default=None, metadata=says(BOUNDS, "Tool calls."))


@attrs.frozen(kw_only=True)
class ExpectedTaskNode(Node):
    """What one task must have come to."""

    SORT = "a task under `expect`"

    status: str | None = attrs.field(default=None, metadata=says(Choice(TASK_STATUSES), "How it ended."))
    count: int | None = attrs.field(default=None, metadata=says(Whole(0), "How many items it had."))
    output: Any = attrs.field(default=ABSENT, metadata=says(AnyJson(), "Its output, exactly."))


@attrs.frozen(kw_only=True)
class ExpectNode(Node):
    """What a run must come to."""

    SORT = "`expect`"

    status: str | None = attrs.field(default=None, metadata=says(Choice(STATUSES), "How it ends."))
    tasks: Mapping[str, ExpectedTaskNode] = attrs.field(
        factory=dict, metadata=says(MapOf(Record(ExpectedTaskNode)), "What tasks come to.")
    )
    output: Any = attrs.field(default=ABSENT, metadata=says(AnyJson(), "The output, exactly."))
    usage: UsageNode | None = attrs.field(
        default=None, metadata=says(Record(UsageNode), "What the whole tree may use.")
    )
    events: list[str] = attrs.field(
        default=(),
        metadata=says(
            ListOf(Text(r"[A-Z][A-Z_]*( \S+)?", "write TYPE, or TYPE and a task: TASK_STARTED brief")),
            "Events that come in this order, with others between: TYPE, or TYPE and a task.",
        ),
    )
