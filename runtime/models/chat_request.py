"""A model call as the body of a chat completion. Pure: no network."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, assert_never

from runtime.values.messages import AssistantMessage, Message, Thinking, ToolCall, ToolMessage, UserMessage

if TYPE_CHECKING:
    from runtime.core.ports import ModelRequest, ToolSpec

_STRICT_KEYS: Final = frozenset(
    {"type", "description", "properties", "required", "additionalProperties", "items", "enum", "title"}
)
"""What may stand in a schema that OpenAI's strict mode takes for certain."""


def chat_body(request: ModelRequest, model: str, *, schema_in_words: bool = False) -> dict[str, Any]:
    """Return the body.

    Args:
        request: What is asked.
        model: The server's name of the model.
        schema_in_words: Describe the output in the instructions, for servers that take no JSON Schema.
    """
    instructions = request.instructions
    body: dict[str, Any] = {"model": model, "stream": True, "stream_options": {"include_usage": True}}
    if request.output is not None:
        # OpenAI takes objects only; other outputs are told in words, and held against their schema when they come.
        if schema_in_words or request.output.get("type") != "object":
            instructions = f"{instructions}\n\n{_in_words(request.output)}".strip()
        else:
            body["response_format"] = _response_format(request.output)
    system = [{"role": "system", "content": instructions}] if instructions else []
    body["messages"] = [*system, *chat_messages(request.messages)]
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
    return body


def chat_messages(messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
    """Yield the history as the wire has it; every result names its call by an id that is used once."""
    ids: dict[str, str] = {}
    for message in messages:
        match message:
            case UserMessage():
                yield {"role": "user", "content": _written(message.content)}
            case AssistantMessage():
                ids = _wire_ids(message.tool_calls)
                yield _assistant(message, ids)
            case ToolMessage():
                yield {
                    "role": "tool",
                    "tool_call_id": ids[message.call_key],
                    "content": _written(message.content),
                }
            case _:
                assert_never(message)


def _assistant(message: AssistantMessage, ids: Mapping[str, str]) -> dict[str, Any]:
    calls = [
        {
            "id": ids[call.call_key],
            "type": "function",
            "function": {"name": call.name, "arguments": _arguments(call.arguments)},
        }
        for call in message.tool_calls
    ]
    if not calls:
        return {"role": "assistant", "content": message.text}
    wire: dict[str, Any] = {"role": "assistant", "content": message.text or None, "tool_calls": calls}
    for block in message.blocks:
        # A server that names a field for its reasoning may want it back while the model is in the middle of its calls.
        if isinstance(block, Thinking) and block.signature is not None:
            wire[block.signature] = wire.get(block.signature, "") + block.text
    return wire


def _wire_ids(calls: Sequence[ToolCall]) -> dict[str, str]:
    """Return an id for each call key: the server's own if it is there and no other call of the message has it."""
    given = [call.id for call in calls]
    return {
        call.call_key: call.id if call.id and given.count(call.id) == 1 else f"call_{call.call_key.replace('.', '_')}"
        for call in calls
    }


def _arguments(arguments: Any) -> str:
    """Return arguments as text; what was no JSON went into the history as it came."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _written(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    return {"type": "function", "function": function}


def _in_words(schema: Mapping[str, Any]) -> str:
    return f"Answer with one JSON value that fits this JSON Schema, and nothing else: {_written(schema)}"


def _response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "json_schema": {"name": "output", "schema": schema, "strict": _fits_strict_mode(schema)},
    }


def _fits_strict_mode(schema: Any) -> bool:
    """Whether a schema is one of those simple ones that OpenAI's strict mode takes."""
    if not isinstance(schema, Mapping) or not isinstance(schema.get("type"), str) or schema.keys() - _STRICT_KEYS:
        return False
    if schema["type"] == "array":
        return _fits_strict_mode(schema.get("items"))
    if schema["type"] != "object":
        return True
    properties = schema.get("properties", {})
    complete = set(schema.get("required", ())) == set(properties) and schema.get("additionalProperties") is False
    return complete and all(_fits_strict_mode(each) for each in properties.values())
