"""Nested JSON-like values whose texts are templates, such as the `with:` of a task."""

from collections.abc import Callable, Mapping

import attrs

from planner.expressions.faults import ExpressionFault
from planner.expressions.paths import Reference
from planner.expressions.templates import Template, parse_template

_MAX_DEPTH = 100

_Evaluate = Callable[[Mapping[str, object]], object]


@attrs.frozen
class ValueTemplate:
    """A value with templates in it, or without any."""

    source: object
    """The value as it was given."""
    templates: tuple[tuple[tuple[str | int, ...], Template], ...]
    """Every text that is not literal, with the keys and indexes that lead to it; keys of maps are never templates."""
    _evaluate: _Evaluate | None

    @property
    def references(self) -> tuple[Reference, ...]:
        """Every path in all of its texts. Offsets are those of the single text that holds the path."""
        return tuple(reference for _, template in self.templates for reference in template.references)

    @property
    def is_literal(self) -> bool:
        """Whether its value is the same in every scope."""
        return not self.templates

    def evaluate(self, scope: Mapping[str, object]) -> object:
        """The value with its texts evaluated; parts without templates are the same objects, not copies.

        Raises:
            EvaluationFault: An expression in it fails.
        """
        return self.source if self._evaluate is None else self._evaluate(scope)


def parse_value(value: object) -> ValueTemplate:
    """Read a nested value: maps, lists, texts, numbers, true, false and null.

    Raises:
        ExpressionFault: A text in it is no valid template; `at` tells which, by the keys and indexes that lead to it.
    """
    templates: list[tuple[tuple[str | int, ...], Template]] = []
    return ValueTemplate(source=value, evaluate=_compile(value, (), templates), templates=tuple(templates))


def _compile(
    value: object, at: tuple[str | int, ...], templates: list[tuple[tuple[str | int, ...], Template]]
) -> _Evaluate | None:
    """How to evaluate `value`, or None if it is its own value."""
    if len(at) > _MAX_DEPTH:
        raise ExpressionFault(f"this value is nested more than {_MAX_DEPTH} levels deep", offset=0, at=at)
    if isinstance(value, str):
        return _compile_text(value, at, templates)
    if isinstance(value, dict):
        parts = {key: _compile(held, (*at, key), templates) for key, held in value.items()}
        live = {key: part for key, part in parts.items() if part is not None}
        return _Map(value, live).evaluate if live else None
    if isinstance(value, list):
        items = [_compile(held, (*at, index), templates) for index, held in enumerate(value)]
        return _List(value, items).evaluate if any(items) else None
    return None


def _compile_text(
    text: str, at: tuple[str | int, ...], templates: list[tuple[tuple[str | int, ...], Template]]
) -> _Evaluate | None:
    try:
        template = parse_template(text)
    except ExpressionFault as fault:
        raise ExpressionFault(fault.message, offset=fault.offset, hint=fault.hint, at=at) from None
    if not template.is_literal:
        templates.append((at, template))
    elif template.evaluate({}) == text:
        return None
    return template.evaluate


@attrs.frozen(eq=False)
class _Map:
    """A map in which some keys hold templates; the order of keys is kept."""

    source: dict[str, object]
    live: dict[str, _Evaluate]

    def evaluate(self, scope: Mapping[str, object]) -> object:
        return self.source | {key: evaluate(scope) for key, evaluate in self.live.items()}


@attrs.frozen(eq=False)
class _List:
    """A list in which some items hold templates."""

    source: list[object]
    items: list[_Evaluate | None]

    def evaluate(self, scope: Mapping[str, object]) -> object:
        pairs = zip(self.source, self.items, strict=True)
        return [held if evaluate is None else evaluate(scope) for held, evaluate in pairs]
