"""One Turn as a reader of its events sees it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import attrs

from planner.inspector.words import clean
from runtime.values.failure import Failure
from runtime.values.requests import Request
from runtime.values.status import Status
from runtime.values.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator


@attrs.frozen
class OpenCall:
    """A model or tool call that has begun and not ended."""

    sort: str
    """`model` or `tool`."""
    name: str
    started: float
    arguments: Any = None

    @property
    def what(self) -> str:
        """What is called, in words."""
        return f"the {self.sort} {clean(self.name)}"


@attrs.frozen
class Retry:
    """Something that failed and will be tried again."""

    key: str
    """Name of the child that failed, such as `read[a.org]`."""
    attempt: int
    """The attempt that will be made."""
    due: float
    error: Failure


@attrs.define(eq=False)
class TaskView:
    """How a task of a plan stands, or the items of one that runs for each of a list."""

    key: str
    status: str = "RUNNING"
    """`RUNNING COMPLETED FAILED SKIPPED CANCELLED`."""
    reason: str | None = None
    """Why it was skipped or failed, when no child says so."""
    items: tuple[str, ...] | None = None
    """Keys of the items; None for a task that runs once."""
    settled: dict[int, str] = attrs.field(factory=dict)
    """Status of each item that came to an end."""

    def counts(self) -> Counter[str]:
        """Return how many items came to which end."""
        return Counter(self.settled.values())

    def name(self, index: int | None) -> str:
        """Return the name that a child for this task, or one of its items, has."""
        if index is None or self.items is None:
            return self.key
        return f"{self.key}[{self.items[index]}]"


@attrs.define(eq=False)
class Node:
    """One Turn: what its facts and previews say so far. Changed by `TreeView.fold` only."""

    turn_id: str
    parent: Node | None
    key: str
    """The name that its parent gave it; empty at the root."""
    kind: str
    agent: str
    """Name of the agent, plan or tool."""
    started: float
    input: Any = None
    attempt: int = 1
    children: dict[int, Node] = attrs.field(factory=dict)
    """By the number that the parent gave them; in no order, since children that start together come as they please."""
    ended: float | None = None
    ending: Status | None = None
    output: Any = None
    error: Failure | None = None
    usage: Usage = NO_USAGE
    """Its own, without its children's."""
    tokens: int = 0
    """Of the whole subtree."""
    text: str = ""
    """The newest line that it brought."""
    calls: dict[str, OpenCall] = attrs.field(factory=dict)
    requests: dict[str, Request] = attrs.field(factory=dict)
    """Its own open questions."""
    retries: dict[str, Retry] = attrs.field(factory=dict)
    tasks: dict[str, TaskView] = attrs.field(factory=dict)
    """Of a plan; tasks whose needs are not settled are not among them."""
    planned: int = 0
    """How many tasks its plan has."""
    suspended: bool = False
    recoveries: int = 0
    limit: int | None = None
    """The limit that ended it."""
    replaced: bool = False
    """Whether another attempt at the same followed."""
    cancelling: str | None = None
    """Why it was asked to end, if it was."""
    cancelled_by: str = ""
    """Who ended it, if somebody did and is known."""
    last_ended: str = ""
    """Name of the child that ended last."""
    last: dict[str, Node] = attrs.field(factory=dict)
    """The newest child of each name."""

    @property
    def name(self) -> str:
        """What people call it."""
        return self.key or self.agent

    @property
    def status(self) -> Status:
        """Where the Turn stands."""
        if self.ending is not None:
            return self.ending
        if self.suspended:
            return Status.WAITING_FOR_USER if self.requests else Status.WAITING_FOR_CHILD
        if self.retries and not self.calls and all(child.ending is not None for child in self.children.values()):
            return Status.RETRY_SCHEDULED
        return Status.RUNNING

    def elapsed(self, now: float) -> float:
        """Return the seconds from its start to its end, or to now."""
        return max((now if self.ended is None else self.ended) - self.started, 0.0)

    def walk(self) -> Iterator[Node]:
        """Yield the Turn and everything below it, parents before their children."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.ordered()))

    def ordered(self) -> list[Node]:
        """Return the children in the order in which the parent let them start."""
        return [self.children[n] for n in sorted(self.children)]

    def newest(self) -> list[Node]:
        """Return the children in order, without attempts that were followed by another one."""
        return [child for child in self.ordered() if not child.replaced]

    def total(self) -> Usage:
        """Return what the whole subtree has spent."""
        spent = [node.usage for node in self.walk()]
        return Usage(
            sum(each.input_tokens for each in spent),
            sum(each.output_tokens for each in spent),
            sum(each.model_calls for each in spent),
            sum(each.tool_calls for each in spent),
        )


def path_of(node: Node, below: str = "") -> str:
    """Return the names from below the root down to a Turn; the root's own name for the root.

    Args:
        node: The Turn.
        below: Name of a task of its plan, to go one further down.
    """
    names = [below] if below else []
    at: Node | None = node
    while at is not None and at.parent is not None:
        names.append(at.name)
        at = at.parent
    return clean("/".join(reversed(names))) or clean(node.name)
