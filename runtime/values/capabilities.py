"""What a definition is made of: models and tools, as the runtime sees them, and the places that they may hold."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from runtime.values.messages import AssistantMessage, Message
from runtime.values.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    import trio


@attrs.frozen
class Slot:
    """A place that only so many commands may hold at a time, across all Turns of a runtime."""

    name: str
    limit: int
    local: bool = False
    """True when the place belongs to one Turn, as a plan's `max_parallel` does."""


class Definition(Protocol):
    """What a Turn runs: an agent, a plan, one tool call, one question. Immutable; its kind knows how to run it."""

    @property
    def kind(self) -> str:
        """Names the kind of Turn."""
        ...

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    @property
    def version(self) -> str:
        """Changes when its behaviour does."""
        ...


# ------------------------------------------------------------------------------------------------ models


@attrs.frozen
class ToolSpec:
    """What a model is told of a tool."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of the arguments object."""


@attrs.frozen(kw_only=True)
class ModelRequest:
    """One model call."""

    messages: Sequence[Message]
    instructions: str = ""
    tools: Sequence[ToolSpec] = ()
    output: Mapping[str, Any] | None = None
    """JSON Schema that the final text must fit."""
    number: int = 1
    """1 for the Turn's first model call, counted from its facts."""
    agent: str = ""
    key: str = ""
    """The name that the parent gave the Turn, such as `read[a.org]`."""
    attempt: int = 1
    """Attempt of the task that the Turn runs."""


@attrs.frozen(kw_only=True)
class ModelReply:
    """What a model call brought. Call keys in `message` are set by the runtime."""

    message: AssistantMessage
    usage: Usage = NO_USAGE
    stop_reason: str = "stop"


class ModelStream(Protocol):
    """Where an adapter shows a reply while it arrives; building the reply from it is the adapter's own choice.

    Each method may be called once the call has started and until it returns; afterwards they do nothing.
    """

    def text(self, delta: str) -> None:
        """Show a piece of text; opens a text block if none is open."""
        ...

    def thinking(self, delta: str) -> None:
        """Show a piece of reasoning."""
        ...

    def tool_call(self, name: str, arguments: str) -> None:
        """Show a tool call with the JSON text of its arguments."""
        ...

    async def relax(self) -> None:
        """Let others run; call it every 16 pieces or so. A checkpoint."""
        ...


class Model(Protocol):
    """A language model. Cancelling `call` must stop the generation at once."""

    @property
    def name(self) -> str:
        """Shown to people and recorded with each call."""
        ...

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Admission slots that one call holds."""
        ...

    async def call(self, request: ModelRequest, stream: ModelStream) -> ModelReply:
        """Make one call, without retries of its own.

        Raises:
            ModelError: The call failed; anything else that is raised counts as a failure of kind `model_bug`.
        """
        ...


# ------------------------------------------------------------------------------------------------ tools


class ToolContext(Protocol):
    """What a running tool may know and do; every method may be called from a tool's thread too."""

    @property
    def turn_id(self) -> str:
        """The Turn that called."""
        ...

    @property
    def root_turn_id(self) -> str:
        """The tree."""
        ...

    @property
    def call_key(self) -> str:
        """The call, unique in its Turn."""
        ...

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt of this call, also after a crash."""
        ...

    @property
    def limiter(self) -> trio.CapacityLimiter | None:
        """Bounds the threads of synchronous tools; None under virtual time, where they run in the event loop."""
        ...

    @property
    def cancelled(self) -> bool:
        """True once the call was cancelled; a synchronous tool should look now and then."""
        ...

    def progress(self, message: str, percent: float | None = None) -> None:
        """Say how far the tool is (a preview)."""
        ...

    def output(self, delta: str) -> None:
        """Show a piece of output (a preview)."""
        ...

    def emit(self, name: str, data: Any) -> None:
        """Record an event of the tool's own (the fact CUSTOM)."""
        ...

    def request_stop(self, reason: str) -> None:
        """Ask that the agent's Turn complete after this Step with this tool's result as its output."""
        ...


class Tool(Protocol):
    """Something that an agent or a plan may call."""

    @property
    def name(self) -> str:
        """The name by which it is called."""
        ...

    @property
    def spec(self) -> ToolSpec:
        """What a model is told."""
        ...

    @property
    def replay(self) -> str:
        """`safe`, `ask` or `never`: what may happen to a call that was in flight at a crash."""
        ...

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Admission slots that one call holds."""
        ...

    @property
    def timeout(self) -> float | None:
        """Seconds that one call may take."""
        ...

    @property
    def in_thread(self) -> bool:
        """True when a call runs in a thread, where it cannot be stopped."""
        ...

    def validate(self, arguments: Any) -> str | None:
        """Return what is wrong with the arguments, in words for a model or a person, or None."""
        ...

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        """Run once and return a JSON-like value."""
        ...


ToolFunction = Callable[..., Any] | Callable[..., Awaitable[Any]]
