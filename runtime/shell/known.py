"""Definitions that a runtime has met lately, with what was made of them once: their machine and their digest."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

import attrs

from runtime.core.kinds import find
from runtime.core.ports import Definition, Machine

if TYPE_CHECKING:
    from runtime.core.ports import Journal

_MOST: Final = 1024
"""Definitions kept; a program that builds its plans anew each time must not grow."""


@attrs.define(eq=False)
class _Entry:
    definition: Definition  # kept, so that its id stays taken
    machine: Machine
    digest: str | None = None


class Known:
    """A cache by identity, since comparing definitions would compare everything in them."""

    def __init__(self) -> None:
        self._entries: OrderedDict[int, _Entry] = OrderedDict()

    def machine(self, definition: Definition) -> Machine:
        """Return the machine of a definition."""
        return self._entry(definition).machine

    async def digest(self, definition: Definition, journal: Journal) -> str:
        """Keep a definition's text in the journal and return its digest. A checkpoint only the first time."""
        entry = self._entry(definition)
        if entry.digest is None:
            entry.digest = await journal.put_definition(find(definition.kind).describe(definition))
        return entry.digest

    def find(self, digest: str | None) -> Definition | None:
        """Return the definition of this digest, if this runtime has started or resumed a tree with it lately."""
        for entry in self._entries.values():
            if entry.digest is not None and entry.digest == digest:
                return entry.definition
        return None

    def _entry(self, definition: Definition) -> _Entry:
        key = id(definition)
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = _Entry(definition, find(definition.kind).build(definition))
            if len(self._entries) > _MOST:
                self._entries.popitem(last=False)
        else:
            self._entries.move_to_end(key)
        return entry
