"""From words to a syntax tree, with faults in our own words. Loads Jinja2, whose grammar this is."""

from collections.abc import Sequence
from typing import NoReturn

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.parser import Parser

from planner.expressions.faults import ExpressionFault
from planner.expressions.tokens import Token

MAX_DEPTH = 64
"""Levels of an expression's tree; keeps every recursive pass over it far from the stack's end."""

_ENVIRONMENT = Environment(optimized=False, cache_size=0, autoescape=False)
_SPLIT = "split the work into tasks, or let a tool do it"
_FOREIGN = {
    "for": "there are no loops; write `| map(…)`, `| select(…)`, or `for_each` on the task",
    "lambda": "there are no functions of your own",
    ":": "write `b if a else c` for `a ? b : c`",
    ",": "an expression is one value; a list stands in `[ ]`",
    "not": "write `x is not …` or `x not in …`",
}


def parse(tokens: Sequence[Token], end: int) -> nodes.Expr:
    """The syntax tree of an expression. The `lineno` of each node is the number of its word, counted from 1.

    Args:
        tokens: The words of the expression.
        end: The length of the source, where a missing rest would stand.

    Raises:
        ExpressionFault: The words do not make one expression, or it is nested too deeply.
    """
    if not tokens:
        raise ExpressionFault("the expression is empty", offset=0, hint="write a path such as `inputs.topic`")
    # Jinja2 keeps only line numbers. With one word on each line, they tell the word, and the word knows its offset.
    parser = Parser(_ENVIRONMENT, "\n".join(token.text for token in tokens), state="variable")
    try:
        tree = parser.parse_expression()
        line = None if parser.stream.eos else parser.stream.current.lineno
    except TemplateSyntaxError as error:
        if parser.stream.eos:
            raise ExpressionFault("the expression ends too early", offset=end) from None
        line = error.lineno
    except RecursionError:
        raise _too_deep(0) from None
    if line is not None:
        _refuse(tokens[line - 1])
    _check_depth(tree, tokens)
    return tree


def _refuse(token: Token) -> NoReturn:
    hint = _FOREIGN.get(token.text, "")
    if not hint and token.kind in ("name", "number", "string"):
        hint = "an operator is missing before it, or a quote around a text"
    raise ExpressionFault(f"`{token.text}` is not expected here", offset=token.offset, hint=hint)


def _check_depth(tree: nodes.Node, tokens: Sequence[Token]) -> None:
    pending = [(tree, 1)]
    while pending:
        node, depth = pending.pop()
        if depth > MAX_DEPTH:
            raise _too_deep(tokens[(node.lineno or 1) - 1].offset)
        pending.extend((child, depth + 1) for child in node.iter_child_nodes())


def _too_deep(offset: int) -> ExpressionFault:
    message = f"this expression is nested more than {MAX_DEPTH} levels deep"
    return ExpressionFault(message, offset=offset, hint="write `x in [a, b, …]` for a long `or`; otherwise " + _SPLIT)
