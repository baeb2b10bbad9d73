"""Chat completions that other people recorded, read by our reader: whole, and cut at every byte."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from runtime import ModelError
from runtime.core.ports import ModelReply
from runtime.models.chat_errors import Server
from runtime.models.chat_reply import ChatReply
from runtime.models.chat_request import chat_messages
from runtime.models.chat_stream import ChatStream
from runtime.values.messages import AssistantMessage, Message, Text, Thinking, ToolCall, ToolMessage, UserMessage
from tests.real.wire import Exchange, exchanges

SERVER = Server(model="m", address="host", key_name="KEY")


@pytest.fixture(scope="module")
def recorded(data_folder: Path) -> list[Exchange]:
    """Every recorded exchange."""
    return list(exchanges(data_folder / "wire"))


def read(stream: bytes) -> ModelReply:
    """Read a stream that came in one piece."""
    chat = ChatStream(SERVER)
    chat.feed(stream)
    return chat.finish()


Outcome = ModelReply | tuple[str, str]
"""A reply, or kind and words of the error."""
BROKE_OFF: Outcome = ("transport", "m at host: the reply broke off; try again")


def outcome(act: Callable[[], ModelReply]) -> Outcome:
    """What comes of an act."""
    try:
        return act()
    except ModelError as error:
        return (error.kind, str(error))


def outcomes_of_cuts(stream: bytes) -> Iterator[Outcome]:
    """What a stream gives that ends after its first byte, after its second, and so on; up to its first error."""
    chat = ChatStream(SERVER)
    for place in range(len(stream)):
        try:
            chat.feed(stream[place : place + 1])
        except ModelError as error:
            yield (error.kind, str(error))
            return
        yield outcome(chat.finish)


def summary(reply: ModelReply) -> dict[str, Any]:
    """What `expected.json` says of a reply."""
    return {
        "content": reply.message.text,
        "finish_reason": reply.stop_reason,
        "tool_calls": [
            {"arguments": call.arguments, "id": call.id, "name": call.name} for call in reply.message.tool_calls
        ],
        "usage": (reply.usage.input_tokens, reply.usage.output_tokens),
    }


def expected_summary(final: dict[str, Any]) -> dict[str, Any]:
    """The same of the other reader, with usage as we count it: what was billed beside the prompt is output."""
    usage = final["usage"]
    return {
        "content": final["content"] or "",
        "finish_reason": final["finish_reason"],
        "tool_calls": final["tool_calls"],
        "usage": (usage["prompt_tokens"], usage["total_tokens"] - usage["prompt_tokens"]),
    }


def test_streams_give_what_another_reader_made_of_them(recorded: list[Exchange]) -> None:
    """Text, calls, stop reason and usage of every whole stream are those of the official SDK's own reader."""
    streams = [each for each in recorded if each.stream is not None and "final" in each.expected]
    assert len(streams) >= 20
    for each in streams:
        assert each.stream is not None
        assert summary(read(each.stream)) == expected_summary(each.expected["final"]), each.name


@pytest.mark.slow
def test_a_stream_cut_at_any_byte_is_an_error_or_complete(recorded: list[Exchange]) -> None:
    """Half a reply never passes for a whole one, wherever the connection breaks and however the bytes are parted."""
    for each in recorded:
        if each.stream is not None:
            whole = outcome(partial(read, each.stream))
            *cuts, last = outcomes_of_cuts(each.stream)
            assert last == whole, each.name
            wrong = [place for place, cut in enumerate(cuts) if cut not in (whole, BROKE_OFF)]
            assert wrong == [], each.name


@pytest.mark.parametrize(
    ("part", "kind", "words"),
    [
        ("openrouter_stream_error", "length", "Token limit reached"),
        ("tool_use_failed_error_streaming.yaml#0", "server", "Tool call validation failed"),
    ],
)
def test_an_error_in_the_middle_of_a_stream_is_typed(
    recorded: list[Exchange], part: str, kind: str, words: str
) -> None:
    """A stream that begins well and ends with an error fails with the server's words."""
    (each,) = [each for each in recorded if part in each.name]
    assert each.stream is not None
    with pytest.raises(ModelError, match=words) as caught:
        read(each.stream)
    assert caught.value.kind == kind


def test_what_the_other_reader_cannot_read(recorded: list[Exchange]) -> None:
    """Calls counted from 1 and content in parts mean one thing only, so they are read."""
    by_name = {each.name: each.stream for each in recorded}
    counted = read(by_name["vercel-ai/compatible/anthropic-fallback-tool-call.sse"] or b"")
    assert counted.message.blocks == (
        Text("Reading it."),
        ToolCall("", "toolu_sanitized", "read_file", '{"path": "a.txt"}'),
    )
    parts = read(by_name["vercel-ai/compatible/mistral-reasoning.chunks.txt"] or b"")
    assert [type(block) for block in parts.message.blocks] == [Thinking, Text]
    assert parts.message.text == "2 + 2 = 4"


def test_reasoning_is_kept_apart_from_text(recorded: list[Exchange]) -> None:
    """Three names of the field for reasoning lead to the same block."""
    found = {}
    for each in recorded:
        if each.stream is not None and "final" in each.expected:
            blocks = read(each.stream).message.blocks
            if blocks and isinstance(blocks[0], Thinking):
                found[each.name.partition("#")[0].rpartition("/")[2]] = blocks[0].signature
    assert found["test_zai_thinking_stream.yaml"] == "reasoning_content"
    assert found["test_openrouter_streaming_reasoning.yaml"] == "reasoning"
    assert len(found) >= 5


def test_answers_that_are_no_streams(recorded: list[Exchange]) -> None:
    """A server that does not stream is read as well, to the same message."""
    plain = [each for each in recorded if each.stream is None and each.status == 200]
    assert len(plain) >= 15
    for each in plain:
        reply = ChatReply(SERVER)
        if "choices" not in each.body:
            reply.feed_whole(each.body)
            with pytest.raises(ModelError, match="no finish_reason"):
                reply.finish()
            continue
        reply.feed_whole(each.body)
        message, usage = each.body["choices"][0]["message"], each.body["usage"]
        made = reply.finish()
        assert made.message.text == (message.get("content") or ""), each.name
        assert [(call.name, call.arguments) for call in made.message.tool_calls] == [
            (call["function"]["name"], call["function"]["arguments"]) for call in message.get("tool_calls") or ()
        ], each.name
        assert made.usage.input_tokens == usage["prompt_tokens"], each.name


def test_error_answers_are_typed(recorded: list[Exchange]) -> None:
    """Every recorded error has the kind that its status and body mean."""
    kinds = {
        each.name.partition("/test_")[2]: SERVER.answered(each.status, {}, each.body).kind
        for each in recorded
        if each.status != 200
    }
    assert kinds == {
        "openrouter_errors_raised.yaml#0": "rate_limit",
        "openrouter_errors_raised.yaml#1": "rate_limit",
        "openrouter_errors_raised.yaml#2": "rate_limit",
        "tool_regular_error.yaml#0": "bad_request",
        "tool_use_failed_error.yaml#0": "bad_request",
        "model_name_suggestion_openai-chat.yaml#0": "bad_request",
        "openai_o1_mini_system_role_developer.yaml#0": "bad_request",
    }


def test_a_wait_that_stands_in_the_body(data_folder: Path) -> None:
    """One server names the seconds to wait in the details of its error."""
    body = json.loads((data_folder / "wire" / "vercel-ai" / "compatible" / "google-429-retry-info.json").read_bytes())
    error = SERVER.answered(429, {}, body)
    assert (error.kind, error.retry_after) == ("rate_limit", 34.4)


def test_recorded_histories_go_out_as_they_were_sent(recorded: list[Exchange]) -> None:
    """A history that others sent, taken in as our messages, has the same roles, texts and calls on our wire."""
    compared = 0
    for each in recorded:
        sent = (each.request or {}).get("messages", [])
        history = [message for message in sent if message["role"] not in ("system", "developer")]
        if any(not isinstance(message.get("content"), str | None) for message in history):
            continue  # pictures and files are not part of our messages
        if any(message.get("tool_calls") and not message["tool_calls"][0].get("id") for message in history):
            continue  # sent to a server without ids
        assert [plain(message) for message in chat_messages(taken(history))] == [plain(each) for each in history]
        compared += bool(history)
    assert compared >= 25


def taken(history: list[dict[str, Any]]) -> list[Message]:
    """The messages of a history as ours."""
    messages: list[Message] = []
    keys: dict[str, str] = {}
    for message in history:
        match message["role"]:
            case "user":
                messages.append(UserMessage(message["content"]))
            case "assistant":
                calls = [
                    ToolCall(
                        f"{len(messages)}.{n}", call["id"], call["function"]["name"], call["function"]["arguments"]
                    )
                    for n, call in enumerate(message.get("tool_calls") or ())
                ]
                keys |= {call.id: call.call_key for call in calls}
                text = [Text(message["content"])] if message.get("content") else []
                messages.append(AssistantMessage((*text, *calls)))
            case "tool":
                key = keys[message["tool_call_id"]]
                messages.append(ToolMessage(key, message["tool_call_id"], "", message["content"]))
    return messages


def plain(message: dict[str, Any]) -> dict[str, Any]:
    """What matters of a message on the wire."""
    calls = [(call["id"], call["function"]) for call in message.get("tool_calls") or ()]
    return {
        "role": message["role"],
        "content": message.get("content") or None,
        "calls": calls,
        "answers": message.get("tool_call_id"),
    }
