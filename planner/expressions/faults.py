"""The two ways in which an expression can be wrong, and how a nearby name is found."""

import difflib
from collections.abc import Iterable


class ExpressionFault(Exception):
    """The text itself is wrong: its syntax, or the shape of a reference in it. Found before anything runs."""

    def __init__(self, message: str, *, offset: int, hint: str = "", at: tuple[str | int, ...] = ()) -> None:
        super().__init__(message, offset, hint, at)
        self.message = message
        """What is wrong, as one clause without a full stop."""
        self.offset = offset
        """Where, as a character offset from 0 in the text that was given to `parse_*`."""
        self.hint = hint
        """What to write instead; empty if there is nothing useful to say."""
        self.at = at
        """Which string of a nested value holds the text: keys and indexes from `parse_value`; empty for a lone text."""

    def __str__(self) -> str:
        """The message with its hint, for a reader who has no file to point into."""
        return f"{self.message}; {self.hint}" if self.hint else self.message

    def moved(self, by: int) -> "ExpressionFault":
        """The same fault for a text in which the faulty one starts `by` characters later."""
        return ExpressionFault(self.message, offset=self.offset + by, hint=self.hint, at=self.at)


class EvaluationFault(Exception):
    """The text is right, but the values of this run do not fit it."""

    def __init__(self, message: str, *, expression: str, path: str = "") -> None:
        super().__init__(message, expression, path)
        self.message = message
        """What did not fit, and what was there instead. Names keys, never shows values: those may be secret."""
        self.expression = expression
        """The source text of the expression, without `${` and `}`."""
        self.path = path
        """The reference that failed, such as `tasks.read.output.url`; empty if no reference is to blame."""

    def __str__(self) -> str:
        """The message and the expression that it is about."""
        return f"{self.message} (in `{self.expression}`)"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` was probably meant to be, or None if nothing is close."""
    found = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return found[0] if found else None


def listed(names: Iterable[str], *, limit: int = 12) -> str:
    """Names for a message: quoted, in order, cut after `limit`."""
    every = [f"`{name}`" for name in names]
    more = len(every) - limit
    return ", ".join(every[:limit]) + (f" and {more} more" if more > 0 else "")
