"""The agent Turn: model, tools, model, until the model answers without calling anything.

A Step is one advance: at most one model call and the tools that its reply asked for. Calls of one Step run side by
side; their results enter the history together, in the model's order, once the last one is in. What a call may do was
judged when the reply came (`judge`), so that `decide` only reads verdicts. Mistakes of the model (an unknown tool,
arguments or an output that do not fit) go back to it, and are bounded.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

import attrs

from runtime.core import frame as f
from runtime.core.agent_fold import AgentFold, AgentKit, AgentState
from runtime.core.ports import ModelReply, ModelRequest, ToolSpec
from runtime.values import events as e
from runtime.values import signals as s
from runtime.values.commands import CallModel, RunTool, Want
from runtime.values.events import Verdict
from runtime.values.jsonlike import freeze
from runtime.values.messages import AssistantMessage, Block, ToolCall
from runtime.values.status import Phase
from runtime.values.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from runtime.values.agent import Agent

ONE_MODEL_CALL = Usage(model_calls=1)

# The same few of these stand in nearly every history, so they are made once.
_step_started = functools.lru_cache(256)(e.StepStarted)
_step_completed = functools.lru_cache(256)(e.StepCompleted)
_model_started = functools.lru_cache(256)(e.ModelStarted)


class AgentMachine(AgentFold):
    """Runs the Turns of one agent."""

    kind = "agent"
    version = 1
    drops = False

    def __init__(self, agent: Agent, kit: AgentKit) -> None:
        super().__init__(agent, kit)
        self.specs: Sequence[ToolSpec] | None = None
        self.decisions: Mapping[type[s.Signal], Callable[[AgentState, Any], list[e.EventData]]] = {
            s.Start: self._start,
            s.Granted: self._granted,
            s.ModelReplied: self._replied,
            s.ModelBroke: self._broke,
            s.ToolReturned: self._returned,
            s.ToolBroke: self._tool_broke,
            s.ToolAskedToStop: self._asked_to_stop,
            s.ChildCame: self._child_came,
            s.ChildWoke: self._child_woke,
            s.Hinted: self._hinted,
            s.Close: self._close,
        }

    def new(self) -> AgentState:
        """Return the empty fold."""
        return AgentState()

    # -------------------------------------------------------------------------------------------- decide

    def decide(self, state: AgentState, signal: s.Signal) -> list[e.EventData]:
        """Record what happened."""
        if state.ending is not None or state.started is (type(signal) is s.Start):
            raise f.illegal(state, signal)
        decide = self.decisions.get(type(signal))
        return f.decide_frame(state, signal) if decide is None else decide(state, signal)

    def _start(self, state: AgentState, signal: s.Start) -> list[e.EventData]:
        return [f.started(self.kind, self.version, signal)]

    def _granted(self, state: AgentState, signal: s.Granted) -> list[e.EventData]:
        key = signal.call_key
        call = state.waiting.get(key)
        if call is None:
            if not self._wants_model(state) or key != f"{state.step}.0":
                raise f.illegal(state, signal)
            return [_model_started(key, state.iterations + 1, self.agent.model.name)]
        agent = self.kit.agents.get(call.name)
        if agent is None:
            return [e.ToolStarted(key, call.name, call.arguments)]
        task = call.arguments if agent.inputs is not None else call.arguments["task"]
        return [e.ChildStarted(state.children + 1, call.name, key, task)]

    def _replied(self, state: AgentState, signal: s.ModelReplied) -> list[e.EventData]:
        f.must_be_open(state, signal, CallModel)
        completed = e.ModelCompleted(
            signal.call_key, signal.message, signal.usage, signal.stop_reason, signal.verdicts, signal.output,
            signal.output_error, signal.duration,
        )  # fmt: skip
        if not signal.verdicts:
            return [completed]
        names = {call.call_key: call.name for call in signal.message.tool_calls}
        denied = [
            e.ToolDenied(verdict.call_key, names[verdict.call_key], verdict.reason or "", verdict.message or "")
            for verdict in signal.verdicts
            if not verdict.allowed
        ]
        return [completed, *denied]

    def _broke(self, state: AgentState, signal: s.ModelBroke) -> list[e.EventData]:
        f.must_be_open(state, signal, CallModel)
        return [e.ModelFailed(signal.call_key, signal.error, signal.usage, signal.duration)]

    def _returned(self, state: AgentState, signal: s.ToolReturned) -> list[e.EventData]:
        f.must_be_open(state, signal, RunTool)
        return [e.ToolCompleted(signal.call_key, signal.result, signal.duration)]

    def _tool_broke(self, state: AgentState, signal: s.ToolBroke) -> list[e.EventData]:
        f.must_be_open(state, signal, RunTool)
        return [e.ToolFailed(signal.call_key, signal.error, signal.duration)]

    def _asked_to_stop(self, state: AgentState, signal: s.ToolAskedToStop) -> list[e.EventData]:
        f.must_be_open(state, signal, RunTool)
        return [e.StopRequested(signal.call_key, signal.reason)] if state.stop is None else []

    def _child_came(self, state: AgentState, signal: s.ChildCame) -> list[e.EventData]:
        command = state.attached.get(signal.n)
        if command is None:
            raise f.illegal(state, signal)
        return [f.child_ended(command, signal)]

    def _child_woke(self, state: AgentState, signal: s.ChildWoke) -> list[e.EventData]:
        out = f.decide_frame(state, signal)
        if state.suspended:
            out.insert(1, _step_started(state.step + 1))
        return out

    def _hinted(self, state: AgentState, signal: s.Hinted) -> list[e.EventData]:
        return [e.HintAdded(signal.text, signal.by)]

    def _close(self, state: AgentState, signal: s.Close) -> list[e.EventData]:
        out = f.close_frame(state, signal)
        if state.in_step:
            out.append(_step_completed(state.step))
        out.append(f.ended_by(signal.cause))
        return out

    # -------------------------------------------------------------------------------------------- advance

    def advance(self, state: AgentState) -> Sequence[e.EventData]:
        """Record what comes next."""
        if state.open or state.suspended or state.waiting or not state.started:
            return ()
        step = state.step
        if state.parked:
            names = state.open_requests()
            suspended = e.TurnSuspended(
                "child", None, f"waits for {len(state.parked)} of its agents", state.phase.value, names
            )
            return (_step_completed(step), suspended)
        if state.failure is not None:
            return (_step_completed(step), e.TurnFailed(state.failure))
        if state.phase is Phase.FINISHED:
            return (_step_completed(step), e.TurnCompleted(state.output))
        if state.in_step and not state.asked:
            return ()
        done: tuple[e.EventData, ...] = (_step_completed(step),) if state.in_step else ()
        if state.iterations >= self.agent.max_iterations:
            return (*done, e.MaxIterationsReached(self.agent.max_iterations))
        if step >= self.agent.max_steps:
            return (*done, e.MaxStepsReached(self.agent.max_steps))
        return (*done, _step_started(step + 1))

    def _wants_model(self, state: AgentState) -> bool:
        return state.phase is Phase.MODEL and state.in_step and not state.asked and state.failure is None

    def wants(self, state: AgentState, due: Collection[str]) -> Iterable[Want]:
        """Name the calls that could start now."""
        if state.waiting:
            return self._waiting(state)
        if self._wants_model(state) and not state.open and not state.suspended:
            return (Want(f"{state.step}.0", self.agent.model.slots),)
        return ()

    def _waiting(self, state: AgentState) -> Iterator[Want]:
        tools = self.kit.tools
        for key, call in state.waiting.items():
            tool = tools.get(call.name)
            yield Want(key, () if tool is None else tool.slots)

    def summary(self, state: AgentState) -> Mapping[str, Any]:
        """Return nothing: an agent has no tasks."""
        return {}

    # -------------------------------------------------------------------------------------------- the model call

    def request(self, state: AgentState) -> ModelRequest:
        """Return what the open model call asks."""
        start = state.start
        assert start is not None
        return ModelRequest(
            messages=tuple(state.messages), instructions=self.agent.instructions, tools=self._told(),
            output=self.kit.output_schema, number=state.iterations, agent=self.agent.name, key=start.key,
            attempt=start.attempt,
        )  # fmt: skip

    def _told(self) -> Sequence[ToolSpec]:
        """Return what the model is told of tools and agents."""
        if self.specs is None:
            self.specs = (*[tool.spec for tool in self.kit.tools.values()], *self.kit.agent_specs)
        return self.specs

    def judge(self, state: AgentState, call_key: str, reply: ModelReply, duration: float) -> s.ModelReplied:
        """Give each call its key and verdict, and hold a final text against the declared output.

        A call's arguments may come as parsed JSON or as text, which is parsed here.
        """
        usage = reply.usage + ONE_MODEL_CALL
        if not any(type(block) is ToolCall for block in reply.message.blocks):
            message = _storable(reply.message)
            output, error = self._read_output(message)
            return s.ModelReplied(call_key, message, usage, reply.stop_reason, (), output, error, duration)
        step = call_key.partition(".")[0]
        blocks: list[Block] = []
        verdicts: list[Verdict] = []
        for block in reply.message.blocks:
            if type(block) is ToolCall:
                call = ToolCall(f"{step}.{len(verdicts) + 1}", block.id, block.name, _parsed(block.arguments))
                verdicts.append(self._verdict(state, call))
                blocks.append(call)
            else:
                blocks.append(block)
        message = _storable(AssistantMessage(tuple(blocks)))
        return s.ModelReplied(call_key, message, usage, reply.stop_reason, tuple(verdicts), duration=duration)

    def _verdict(self, state: AgentState, call: ToolCall) -> Verdict:
        key = call.call_key
        check = self.kit.check_arguments.get(call.name)
        if check is None:
            known = ", ".join(self.kit.check_arguments) or "none"
            message = f"there is no tool {call.name!r}; known tools: {known}"
            return Verdict(key, allowed=False, reason="unknown_tool", message=message)
        if type(call.arguments) is str:
            message = "the arguments are not valid JSON; send one JSON object"
            return Verdict(key, allowed=False, reason="invalid_arguments", message=message)
        wrong = check(call.arguments)
        if wrong is not None:
            return Verdict(key, allowed=False, reason="invalid_arguments", message=wrong)
        start = state.start
        if call.name in self.kit.agents and start is not None and start.depth >= start.max_depth:
            message = f"agents may call each other {start.max_depth} levels deep; answer here"
            return Verdict(key, allowed=False, reason="depth", message=message)
        return Verdict(key, allowed=True)

    def _read_output(self, message: AssistantMessage) -> tuple[Any, str | None]:
        check = self.kit.check_output
        if check is None:
            return None, None
        try:
            output = freeze(json.loads(message.text), where="output")
        except ValueError as error:
            return None, f"Answer with one JSON value that fits the output schema, and nothing else: {error}"
        wrong = check(output)
        return (output, None) if wrong is None else (None, f"The answer does not fit the output schema: {wrong}")


def _parsed(arguments: Any) -> Any:
    """Return arguments as JSON values; text that is not a JSON object stays text."""
    if type(arguments) is not str:
        return freeze(arguments, where="arguments")
    try:
        value = json.loads(arguments or "{}")
    except ValueError:
        return freeze(arguments)
    return freeze(value) if type(value) is dict else arguments


def _storable(message: AssistantMessage) -> AssistantMessage:
    """Return the message with text that can be kept as it is: what is not valid Unicode is replaced."""
    for block in message.blocks:
        if not isinstance(block, ToolCall) and not block.text.isascii():
            return AssistantMessage(tuple([_mended(block) for block in message.blocks]))
    return message


def _mended(block: Block) -> Block:
    return block if isinstance(block, ToolCall) else attrs.evolve(block, text=freeze(block.text))
