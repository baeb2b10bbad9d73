"""What can stand after `is`, and in `select` and `reject`."""

from planner.expressions.operators import compare_once, is_number
from planner.expressions.paths import Missing
from planner.expressions.run import Operation, Run
from planner.expressions.scalars import whole

_MOST = 2**63


def _defined(_run: Run, value: object) -> bool:
    return not isinstance(value, Missing)


def _undefined(_run: Run, value: object) -> bool:
    return isinstance(value, Missing)


def _none(_run: Run, value: object) -> bool:
    return value is None


def _boolean(_run: Run, value: object) -> bool:
    return isinstance(value, bool)


def _number(_run: Run, value: object) -> bool:
    return is_number(value)


def _integer(_run: Run, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _float(_run: Run, value: object) -> bool:
    return isinstance(value, float)


def _string(_run: Run, value: object) -> bool:
    return isinstance(value, str)


def _mapping(_run: Run, value: object) -> bool:
    return isinstance(value, dict)


def _sequence(_run: Run, value: object) -> bool:
    return isinstance(value, list)


def _divisibleby(run: Run, value: object, num: object) -> bool:
    return _whole(run, value) % whole(run, num, "`divisibleby`", least=1, most=_MOST) == 0


def _even(run: Run, value: object) -> bool:
    return _whole(run, value) % 2 == 0


def _odd(run: Run, value: object) -> bool:
    return _whole(run, value) % 2 == 1


def _whole(run: Run, value: object) -> int:
    return whole(run, value, "this test", least=-_MOST, most=_MOST)


def _eq(run: Run, value: object, other: object) -> bool:
    return compare_once(run, "eq", value, other)


def _ne(run: Run, value: object, other: object) -> bool:
    return compare_once(run, "ne", value, other)


def _lt(run: Run, value: object, other: object) -> bool:
    return compare_once(run, "lt", value, other)


def _le(run: Run, value: object, other: object) -> bool:
    return compare_once(run, "lteq", value, other)


def _gt(run: Run, value: object, other: object) -> bool:
    return compare_once(run, "gt", value, other)


def _ge(run: Run, value: object, other: object) -> bool:
    return compare_once(run, "gteq", value, other)


def _in(run: Run, value: object, container: object) -> bool:
    return compare_once(run, "in", value, container)


PREDICATES: dict[str, Operation] = {
    "boolean": _boolean,
    "defined": _defined,
    "divisibleby": _divisibleby,
    "eq": _eq,
    "equalto": _eq,
    "even": _even,
    "float": _float,
    "ge": _ge,
    "gt": _gt,
    "in": _in,
    "integer": _integer,
    "le": _le,
    "lt": _lt,
    "mapping": _mapping,
    "ne": _ne,
    "none": _none,
    "number": _number,
    "odd": _odd,
    "sequence": _sequence,
    "string": _string,
    "undefined": _undefined,
}
