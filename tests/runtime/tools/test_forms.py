"""Annotations and classes as JSON Schema, and JSON values as what the annotations say."""

import dataclasses
import types
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict

import attrs
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import UsageError
from runtime.tools.signature import read_signature, schema_of
from runtime.tools.validation import Validator
from runtime.values.jsonlike import freeze


class Speed(Enum):
    """How fast."""

    FAST = "fast"
    SLOW = "slow"


@dataclasses.dataclass
class Line:
    """One line of an order.

    Attributes:
        sku: What is bought.
    """

    sku: str
    day: date
    count: int = 1
    tags: list[str] = dataclasses.field(default_factory=list)
    total: int = dataclasses.field(init=False, default=0)


@attrs.frozen
class Order:
    """An order."""

    lines: tuple[Line, ...]
    speed: Speed = Speed.SLOW
    _note: str | None = None
    seen: set[str] = attrs.field(init=False, factory=set)


class Place(TypedDict):
    """Where."""

    zone: str
    since: NotRequired[date]


@attrs.define
class Tree:
    """A tree."""

    name: str
    kids: "list[Tree]" = attrs.field(factory=list)


class Chain(TypedDict):
    """A chain of objects that need no conversion."""

    next: "Chain | None"


PLAIN: list[tuple[Any, dict[str, Any]]] = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (None, {"type": "null"}),
    (Any, {}),
    (list, {"type": "array"}),
    (dict, {"type": "object"}),
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (list[Any], {"type": "array"}),
    (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
    (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (dict[str, Any], {"type": "object"}),
    (Mapping[str, str], {"type": "object", "additionalProperties": {"type": "string"}}),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal["a", 1, True], {"enum": ["a", 1, True]}),
    (Speed, {"type": "string", "enum": ["fast", "slow"]}),
    (date, {"type": "string", "format": "date"}),
    (datetime, {"type": "string", "format": "date-time"}),
    (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),  # noqa: UP045 - users write it
    (Annotated[int, "How many."], {"type": "integer", "description": "How many."}),
    (Annotated[int, 7], {"type": "integer"}),
    (list[Annotated[str, "A word."]], {"type": "array", "items": {"type": "string", "description": "A word."}}),
]


@pytest.mark.parametrize(("annotation", "schema"), PLAIN, ids=str)
def test_annotations_become_schemas(annotation: Any, schema: dict[str, Any]) -> None:
    """Every annotation that JSON can hold has one schema."""
    assert schema_of(annotation) == schema


def test_classes_become_objects() -> None:
    """Dataclasses, attrs classes and TypedDicts are objects of what their constructors take."""
    assert schema_of(Order) == {
        "description": "An order.",
        "type": "object",
        "properties": {
            "lines": {
                "type": "array",
                "items": {
                    "description": "One line of an order.",
                    "type": "object",
                    "properties": {
                        "sku": {"type": "string", "description": "What is bought."},
                        "day": {"type": "string", "format": "date"},
                        "count": {"type": "integer", "default": 1},
                        "tags": {"type": "array", "items": {"type": "string"}},
                    },
                    "required": ["sku", "day"],
                    "additionalProperties": False,
                },
            },
            "speed": {"type": "string", "enum": ["fast", "slow"], "default": "slow"},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        },
        "required": ["lines"],
        "additionalProperties": False,
    }
    assert schema_of(Place)["required"] == ["zone"]


def test_a_class_that_contains_itself_is_defined_once() -> None:
    """Trees of any depth are checked by a definition that refers to itself, with an object at the root."""
    schema = schema_of(Tree)
    assert schema["type"] == "object"
    assert Validator(schema).explain({"name": "a", "kids": [{"name": "b", "kids": [{"name": "c"}]}]}) is None
    assert Validator(schema).explain({"name": "a", "kids": [{"name": 5}]}) == "kids[0].name: 5 is not text"


def only(annotation: Any) -> Callable[..., Any]:
    """A function with one parameter of this type."""

    def work(value: Any) -> None: ...

    work.__annotations__["value"] = annotation
    return work


@attrs.define
class Bag:
    """Has a part that JSON cannot hold."""

    files: list[Path]


REFUSED = [
    (Path, "tool 'work': parameter 'value': Path cannot come from JSON; write str, int,"),
    (set[int], "set[int] cannot come from JSON"),
    (tuple[int, str], "tuple[int, str] cannot come from JSON"),
    (dict[int, str], "dict[int, str] cannot come from JSON"),
    (Decimal, "Decimal cannot come from JSON"),
    (list[Bag], "tool 'work': parameter 'value', field 'files': Path cannot come from JSON"),
    (object, "object cannot come from JSON"),
    (7, "cannot"),
    (Literal[b"x"], "has values that JSON has not; use texts or numbers"),
    ("Missing", "tool 'work': nothing is named 'Missing', which its annotations name; import or define it"),
    ("1 +", "an annotation cannot be read"),
]


@pytest.mark.parametrize(("annotation", "words"), REFUSED)
def test_what_json_cannot_hold_is_refused_by_name(annotation: Any, words: str) -> None:
    """The error names function, parameter, field and what to write."""
    with pytest.raises(UsageError) as caught:
        read_signature(only(annotation))
    assert words in str(caught.value)


@dataclasses.dataclass
class Lost:
    """Names what nobody defined."""

    part: "Nowhere"  # type: ignore[name-defined]  # noqa: F821


def named(name: str, *fields: type) -> type:
    """A class of that name that contains itself, and these."""
    parts = {f"f{n}": attrs.field(type=field) for n, field in enumerate(fields)}
    made = attrs.make_class(name, {"own": attrs.field(type=Any), **parts})
    made.__annotations__["own"] = made
    return made


def test_a_class_that_names_nothing_is_refused() -> None:
    """A field whose annotation cannot be resolved is told with the class and the name."""
    with pytest.raises(UsageError, match="type Lost: Lost names 'Nowhere' in an annotation, and nothing has that name"):
        schema_of(Lost)


def test_two_recursive_classes_of_one_name_are_refused() -> None:
    """They could not be told apart by the name of their definition."""
    with pytest.raises(UsageError, match=r"field 'f0\.own': two classes that contain themselves are named Node"):
        schema_of(named("Node", named("Node")))


def test_a_type_is_refused_with_its_field() -> None:
    """An output class with a part that JSON cannot hold is refused by name."""
    with pytest.raises(UsageError, match="type Bag, field 'files': Path cannot come from JSON"):
        schema_of(Bag)


def converted(annotation: Any, value: object) -> Any:
    """What a function with one such parameter gets for this JSON value."""
    signature = read_signature(only(annotation))
    arguments = freeze({"value": value})
    assert Validator(signature.parameters).explain(arguments) is None
    return signature.convert(arguments)["value"]


LINE = {"sku": "tea", "day": "2024-02-29"}


@pytest.mark.parametrize(
    ("annotation", "value", "wanted"),
    [
        (date, "2024-02-29", date(2024, 2, 29)),
        (datetime, "2024-02-29t12:30:00z", datetime(2024, 2, 29, 12, 30, tzinfo=UTC)),
        (Speed, "fast", Speed.FAST),
        (Speed | None, None, None),
        (Speed | None, "slow", Speed.SLOW),
        (list[Speed], ["fast"], [Speed.FAST]),
        (tuple[int, ...], [1, 2], (1, 2)),
        (dict[str, date], {"a": "2024-01-01"}, {"a": date(2024, 1, 1)}),
        (Line, LINE, Line("tea", date(2024, 2, 29))),
        (Order, {"lines": [LINE], "note": "x"}, Order((Line("tea", date(2024, 2, 29)),), note="x")),
        (Place, {"zone": "a", "since": "2024-01-01"}, {"zone": "a", "since": date(2024, 1, 1)}),
        (Tree, {"name": "a", "kids": [{"name": "b"}]}, Tree("a", [Tree("b")])),
        (Line | Place, {"zone": "a"}, {"zone": "a"}),
        (Line | Place, LINE, Line("tea", date(2024, 2, 29))),
        (list[date | int], ["2024-01-01", 5], [date(2024, 1, 1), 5]),
        (Tree | Speed, {"name": "a"}, Tree("a")),
        (Tree | Speed, "fast", Speed.FAST),
        (Chain, {"next": {"next": None}}, {"next": {"next": None}}),
        (dict[str, str] | Speed, {"a": "b"}, {"a": "b"}),
    ],
)
def test_arguments_become_what_the_annotations_say(annotation: Any, value: object, wanted: object) -> None:
    """A function gets the objects that it asks for, at any depth."""
    assert converted(annotation, value) == wanted


def test_json_values_are_handed_over_as_they_are() -> None:
    """Where the JSON value will do, no copy is made of it."""
    signature = read_signature(only(dict[str, list[int]]))
    arguments = freeze({"value": {"a": [1]}})
    assert signature.converters == {}
    assert signature.convert(arguments)["value"] is arguments["value"]


FORMS: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(-5, 5),
    str: st.text(max_size=3),
    date: st.dates(),
    datetime: st.datetimes(timezones=st.none() | st.just(UTC)),
    Speed: st.sampled_from(Speed),
    Line: st.builds(
        Line, st.text(max_size=2), st.dates(), st.integers(0, 3), st.lists(st.text(max_size=2), max_size=2)
    ),
}


@given(st.data())
def test_what_a_function_takes_survives_json(data: st.DataObject) -> None:
    """Any value, frozen and written as JSON, is valid for its own annotation and comes back equal."""
    kind = data.draw(st.sampled_from(list(FORMS)))
    value = data.draw(st.lists(FORMS[kind], max_size=3))
    if kind is Line:
        wire = freeze([{key: one for key, one in line.items() if key != "total"} for line in freeze(value)])
    else:
        wire = freeze(value)
    assert converted(types.GenericAlias(list, kind), orjson.loads(orjson.dumps(wire))) == value


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-3, 3) | st.just("x"), lambda i: st.lists(i, max_size=2), max_leaves=4
    )
)
def test_the_schema_allows_exactly_what_the_annotation_means(value: object) -> None:
    """`list[int] | bool` allows lists of integers and booleans, and nothing else."""
    ints = isinstance(value, list) and all(type(item) is int for item in value)
    assert (Validator(schema_of(list[int] | bool)).explain(freeze(value)) is None) == (ints or isinstance(value, bool))
