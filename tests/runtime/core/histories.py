"""Histories written down fact by fact, for tests of the grammar."""

from typing import Any, Literal

from runtime.values import events as e
from runtime.values.failure import Cause, Failure
from runtime.values.messages import AssistantMessage, Text, ToolCall
from runtime.values.requests import Answer
from runtime.values.status import Status
from runtime.values.usage import NO_USAGE

ROOT = "tree"
Entry = tuple[str, e.EventData]
Entries = list[Entry | e.EventData]

FAILURE = Failure("tool_error", "it broke")
CANCEL = Cause("cancelled", "enough")
STEP, STEP_DONE = e.StepStarted(1), e.StepCompleted(1)
MODEL = e.ModelStarted("1.0", 1, "m")
TOOL = e.ToolStarted("1.1", "add", {})
TOOL_DONE = e.ToolCompleted("1.1", 3)
DONE = e.TurnCompleted("ok")
FAILED = e.TurnFailed(FAILURE)
CANCELLED = e.TurnCancelled(CANCEL)
ASKED = e.TaskAnswerRequested("0.1.1", "Go on?")
ANSWERED = e.RequestAnswered("0.1.1", Answer.approve(), "ann")
RESUMED = e.TurnResumed("answer")
PLAN = e.TurnStarted("plan", 1, {})


def started(kind: str = "agent", key: str = "", depth: int = 0) -> e.TurnStarted:
    """The first fact of a Turn."""
    return e.TurnStarted(kind, 1, None, key, depth=depth)


def replied(*decisions: Literal["allow", "deny"]) -> e.ModelCompleted:
    """A reply that asks for calls 1.1, 1.2, …, each of which may run or not; without any it is text."""
    calls = [ToolCall(f"1.{k}", "id", "add", {}) for k in range(1, len(decisions) + 1)]
    verdicts = [e.Verdict(call.call_key, what == "allow") for call, what in zip(calls, decisions, strict=True)]
    return e.ModelCompleted("1.0", AssistantMessage((*calls, Text("ok"))), NO_USAGE, "stop", tuple(verdicts))


def child(n: int = 1, key: str = "sub", call_key: str = "1.1") -> e.ChildStarted:
    """A parent's record of a child's beginning."""
    return e.ChildStarted(n, key, call_key, None)


def child_ended(n: int = 1, status: Status = Status.COMPLETED, output: Any = None, key: str = "sub") -> e.ChildEnded:
    """A parent's record of a child's ending."""
    return e.ChildEnded(n, key, status, output, NO_USAGE)


def suspended(*names: str) -> e.TurnSuspended:
    """A Turn leaves its task; the names are of open requests."""
    return e.TurnSuspended("child", None, "waits", "TOOLS", names)


def history(*entries: Entry | e.EventData) -> list[e.Fact]:
    """Number facts; each stands alone for the root, or with the path of a Turn below it (`1`, `1.2`)."""
    facts: list[e.Fact] = []
    headers: dict[str, e.TurnHeader] = {}
    counts: dict[str, int] = {}
    for entry in entries:
        path, data = entry if isinstance(entry, tuple) else ("", entry)
        turn_id = f"{ROOT}.{path}" if path else ROOT
        parent = turn_id.rpartition(".")[0] or None
        header = headers.setdefault(turn_id, e.TurnHeader(turn_id, ROOT, parent, "a", "1"))
        counts[turn_id] = counts.get(turn_id, 0) + 1
        facts.append(e.Fact(header, counts[turn_id], len(facts) + 1, 0.0, data))
    return facts
