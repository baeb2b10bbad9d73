"""The kinds of Turn that a process knows. A new kind needs no change in shell, journal or codec."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from runtime.core.ports import Definition, Machine
from runtime.errors import NotSupportedYet
from runtime.values.events import EventData

ENTRY_POINT_GROUP = "turntree.kinds"


def _accept_anything(_: Any, value: Any) -> Any:
    return value


def _no_text(definition: Any) -> str:
    raise NotSupportedYet(f"a tree cannot have a {definition.kind} at its root")


def _no_load(text: str) -> Definition:
    raise NotSupportedYet(
        "the journal does not hold enough to make this tree's definition again; give it: "
        "runtime.resume(id, definition), or open_runtime(…, definitions=[definition])"
    )


def _ready(_: Any) -> None:
    pass


@attrs.frozen(kw_only=True)
class Kind:
    """How definitions of one sort are run and kept."""

    name: str
    build: Callable[[Any], Machine]
    """Make the machine of a definition; called once for each definition."""
    describe: Callable[[Any], str] = _no_text
    """Return the text of a root's definition; its digest tells whether it changed."""
    load: Callable[[str], Definition] = _no_load
    """Rebuild a root's definition from that text, where it holds enough. Must not run the user's code."""
    prepare: Callable[[Any], None] = _ready
    """Get a rebuilt definition ready to run; `accept` does it for one that starts. Raises UsageError."""
    accept: Callable[[Any, Any], Any] = _accept_anything
    """Check `(definition, input)` before the first event and return the input with defaults.

    Raises UsageError with everything that does not fit, be it the input or something that the definition needs.
    """
    payloads: tuple[type[EventData], ...] = ()
    """Event classes that the kind brings."""


_KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> Kind:
    """Make a kind known to this process; packages do it when they are imported. Returns the kind."""
    _KINDS[kind.name] = kind
    return kind


def find(name: str) -> Kind:
    """Return the kind of this name, looking through installed packages if nothing imported it.

    Raises:
        NotSupportedYet: Neither this process nor an installed package knows it.
    """
    kind = _KINDS.get(name)
    if kind is None:
        from importlib.metadata import entry_points  # takes as long to import as half of this package

        for entry in entry_points(group=ENTRY_POINT_GROUP):
            register(entry.load())
        kind = _KINDS.get(name)
    if kind is None:
        known = ", ".join(sorted(_KINDS))
        raise NotSupportedYet(f"unknown kind of Turn {name!r}; this installation knows {known}")
    return kind


def all_kinds() -> tuple[Kind, ...]:
    """Return every kind that is known so far."""
    return tuple(_KINDS.values())
