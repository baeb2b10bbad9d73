"""The two kinds of Turn that have one command or one request: a tool call, and a question to a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from runtime.core import frame as f
from runtime.core.kinds import Kind, register
from runtime.core.ports import Tool
from runtime.values import events as e
from runtime.values import signals as s
from runtime.values.commands import RunTool, Want
from runtime.values.failure import Failure
from runtime.values.status import Phase
from runtime.values.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

CALL_KEY = "0.1"
REQUEST_KEY = "0.1.1"


@attrs.frozen
class Call:
    """The definition of a Turn that calls one tool; its input is the arguments object."""

    kind: ClassVar[str] = "call"

    tool: Tool
    version: str = "1"

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.tool.name


@attrs.frozen
class Question:
    """The definition of a Turn that asks a person; its input is `{message, show, form}`."""

    kind: ClassVar[str] = "question"

    name: str = "question"
    version: str = "1"


class CallState(f.Frame):
    """The fold of a tool call."""

    __slots__ = ("done", "failure")

    def __init__(self) -> None:
        super().__init__()
        self.done = False
        self.failure: Failure | None = None


class CallMachine:
    """Runs one tool call. Its slots were taken by whoever started the Turn."""

    kind = "call"
    version = 1
    drops = False

    def __init__(self, definition: Call) -> None:
        self.tool = definition.tool
        self.folds: Mapping[type[e.EventData], f.Apply] = {
            **f.FRAME_APPLY,
            e.ToolStarted: self._started,
            e.ToolCompleted: _completed,
            e.ToolFailed: _failed,
            e.ToolCancelled: _cancelled,
        }

    def new(self) -> CallState:
        """Return the empty fold."""
        return CallState()

    def decide(self, state: CallState, signal: s.Signal) -> list[e.EventData]:
        """Record what happened."""
        if state.ending is not None or state.started is (type(signal) is s.Start):
            raise f.illegal(state, signal)
        match signal:
            case s.Start():
                return [f.started(self.kind, self.version, signal)]
            case s.Granted(key) if key == CALL_KEY and not state.open and state.start is not None:
                return [e.ToolStarted(key, self.tool.name, state.start.input)]
            case s.ToolReturned(key, result, duration):
                f.must_be_open(state, signal, RunTool)
                return [e.ToolCompleted(key, result, duration)]
            case s.ToolBroke(key, error, duration):
                f.must_be_open(state, signal, RunTool)
                return [e.ToolFailed(key, error, duration)]
            case s.ToolAskedToStop():
                f.must_be_open(state, signal, RunTool)
                return []  # nothing comes after the call that a stop could leave out
            case s.Close(cause):
                return [*f.close_frame(state, signal), f.ended_by(cause)]
            case _:
                return f.decide_frame(state, signal)

    def advance(self, state: CallState) -> Sequence[e.EventData]:
        """End once the tool did."""
        if state.failure is not None:
            return (e.TurnFailed(state.failure),)
        return (e.TurnCompleted(state.output),) if state.done else ()

    def wants(self, state: CallState, due: Collection[str]) -> Iterable[Want]:
        """Want the one call."""
        return () if state.open or not state.started else (Want(CALL_KEY),)

    def summary(self, state: CallState) -> Mapping[str, Any]:
        """Return nothing: a call has no tasks."""
        return {}

    def apply(self, state: CallState, event: e.EventData) -> None:
        """Change the fold by one event."""
        self.folds[type(event)](state, event)

    def _started(self, state: CallState, event: e.ToolStarted) -> None:
        state.usage = Usage(tool_calls=1)
        state.begin(RunTool(event.call_key, event.name, event.arguments, self.tool))


def _completed(state: CallState, event: e.ToolCompleted) -> None:
    del state.open[event.call_key]
    state.output = event.result
    state.done = True


def _failed(state: CallState, event: e.ToolFailed) -> None:
    del state.open[event.call_key]
    state.failure = event.error


def _cancelled(state: CallState, event: e.ToolCancelled) -> None:
    del state.open[event.call_key]


class QuestionState(f.Frame):
    """The fold of a question."""

    __slots__ = ("answer",)

    def __init__(self) -> None:
        super().__init__()
        self.answer: e.RequestAnswered | None = None


class QuestionMachine:
    """Asks one person one thing; the answer is the output, a rejection fails the Turn."""

    kind = "question"
    version = 1
    drops = False

    def new(self) -> QuestionState:
        """Return the empty fold."""
        return QuestionState()

    def decide(self, state: QuestionState, signal: s.Signal) -> list[e.EventData]:
        """Record what happened."""
        if state.ending is not None or state.started is (type(signal) is s.Start):
            raise f.illegal(state, signal)
        match signal:
            case s.Start(asked):
                request = e.TaskAnswerRequested(REQUEST_KEY, asked["message"], asked.get("show"), asked.get("form"))
                return [f.started(self.kind, self.version, signal), request]
            case s.Answered(key, answer, by) if key in state.requests:
                return [e.RequestAnswered(key, answer, by), *f.resume(state, "answer")]
            case s.Close(cause):
                return [*f.close_frame(state, signal), f.ended_by(cause)]
            case _:
                return f.decide_frame(state, signal)

    def advance(self, state: QuestionState) -> Sequence[e.EventData]:
        """Suspend until the answer is there, then end with it."""
        if state.answer is not None:
            answer = state.answer.answer
            if answer.kind == "reject":
                return (e.TurnFailed(Failure("rejected", f"{state.answer.by} said no: {answer.value}")),)
            return (e.TurnCompleted(answer.value),)
        if state.suspended or not state.started:
            return ()
        request = state.requests[REQUEST_KEY]
        name = f":{REQUEST_KEY}"
        return (e.TurnSuspended("question", name, request.message, Phase.FINISHED.value, (name,)),)

    def wants(self, state: QuestionState, due: Collection[str]) -> Iterable[Want]:
        """Want nothing."""
        return ()

    def summary(self, state: QuestionState) -> Mapping[str, Any]:
        """Return nothing: a question has no tasks."""
        return {}

    def apply(self, state: QuestionState, event: e.EventData) -> None:
        """Change the fold by one event."""
        _QUESTION_FOLDS[type(event)](state, event)


def _answered(state: QuestionState, event: e.RequestAnswered) -> None:
    f.FRAME_APPLY[e.RequestAnswered](state, event)
    state.answer = event


_QUESTION_FOLDS: Mapping[type[e.EventData], f.Apply] = {**f.FRAME_APPLY, e.RequestAnswered: _answered}

CALL = register(Kind(name="call", build=CallMachine))
QUESTION = register(Kind(name="question", build=lambda _: QuestionMachine()))


def describe_question(message: str, show: Any = None, form: Any = None) -> dict[str, Any]:
    """Return the input of a question Turn. `form` is a JSON Schema or None."""
    return {"message": message, "show": show, "form": form}
