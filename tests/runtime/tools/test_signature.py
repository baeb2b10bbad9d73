"""Typed functions as tools: what they take, and what they are told."""

from collections.abc import Callable
from datetime import date
from enum import Enum
from typing import Annotated, Any

import pytest

from runtime.core.ports import ToolContext
from runtime.errors import UsageError
from runtime.tools.signature import read_signature


class Speed(Enum):
    """How fast."""

    FAST = "fast"
    SLOW = "slow"


def parameters_of(function: Callable[..., Any]) -> Any:
    """The schema of a function's arguments."""
    return read_signature(function).parameters


def test_a_function_says_what_it_takes() -> None:
    """Annotations give types, the docstring gives words, defaults make a parameter optional; the context is hidden."""

    def search(  # noqa: D417 - a context needs no words
        q: str, here: ToolContext, *, limit: Annotated[int, "At most."] = 5, since: date | None = None
    ) -> str:
        """Search the web.

        Finds primary sources too.

        Args:
            q: What to look
                for.
            limit (int): Is told by the annotation.
            since: The first day.

        Returns:
            q: not a parameter.
        """
        return q

    signature = read_signature(search)
    assert signature.name == "search"
    assert signature.description == "Search the web.\n\nFinds primary sources too."
    assert signature.context == "here"
    assert signature.parameters == {
        "type": "object",
        "properties": {
            "q": {"type": "string", "description": "What to look for."},
            "limit": {"type": "integer", "description": "At most.", "default": 5},
            "since": {
                "anyOf": [{"type": "string", "format": "date"}, {"type": "null"}],
                "description": "The first day.",
                "default": None,
            },
        },
        "required": ["q"],
        "additionalProperties": False,
    }


def test_annotations_may_be_texts() -> None:
    """Annotations of a module with postponed evaluation are resolved."""

    def order(lines: "list[str]", speed: "Speed") -> None: ...

    assert parameters_of(order)["properties"]["speed"] == {"type": "string", "enum": ["fast", "slow"]}


def test_methods_leave_their_object_out() -> None:
    """A bound method takes what is left after its object."""

    class Shop:
        """A shop."""

        def order(self, sku: str) -> str:
            """Order."""
            return sku

    assert list(parameters_of(Shop().order)["properties"]) == ["sku"]


def star(*names: str) -> None:
    """Takes names."""


def stars(**names: str) -> None:
    """Takes names."""


def bare(name, /) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Takes a name."""


def untyped(name) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Takes a name."""


def greedy(one: ToolContext, two: ToolContext) -> None:
    """Takes too much."""


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (star, "parameter 'names' takes arguments without names; write a list, such as names: list[str]"),
        (stars, "parameter 'names' takes any argument; write a dict, such as names: dict[str, Any]"),
        (bare, "parameter 'name' is positional only, but arguments come by name; remove the '/'"),
        (untyped, "parameter 'name' has no type; write one, such as name: str"),
        (greedy, "one and two both want the ToolContext; one is enough"),
    ],
)
def test_parameters_that_cannot_be_filled_are_refused(function: Callable[..., Any], message: str) -> None:
    """Each says what to write instead."""
    with pytest.raises(UsageError) as caught:
        read_signature(function)
    assert message in str(caught.value)
