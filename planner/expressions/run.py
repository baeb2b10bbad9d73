"""One evaluation of an expression: the gate that every operation passes, and the limits that it keeps.

A compiled expression can do nothing but decide (`and`, `or`, `not`, `if`) and call operations by name, all of them
through `Run.call`. Each call pays for what it reads and makes, before and after; operations that multiply sizes compute
the size first. So an expression is bounded by construction in time and space, whoever wrote it.
"""

import json
from collections.abc import Callable, Mapping, Sequence

from planner.expressions.faults import EvaluationFault
from planner.expressions.paths import Missing, Reference, describe, find

MAX_TEXT = 1_000_000
"""Characters of a text that an expression makes. Values that it only passes on may be larger."""
MAX_ITEMS = 100_000
"""Items of a list or map that an expression makes."""
MAX_BITS = 1_024
"""Size of a whole number."""
MAX_WORK = 2_000_000
"""Units of work of one evaluation: about one per item touched or hundred characters read; a second at the worst."""

Operation = Callable[..., object]

_CONSTANT_TIME = frozenset({
    "read", "field", "|default", "|first", "|last", "|length", "is defined", "is undefined", "is none", "is mapping",
    "is sequence", "is string", "is number", "is integer", "is float", "is boolean",
})  # fmt: skip
_ACCEPT_MISSING = frozenset({"field", "|default", "is defined", "is undefined"})


class Run:
    """The scope, the references and the remaining work of one evaluation."""

    __slots__ = ("_operations", "_references", "_scope", "_work", "source")

    def __init__(
        self,
        operations: Mapping[str, Operation],
        references: Sequence[Reference],
        scope: Mapping[str, object],
        source: str,
    ) -> None:
        self._operations = operations
        self._references = references
        self._scope = scope
        self._work = MAX_WORK
        self.source = source
        """The expression, for messages."""

    def call(self, name: str, /, *args: object, **kwargs: object) -> object:
        """Do one operation.

        Raises:
            EvaluationFault: The values do not fit the operation, something is missing, or a limit is reached.
        """
        operation = self._operations[name]
        if name in _CONSTANT_TIME:
            self._work -= 1
            if name not in _ACCEPT_MISSING:
                for value in args:
                    self.settled(value)
            return operation(self, *args, **kwargs)
        work = 1
        for value in (*args, *kwargs.values()):
            if isinstance(value, Missing):
                raise value.fault
            if isinstance(value, list | dict):
                work += len(value)
            elif isinstance(value, str):
                work += len(value) // 100
        self.spend(work)
        result = operation(self, *args, **kwargs)
        self._check_made(result)
        return result

    def read(self, index: int) -> object:
        """The value of one of the expression's references, or why there is none."""
        return find(self._references[index], self._scope, self.source)

    def settled(self, value: object) -> object:
        """The value itself, once nothing may ask any more whether it is there."""
        if isinstance(value, Missing):
            raise value.fault
        return value

    def finished(self, result: object) -> object:
        """The result of the whole expression; pays for a walk through it, since its parts may be one part repeated."""
        if isinstance(result, list | dict):
            self.measure(result)
        return self.settled(result)

    def spend(self, units: int) -> None:
        """Pay for work that is about to be done."""
        self._work -= units
        if self._work < 0:
            raise self.refusal(
                "this expression does more work than one expression may; split it into tasks, or use a tool"
            )

    def refusal(self, message: str) -> EvaluationFault:
        """The fault that ends this evaluation; to be raised."""
        return EvaluationFault(message, expression=self.source)

    def missing(self, message: str, path: str = "") -> Missing:
        """A value that is not there; a fault only if somebody uses it."""
        return Missing(EvaluationFault(message, expression=self.source, path=path))

    def reserve_text(self, characters: int) -> None:
        """Refuse to make a text of so many characters, if that is too many."""
        if characters > MAX_TEXT:
            raise self.refusal(f"this would make a text of more than {MAX_TEXT:,} characters")
        self.spend(characters // 100)

    def reserve_items(self, items: int) -> None:
        """Refuse to make a list or map of so many items, if that is too many."""
        if items > MAX_ITEMS:
            raise self.refusal(f"this would make a list of more than {MAX_ITEMS:,} items")
        self.spend(items)

    def measure(self, value: object) -> int:
        """Pay for a walk through all of `value`, and return about how many characters it has as JSON."""
        characters = 0
        pending = [value]
        while pending:
            here = pending.pop()
            if isinstance(here, str):
                characters += len(here) + 2
                self.spend(len(here) // 100)
            elif isinstance(here, list):
                self.spend(len(here) + 1)
                characters += len(here) + 2
                pending.extend(here)
            elif isinstance(here, dict):
                self.spend(2 * len(here) + 1)
                characters += sum(map(len, here)) + 4 * len(here) + 2
                pending.extend(here.values())
            else:
                characters += 8
        return characters

    def text(self, value: object) -> str:
        """The value as it stands in a text: a text as it is, anything else as compact JSON."""
        if isinstance(value, str):
            return value
        if isinstance(value, list | dict) and self.measure(value) > MAX_TEXT:
            raise self.refusal(f"this would make a text of more than {MAX_TEXT:,} characters")
        return as_text(value, self.source)

    def _check_made(self, result: object) -> None:
        if isinstance(result, str):
            self.reserve_text(len(result))
        elif isinstance(result, list | dict):
            self.reserve_items(len(result))
        elif isinstance(result, bool):
            return
        elif isinstance(result, int):
            if result.bit_length() > MAX_BITS:
                raise self.refusal(f"this makes a whole number of more than {MAX_BITS} bits")
        elif isinstance(result, float) and result - result != 0.0:
            raise self.refusal("the result is no number that JSON can write (infinite, or not a number)")


def as_text(value: object, source: str) -> str:
    """The value as it stands in a text: a text as it is, anything else as compact JSON.

    Raises:
        EvaluationFault: The value is nothing that JSON can write.
    """
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise EvaluationFault(
            f"a value that is {describe(value)} cannot be written as JSON", expression=source
        ) from None
