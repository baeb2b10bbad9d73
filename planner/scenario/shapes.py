"""What may stand at a key: each shape reads a value strictly and says the same in JSON Schema.

Reading and schema stand side by side so that they cannot drift apart. A shape never converts what a person wrote into
something else by guess: `no` is not false, `"3"` is not 3.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from planner.plan.faults import did_you_mean
from planner.scenario.findings import Finding
from planner.scenario.places import PathKey
from planner.scenario.reader import UNREADABLE, Source

if TYPE_CHECKING:
    from planner.scenario.records import Schemas


@attrs.define
class Reading:
    """One pass over a source: where findings go, and which paths were already refused."""

    source: Source
    base: Path
    """The folder of the file, where a JSON Schema that it names is looked for."""
    refused: set[PathKey] = attrs.field(factory=set)

    def refuse(
        self, code: str, path: PathKey, message: str, hint: str = "", *, key: bool = False, at: PathKey | None = None
    ) -> Any:
        """Note a finding and return what stands for the value.

        Args:
            code: The sort of mistake.
            path: Whose value is refused.
            message: What is wrong.
            hint: What to write instead.
            key: Point at the key, not at the value.
            at: Where to point if that is not `path`.
        """
        index = self.source.mark(path if at is None else at, key=key).start
        self.source.findings.append(Finding(code=code, message=message, hint=hint, index=index))
        self.refused.add(path)
        return UNREADABLE


class Shape(ABC):
    """What one value may be."""

    words: str
    """The shape for a message: "text", "a whole number"."""

    def read(self, value: Any, path: PathKey, reading: Reading) -> Any:
        """Return the value as the program uses it, or UNREADABLE after noting why not."""
        if value is UNREADABLE:
            reading.refused.add(path)
            return value
        return self._take(value, path, reading)

    @abstractmethod
    def _take(self, value: Any, path: PathKey, reading: Reading) -> Any:
        """Read a value that YAML could read."""

    @abstractmethod
    def schema(self, schemas: "Schemas") -> dict[str, Any]:
        """Return the JSON Schema of exactly the values that `read` accepts, as far as JSON Schema can say it."""

    def wrong(self, value: Any, path: PathKey, reading: Reading, hint: str = "") -> Any:
        """Note that the value is of another type."""
        message = f"{place(path)} must be {self.words}, not {described(value)}"
        return reading.refuse("wrong-type", path, message, hint or _advice(self.words, value))


def place(path: PathKey) -> str:
    """Return the last key of a path, as messages name it."""
    if not path:
        return "a scenario"
    names = [part for part in path if isinstance(part, str)]
    if isinstance(path[-1], int):
        return f"item {path[-1] + 1} of `{names[-1]}`" if names else f"item {path[-1] + 1}"
    return f"`{path[-1]}`"


def described(value: Any) -> str:
    """Return what a value is, for a person."""
    match value:
        case None:
            return "empty"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text {value!r}" if len(value) <= 40 else "text"
        case Mapping():
            return "a mapping"
        case _:
            return "a list"


def _advice(words: str, value: Any) -> str:
    if words == "text" and isinstance(value, bool | int | float):
        return "put it in quotes if it is text"
    if "number" in words and isinstance(value, str):
        return "write the number without quotes and leading zeros"
    if words == "a mapping" and value is None:
        return "indent its keys below it, or delete it"
    return ""


@attrs.frozen
class Text(Shape):
    """Text; usually not empty."""

    pattern: str | None = None
    """What the whole text must match."""
    rule: str = ""
    """The pattern in words."""
    blank: bool = False
    """Whether it may be empty."""
    words = "text"

    def _take(self, value: Any, path: PathKey, reading: Reading) -> Any:
        if not isinstance(value, str):
            return self.wrong(value, path, reading)
        if not self.blank and not value.strip():
            return reading.refuse("bad-value", path, f"{place(path)} is empty", "write something, or delete the key")
        if self.pattern is not None and re.fullmatch(self.pattern, value) is None:
            return reading.refuse("bad-value", path, f"{place(path)} cannot be {value!r}", self.rule)
        return value

    def schema(self, schemas: "Schemas") -> dict[str, Any]:
        """Return a pattern, where there is one."""
        if self.blank:
            return {"type": "string"}
        return {"type": "string", "pattern": f"^(?:{self.pattern})$" if self.pattern else r"\S"}


@attrs.frozen
class Whole(Shape):
    """A whole number."""

    least: int = 1
    words = "a whole number"

    def _take(self, value: Any, path: PathKey, reading: Reading) -> Any:
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # 3.0 is a whole number in JSON Schema too
        if isinstance(value, bool) or not isinstance(value, int):
            return self.wrong(value, path, reading)
        if value < self.least:
            return reading.refuse("bad-value", path, f"{place(path)} must be at least {self.least}, not {value}")
        return value

    def schema(self, schemas: "Schemas") -> dict[str, Any]:
        """Return an integer with its least value."""
        return {"type": "integer", "minimum": self.least}


@attrs.frozen
class Number(Shape):
    """Any number that is not negative."""

    words = "a number"

    def _take(self, value: Any, path: PathKey, reading: Reading) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return self.wrong(value, path, reading)
        if value < 0:
            return reading.refuse("bad-value", path, f"{place(path)} must not be negative, and it is {value}")
        return float(value)

    def schema(self, schemas: "Schemas") -> dict[str, Any]:
        """Return a number from 0 up."""
        return {"type": "number", "minimum": 0}


@attrs.frozen
class Written(Shape):
    """A number, or text that a parser of the runtime understands: `5m`, `20k`."""

    words: str
    parse: Callable[[object], Any]
    """Raises ValueError with words for a person."""
    pattern: str
    number: str = "number"
    """The JSON type of the numbers."""

    def _take(self, value: Any, path: PathKey, reading: Reading) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            return self.wrong(value, path, reading)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # 3.0 is a whole number in JSON Schema too
        try:
            return self.parse(value)
        except ValueError as error:
            message, _, hint = str(error).partition("; ")
            return reading.refuse("bad-value", path, f"{place(path)}: {message}", hint)

    def schema(self, schemas: "Schemas") -> dict[str, Any]:
        """Return a number, or text of the pattern."""
        return {"anyOf": [{"type": self.number, "minimum": 0}, {"type": "string", "pattern": f"^(?:{self.pattern})$"}]}


@attrs.frozen
class Choice(Shape):
    """One of a few values."""

    values: tuple[str | int, ...]

    words = "one of a few values"

    def _take(self, value: Any, path: PathKey, reading: Reading) -> Any:
        if isinstance(value, bool) or value not in self.values:
            hint = did_you_mean(str(value), [str(each) for each in self.values])
            return reading.refuse("bad-value", path, f"{place(path)} cannot be {described(value)}", hint)
        return value

    def schema(self, schemas: "Schemas") -> dict[str, Any]:
        """Return the values."""
        return {"enum": list(self.values)}


@attrs.frozen
class ListOf(Shape):
    """A list of one shape."""

    item: Shape
    least: int = 0

    @property
    def words(self) -> str:  # type: ignore[override]
        """A list of that."""
        return f"a list, each item {self.item.words}"

    def _take(self, value: Any, path: PathKey, reading: Reading) -> Any:
        if not isinstance(value, Sequence) or isinstance(value, str):
            hint = f"write [{value}]" if isinstance(value, str) and isinstance(self.item, Text) else ""
            return self.wrong(value, path, reading, hint)
        if len(value) < self.least:
            return reading.refuse("bad-value", path, f"{place(path)} is an empty list")
        found = [self.item.read(each, (*path, index), reading) for index, each in enumerate(value)]
        return [each for each in found if each is not UNREADABLE]

    def schema(self, schemas: "Schemas") -> dict[str, Any]:
        """Return an array of the items' schema."""
        least = {"minItems": self.least} if self.least else {}
        return {"type": "array", "items": self.item.schema(schemas), **least}


@attrs.frozen
class MapOf(Shape):
    """A mapping whose keys are names that the author chooses."""

    value: Shape
    pattern: str | None = None
    """What names must match."""
    rule: str = ""
    least: int = 0
    words = "a mapping"

    def _take(self, value: Any, path: PathKey, reading: Reading) -> Any:
        if not isinstance(value, Mapping):
            return self.wrong(value, path, reading)
        if len(value) < self.least:
            return reading.refuse("bad-value", path, f"{place(path)} has nothing in it")
        found = {}
        for name, each in value.items():
            where = (*path, name)
            if self.pattern is not None and re.fullmatch(self.pattern, name) is None:
                reading.refuse("bad-value", where, f"{name!r} cannot be a name here", self.rule, key=True)
            result = self.value.read(each, where, reading)
            if result is not UNREADABLE:
                found[name] = result
        return found

    def schema(self, schemas: "Schemas") -> dict[str, Any]:
        """Return an object whose names are open."""
        names = {"propertyNames": {"pattern": f"^(?:{self.pattern})$"}} if self.pattern else {}
        least = {"minProperties": self.least} if self.least else {}
        return {"type": "object", "additionalProperties": self.value.schema(schemas), **names, **least}


@attrs.frozen
class AnyJson(Shape):
    """Any value; templates in it are held against the plan later."""

    words = "any value"

    def _take(self, value: Any, path: PathKey, reading: Reading) -> Any:
        # Only a text that had something refused can hold the stand-in, so most files skip the walk.
        if reading.source.findings and _has_unreadable(value):
            reading.refused.add(path)
            return UNREADABLE
        return value

    def schema(self, schemas: "Schemas") -> dict[str, Any]:
        """Return a schema that takes everything."""
        return {}


def _has_unreadable(value: Any) -> bool:
    match value:
        case Mapping():
            return any(_has_unreadable(each) for each in value.values())
        case list():
            return any(_has_unreadable(each) for each in value)
        case _:
            return value is UNREADABLE


@attrs.frozen
class AnyMap(AnyJson):
    """A mapping of any values."""

    words = "a mapping"

    def _take(self, value: Any, path: PathKey, reading: Reading) -> Any:
        if not isinstance(value, Mapping):
            return self.wrong(value, path, reading)
        return super()._take(value, path, reading)

    def schema(self, schemas: "Schemas") -> dict[str, Any]:
        """Return any object."""
        return {"type": "object"}


@attrs.frozen
class Either(Shape):
    """Short and long forms of one value; the type of what is written tells which is meant."""

    options: tuple[tuple[Callable[[Any], bool], Shape], ...]
    """Tests and shapes, the first that fits reads the value."""
    words: str

    def _take(self, value: Any, path: PathKey, reading: Reading) -> Any:
        for fits, shape in self.options:
            if fits(value):
                return shape.read(value, path, reading)
        return self.wrong(value, path, reading)

    def schema(self, schemas: "Schemas") -> dict[str, Any]:
        """Return the schemas of all forms."""
        return {"anyOf": [shape.schema(schemas) for _, shape in self.options]}


def is_mapping(value: Any) -> bool:
    """Tell a mapping, for `Either`."""
    return isinstance(value, Mapping)


def is_list(value: Any) -> bool:
    """Tell a list, for `Either`."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def is_text(value: Any) -> bool:
    """Tell text, for `Either`."""
    return isinstance(value, str)


def is_number(value: Any) -> bool:
    """Tell a number, for `Either`."""
    return isinstance(value, int | float) and not isinstance(value, bool)
