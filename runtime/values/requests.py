"""Questions that only someone outside the tree can answer, and their answers."""

from __future__ import annotations

from typing import Any, Literal

import attrs

from runtime.values.ids import request_id


@attrs.frozen(kw_only=True)
class Request:
    """One open question: the Turn `turn_id` owns it, and goes on when it is answered."""

    turn_id: str
    key: str
    kind: Literal["question"] = "question"
    message: str
    show: Any = None
    """What the person should look at before answering."""
    form: Any = None
    """JSON Schema of the answer's data, or None for a free value."""
    task_key: str = ""
    path: tuple[str, ...] = ()
    """Keys from below the root down to the Turn that asks."""
    asked_at: float = 0.0
    """UTC, seconds since 1970."""

    @property
    def id(self) -> str:
        """The id that an answer must name."""
        return request_id(self.turn_id, self.key)


@attrs.frozen
class Answer:
    """What a person says to a request; made by one of the class methods."""

    kind: Literal["approve", "reject", "value", "form"]
    value: Any = None

    @classmethod
    def approve(cls) -> Answer:
        """Say yes; the output of an `ask` without a form is then `true`."""
        return cls("approve", value=True)

    @classmethod
    def reject(cls, reason: str) -> Answer:
        """Say no; the asking task fails with this reason."""
        return cls("reject", reason)

    @classmethod
    def of(cls, value: Any) -> Answer:
        """Give a plain value to a question without a form."""
        return cls("value", value)

    @classmethod
    def form(cls, data: dict[str, Any]) -> Answer:
        """Fill in the form."""
        return cls("form", data)
