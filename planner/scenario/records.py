"""Mappings with keys of ours, as attrs classes: one declaration is read strictly and printed as JSON Schema."""

import difflib
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import Any, ClassVar, Final, Self

import attrs

from planner.plan.faults import did_you_mean
from planner.scenario.places import PathKey
from planner.scenario.reader import UNREADABLE
from planner.scenario.shapes import MapOf, Reading, Shape, place

NOT_YET = frozenset(
    {
        "approval", "budget", "expires", "external", "fallback", "finally", "forms", "mcp",
        "on_exceeded", "on_expiry", "prefix", "repeat", "share", "tokens_per_minute", "tool_results",
    }
)  # fmt: skip
"""Keys of the language that this version refuses by name."""


class Absent(Enum):
    """The default of keys for which null is a value of its own."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


@attrs.frozen
class Key:
    """What a field of a record class says about its key in the file."""

    shape: Shape
    doc: str


def says(shape: Shape, doc: str) -> dict[str, Key]:
    """Return the metadata of a field that is a key of the file; without a default the key must be there."""
    return {"key": Key(shape, doc)}


@attrs.frozen(kw_only=True)
class Node:
    """A mapping with keys of ours. Subclasses declare their keys with `says`."""

    SORT: ClassVar[str] = ""
    """What one is called: "a task"."""

    path: PathKey
    """Where it stands in the file."""

    @classmethod
    @cache
    def keys(cls) -> "Mapping[str, attrs.Attribute[Any]]":
        """Return the fields by the names that the file uses."""
        return {field.name.rstrip("_"): field for field in attrs.fields(cls) if "key" in field.metadata}

    @classmethod
    def build(cls, path: PathKey, found: Mapping[str, Any]) -> Self:
        """Make one from what was read; a required key that could not be read is as empty as its shape allows."""
        values = {
            field.name: found[name] if name in found else _empty(field, (*path, name))
            for name, field in cls.keys().items()
        }
        return cls(path=path, **values)


def _empty(field: "attrs.Attribute[Any]", path: PathKey) -> Any:
    default: Any = field.default
    if isinstance(default, attrs.Factory):  # type: ignore[arg-type] # a class at run time
        return default.factory()
    if default is not attrs.NOTHING:
        return default
    shape: Shape = field.metadata["key"].shape
    if isinstance(shape, Record):
        return shape.node.build(path, {})
    return {} if isinstance(shape, MapOf) else None


@attrs.define
class Schemas:
    """Definitions that schemas refer to, gathered while a schema is printed."""

    defs: dict[str, dict[str, Any]] = attrs.field(factory=dict)

    def reference(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return a reference to a definition, made at its first mention."""
        if name not in self.defs:
            self.defs[name] = {}  # a definition may mention itself
            self.defs[name] = make()
        return {"$ref": f"#/$defs/{name}"}


@attrs.frozen
class Record(Shape):
    """The shape of one node class."""

    node: type[Node]
    words = "a mapping"

    def read(self, value: Any, path: PathKey, reading: Reading) -> Any:
        """Return the record; an empty one if the value is none, so that its name still stands for something."""
        found = super().read(value, path, reading)
        return self.node.build(path, {}) if found is UNREADABLE else found

    def _take(self, value: Any, path: PathKey, reading: Reading) -> Any:
        """Read each key by its own shape."""
        if not isinstance(value, Mapping):
            needed = [name for name, field in self.node.keys().items() if field.default is attrs.NOTHING]
            hint = f"write {{{': …, '.join(needed)}: …}}" if needed and value is not None else ""
            return self.wrong(value, path, reading, hint)
        known = self.node.keys()
        found: dict[str, Any] = {}
        unknown = [name for name in value if name not in known]
        for name, each in value.items():
            if name in known:
                result = known[name].metadata["key"].shape.read(each, (*path, name), reading)
                if result is not UNREADABLE:
                    found[name] = result
            else:
                self._unknown(name, each, (*path, name), reading)
        if not NOT_YET.intersection(unknown):  # a tool that is `external` does not lack its `python`
            self._missing(value, unknown, path, reading)
        return self.node.build(path, found)

    def schema(self, schemas: Schemas) -> dict[str, Any]:
        """Return a reference to the definition of the class."""
        return schemas.reference(self.node.__name__, lambda: self._definition(schemas))

    def _definition(self, schemas: Schemas) -> dict[str, Any]:
        fields = self.node.keys()
        return {
            "type": "object",
            "properties": {
                name: {"description": field.metadata["key"].doc, **field.metadata["key"].shape.schema(schemas)}
                for name, field in fields.items()
            },
            "required": [name for name, field in fields.items() if field.default is attrs.NOTHING],
            "additionalProperties": False,
        }

    def _missing(self, value: Mapping[str, Any], unknown: list[str], path: PathKey, reading: Reading) -> None:
        misspelt = {near for name in unknown for near in difflib.get_close_matches(name, self.node.keys(), n=1)}
        for name, field in self.node.keys().items():
            if field.default is attrs.NOTHING and name not in value and name not in misspelt:
                whose = f"{place(path)} " if path else ""
                message = f"{whose}has no `{name}`, which {self.node.SORT} needs" if whose else f"`{name}` is missing"
                hint = f"add `{name}: …`. {field.metadata['key'].doc}"
                reading.refuse("missing-key", (*path, name), message, hint, key=True, at=path)

    def _unknown(self, name: str, value: Any, path: PathKey, reading: Reading) -> None:
        if name in NOT_YET:
            hint = "delete it, or wait for a version that has it"
            reading.refuse("not-supported", path, f"`{name}` is not supported yet", hint, key=True)
            return
        message = f"{self.node.SORT} has no key `{name}`"
        reading.refuse("unknown-key", path, message, self._hint(name, value), key=True)

    def _hint(self, name: str, value: Any) -> str:
        if value is None and not name.isidentifier():
            return "a comma inside braces ends a value: put quotes around text that has one"
        homes = [node.SORT for node in _all_nodes(Node) if name in node.keys()]  # noqa: SIM118
        if homes:
            return f"`{name}` is a key of {' and of '.join(homes)}"
        return did_you_mean(name, self.node.keys())


def _all_nodes(node: type[Node]) -> list[type[Node]]:
    return [found for child in node.__subclasses__() for found in (child, *_all_nodes(child))]
