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
        "on_exceeded", "on_expiry", "parameters", "prefix", "repeat", "share", "tokens_per_minute", "tool_results",
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
    @cache
    def shapes(cls) -> "Mapping[str, tuple[str, Shape]]":
        """Return the name of the field and what may stand there, by the names that the file uses."""
        return {name: (field.name, field.metadata["key"].shape) for name, field in cls.keys().items()}

    @classmethod
    @cache
    def required(cls) -> "Mapping[str, attrs.Attribute[Any]]":
        """Return the fields of the keys that must be there."""
        return {name: field for name, field in cls.keys().items() if field.default is attrs.NOTHING}

    @classmethod
    def build(cls, path: PathKey, found: Mapping[str, Any]) -> Self:
        """Make one from the values of its fields; what is required and missing is as empty as its shape allows."""
        empty = {
            field.name: _empty(field, (*path, name))
            for name, field in cls.required().items()
            if field.name not in found
        }
        return cls(path=path, **empty, **found)


def _empty(field: "attrs.Attribute[Any]", path: PathKey) -> Any:
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
            needed = self.node.required()
            hint = f"write {{{': …, '.join(needed)}: …}}" if needed and value is not None else ""
            return self.wrong(value, path, reading, hint)
        known = self.node.shapes()
        found: dict[str, Any] = {}
        unknown = []
        for name, each in value.items():
            if name in known:
                field, shape = known[name]
                result = shape.read(each, (*path, name), reading)
                if result is not UNREADABLE:
                    found[field] = result
            else:
                unknown.append(name)
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
            "required": list(self.node.required()),
            "additionalProperties": False,
        }

    def _missing(self, value: Mapping[str, Any], unknown: list[str], path: PathKey, reading: Reading) -> None:
        for name, field in self.node.required().items():
            if name not in value and not any(name in self._near(other) for other in unknown):
                whose = f"{place(path)} " if path else ""
                message = f"{whose}has no `{name}`, which {self.node.SORT} needs" if whose else f"`{name}` is missing"
                hint = f"add `{name}: …`. {field.metadata['key'].doc}"
                reading.refuse("missing-key", (*path, name), message, hint, key=True, at=path)

    def _near(self, misspelt: str) -> list[str]:
        """Return the key that was meant, if one can be told."""
        return difflib.get_close_matches(misspelt, self.node.keys(), n=1)

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
