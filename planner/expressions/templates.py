"""Texts with `${…}`, and bare expressions: read once, evaluated many times."""

import functools
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from planner.expressions.faults import ExpressionFault
from planner.expressions.paths import Reference, plain_path, resolve
from planner.expressions.run import as_text

if TYPE_CHECKING:
    from planner.expressions.program import Program

_CACHED = 32_768
_OPEN = re.compile(r"\$\$\{|\$\{")
_INSIDE = re.compile(r"""["'{}]""")
_STRING = {quote: re.compile(rf"(?:[^{quote}\\]|\\.)*{quote}", re.DOTALL) for quote in "\"'"}
_MARK = "${"


class Expression:
    """One expression. Holds no values: the same one serves every run."""

    __slots__ = ("_meaning", "references", "source")

    def __init__(self, source: str, meaning: "Reference | Program") -> None:
        self.source = source
        """As written, without the spaces around it."""
        self._meaning = meaning
        self.references: tuple[Reference, ...]
        self.references = (meaning,) if isinstance(meaning, Reference) else meaning.references
        """Every path in it, in order; one for each place. Offsets are those of the text given to the parser."""

    def evaluate(self, scope: Mapping[str, object]) -> object:
        """The value in `scope`, a JSON-like value; parts of the scope are handed on as they are, not copied.

        Raises:
            EvaluationFault: Something is missing, values do not fit, or a limit is reached.
        """
        meaning = self._meaning
        if isinstance(meaning, Reference):
            return resolve(meaning, scope, self.source)
        return meaning.evaluate(scope)


class Template:
    """A text with expressions in it, or without any."""

    __slots__ = ("_pieces", "references", "source")

    def __init__(self, source: str, pieces: tuple[str | Expression, ...], references: tuple[Reference, ...]) -> None:
        self.source = source
        """As written."""
        self._pieces = pieces
        self.references = references
        """Every path in it, in order; one for each place. Offsets are those of `source`."""

    @property
    def is_literal(self) -> bool:
        """Whether its value is the same in every scope."""
        return all(isinstance(piece, str) for piece in self._pieces)

    def evaluate(self, scope: Mapping[str, object]) -> object:
        """The text with the values put in, or the bare value if the template is a single `${…}`.

        What is put in is never read as a template itself.

        Raises:
            EvaluationFault: Something is missing, values do not fit, or a limit is reached.
        """
        pieces = self._pieces
        if len(pieces) == 1 and not isinstance(pieces[0], str):
            return pieces[0].evaluate(scope)
        return "".join([piece if isinstance(piece, str) else _filled(piece, scope) for piece in pieces])


def _filled(piece: Expression, scope: Mapping[str, object]) -> str:
    return as_text(piece.evaluate(scope), piece.source)


@functools.lru_cache(maxsize=_CACHED)
def parse_expression(text: str) -> Expression:
    """Read a bare expression, such as the value of `when`. The same text is read once.

    Raises:
        ExpressionFault: It is not an expression of the language.
    """
    source = text.strip()
    start = len(text) - len(text.lstrip())
    reference = plain_path(source, start)
    if reference is not None:
        return Expression(source, reference)
    # Here and not at the top: loading the grammar takes longer than reading thousands of plain paths.
    from planner.expressions.program import Program

    return Expression(source, Program(text))


@functools.lru_cache(maxsize=_CACHED)
def parse_template(text: str) -> Template:
    """Read a text in which `${…}` holds expressions and `$${` stands for `${`. The same text is read once.

    Raises:
        ExpressionFault: A `${` is never closed, or what it holds is not an expression.
    """
    if _MARK not in text:
        return Template(text, (text,), ())
    whole = plain_path(text[2:-1], 2) if text.startswith(_MARK) and text.endswith("}") else None
    if whole is not None:
        return Template(text, (Expression(text[2:-1], whole),), (whole,))
    pieces: list[str | Expression] = []
    references: list[Reference] = []
    for start, piece in _pieces(text):
        if start is None:
            pieces.append(piece)
            continue
        try:
            expression = parse_expression(piece)
        except ExpressionFault as fault:
            raise fault.moved(start) from None
        pieces.append(expression)
        references += [Reference(each.root, each.parts, each.offset + start) for each in expression.references]
    return Template(text, tuple(pieces), tuple(references))


def _pieces(text: str) -> Iterator[tuple[int | None, str]]:
    """Split a template: literal text with None, the inside of each `${…}` with the offset at which it starts."""
    position = 0
    while (opened := _OPEN.search(text, position)) is not None:
        if opened.start() > position:
            yield None, text[position : opened.start()]
        position = opened.end()
        if opened[0] == _MARK:
            end = _closing(text, opened.start())
            yield position, text[position:end]
            position = end + 1
        else:
            yield None, _MARK
    if position < len(text):
        yield None, text[position:]


def _closing(text: str, start: int) -> int:
    """Where the `}` stands that closes the `${` at `start`: braces inside balance, unless in quotes."""
    depth, position = 1, start + len(_MARK)
    while (found := _INSIDE.search(text, position)) is not None:
        position = found.end()
        if found[0] == "{":
            depth += 1
        elif found[0] == "}":
            depth -= 1
            if depth == 0:
                return found.start()
        else:
            string = _STRING[found[0]].match(text, position)
            if string is None:
                raise ExpressionFault(f"the text that starts with {found[0]} is never closed", offset=found.start())
            position = string.end()
    hint = "close it with `}`, or write `$${` for the characters `${`"
    raise ExpressionFault("this `${` is never closed", offset=start, hint=hint)
