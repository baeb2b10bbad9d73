"""The envelopes of events: who recorded what, when, and where it stands in the order."""

from __future__ import annotations

from datetime import UTC, datetime

from runtime.values.ids import absolute_request, idempotency_key
from runtime.values.payloads import EventData, Unknown
from runtime.values.record import Record, record


@record
class TurnHeader(Record):
    """What all events of one Turn share; they hold a reference to it."""

    turn_id: str
    root_turn_id: str
    parent_turn_id: str | None
    agent_id: str
    """Name of the agent, plan or tool that runs."""
    agent_version: str
    task_key: str = ""
    path: tuple[str, ...] = ()
    """Keys from below the root down to this Turn."""


class Envelope:
    """What facts and previews share: lineage, time and payload."""

    __slots__ = ("data", "header", "time")

    header: TurnHeader
    time: float
    """UTC, seconds since 1970."""
    data: EventData

    @property
    def type(self) -> str:
        """Wire name of the payload."""
        data = self.data
        return data.wire_type if isinstance(data, Unknown) else data.type

    @property
    def turn_id(self) -> str:
        """The Turn that recorded it."""
        return self.header.turn_id

    @property
    def root_turn_id(self) -> str:
        """The tree."""
        return self.header.root_turn_id

    @property
    def parent_turn_id(self) -> str | None:
        """The Turn above, or None at the root."""
        return self.header.parent_turn_id

    @property
    def agent_id(self) -> str:
        """Name of what runs."""
        return self.header.agent_id

    @property
    def agent_version(self) -> str:
        """Version of what runs."""
        return self.header.agent_version

    @property
    def task_key(self) -> str:
        """The name that the parent gave the Turn."""
        return self.header.task_key

    @property
    def path(self) -> tuple[str, ...]:
        """Keys from below the root down to the Turn."""
        return self.header.path

    @property
    def occurred_at(self) -> datetime:
        """When it was recorded, UTC."""
        return datetime.fromtimestamp(self.time, UTC)


class Fact(Envelope):
    """One numbered, durable event. `sequence` is gap-free in its Turn, `position` in its tree; both count from 1."""

    __slots__ = ("position", "sequence")

    def __init__(self, header: TurnHeader, sequence: int, position: int, time: float, data: EventData) -> None:
        self.header = header
        self.sequence = sequence
        self.position = position
        self.time = time
        self.data = data

    def __repr__(self) -> str:
        return f"<{self.event_id} @{self.position} {self.type}>"

    @property
    def event_id(self) -> str:
        """`<turnId>#<sequence>`: stable for ever, so consumers can be idempotent."""
        return f"{self.header.turn_id}#{self.sequence}"

    @property
    def idempotency_key(self) -> str | None:
        """The key that a tool may deduplicate by, for facts of a call."""
        call_key: str | None = getattr(self.data, "call_key", None)
        return None if call_key is None else idempotency_key(self.header.turn_id, call_key)

    @property
    def request_ids(self) -> tuple[str, ...]:
        """Absolute ids of the requests that the payload names."""
        names: tuple[str, ...] = getattr(self.data, "request_ids", ())
        return tuple([absolute_request(self.header.turn_id, name) for name in names])


class Preview(Envelope):
    """A live, unnumbered event: never stored, never folded. A reader may miss it and loses nothing lasting."""

    __slots__ = ("after", "block_id", "call_key", "index", "offset")

    sequence: None = None
    position: None = None

    def __init__(
        self,
        header: TurnHeader,
        time: float,
        data: EventData,
        after: int,
        call_key: str,
        block_id: int,
        index: int,
        offset: int,
    ) -> None:
        self.header = header
        self.time = time
        self.data = data
        self.after = after
        """Position of the tree's newest fact when it was made."""
        self.call_key = call_key
        self.block_id = block_id
        self.index = index
        """Counts the previews of one call from 0."""
        self.offset = offset
        """Characters of the block that came before it."""

    def __repr__(self) -> str:
        return f"<{self.event_id} {self.type}>"

    @property
    def event_id(self) -> str:
        """`<turnId>~<callKey>.<index>`."""
        return f"{self.header.turn_id}~{self.call_key}.{self.index}"


Event = Fact | Preview
