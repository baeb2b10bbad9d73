"""How a run came out: for a program as one JSON document, for a person in a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from planner.cli.exits import Exit
from planner.inspector import answer_command, resume_command
from planner.inspector.words import clean, plural, short, span, tokens
from runtime.codec import to_json
from runtime.values.status import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planner.inspector import TreeView
    from runtime.values.failure import Failure
    from runtime.values.requests import Request
    from runtime.values.result import TaskResult, TurnResult
    from runtime.values.usage import Usage

SCHEMA: Final = 1
"""Version of the documents that commands write."""
_BY_STATUS: Final[Mapping[Status, Exit]] = {
    Status.COMPLETED: Exit.DONE,
    Status.FAILED: Exit.FAILED,
    Status.CANCELLED: Exit.CANCELLED,
    Status.MAX_ITERATIONS_REACHED: Exit.LIMIT,
    Status.MAX_STEPS_REACHED: Exit.LIMIT,
    Status.BUDGET_EXCEEDED: Exit.LIMIT,
}


def exit_of(result: TurnResult) -> Exit:
    """Return the code for how a tree ended; one that has not ended waits."""
    return _BY_STATUS.get(result.status, Exit.WAITS)


def result_document(result: TurnResult) -> str:
    """Return the JSON document of `--json`."""
    return _json(
        {
            "schema": SCHEMA,
            "turnId": result.turn_id,
            "status": str(result.status),
            "output": result.output,
            "usage": _usage(result.usage),
            "error": _failure(result.error),
            "requests": [_request(request) for request in result.requests],
            "tasks": {key: _task(task) for key, task in result.tasks.items()},
            "hint": result.hint,
        }
    )


def requests_document(requests: Iterable[Request]) -> str:
    """Return the JSON document of open questions."""
    return _json({"schema": SCHEMA, "requests": [_request(request) for request in requests]})


def output_text(output: Any) -> str:
    """Return an output as data: a text as it is, anything else as JSON, nothing for nothing."""
    if output is None:
        return ""
    return output if isinstance(output, str) else _json(output)


def _json(value: Any) -> str:
    return to_json(value).decode()


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "inputTokens": usage.input_tokens,
        "outputTokens": usage.output_tokens,
        "totalTokens": usage.total_tokens,
        "modelCalls": usage.model_calls,
        "toolCalls": usage.tool_calls,
    }


def _failure(error: Failure | None) -> dict[str, Any] | None:
    if error is None:
        return None
    return {
        "kind": error.kind,
        "message": error.message,
        "retryable": error.retryable,
        "retryAfter": error.retry_after,
        "where": error.where,
    }


def _request(request: Request) -> dict[str, Any]:
    return {
        "id": request.id,
        "turnId": request.turn_id,
        "kind": request.kind,
        "message": request.message,
        "show": request.show,
        "form": request.form,
        "taskKey": request.task_key,
        "path": list(request.path),
        "askedAt": request.asked_at,
    }


def _task(task: TaskResult) -> dict[str, Any]:
    return {
        "status": task.status,
        "output": task.output,
        "error": _failure(task.error),
        "reason": task.reason,
        "items": [
            {"key": item.key, "item": item.item, "status": item.status, "output": item.output,
             "error": _failure(item.error)}
            for item in task.items
        ],
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------ for people


def summary(result: TurnResult, view: TreeView, *, now: float, options: str) -> list[str]:
    """Return what to tell a person at the end of a run."""
    root = view.root
    name = clean(root.name) if root is not None else result.turn_id
    took = f" after {span(root.elapsed(now))}" if root is not None else ""
    spent = f", {tokens(result.usage.total_tokens)}" if result.usage.total_tokens else ""
    if result.status.terminal:
        lines = [f"{name} {result.status}{took}{spent} ({result.turn_id})"]
        if result.error is not None:
            lines.append(f"  {result.error.kind}: {clean(result.error.message)}")
            lines.append(f"  look closer: turntree why {result.turn_id}{options}")
        return lines
    return [f"{name} waits{took}{spent} ({result.turn_id})", *waiting_lines(result, options=options)]


def waiting_lines(result: TurnResult, *, options: str) -> list[str]:
    """Return the commands by which a tree that waits can go on."""
    lines = []
    if result.requests:
        lines.append(f"  {plural(len(result.requests), 'question')} to answer:")
    for request in result.requests:
        where = clean("/".join(request.path))
        lines.append(f"    {where}: {short(request.message, 100)}")
        lines.append(f"      {answer_command(request, options=options)}")
    again = resume_command(result.turn_id, options=options)
    return [*lines, f"  then: {again}" if result.requests else f"  go on: {again}"]
