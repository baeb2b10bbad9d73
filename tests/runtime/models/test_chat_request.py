"""Model calls as bodies of the chat completions wire."""

from typing import Any

import pytest

from runtime.core.ports import ModelRequest, ToolSpec
from runtime.models.chat_request import chat_body
from runtime.values.messages import AssistantMessage, Text, Thinking, ToolCall, ToolMessage, UserMessage

OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}


def body(*messages: Any, schema_in_words: bool = False, **fields: Any) -> dict[str, Any]:
    """The body of a call."""
    return chat_body(ModelRequest(messages=messages, **fields), "gpt-x", schema_in_words=schema_in_words)


def test_the_first_call() -> None:
    """Instructions come first, then the task; usage is asked for."""
    assert body(UserMessage("Write."), instructions="You write.") == {
        "model": "gpt-x",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "system", "content": "You write."}, {"role": "user", "content": "Write."}],
    }


def test_a_task_that_is_no_text_is_json() -> None:
    """What a program or another agent handed over as an object is sent as JSON."""
    assert body(UserMessage({"topic": "tea ☕"}))["messages"] == [{"role": "user", "content": '{"topic": "tea ☕"}'}]


def test_calls_and_their_results() -> None:
    """Each result names its call; a failed one says why; text and reasoning around calls are kept."""
    calls = (ToolCall("1.1", "x", "search", {"q": "é"}), ToolCall("1.2", "y", "read", "{broken"))
    history = [
        UserMessage("Go."),
        AssistantMessage((Thinking("hm", "reasoning"), Text("I look."), *calls)),
        ToolMessage("1.1", "x", "search", [1, None]),
        ToolMessage("1.2", "y", "read", {"error": "invalid_arguments", "message": "no JSON"}, is_error=True),
    ]
    _, assistant, first, second = body(*history)["messages"]
    assert assistant == {
        "role": "assistant",
        "content": "I look.",
        "reasoning": "hm",
        "tool_calls": [
            {"id": "x", "type": "function", "function": {"name": "search", "arguments": '{"q": "é"}'}},
            {"id": "y", "type": "function", "function": {"name": "read", "arguments": "{broken"}},
        ],
    }
    assert first == {"role": "tool", "tool_call_id": "x", "content": "[1, null]"}
    assert second == {
        "role": "tool", "tool_call_id": "y", "content": '{"error": "invalid_arguments", "message": "no JSON"}',
    }  # fmt: skip


def test_reasoning_of_an_answer_stays_here() -> None:
    """Only a model in the middle of its calls gets its reasoning back."""
    _, assistant = body(UserMessage("Go."), AssistantMessage((Thinking("hm", "reasoning"), Text("Yes."))))["messages"]
    assert assistant == {"role": "assistant", "content": "Yes."}


@pytest.mark.parametrize("ids", [("", ""), ("x", "x")])
def test_ids_that_cannot_tell_calls_apart_are_replaced(ids: tuple[str, str]) -> None:
    """Calls without ids, or with the same one, still get each its own result."""
    calls = [ToolCall(f"1.{n}", id, "f", {}) for n, id in enumerate(ids, 1)]
    results = [ToolMessage(call.call_key, call.id, "f", call.call_key) for call in reversed(calls)]
    _, assistant, second, first = body(UserMessage("Go."), AssistantMessage(tuple(calls)), *results)["messages"]
    assert assistant["content"] is None
    sent = [call["id"] for call in assistant["tool_calls"]]
    assert len(set(sent)) == 2
    assert [first["tool_call_id"], second["tool_call_id"]] == sent
    assert (first["content"], second["content"]) == ("1.1", "1.2")


def test_tools() -> None:
    """A tool is told by name, description and schema."""
    spec = ToolSpec("search", "Finds.", {"type": "object"})
    function = {"name": "search", "description": "Finds.", "parameters": {"type": "object"}}
    assert body(UserMessage("Go."), tools=[spec])["tools"] == [{"type": "function", "function": function}]


LOOSE: dict[str, dict[str, Any]] = {
    "optional field": {**OBJECT, "required": []},
    "open object": {**OBJECT, "additionalProperties": True},
    "several types": {**OBJECT, "properties": {"a": {"type": ["string", "null"]}}},
    "default": {**OBJECT, "properties": {"a": {"type": "string", "default": "x"}}},
    "in a list": {**OBJECT, "properties": {"a": {"type": "array", "items": {"$ref": "#/$defs/x"}}}},
    "anything": {**OBJECT, "properties": {"a": {}}},
}


def test_a_simple_output_is_held_to_its_schema_strictly() -> None:
    """Where every field is there and typed, the server can guarantee the form."""
    nested = {**OBJECT, "properties": {"a": {"type": "array", "items": OBJECT}}}
    for schema in (OBJECT, nested):
        sent = body(UserMessage("Go."), output=schema)
        assert sent["response_format"] == {
            "type": "json_schema",
            "json_schema": {"name": "output", "schema": schema, "strict": True},
        }
        assert [message["role"] for message in sent["messages"]] == ["user"]


@pytest.mark.parametrize("name", LOOSE)
def test_a_looser_output_is_sent_without_strict_mode(name: str) -> None:
    """The strict mode would refuse these schemas."""
    assert body(UserMessage("Go."), output=LOOSE[name])["response_format"]["json_schema"]["strict"] is False


@pytest.mark.parametrize(
    ("schema", "in_words"), [({"type": "array", "items": {"type": "string"}}, False), (OBJECT, True)]
)
def test_an_output_that_is_told_in_words(schema: dict[str, Any], in_words: bool) -> None:
    """No object, or a server that takes no schema: the instructions say what is wanted."""
    sent = body(UserMessage("Go."), instructions="You list.", output=schema, schema_in_words=in_words)
    assert "response_format" not in sent
    system = sent["messages"][0]["content"]
    assert system.startswith("You list.\n\nAnswer with one JSON value")
    assert '"type":' in system
