"""Whether a filter, test or function is known and gets the arguments that it takes, found before anything runs."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from jinja2 import nodes

from planner.expressions.faults import ExpressionFault, listed, nearest
from planner.expressions.vocabulary import FILTERS, TESTS, signature, usage

_KNOWN = {"filter": FILTERS, "test": TESTS}
_NAMES_TEST_AT = {"|select": 1, "|reject": 1, "|selectattr": 2, "|rejectattr": 2}
"""Filters that apply a test, and which of their arguments names it."""
_SIGNS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_ELSEWHERE = {
    "attr": "write `.key`",
    "count": "write `| length`",
    "d": "write `| default(…)`",
    "dictsort": "write `| items | sort(attribute=0)`",
    "format": "write `'%s of %d' % [a, b]`",
    "groupby": "write one `| selectattr(…)` for each group",
    "iterable": "write `is sequence`",
    "number": "write `| int` or `| float`",
    "random": "an expression has the same value each time",
    "safe": "nothing is escaped here",
    "true": "write the value itself, without `is true`",
    "false": "write `not x`, without `is false`",
}


def check_known(kind: str, name: str, offset: int) -> None:
    """Refuse a filter or test that does not exist.

    Raises:
        ExpressionFault: `name` is none; the hint says what comes nearest.
    """
    known = _KNOWN[kind]
    if name in known:
        return
    close = nearest(name, known)
    hint = _ELSEWHERE.get(name) or (f"write `{_SIGNS[name]}`" if name in _SIGNS else "")
    hint = hint or (f"did you mean `{close}`?" if close else f"{kind}s are " + listed(sorted(known), limit=50))
    raise ExpressionFault(f"unknown {kind} `{name}`", offset=offset, hint=hint)


def check_call(operation: str, arguments: Sequence[nodes.Expr], keywords: AbstractSet[str], offset: int) -> None:
    """Refuse arguments that an operation does not take.

    The filters that apply another filter or a test name it in the text, so that it can be checked here.

    Raises:
        ExpressionFault: They do not fit, or they name a filter or test that does not exist or cannot be known yet.
    """
    try:
        signature(operation).bind(*arguments, **dict.fromkeys(keywords))
    except TypeError:
        raise _misfit(operation, offset) from None
    place = _NAMES_TEST_AT.get(operation)
    if operation == "|map":
        _check_map(arguments, keywords, offset)
    elif place is not None and len(arguments) > place:
        _check_named("test", arguments[place:], offset)


def _check_map(arguments: Sequence[nodes.Expr], keywords: AbstractSet[str], offset: int) -> None:
    if ("attribute" in keywords) == (len(arguments) > 1) or ("default" in keywords and "attribute" not in keywords):
        raise _misfit("|map", offset, "write `map('upper')` or `map(attribute='url')`")
    if len(arguments) > 1:
        _check_named("filter", arguments[1:], offset)


def _check_named(kind: str, arguments: Sequence[nodes.Expr], offset: int) -> None:
    name = arguments[0].value if isinstance(arguments[0], nodes.Const) else None
    if not isinstance(name, str):
        raise ExpressionFault(f"the name of this {kind} must stand here as quoted text", offset=offset)
    check_known(kind, name, offset)
    operation = f"|{name}" if kind == "filter" else f"is {name}"
    check_call(operation, [nodes.Const(None), *arguments[1:]], frozenset(), offset)


def _misfit(operation: str, offset: int, hint: str = "") -> ExpressionFault:
    name = operation.removeprefix("|").removeprefix("is ").removesuffix("()")
    return ExpressionFault(
        f"wrong arguments for `{name}`", offset=offset, hint=hint or f"it takes `{usage(operation)}`"
    )
