"""Chunks of chat completions, made by hand."""

import json
from typing import Any

from runtime.models.chat_errors import Server

SERVER = Server(model="gpt-x", address="host:1", key_name="SOME_KEY", key="topsecret")


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """One chunk with one delta."""
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def usage(prompt: int, completion: int, total: int | None = None) -> dict[str, Any]:
    """The chunk that brings the usage."""
    total = prompt + completion if total is None else total
    return {"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}}


def call(index: int | None = None, id: str | None = None, name: str | None = None, arguments: Any = None) -> Any:
    """A piece of a tool call; what is None is left out."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {
        key: value
        for key, value in (("index", index), ("id", id), ("type", "function"), ("function", function))
        if value is not None
    }


def stream_of(*chunks: Any, done: bool = True) -> bytes:
    """The bytes of a stream of these chunks."""
    events = [json.dumps(chunk) for chunk in chunks] + (["[DONE]"] if done else [])
    return "".join([f"data: {event}\n\n" for event in events]).encode()
