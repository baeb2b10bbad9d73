"""Payloads to bytes and back, and the public form of events."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, cast

import attrs
import orjson
from cattrs import transform_error
from cattrs.v import format_exception

from runtime.codec._converter import camel, make_converter
from runtime.core.kinds import ENTRY_POINT_GROUP, all_kinds
from runtime.errors import CorruptJournal, JournalError, UsageError
from runtime.values.events import FACTS, PREVIEWS, EventData, Fact, Preview, Unknown
from runtime.values.ids import absolute_request, request_id
from runtime.values.jsonlike import freeze

SCHEMA: Final = 1
"""Version of the public form of events."""

Payload = type[EventData]
_Write = Callable[[Any], dict[str, Any]]
_Read = Callable[[Any, Any], EventData]

_CONVERTER: Final = make_converter(freeze)


def to_json(value: Any) -> bytes:
    """Return the JSON text of a JSON value, of one of our values (fields in camelCase), or of a mixture.

    Raises:
        UsageError: Some part of it has no JSON form.
    """
    try:
        return orjson.dumps(value, default=_plain, option=orjson.OPT_PASSTHROUGH_DATACLASS)
    except TypeError as error:
        raise UsageError(f"cannot be written as JSON: {error.__cause__ or error}") from error


def from_json(raw: bytes | str) -> Any:
    """Return the JSON value that the text holds, deeply frozen.

    Raises:
        UsageError: The text is not JSON.
    """
    try:
        return freeze(orjson.loads(raw))
    except orjson.JSONDecodeError as error:
        raise UsageError(f"not JSON: {error}") from error


def installed_payloads() -> Iterator[Payload]:
    """Yield the payload classes of the kinds that this process knows, then those of all installed packages.

    A package is imported only once somebody wants more than what came before.

    Raises:
        JournalError: A package that declares a kind cannot be imported.
    """
    for kind in all_kinds():
        yield from kind.payloads
    from importlib.metadata import entry_points  # slow to import, and most types are known by now

    for entry in entry_points(group=ENTRY_POINT_GROUP):
        try:
            payloads = entry.load().payloads
        except (ImportError, AttributeError) as error:
            raise JournalError(
                f"the kind {entry.name!r} ({entry.value}) is declared by an installed package but does not load: "
                f"{error}; install that package again, or remove it"
            ) from error
        yield from payloads


class Codec:
    """Turns payloads into JSON and back, and events into their public form. May be used from several threads.

    Args:
        payloads: The classes that it knows from the start.
        kinds: Where it looks, as far as it must, when it meets a type that it does not know.
    """

    def __init__(
        self,
        payloads: Iterable[Payload] = FACTS + PREVIEWS,
        *,
        kinds: Callable[[], Iterable[Payload]] = installed_payloads,
    ) -> None:
        self._classes: dict[str, Payload] = {}
        self._writers: dict[Payload, _Write] = {}
        self._readers: dict[str, tuple[_Read, Payload]] = {}
        self._kinds = kinds
        self._looked = False
        self.extend(payloads)

    def extend(self, payloads: Iterable[Payload]) -> None:
        """Make more classes known; known ones are passed over.

        Raises:
            UsageError: Two classes claim the same type; the first one stays.
        """
        for cls in payloads:
            known = self._classes.setdefault(cls.type, cls)
            if known is not cls:
                raise UsageError(
                    f"event type {cls.type!r} is claimed by {_name(cls)} and by {_name(known)}; rename one of them"
                )

    def encode(self, data: EventData) -> bytes:
        """Return the payload's JSON: camelCase fields, defaults left out.

        Text that is no valid Unicode, such as an odd file name in a message, is stored with U+FFFD in the bad places.

        Raises:
            JournalError: A value in it has no JSON form; nothing was stored.
        """
        value = self._dict(data)
        try:
            return orjson.dumps(value)
        except TypeError:
            value = _mended(value)
        try:
            return orjson.dumps(value)
        except TypeError as error:
            raise JournalError(f"{_type(data)} cannot be stored: {error}; values must be frozen JSON") from error

    def decode(self, type: str, raw: bytes, *, place: str = "") -> EventData:
        """Return the payload that `encode` wrote. Fields that the class does not have are passed over.

        Args:
            type: Wire name; one that nobody knows gives `Unknown`, which keeps the data.
            raw: What `encode` returned.
            place: Where it was stored; stands in errors.

        Raises:
            CorruptJournal: It is not JSON, or does not fit its class.
        """
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            raise CorruptJournal(f"{_at(place)}{type} is not valid JSON: {error}; {_ADVICE}") from error
        found = self._readers.get(type) or self._reader(type)
        if found is None:
            return Unknown(type, freeze(value))
        read, cls = found
        try:
            return read(value, cls)
        except (ValueError, TypeError, KeyError) as error:
            raise CorruptJournal(f"{_at(place)}{type} does not fit: {_faults(value, cls)}; {_ADVICE}") from error

    def wire(self, event: Fact | Preview) -> dict[str, Any]:
        """Return the public form of an event; request ids in it are absolute."""
        header, data = event.header, event.data
        form: dict[str, Any] = {
            "schema": SCHEMA,
            "eventId": event.event_id,
            "turnId": header.turn_id,
            "rootTurnId": header.root_turn_id,
            "parentTurnId": header.parent_turn_id,
            "agentId": header.agent_id,
            "agentVersion": header.agent_version,
        }
        if isinstance(event, Fact):
            form |= {"sequence": event.sequence, "position": event.position}
        else:
            form |= {"after": event.after, "callKey": event.call_key, "blockId": event.block_id}
            form |= {"index": event.index, "offset": event.offset}
        form |= {
            "type": event.type,
            "occurredAt": _instant(event.time),
            "taskKey": header.task_key,
            "path": list(header.path),
        }
        if isinstance(event, Fact) and (key := event.idempotency_key) is not None:
            form["idempotencyKey"] = key
        form["data"] = _absolute(header.turn_id, self._dict(data))
        return form

    def _dict(self, data: EventData) -> Any:
        cls = data.__class__
        write = self._writers.get(cls)
        if write is None:
            if cls is Unknown:
                return cast("Unknown", data).data
            write = self._writers[cls] = _CONVERTER.get_unstructure_hook(cls)
        return write(data)

    def _reader(self, type: str) -> tuple[_Read, Payload] | None:
        cls = self._classes.get(type)
        if cls is None:
            cls = self._look_for(type)
        if cls is None:
            return None
        return self._readers.setdefault(type, (_CONVERTER.get_structure_hook(cls), cls))

    def _look_for(self, type: str) -> Payload | None:
        """Make the classes of more kinds known until one has this type, or all are known."""
        if self._looked:
            return None
        for cls in self._kinds():
            self.extend([cls])
            if cls.type == type:
                return cls
        self._looked = True
        return None


_ADVICE: Final = "the record was left as it is; restore it from a copy, or read it with the version that wrote it"


def _at(place: str) -> str:
    return f"{place}: " if place else ""


def _type(data: EventData) -> str:
    return data.wire_type if isinstance(data, Unknown) else data.type


def _name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _instant(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def _mended(value: Any) -> Any:
    """Return a JSON value whose text is valid Unicode; what has no JSON form is left for others to refuse."""
    if isinstance(value, str):
        return freeze(value)
    if isinstance(value, dict):
        return {_mended(name): _mended(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mended(item) for item in value]
    return value


def _plain(value: Any) -> Any:
    """Give the JSON library something that it knows, for a value that it does not."""
    if attrs.has(value.__class__):
        return _CONVERTER.unstructure(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} is of type {_name(value.__class__)}, which has no JSON form")


def _absolute(turn_id: str, data: Any) -> Any:
    """Name requests by their own ids where a payload names them relative to its Turn."""
    if data.__class__ is dict:
        if (names := data.get("requestIds")) is not None:
            data["requestIds"] = [absolute_request(turn_id, name) for name in names]
        if (key := data.get("requestKey")) is not None:
            data["requestId"] = request_id(turn_id, key)
        if ":" in (data.get("correlationId") or ""):
            data["correlationId"] = absolute_request(turn_id, data["correlationId"])
    return data


def _faults(value: Any, cls: type) -> str:
    """Say everything that is wrong with a payload, each with the path of the field."""
    try:
        make_converter(freeze, detailed=True).structure(value, cls)
    except Exception as error:  # noqa: BLE001 - it only describes a failure that is raised anyway
        texts = transform_error(error, format_exception=_text)
        return "; ".join([_PATH.sub(lambda path: camel(path[0]), text) for text in texts])
    return "it cannot be read"


_PATH: Final = re.compile(r"(?<= @ )\$\S*$")


def _text(error: BaseException, kind: type | None) -> str:
    """Prefer our own words to the library's, which know the type but not the value."""
    if isinstance(error, ValueError) and str(error).startswith("expected "):
        return str(error)
    if isinstance(error, ValueError) and kind is not None and hasattr(kind, "__members__"):
        known = list(kind.__members__)
        near = difflib.get_close_matches(str(error).partition("'")[2].partition("'")[0], known, n=1)
        return f"{error}" + (f" (nearest: {near[0]})" if near else "")
    return format_exception(error, kind)
