"""What the runtime needs from outside (models, tools, journal, clock, ids) and what a kind of Turn must offer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from runtime.values.commands import Slot, Want
from runtime.values.events import EventData, Fact, TurnHeader
from runtime.values.messages import AssistantMessage, Message
from runtime.values.signals import Signal
from runtime.values.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    import trio

    from runtime.core.frame import Frame


class Machine(Protocol):
    """One kind of Turn as a fold. Pure: no await, clock, randomness, I/O or logging."""

    kind: str
    version: int

    def new(self) -> Frame:
        """Return the empty fold."""
        ...

    def decide(self, state: Any, signal: Signal) -> list[EventData]:
        """Record what happened. Raises IllegalSignal, leaving the state as it was."""
        ...

    def advance(self, state: Any) -> Sequence[EventData]:
        """Record what comes next; nothing once something is open, wanted or asked."""
        ...

    def apply(self, state: Any, event: EventData) -> None:
        """Change the state by one event; the only change there is."""
        ...

    def wants(self, state: Any, due: Collection[str]) -> Iterable[Want]:
        """Name what could start now if admission lets it, best first; one want per set of slots is enough.

        `due` holds the call keys of open Sleep commands whose time has come.
        """
        ...

    def summary(self, state: Any) -> Any:
        """Return what `TurnResult.tasks` says; an empty mapping for kinds without tasks."""
        ...


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


# ------------------------------------------------------------------------------------------------ time and ids


class Clock(Protocol):
    """UTC for facts. Trio's own clock is used for sleeping only, never stored."""

    jumps: bool
    """True for virtual time: then no thread may be waited for."""

    def now(self) -> float:
        """Return UTC in seconds since 1970."""
        ...


IdSource = Callable[[float], str]
"""Makes a new root id from the present time: unique, time-sortable, of lower-case letters and digits."""


# ------------------------------------------------------------------------------------------------ journal


@attrs.frozen(kw_only=True)
class RootInfo:
    """What the journal knows of a tree without reading its events."""

    root_id: str
    kind: str
    name: str
    definition: str | None
    """Digest of the stored definition."""
    started_at: float
    updated_at: float
    position: int
    status: str
    """Of the root, as the last append said: a terminal status, `WAITING` when parked, else `RUNNING`."""
    owner: str | None
    """Who holds it right now, or None."""
    key: str | None = None


class Claim(Protocol):
    """The right to write one tree: an epoch that is checked in every append."""

    root_id: str
    epoch: int
    changed: trio.lowlevel.ParkingLot
    """Unparked when the tree's watermark moves, and when the claim ends."""


class Journal(Protocol):
    """The durable truth: an ordered list of facts per tree, an owner per tree, definitions by digest.

    `append` is synchronous and only enqueues; `watermark` tells what is durable. One commit takes whole batches:
    a reader never sees half of one.
    """

    threaded: bool
    """True when commits happen in another thread; a clock that can jump refuses such a journal."""

    async def open(self) -> None:
        """Make ready. Raises JournalError with what to do when the store cannot be used."""
        ...

    async def close(self) -> None:
        """Commit what was appended and release every claim of this journal object."""
        ...

    async def create(self, root_id: str, *, kind: str, name: str, definition: str | None, now: float) -> Claim:
        """Make an empty tree and claim it."""
        ...

    async def claim(self, root_id: str, *, now: float) -> Claim:
        """Take a tree that nobody holds.

        Raises:
            NotFound: No such tree.
            TreeHeld: A live process holds it.
        """
        ...

    async def release(self, claim: Claim) -> None:
        """Commit what was appended to the tree and let it go."""
        ...

    def append(self, claim: Claim, facts: Sequence[Fact], status: str) -> None:
        """Add one batch, all or nothing. Raises StaleWriter when the claim is known to be lost."""
        ...

    def watermark(self, root_id: str) -> int:
        """Return the position up to which this process knows the tree's facts to be durable."""
        ...

    async def barrier(self, claim: Claim, position: int) -> None:
        """Wait until the facts up to `position` are durable. A checkpoint only if it has to wait.

        Raises:
            StaleWriter: Another owner took the tree over.
            JournalError: The store failed.
        """
        ...

    async def read(self, root_id: str, after: int = 0, limit: int = 1000) -> list[Fact]:
        """Return up to `limit` durable facts with positions above `after`, in order."""
        ...

    async def read_all(self, after: int = 0, limit: int = 1000) -> list[tuple[int, Fact]]:
        """Return durable facts of all trees with their offsets, in commit order."""
        ...

    async def roots(self) -> list[RootInfo]:
        """Return all trees, newest first."""
        ...

    async def root(self, root_id: str) -> RootInfo:
        """Return one tree. Raises NotFound."""
        ...

    async def put_definition(self, text: str) -> str:
        """Keep a definition's text and return its digest (SHA-256, hex)."""
        ...

    async def definition(self, digest: str) -> str:
        """Return a definition's text. Raises NotFound."""
        ...


ToolFunction = Callable[..., Any] | Callable[..., Awaitable[Any]]

__all__ = [
    "Claim", "Clock", "Definition", "IdSource", "Journal", "Machine", "Model", "ModelReply", "ModelRequest",
    "ModelStream", "RootInfo", "Tool", "ToolContext", "ToolFunction", "ToolSpec", "TurnHeader",
]  # fmt: skip
