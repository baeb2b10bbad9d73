"""Driving one machine by hand, signal by signal."""

from collections.abc import Callable
from typing import Any

import attrs

from runtime.core.frame import fold, step
from runtime.core.grammar import check_grammar
from runtime.core.kinds import find
from runtime.core.ports import Definition
from runtime.values import events as e
from runtime.values import signals as s
from runtime.values.commands import Want
from runtime.values.failure import Cause, Failure
from runtime.values.status import Status
from runtime.values.usage import Usage

CANCEL = Cause("cancelled", "enough")


def grant_all(want: Want) -> bool:
    """Let everything start at once."""
    return True


class Hand:
    """One Turn, its fold, and the facts that it recorded."""

    def __init__(self, definition: Definition, grant: Callable[[Want], bool] = grant_all) -> None:
        self.machine: Any = find(definition.kind).build(definition)
        self.state: Any = self.machine.new()
        self.facts: list[e.EventData] = []
        self.grant = grant

    def signal(self, signal: s.Signal, due: frozenset[str] = frozenset()) -> list[str]:
        """Run a signal through and return the types of what was recorded."""
        events = step(self.machine, self.state, signal, self.grant, due)
        self.facts += events
        return [event.type for event in events]

    def close(
        self, *children: s.ChildCame, abandoned: frozenset[str] = frozenset(), cause: Cause = CANCEL
    ) -> list[str]:
        """Close the Turn as the shell does, and return the types of what was recorded."""
        events = self.machine.decide(self.state, s.Close(cause, children, abandoned))
        for event in events:
            self.machine.apply(self.state, event)
        self.facts += events
        return [event.type for event in events]

    def came(self, n: int, status: Status = Status.COMPLETED, output: Any = None) -> s.ChildCame:
        """The news of a child's ending."""
        error = None if status is Status.COMPLETED else Failure("tool_error", "it broke")
        return s.ChildCame(n, status, output, Usage(model_calls=1), error, at=100.0)

    def check(self) -> None:
        """Hold the Turn's facts against the grammar, and the fold that they give against the live one."""
        header = e.TurnHeader("tree", "tree", None, "a", "1")
        numbered = [e.Fact(header, k, k, 0.0, data) for k, data in enumerate(self.facts, 1)]
        if not any(isinstance(data, e.ChildEnded) for data in self.facts):
            check_grammar(numbered, ended=self.state.ending is not None)
        assert portrait(self.machine, fold(self.machine, self.facts)) == portrait(self.machine, self.state)


def portrait(machine: Any, state: Any) -> dict[str, Any]:
    """Everything that two folds of the same facts must have in common, in a form that can be compared."""
    names = [name for cls in type(state).__mro__ for name in getattr(cls, "__slots__", ())]
    return {name: plain(getattr(state, name)) for name in names if name not in _LEFT_OUT} | {
        "status": state.status,
        "asked of people": state.open_requests(),
        "tasks": machine.summary(state),
        "wants": list(machine.wants(state, ())),
    }


_LEFT_OUT = {"fresh", "ready", "units", "spreads", "running"}
"""`fresh` is a note to the shell; of a plan's working lists the summary and the wants tell enough."""


def plain(value: Any) -> Any:
    """Open objects that compare by identity."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if attrs.has(type(value)) and "__eq__" not in vars(type(value)):
        return {field.name: plain(getattr(value, field.name)) for field in attrs.fields(type(value))}
    return value
