"""How values become JSON and come back: camelCase fields, defaults left out, unions told apart by an explicit tag.

JSON values pass through untouched. Nothing is coerced: a number is no string, and a string is no number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final, get_origin

import attrs
from cattrs import Converter
from cattrs.fns import identity
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from runtime.values.messages import (
    AssistantMessage,
    Block,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolMessage,
    UserMessage,
)

TAGS: Mapping[type, tuple[str, str]] = {
    UserMessage: ("role", "user"),
    AssistantMessage: ("role", "assistant"),
    ToolMessage: ("role", "tool"),
    Text: ("kind", "text"),
    Thinking: ("kind", "thinking"),
    ToolCall: ("kind", "tool_call"),
}
"""The wire name of every class that stands in a union: renaming a class must not change stored data."""

_UNIONS: Mapping[Any, tuple[type, ...]] = {
    Message: (UserMessage, AssistantMessage, ToolMessage),
    Block: (Text, Thinking, ToolCall),
}

LONGEST: Final = 80
"""Characters of a wrong value that an error shows."""

Freeze = Callable[[Any], Any]


def camel(name: str) -> str:
    """Return the wire name of a field."""
    head, *rest = name.split("_")
    return head + "".join([word.capitalize() for word in rest])


def make_converter(freeze: Freeze, *, detailed: bool = False) -> Converter:
    """Return a converter for payloads and the values in them.

    Args:
        freeze: Applied to every JSON value that is read.
        detailed: Collect every fault with its path; several times slower, for the second look at a bad payload.
    """
    converter = Converter(detailed_validation=detailed)
    converter.register_unstructure_hook_func(lambda kind: kind is Any or kind in (str, int, float, bool), identity)
    converter.register_structure_hook_func(lambda kind: kind is Any, lambda value, _: freeze(value))
    for kind in (str, int, bool):
        converter.register_structure_hook(kind, _exactly)
    converter.register_structure_hook(float, _number)
    converter.register_structure_hook_factory(_is_tuple, lambda kind: _tuples(converter, kind.__args__[0]))
    converter.register_unstructure_hook_factory(attrs.has, lambda cls: _writer(converter, cls))
    converter.register_structure_hook_factory(attrs.has, lambda cls: _reader(converter, cls))
    for union, members in _UNIONS.items():
        converter.register_structure_hook(union, _chooser(converter, members))
        converter.register_unstructure_hook(union, lambda value: converter.unstructure(value, value.__class__))
    return converter


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _exactly(value: Any, kind: Any) -> Any:
    if value.__class__ is kind:
        return value
    if issubclass(kind, Enum):  # a hook of `str` is asked for every StrEnum too
        return kind(value)
    raise ValueError(f"expected {kind.__name__}, found {_brief(value)}")


def _number(value: Any, _: Any) -> float:
    if value.__class__ is float or value.__class__ is int:
        return float(value)
    raise ValueError(f"expected a number, found {_brief(value)}")


def _is_tuple(kind: Any) -> bool:
    origin: Any = get_origin(kind)
    return origin is tuple


def _tuples(converter: Converter, member: Any) -> Callable[[Any, Any], tuple[Any, ...]]:
    read_all = converter.get_structure_hook(list[member])

    def read(value: Any, _: Any) -> tuple[Any, ...]:
        if value.__class__ is not list:
            raise ValueError(f"expected a list, found {_brief(value)}")
        return tuple(read_all(value, list[member]))

    return read


def _writer(converter: Converter, cls: Any) -> Callable[[Any], dict[str, Any]]:
    names = _names(cls)
    write: Callable[[Any], dict[str, Any]] = make_dict_unstructure_fn(
        cls, converter, _cattrs_omit_if_default=True, **names
    )
    if (tag := TAGS.get(cls)) is None:
        return write
    name, value = tag
    return lambda instance: {name: value, **write(instance)}


def _reader(converter: Converter, cls: Any) -> Callable[[Any, Any], Any]:
    names = _names(cls)
    read: Callable[[Any, Any], Any] = make_dict_structure_fn(
        cls, converter, _cattrs_detailed_validation="from_converter", **names
    )

    def check(value: Any, kind: Any) -> Any:
        if value.__class__ is not dict:
            raise ValueError(f"expected an object, found {_brief(value)}")
        return read(value, kind)

    return check


def _names(cls: Any) -> dict[str, Any]:
    """Name the fields as on the wire; a field that repeats the class's tag in Python is not one of them."""
    attrs.resolve_types(cls)
    tag_name, _ = TAGS.get(cls, ("", ""))
    return {field.name: override(rename=camel(field.name), omit=field.name == tag_name) for field in attrs.fields(cls)}


def _chooser(converter: Converter, members: tuple[type, ...]) -> Callable[[Any, Any], Any]:
    name = TAGS[members[0]][0]
    classes = {TAGS[cls][1]: cls for cls in members}

    def read(value: Any, _: Any) -> Any:
        tag = value.get(name) if value.__class__ is dict else None
        cls = classes.get(tag) if isinstance(tag, str) else None
        if cls is None:
            raise ValueError(f"expected an object whose {name!r} is one of {', '.join(classes)}, found {_brief(value)}")
        return converter.structure(value, cls)

    return read
