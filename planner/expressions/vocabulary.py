"""Every operation by the name that compiled expressions call it by, and the names that a user may write."""

import functools
import inspect

from planner.expressions.lists import LIST_FILTERS
from planner.expressions.operators import FUNCTION_OPERATIONS, OPERATORS
from planner.expressions.predicates import PREDICATES
from planner.expressions.run import Operation
from planner.expressions.scalars import SCALAR_FILTERS

_FILTERS = {**SCALAR_FILTERS, **LIST_FILTERS}
FILTERS = frozenset(_FILTERS)
"""What can stand after `|`."""
TESTS = frozenset(PREDICATES)
"""What can stand after `is`."""

OPERATIONS: dict[str, Operation] = {
    **OPERATORS,
    **{f"|{name}": operation for name, operation in _FILTERS.items()},
    **{f"is {name}": operation for name, operation in PREDICATES.items()},
    **{f"{name}()": operation for name, operation in FUNCTION_OPERATIONS.items()},
}


@functools.cache
def signature(operation: str) -> inspect.Signature:
    """What an operation takes besides the run that it belongs to."""
    _, *rest = inspect.signature(OPERATIONS[operation]).parameters.values()
    return inspect.Signature(rest)


def usage(operation: str) -> str:
    """The arguments of an operation for a message, such as `replace(old, new, count=-1)`."""
    parameters = list(signature(operation).parameters.values())
    name = operation.removeprefix("|").removeprefix("is ")
    if name.endswith("()"):
        name = name.removesuffix("()")
    else:
        # What stands before `|` or `is` is the first argument.
        del parameters[0]
    return f"{name}({', '.join(map(_argument, parameters))})"


def _argument(parameter: inspect.Parameter) -> str:
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return f"{parameter.name}…"
    if parameter.default is inspect.Parameter.empty:
        return parameter.name
    return f"{parameter.name}={'none' if parameter.default is None else repr(parameter.default)}"
