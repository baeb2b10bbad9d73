"""The fold of an agent Turn: messages, the calls of the present Step, and what they brought."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from runtime.core import frame as f
from runtime.core.ports import Tool, ToolSpec
from runtime.values import events as e
from runtime.values.agent import Agent
from runtime.values.commands import CallModel, RunChild, RunTool
from runtime.values.failure import Failure
from runtime.values.messages import AssistantMessage, Message, Text, ToolCall, ToolMessage, UserMessage
from runtime.values.status import Phase, Status
from runtime.values.usage import Usage

ONE_TOOL_CALL = Usage(tool_calls=1)


@attrs.frozen(kw_only=True)
class AgentKit:
    """What an agent's definition was resolved to, once: its tools by name and the checks of its output."""

    tools: Mapping[str, Tool]
    agents: Mapping[str, Agent]
    agent_specs: Sequence[ToolSpec]
    """What the model is told of the agents; tools say it themselves, once they are asked."""
    check_arguments: Mapping[str, Callable[[Any], str | None]]
    """For each name, says what is wrong with arguments, or None."""
    output_schema: Mapping[str, Any] | None = None
    check_output: Callable[[Any], str | None] | None = None


class AgentState(f.Frame):
    """The fold of an agent Turn."""

    __slots__ = (
        "asked", "calls", "failure", "hints", "in_step", "iterations", "messages", "mistakes", "phase", "results",
        "stop", "waiting",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[Message] = []
        self.iterations = 0
        """Model calls that were started."""
        self.in_step = False
        self.asked = False
        """Whether this Step has made its model call."""
        self.phase = Phase.MODEL
        self.calls: dict[str, ToolCall] = f.NOTHING
        """The calls of the newest reply by call key, until their results are in the history."""
        self.waiting: dict[str, ToolCall] = f.NOTHING
        """Allowed calls that admission has not let start yet."""
        self.results: dict[str, ToolMessage] = f.NOTHING
        self.hints: tuple[str, ...] = ()
        """Words to the model that wait until the history is tool-complete again."""
        self.mistakes = 0
        self.stop: str | None = None
        """The call whose result is to be the output, once a tool asked for that."""
        self.failure: Failure | None = None


class AgentFold:
    """Applies events to an `AgentState`."""

    def __init__(self, agent: Agent, kit: AgentKit) -> None:
        self.agent = agent
        self.kit = kit
        self.folds: Mapping[type[e.EventData], f.Apply] = {
            **f.FRAME_APPLY,
            e.TurnStarted: self._turn_started,
            e.StepStarted: _step_started,
            e.StepCompleted: _step_completed,
            e.ModelStarted: self._model_started,
            e.ModelCompleted: self._model_completed,
            e.ModelFailed: _model_failed,
            e.ToolStarted: self._tool_started,
            e.ToolCompleted: self._tool_completed,
            e.ToolFailed: self._tool_failed,
            e.ToolCancelled: self._tool_cancelled,
            e.ToolDenied: self._tool_denied,
            e.StopRequested: _stop_requested,
            e.HintAdded: _hint_added,
            e.ChildStarted: self._child_started,
            e.ChildEnded: self._child_ended,
            e.TurnFailed: _ends(lambda event: (Status.FAILED, event.error)),
            e.TurnCancelled: _ends(lambda event: (Status.CANCELLED, Failure(event.cause.kind, event.cause.message))),
            e.MaxIterationsReached: _ends(lambda event: (Status.MAX_ITERATIONS_REACHED, _limit(event, "model calls"))),
            e.MaxStepsReached: _ends(lambda event: (Status.MAX_STEPS_REACHED, _limit(event, "Steps"))),
        }

    def apply(self, state: AgentState, event: e.EventData) -> None:
        """Change the fold by one event."""
        self.folds[type(event)](state, event)

    def _turn_started(self, state: AgentState, event: e.TurnStarted) -> None:
        f.FRAME_APPLY[e.TurnStarted](state, event)
        state.messages.append(UserMessage(event.input))

    def _model_started(self, state: AgentState, event: e.ModelStarted) -> None:
        state.iterations = event.number
        state.asked = True
        state.begin(CallModel(event.call_key, event.number, self.agent.model, self.agent.model.slots))

    def _model_completed(self, state: AgentState, event: e.ModelCompleted) -> None:
        del state.open[event.call_key]
        state.usage = state.usage + event.usage
        message = event.message
        state.messages.append(message)
        if event.verdicts:
            state.calls = {call.call_key: call for call in message.tool_calls}
            state.results = {}
            state.waiting = {v.call_key: state.calls[v.call_key] for v in event.verdicts if v.allowed}
            state.phase = Phase.TOOLS
            self._count_mistake(state, "asks for calls that cannot be made", len(state.waiting) < len(state.calls))
        elif event.output_error is not None:
            state.messages.append(UserMessage(event.output_error))
            _tell(state)
            self._count_mistake(state, f"gives an output that does not fit ({event.output_error})")
        else:
            state.output = message.text if self.kit.output_schema is None else event.output
            state.phase = Phase.FINISHED
            if state.hints:  # they came while the answer was being made: the model answers again
                state.phase = Phase.MODEL
                _tell(state)

    def _count_mistake(self, state: AgentState, what: str, mistaken: bool = True) -> None:  # noqa: FBT001, FBT002
        state.mistakes = state.mistakes + 1 if mistaken else 0
        if state.mistakes >= self.agent.max_mistakes:
            state.failure = Failure("mistakes", f"the model {what}, {state.mistakes} times in a row")

    def _tool_started(self, state: AgentState, event: e.ToolStarted) -> None:
        del state.waiting[event.call_key]
        state.usage = state.usage + ONE_TOOL_CALL
        tool = self.kit.tools[event.name]
        state.begin(RunTool(event.call_key, event.name, event.arguments, tool, tool.slots))

    def _tool_completed(self, state: AgentState, event: e.ToolCompleted) -> None:
        del state.open[event.call_key]
        _settle(state, event.call_key, event.result)

    def _tool_failed(self, state: AgentState, event: e.ToolFailed) -> None:
        del state.open[event.call_key]
        self._failed(state, event.call_key, event.error)

    def _tool_cancelled(self, state: AgentState, event: e.ToolCancelled) -> None:
        del state.open[event.call_key]
        _settle(state, event.call_key, {"error": "cancelled", "message": event.reason}, is_error=True)

    def _tool_denied(self, state: AgentState, event: e.ToolDenied) -> None:
        _settle(state, event.call_key, {"error": event.reason, "message": event.message}, is_error=True)

    def _child_started(self, state: AgentState, event: e.ChildStarted) -> None:
        state.children = event.n
        del state.waiting[event.call_key]
        state.begin(RunChild(event.call_key, event.n, event.key, self.kit.agents[event.key], event.input))

    def _child_ended(self, state: AgentState, event: e.ChildEnded) -> None:
        key = f.forget_child(state, event).call_key
        if event.status is Status.COMPLETED:
            _settle(state, key, event.output)
        else:
            self._failed(state, key, event.error or Failure("child", f"{event.key} ended as {event.status}"))

    def _failed(self, state: AgentState, key: str, error: Failure) -> None:
        """Tell the model of a failure; or, by the agent's choice, let the Turn fail once its other calls are done."""
        if self.agent.tool_errors == "fail" and state.failure is None:
            state.failure = error
        _settle(state, key, {"error": error.kind, "message": error.message}, is_error=True)


def _step_started(state: AgentState, event: e.StepStarted) -> None:
    state.step = event.step
    state.in_step = True
    state.asked = False


def _step_completed(state: AgentState, event: e.StepCompleted) -> None:
    state.in_step = False


def _model_failed(state: AgentState, event: e.ModelFailed) -> None:
    del state.open[event.call_key]
    state.usage = state.usage + event.usage
    state.failure = event.error


def _stop_requested(state: AgentState, event: e.StopRequested) -> None:
    state.stop = event.call_key


def _hint_added(state: AgentState, event: e.HintAdded) -> None:
    state.hints = (*state.hints, event.text)
    if not state.calls and not (state.asked and state.open):
        _tell(state)


def _tell(state: AgentState) -> None:
    """Put the words to the model that wait into the history, which is tool-complete now."""
    if state.hints:
        state.messages.extend([UserMessage(text) for text in state.hints])
        state.hints = ()


def _settle(state: AgentState, key: str, content: Any, *, is_error: bool = False) -> None:
    """Keep a result; once the last one is in, put them all into the history in the model's order."""
    results = state.results
    call = state.calls[key]
    results[key] = ToolMessage(key, call.id, call.name, content, is_error)
    if is_error and key == state.stop:
        state.stop = None  # a call that failed has no result to end with
    if len(results) < len(state.calls):
        return
    state.messages.extend([results[key] for key in state.calls])
    state.calls = f.NOTHING
    state.results = f.NOTHING
    if state.stop is None:
        state.phase = Phase.MODEL
        _tell(state)
    else:
        state.output = results[state.stop].content
        state.phase = Phase.FINISHED


def _limit(event: e.MaxIterationsReached | e.MaxStepsReached, what: str) -> Failure:
    return Failure("limit", f"the Turn may make {event.limit} {what}, and wanted one more")


def _ends(reason: Callable[[Any], tuple[Status, Failure]]) -> f.Apply:
    """Return the fold of an abnormal ending: the history is made tool-complete and closed by one message."""

    def apply(state: AgentState, event: e.EventData) -> None:
        status, error = reason(event)
        for key, call in state.calls.items():
            if key not in state.results:
                content = {"error": "not_run", "message": f"the Turn ended first: {error.message}"}
                state.results[key] = ToolMessage(key, call.id, call.name, content, is_error=True)
        state.messages.extend([state.results[key] for key in state.calls])
        _tell(state)
        state.messages.append(AssistantMessage((Text(f"[{status.lower()}] {error.message}"),)))
        state.calls = f.NOTHING
        state.results = f.NOTHING
        state.waiting = f.NOTHING
        state.phase = Phase.FINISHED
        f.end(state, status, None, error)

    return apply
