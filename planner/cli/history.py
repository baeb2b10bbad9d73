"""What happened in one Turn, fact by fact, as lines of `show`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from planner.inspector.words import amount, clean, clean_block, short, span, tokens
from runtime.values import events as e
from runtime.values.messages import Text, Thinking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runtime.values.failure import Failure
    from runtime.values.messages import Block


def happened(fact: e.Fact) -> Iterator[str]:
    """Yield the lines of one fact; none for facts that other parts of `show` tell better."""
    match fact.data:
        case e.ModelCompleted() | e.ModelFailed():
            yield from _model(fact.data)
        case e.ToolStarted() | e.ToolCompleted() | e.ToolFailed() | e.ToolCancelled() | e.ToolDenied():
            yield _tool(fact.data)
        case e.RequestAnswered(answer=answer, by=by):
            yield f"answer {answer.kind} {_json(answer.value)} by {clean(by)}"
        case e.RequestWithdrawn(reason=reason):
            yield f"answer not needed any more: {clean(reason)}"
        case e.RequestRefused(by=by, reason=reason):
            yield f"answer by {clean(by)} refused: {clean(reason)}"
        case e.HintAdded(text=text, by=by):
            yield f"hint   {clean(text)}{f' by {clean(by)}' if by else ''}"
        case e.RetryScheduled(attempt=attempt, error=error):
            yield f"retry  attempt {attempt} after {failure_text(error)}"
        case e.StopRequested(call_key=key, reason=reason):
            yield f"stop   asked for by the tool ({key}): {clean(reason)}"
        case e.CancellationRequested(reason=reason, by=by):
            yield f"cancel asked for{f' by {clean(by)}' if by else ''}: {clean(reason)}"
        case e.Custom(name=name, data=data):
            yield f"event  {clean(name)} {_json(data)}"


def failure_text(error: Failure) -> str:
    """Return an error in one line."""
    again = f", to be retried after {span(error.retry_after)}" if error.retry_after is not None else ""
    where = f" (in {clean(error.where)})" if error.where else ""
    return f"{error.kind}: {clean(error.message)}{where}{again}"


def _model(data: e.ModelCompleted | e.ModelFailed) -> Iterator[str]:
    if isinstance(data, e.ModelFailed):
        yield f"model  failed: {failure_text(data.error)}"
        return
    yield f"model  {tokens(data.usage.input_tokens)} in, {amount(data.usage.output_tokens)} out"
    for block in data.message.blocks:
        yield from _block(block)
    if data.output_error is not None:
        yield f"told   {clean(data.output_error)}"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Text(text):
            yield from _quoted("says   ", text)
        case Thinking(text):
            yield from _quoted("thinks ", text)
        case _:
            yield f"calls  {clean(block.name)} {_json(block.arguments)}"


def _tool(data: e.EventData) -> str:
    match data:
        case e.ToolStarted(call_key=key, name=name, arguments=arguments):
            return f"tool   {clean(name)} ({key}) starts with {_json(arguments)}"
        case e.ToolCompleted(call_key=key, result=result, duration=duration):
            return f"tool   ({key}) returns {_json(result)} after {span(duration)}"
        case e.ToolFailed(call_key=key, error=error):
            return f"tool   ({key}) failed: {failure_text(error)}"
        case e.ToolCancelled(call_key=key, reason=reason, may_still_run=still):
            return f"tool   ({key}) cancelled: {clean(reason)}{'; it may still run' if still else ''}"
        case e.ToolDenied(name=name, message=message):
            return f"tool   {clean(name)} denied: {clean(message)}"
        case _:
            return ""


def _quoted(title: str, text: str) -> Iterator[str]:
    for number, line in enumerate(clean_block(text).splitlines()):
        yield f"{title if number == 0 else '       '}{line}"


def _json(value: Any) -> str:
    return short(json.dumps(value, ensure_ascii=False), 2000)
