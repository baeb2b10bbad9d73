"""Replies put together from chunks: every way in which servers send the same thing."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime import ModelError, Usage
from runtime.core.ports import ModelReply
from runtime.models.chat_stream import ChatStream
from runtime.values.messages import Block, Text, Thinking, ToolCall
from tests.runtime.models.chunks import SERVER, call, delta, stream_of, usage


def read(*chunks: Any, done: bool = True) -> ModelReply:
    """Read a stream of these chunks."""
    chat = ChatStream(SERVER)
    chat.feed(stream_of(*chunks, done=done))
    return chat.finish()


def calls(*pieces: list[Any]) -> list[tuple[str, str, str]]:
    """Id, name and arguments of the calls that come of these pieces, one list a chunk."""
    reply = read(*[delta(tool_calls=each) for each in pieces], delta("tool_calls"))
    return [(each.id, each.name, each.arguments) for each in reply.message.tool_calls]


def test_text_and_usage() -> None:
    """The usual reply: pieces of text, a reason to stop, usage in a chunk of its own."""
    reply = read(
        delta(role="assistant", content=""), delta(content="Te"), delta(content="a"), delta("stop"), usage(5, 2)
    )
    assert reply.message.blocks == (Text("Tea"),)
    assert (reply.usage, reply.stop_reason) == (Usage(input_tokens=5, output_tokens=2), "stop")


def test_reasoning_that_is_left_out_of_the_completion_counts() -> None:
    """What only the total has was billed as output."""
    assert read(delta("stop", content="x"), usage(5, 2, total=30)).usage == Usage(input_tokens=5, output_tokens=25)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_a_block_of_its_own(field: str) -> None:
    """Both names of reasoning make a thinking block that remembers its name."""
    reply = read(delta(**{field: "hm"}), delta(**{field: "m"}), delta(content="Yes."), delta("stop"))
    assert reply.message.blocks == (Thinking("hmm", field), Text("Yes."))


def test_a_server_that_sends_reasoning_under_both_names() -> None:
    """The same reasoning twice is one reasoning."""
    reply = read(delta(reasoning="hm", reasoning_content="hm"), delta("stop", content="Yes."))
    assert reply.message.blocks[0] == Thinking("hm", "reasoning_content")


CALLS: dict[str, tuple[list[list[Any]], list[tuple[str, str, str]]]] = {
    "one at once": ([[call(0, "a", "f", "{}")]], [("a", "f", "{}")]),
    "in pieces": ([[call(0, "a", "f", "")], [call(0, arguments='{"x":')], [call(0, arguments="1}")]],
                  [("a", "f", '{"x":1}')]),
    "interleaved": ([[call(0, "a", "f", "{"), call(1, "b", "g", "[")], [call(1, arguments="]")],
                     [call(0, arguments="}")]],
                    [("a", "f", "{}"), ("b", "g", "[]")]),
    "counted from one": ([[call(1, "a", "f", "{")], [call(1, arguments="}")]], [("a", "f", "{}")]),
    "id repeated in each piece": ([[call(0, "a", "f", "{")], [call(0, "a", arguments="}")]], [("a", "f", "{}")]),
    "id empty later": ([[call(0, "a", "f", "{")], [call(0, "", arguments="}")]], [("a", "f", "{}")]),
    "one id for two calls": ([[call(0, "a", "f", "{}"), call(1, "a", "g", "{}")]],
                             [("a", "f", "{}"), ("a", "g", "{}")]),
    "no ids": ([[call(0, None, "f", "{}"), call(1, None, "g", "{}")]], [("", "f", "{}"), ("", "g", "{}")]),
    "no index": ([[call(None, "a", "f", "{"), ], [call(None, "a", arguments="}")], [call(None, "b", "g", "{}")]],
                 [("a", "f", "{}"), ("b", "g", "{}")]),
    "neither id nor index": ([[call(None, None, "f", "{}"), call(None, None, "f", "{}")]],
                             [("", "f", "{}"), ("", "f", "{}")]),
    "every index zero": ([[call(0, "a", "f", "{}")], [call(0, "b", "f", "{}")]], [("a", "f", "{}"), ("b", "f", "{}")]),
    "name later": ([[call(0, "a")], [call(0, name="f")], [call(0, arguments="{}")]], [("a", "f", "{}")]),
    "name again": ([[call(0, "a", "f", "{")], [call(0, name="f", arguments="}")]], [("a", "f", "{}")]),
    "name in pieces": ([[call(0, "a", "read_")], [call(0, name="file", arguments="{}")]], [("a", "read_file", "{}")]),
    "no arguments": ([[call(0, "a", "f")]], [("a", "f", "")]),
    "arguments as an object": ([[call(0, "a", "f", {"x": 1})]], [("a", "f", '{"x": 1}')]),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    """What can only mean one thing is taken as that."""
    pieces, expected = CALLS[name]
    assert calls(*pieces) == expected


def test_calls_decide_why_the_model_stopped() -> None:
    """Some servers say `stop` although the model calls tools."""
    assert read(delta("stop", tool_calls=[call(0, "a", "f", "{}")])).stop_reason == "tool_calls"


def test_the_end_may_be_told_by_usage_alone() -> None:
    """A server that leaves the closing mark out has ended all the same."""
    assert read(delta("stop", content="x"), usage(1, 1), done=False).message.text == "x"
    chat = ChatStream(SERVER)
    chat.feed(stream_of(delta("stop", content="x")).rstrip())
    assert chat.finish().message.text == "x"


BROKEN: dict[str, tuple[list[Any], str, str]] = {
    "no reason to stop": ([delta(content="x")], "malformed", "no finish_reason"),
    "refusal": ([delta(refusal="I "), delta("stop", refusal="won't.")], "refusal", "refused: I won't$"),
    "filter": ([delta(content="x"), delta("content_filter")], "content_filter", "a content filter stopped"),
    "cut call": (
        [delta(tool_calls=[call(0, "a", "f", "")]), delta("length")],
        "length",
        "in the middle of a tool call",
    ),
    "failed": ([delta(content="x"), delta("error")], "server", "ended with an error"),
    "no calls": ([delta("tool_calls")], "malformed", "should call tools"),
    "nameless": ([delta("tool_calls", tool_calls=[call(0, "a")])], "malformed", "has no name"),
    "a list": ([[1]], "malformed", "a chunk is no object but"),
    "choices": ([{"choices": {}}], "malformed", "choices is no list"),
    "content": ([delta(content=7)], "malformed", "content is no text but 7"),
    "usage": ([delta("stop"), {"usage": {"prompt_tokens": -1}}], "malformed", "prompt_tokens is no count"),
    "error": ([{"error": {"message": "too many", "code": "rate_limit_exceeded"}}], "rate_limit", "too many"),
    "error as text": ([{"error": "out of memory"}], "server", "out of memory"),
    "error of a choice": ([{"choices": [{"error": {"code": 502, "message": "gone"}}]}], "server", "gone"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_reply(name: str) -> None:
    """Each has its kind, and words that name the model and the server."""
    chunks, kind, words = BROKEN[name]
    with pytest.raises(ModelError, match=words) as caught:
        read(*chunks)
    assert caught.value.kind == kind
    assert str(caught.value).startswith("gpt-x at host:1")


def test_text_that_is_cut_by_the_model_stays() -> None:
    """A reply that reached the model's limit says so, and is not thrown away."""
    reply = read(delta(content="A long st"), delta("length"))
    assert (reply.message.text, reply.stop_reason) == ("A long st", "length")


@pytest.mark.parametrize("garbage", [b"data: {\n\n", b"data: \xff\n\n"])
def test_garbage_is_malformed(garbage: bytes) -> None:
    """What is no JSON, or no text, is no chat completion."""
    with pytest.raises(ModelError) as caught:
        ChatStream(SERVER).feed(garbage)
    assert (caught.value.kind, caught.value.retryable) == ("malformed", False)


def test_a_stream_that_breaks_off_is_worth_another_try() -> None:
    """Without its end a reply does not count, whatever came of it."""
    for chunks in ([], [delta(content="x")], [delta(content="x"), delta("stop")], [usage(1, 1), delta("stop")]):
        with pytest.raises(ModelError, match="broke off") as caught:
            read(*chunks, done=False)
        assert (caught.value.kind, caught.value.retryable) == ("transport", True)


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
blocks = st.lists(st.builds(Text, texts) | st.builds(Thinking, texts, st.just("reasoning")), max_size=4)
made_calls = st.lists(st.tuples(texts, st.dictionaries(texts, st.integers(), max_size=2)), max_size=3)


def parted(data: st.DataObject, text: str) -> list[str]:
    """A text in any pieces."""
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=3)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@given(parts=blocks, asked=made_calls, data=st.data())
def test_any_chunking_gives_the_same_message(parts: list[Block], asked: list[Any], data: st.DataObject) -> None:
    """However a message is parted into chunks, and the chunks into bytes, it arrives whole and is shown whole."""
    chunks = []
    for part in parts:
        assert not isinstance(part, ToolCall)
        field = "content" if isinstance(part, Text) else "reasoning"
        chunks += [delta(**{field: piece}) for piece in parted(data, part.text)]
    pieces = [
        [call(index, f"id{index}" if first else None, name if first else None, piece)
         for first, piece in zip([True, *[False] * 9], parted(data, json.dumps(arguments)), strict=False)]
        for index, (name, arguments) in enumerate(asked)
    ]  # fmt: skip
    while any(pieces):  # the calls grow side by side
        growing = data.draw(st.sampled_from([each for each in pieces if each]))
        chunks.append(delta(tool_calls=[growing.pop(0)]))
    raw = stream_of(*chunks, delta("tool_calls" if asked else "stop"), usage(3, 4))
    chat = ChatStream(SERVER)
    shown: list[tuple[str, str]] = []
    for piece in _bytes(data, raw):
        shown += chat.feed(piece)
    reply = chat.finish()
    for sort, kind in (("text", Text), ("thinking", Thinking)):
        whole = "".join([part.text for part in parts if isinstance(part, kind)])
        assert "".join([text for shown_sort, text in shown if shown_sort == sort]) == whole
        assert "".join([each.text for each in reply.message.blocks if isinstance(each, kind)]) == whole
    assert {each.id: (each.name, json.loads(each.arguments)) for each in reply.message.tool_calls} == {
        f"id{index}": each for index, each in enumerate(asked)
    }
    assert reply.usage == Usage(input_tokens=3, output_tokens=4)


def _bytes(data: st.DataObject, raw: bytes) -> list[bytes]:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(raw)), max_size=8)))
    return [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
