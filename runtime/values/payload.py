"""What all payloads of events have in common."""

from __future__ import annotations

from typing import ClassVar

from runtime.values.record import Record


class EventData(Record):
    """Base of every payload. Subclasses are made by `record` and set `type`."""

    __slots__ = ()
    type: ClassVar[str]
