"""What the signs of an expression do. Stricter than Python's: a text is no number, and true is no 1 to count with."""

import re

from planner.expressions.faults import EvaluationFault
from planner.expressions.paths import Missing, NotThereError, describe, step
from planner.expressions.run import MAX_BITS, Operation, Run

Number = int | float

_FORMAT = re.compile(r"%(?:%|[-+ 0#]{0,3}([0-9]{0,3})(?:\.([0-9]{1,2}))?([dfgexs]))")
_WORDS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "divide", "%": "take the rest of"}


def is_number(value: object) -> bool:
    """Whether it is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(run: Run, sign: str, left: object, right: object) -> tuple[Number, Number]:
    if isinstance(left, int | float) and isinstance(right, int | float) and is_number(left) and is_number(right):
        return left, right
    raise _misfit(run, sign, left, right)


def _misfit(run: Run, sign: str, left: object, right: object) -> EvaluationFault:
    hint = "; `~` joins texts" if sign == "+" and str in (type(left), type(right)) else ""
    return run.refusal(
        f"cannot {_WORDS[sign]} with `{sign}`: the left side is {describe(left)}, the right {describe(right)}{hint}"
    )


def _add(run: Run, left: object, right: object) -> object:
    if isinstance(left, str) and isinstance(right, str):
        run.reserve_text(len(left) + len(right))
        return left + right
    if isinstance(left, list) and isinstance(right, list):
        run.reserve_items(len(left) + len(right))
        return [*left, *right]
    a, b = _numbers(run, "+", left, right)
    return a + b


def _subtract(run: Run, left: object, right: object) -> object:
    a, b = _numbers(run, "-", left, right)
    return a - b


def _multiply(run: Run, left: object, right: object) -> object:
    for many, times in ((left, right), (right, left)):
        if isinstance(many, str | list) and isinstance(times, int) and not isinstance(times, bool):
            reserve = run.reserve_text if isinstance(many, str) else run.reserve_items
            reserve(len(many) * max(times, 0))
            return many * times
    a, b = _numbers(run, "*", left, right)
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() + b.bit_length() > MAX_BITS + 1:
        raise run.refusal(f"this makes a whole number of more than {MAX_BITS} bits")
    return a * b


def _divide(run: Run, left: object, right: object) -> object:
    a, b = _divisible(run, "/", left, right)
    return a / b


def _floor_divide(run: Run, left: object, right: object) -> object:
    a, b = _divisible(run, "//", left, right)
    return a // b


def _remainder(run: Run, left: object, right: object) -> object:
    if isinstance(left, str):
        return _format(run, left, right if isinstance(right, list) else [right])
    a, b = _divisible(run, "%", left, right)
    return a % b


def _divisible(run: Run, sign: str, left: object, right: object) -> tuple[Number, Number]:
    a, b = _numbers(run, sign, left, right)
    if b == 0:
        raise run.refusal(f"cannot divide by zero with `{sign}`")
    return a, b


def _format(run: Run, pattern: str, values: list[object]) -> str:
    """Fill `%d`, `%.2f` and the like, one by one and after their widths were added up."""
    slots = list(_FORMAT.finditer(pattern))
    rest = _FORMAT.sub("", pattern)
    if "%" in rest:
        raise run.refusal("this `%` pattern cannot be used here; write `%s`, `%d`, `%.2f` with a width below 1,000")
    wanted = sum(1 for slot in slots if slot[3])
    if wanted != len(values):
        raise run.refusal(f"the pattern has {wanted} places for values, but there are {len(values)} values")
    given = [run.text(value) if isinstance(value, list | dict) else value for value in values]
    widths = sum(int(slot[1] or 0) + int(slot[2] or 0) + 320 for slot in slots)
    texts = sum(len(value) for value in given if isinstance(value, str))
    run.reserve_text(len(rest) + widths + texts)
    remaining = iter(given)
    return _FORMAT.sub(lambda slot: _fill(run, slot, next(remaining)) if slot[3] else "%", pattern)


def _fill(run: Run, slot: re.Match[str], value: object) -> str:
    if slot[3] == "s":
        return slot[0] % run.text(value)
    too_big = isinstance(value, int) and value.bit_length() > MAX_BITS
    if not is_number(value) or too_big or (slot[3] in "xd" and isinstance(value, float)):
        raise run.refusal(f"`{slot[0]}` cannot show a value that is {describe(value)}")
    return slot[0] % value


def _join(run: Run, *values: object) -> str:
    texts = [run.text(value) for value in values]
    run.reserve_text(sum(map(len, texts)))
    return "".join(texts)


def _negative(run: Run, value: object) -> object:
    if isinstance(value, int | float) and is_number(value):
        return -value
    raise run.refusal(f"cannot negate a value that is {describe(value)}")


def _positive(run: Run, value: object) -> object:
    if is_number(value):
        return value
    raise run.refusal(f"`+` before a value that is {describe(value)} means nothing")


def equal(run: Run, left: object, right: object) -> bool:
    """Whether two values are the same; pays for the walk through both if that is needed."""
    if isinstance(left, list | dict) and isinstance(right, list | dict):
        run.measure(left)
        run.measure(right)
    return left == right


def less(run: Run, left: object, right: object) -> bool:
    """Whether one number or text comes before another."""
    if isinstance(left, str) and isinstance(right, str):
        return left < right
    if isinstance(left, int | float) and isinstance(right, int | float) and is_number(left) and is_number(right):
        return left < right
    raise run.refusal(f"cannot order a value that is {describe(left)} and one that is {describe(right)}")


def contains(run: Run, member: object, container: object) -> bool:
    """Whether a list has the item, a map the key, or a text the part."""
    if isinstance(container, list):
        run.measure(container)
        return member in container
    if isinstance(member, str) and isinstance(container, str | dict):
        return member in container
    raise run.refusal(f"`in` cannot look for a value that is {describe(member)} in one that is {describe(container)}")


def compare_once(run: Run, sign: str, left: object, right: object) -> bool:
    """One comparison, by the grammar's name of its sign."""
    match sign:
        case "eq":
            return equal(run, left, right)
        case "ne":
            return not equal(run, left, right)
        case "lt":
            return less(run, left, right)
        case "lteq":
            return not less(run, right, left)
        case "gt":
            return less(run, right, left)
        case "gteq":
            return not less(run, left, right)
        case "in":
            return contains(run, left, right)
        case _:
            return not contains(run, left, right)


def _compare(run: Run, left: object, *rest: object) -> bool:
    """A chain such as `a < b <= c`: signs and values alternate; the first that does not hold ends it."""
    for sign, right in zip(rest[::2], rest[1::2], strict=True):
        if not compare_once(run, str(sign), left, right):
            return False
        left = right
    return True


def _field(run: Run, value: object, key: object, below_output: object) -> object:
    """A computed step of a path; `below_output` says that a field of null is null there."""
    if isinstance(value, Missing):
        return value
    if isinstance(key, Missing):
        raise key.fault
    if value is None and below_output:
        return None
    try:
        return step(value, key, "this value")
    except NotThereError as error:
        return run.missing(str(error))


def _part(run: Run, value: object, start: object, stop: object, stride: object) -> object:
    """`value[start:stop:stride]` of a list or a text."""
    if not isinstance(value, list | str):
        raise run.refusal(f"cannot take `[start:stop]` of a value that is {describe(value)}")
    if stride == 0:
        raise run.refusal("the stride of `[start:stop:stride]` must not be 0")
    return value[_bound(run, start) : _bound(run, stop) : _bound(run, stride)]


def _bound(run: Run, value: object) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise run.refusal("the bounds of `[start:stop]` must be whole numbers")


def _list(_run: Run, *items: object) -> list[object]:
    return list(items)


def _map(run: Run, *pairs: object) -> dict[str, object]:
    made: dict[str, object] = {}
    for key, value in zip(pairs[::2], pairs[1::2], strict=True):
        if not isinstance(key, str):
            raise run.refusal(f"the keys of a map are texts, and this one is {describe(key)}")
        made[key] = value
    return made


def _range(run: Run, start: object, stop: object = None, step: object = 1) -> list[object]:
    first, end = (0, start) if stop is None else (start, stop)
    bounds = [bound for bound in (first, end, step) if isinstance(bound, int) and not isinstance(bound, bool)]
    if len(bounds) < 3 or step == 0:
        raise run.refusal("`range` takes whole numbers, and a step that is not 0")
    numbers = range(*bounds)
    # `len` of a range overflows beyond 63 bits, so the count is computed.
    run.reserve_items(max(0, -((numbers.start - numbers.stop) // numbers.step)))
    return list(numbers)


OPERATORS: dict[str, Operation] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "//": _floor_divide,
    "%": _remainder,
    "~": _join,
    "negative": _negative,
    "positive": _positive,
    "compare": _compare,
    "read": Run.read,
    "field": _field,
    "part": _part,
    "list": _list,
    "map": _map,
}
FUNCTION_OPERATIONS: dict[str, Operation] = {"range": _range}
FUNCTIONS = frozenset(FUNCTION_OPERATIONS)
"""What can be called as `name(…)`."""
