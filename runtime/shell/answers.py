"""Holding an answer against its request, before it is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runtime.errors import AnswerInvalid, NotFound
from runtime.tools.validation import Validator
from runtime.values.jsonlike import Unserialisable, freeze
from runtime.values.requests import Answer

if TYPE_CHECKING:
    from runtime.core.frame import OpenRequest
    from runtime.shell.tree import Tree


def check_answer(asked: OpenRequest, answer: Answer) -> Answer:
    """Return the answer with a value that can be kept.

    Raises:
        AnswerInvalid: It does not fit what was asked. A rejection always fits.
    """
    return fitting(asked.message, asked.form, answer)


def fitting(message: str, form: Any, answer: Answer) -> Answer:
    """Return an answer to this message with this form, with a value that can be kept.

    Raises:
        AnswerInvalid: It does not fit. A rejection always fits.
    """
    if answer.kind == "reject":
        if not isinstance(answer.value, str) or not answer.value.strip():
            raise AnswerInvalid("a rejection needs a reason: Answer.reject('why')")
        return answer
    if form is None:
        if answer.kind == "form":
            raise AnswerInvalid(f"{message!r} has no form; approve, reject, or give a value")
    else:
        if answer.kind != "form":
            fields = ", ".join(form.get("properties", {}))
            raise AnswerInvalid(f"{message!r} wants a form with {fields}; or reject it with a reason")
        answer = Answer.form(_with_defaults(form, answer.value))
        wrong = Validator(form).explain(answer.value)
        if wrong is not None:
            raise AnswerInvalid(wrong)
    try:
        return Answer(answer.kind, freeze(answer.value, where="answer"))
    except Unserialisable as error:
        raise AnswerInvalid(str(error)) from None


def _with_defaults(form: Any, data: Any) -> Any:
    """Return a form's data with the defaults of the fields that were left out."""
    if not isinstance(data, dict):
        return data
    fields = form.get("properties", {})
    known = {
        name: data.get(name, fields[name].get("default"))
        for name in fields
        if name in data or "default" in fields[name]
    }
    return {**known, **data}


def no_open_request(tree: Tree, request: str) -> NotFound:
    """Return the error for a request that is not open, naming those that are."""
    still = ", ".join(tree.requests) or "none"
    return NotFound(f"request {request} is not open (it may have been answered already); open in this tree: {still}")
