"""Values of any payload class, made from its annotations."""

import types
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin

import attrs
from hypothesis import strategies as st

from runtime.values.events import EventData
from runtime.values.jsonlike import freeze

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | NUMBERS | TEXT
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3))


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Values of one annotation."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return JSON.map(freeze)
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=3).map(tuple)
    if origin in (types.UnionType, Union):
        return st.one_of([values(argument) for argument in arguments])
    if origin is Literal:
        return st.sampled_from(arguments)
    return _of_class(kind)


def _of_class(kind: Any) -> st.SearchStrategy[Any]:
    if attrs.has(kind):
        attrs.resolve_types(kind)
        # The role of a message says what its class says; nobody sets it.
        fields = [field for field in attrs.fields(kind) if field.name != "role"]
        return st.builds(kind, **{field.name: values(field.type) for field in fields})
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    plain = {str: TEXT, int: st.integers(-(2**63), 2**63 - 1), bool: st.booleans(), float: NUMBERS}
    return {**plain, type(None): st.none()}[kind]


def payloads(classes: tuple[type[EventData], ...]) -> st.SearchStrategy[EventData]:
    """Payloads of any of the classes."""
    return st.sampled_from(classes).flatmap(values)
