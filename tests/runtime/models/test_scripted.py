"""Playing scripts."""

import unicodedata
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock, assert_checkpoints

from runtime.core.ports import Model, ModelReply, ModelRequest
from runtime.errors import ModelError
from runtime.models.scripted import ScriptedModel
from runtime.values.commands import Slot
from runtime.values.messages import Text, Thinking, ToolCall, ToolMessage, UserMessage
from tests.runtime.models.fakes import Shown


def asked(key: str = "", agent: str = "reader", number: int = 1, attempt: int = 1) -> ModelRequest:
    """A model call with one question."""
    return ModelRequest(messages=[UserMessage("Read it.")], key=key, agent=agent, number=number, attempt=attempt)


async def play(scripts: dict[str, Any], request: ModelRequest | None = None) -> tuple[ModelReply, Shown]:
    """Play one call and keep what was shown."""
    shown = Shown()
    return await ScriptedModel(scripts=scripts).call(request or asked(), shown), shown


async def test_text_is_shown_in_pieces_and_returned_whole() -> None:
    """The pieces join to the text of the reply, each about 16 characters long."""
    text = "The brief is long enough to be cut into several pieces."
    reply, shown = await play({"reader": [{"text": text}]})
    assert reply.message.blocks == (Text(text),)
    assert shown.joined("text") == text
    assert {len(piece) for piece in shown.pieces("text")} <= set(range(12, 18))
    assert reply.stop_reason == "stop"


async def test_thinking_comes_before_the_rest() -> None:
    """Reasoning is shown and kept as a block of its own, first."""
    reply, shown = await play({"reader": [{"thinking": "Hm.", "text": "Yes."}]})
    assert reply.message.blocks == (Thinking("Hm."), Text("Yes."))
    assert shown.seen == [("thinking", "Hm."), ("text", "Yes.")]


async def test_json_is_text_that_reads_back() -> None:
    """A `json` reply is the text that a model with structured output would write."""
    reply, _ = await play({"reader": [{"json": {"claim": "c", "n": [1, None]}}]})
    assert reply.message.text == '{"claim":"c","n":[1,null]}'


async def test_several_calls_keep_their_order() -> None:
    """Calls come in the order in which they were written, also two of the same tool and one without arguments."""
    calls = [{"search": {"q": "tea"}}, {"search": {"q": "mate"}}, {"now": {}}, {"broken": "{not json"}]
    reply, shown = await play({"reader": [{"calls": calls}]})
    assert [(call.name, call.arguments) for call in reply.message.tool_calls] == [
        ("search", {"q": "tea"}),
        ("search", {"q": "mate"}),
        ("now", {}),
        ("broken", "{not json"),
    ]
    assert shown.seen[0] == ("call", "search", '{"q":"tea"}')
    assert shown.seen[3] == ("call", "broken", "{not json")
    assert len({call.id for call in reply.message.tool_calls}) == 4
    assert reply.stop_reason == "tool_calls"


@pytest.mark.parametrize(
    ("key", "text"),
    [("read[a.org]", "item"), ("read[b.org]", "task"), ("read", "task"), ("other[a.org]", "agent"), ("", "agent")],
)
async def test_the_most_specific_script_wins(key: str, text: str) -> None:
    """An item's script goes before its task's, and that before the agent's."""
    scripts = {"reader": [{"text": "agent"}], "read": [{"text": "task"}], "read[a.org]": [{"text": "item"}]}
    reply, _ = await play(scripts, asked(key))
    assert reply.message.text == text


@pytest.mark.parametrize(
    ("attempt", "number", "text"), [(1, 1, "a"), (1, 2, "b"), (2, 1, "c"), (3, 1, "c"), (9, 1, "c")]
)
async def test_attempts_play_their_own_lists(attempt: int, number: int, text: str) -> None:
    """Attempt n plays list n, and the last list serves all later attempts."""
    scripts = {"reader": {"attempts": [[{"text": "a"}, {"text": "b"}], [{"text": "c"}]]}}
    reply, _ = await play(scripts, asked(attempt=attempt, number=number))
    assert reply.message.text == text


async def test_the_same_call_gets_the_same_reply_again() -> None:
    """The number of the call decides alone: a call that is repeated after a crash is answered as before."""
    model = ScriptedModel(scripts={"reader": [{"text": "one"}, {"text": "two"}]})
    texts = [(await model.call(asked(number=number), Shown())).message.text for number in (2, 1, 2)]
    assert texts == ["two", "one", "two"]


@pytest.mark.parametrize(
    ("chunks", "pieces"), [(3, ["ab", "cd", "efg"]), (99, list("abcdefg")), (["a", "", "bcdefg"], ["a", "", "bcdefg"])]
)
async def test_chunks_say_how_the_text_is_cut(chunks: Any, pieces: list[str]) -> None:
    """A number of pieces cuts evenly; a list gives the very pieces."""
    reply, shown = await play({"reader": [{"text": "abcdefg", "chunks": chunks}]})
    assert sorted(shown.pieces("text"), key=len) == sorted(pieces, key=len)
    assert shown.joined("text") == reply.message.text == "abcdefg"


@given(st.text(max_size=80), st.integers(1, 90))
async def test_pieces_always_join_and_never_split_a_character_from_its_marks(text: str, chunks: int) -> None:
    """Whatever the text, its pieces join to it, and no piece begins with a mark of the character before."""
    reply, shown = await play({"reader": [{"text": text, "chunks": chunks}]})
    assert shown.joined("text") == reply.message.text
    assert not any(unicodedata.combining(piece[0]) for piece in shown.pieces("text")[1:])
    assert len(shown.pieces("text")) <= chunks


async def test_a_family_emoji_stays_together() -> None:
    """Characters that are joined into one picture are shown in one piece."""
    family = "👨\u200d👩\u200d👧"
    _, shown = await play({"reader": [{"text": f"a{family}b", "chunks": 20}]})
    assert shown.pieces("text") == ["a", family, "b"]


async def test_a_long_reply_lets_others_run() -> None:
    """Every 16 pieces the stream gets the chance to let other tasks in."""
    _, shown = await play({"reader": [{"text": "x" * 64, "chunks": 64}]})
    assert shown.breaths == 4


async def test_a_call_is_a_checkpoint() -> None:
    """Even a reply without delay lets others run and can be cancelled."""
    with assert_checkpoints():
        await play({"reader": [{"text": "x"}]})


async def test_a_delay_passes_before_anything_is_shown(autojump_clock: MockClock) -> None:
    """`delay` is how long the model thinks; cancelling it then leaves nothing shown."""
    shown = Shown()
    model = ScriptedModel(scripts={"reader": [{"text": "x", "delay": "5m"}]})
    with trio.move_on_after(299):
        await model.call(asked(), shown)
    assert shown.seen == []
    start = trio.current_time()
    await model.call(asked(), shown)
    assert trio.current_time() - start == pytest.approx(300)


async def test_usage_is_as_written() -> None:
    """`usage` gives the tokens; a side that is left out is zero."""
    reply, _ = await play({"reader": [{"text": "x", "usage": {"input": "20k"}}]})
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (20_000, 0)


async def test_usage_is_estimated_from_the_characters() -> None:
    """Without `usage` four characters make a token, of everything sent and of the reply, the same each time."""
    reply, _ = await play(
        {"reader": [{"calls": [{"search": {"q": "teapot"}}], "thinking": "1234"}]},
        ModelRequest(
            instructions="12345678",
            messages=[UserMessage("1234"), ToolMessage("0.0", "call_0", "search", {"a": 1}), UserMessage("1")],
            agent="reader",
        ),
    )
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (5, 6)


@pytest.mark.parametrize(
    ("kind", "retryable"),
    [
        ("transport", True),
        ("timeout", True),
        ("rate_limit", True),
        ("server", True),
        ("refused", False),
        ("script", False),
    ],
)
async def test_errors_carry_their_kind(kind: str, retryable: bool) -> None:
    """`error` fails the call with that kind; only passing troubles are worth a retry."""
    with pytest.raises(ModelError, match=f"the script of read ends call 1 with {kind}") as caught:
        await play({"read": [{"error": kind, "thinking": "Hm."}]}, asked("read"))
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)


@pytest.mark.parametrize(
    ("scripts", "request_", "message"),
    [
        (
            {"reader": [{"text": "x"}]},
            asked("read[a]", number=2),
            "scripts.reader has 1 reply, but read[a] makes model call 2; add a reply",
        ),
        (
            {"reader": {"attempts": [[], []]}},
            asked(attempt=5),
            "scripts.reader.attempts[1] has 0 replies, but reader makes model call 1; add a reply",
        ),
        (
            {"raeder": []},
            asked("read[a]"),
            "no script for model call 1 of read[a] or read or reader; "
            "there are scripts for raeder; did you mean 'raeder'?",
        ),
        ({}, asked(), "no script for model call 1 of reader; there are no scripts at all"),
    ],
)
async def test_a_missing_reply_is_an_error_that_names_it(scripts: Any, request_: ModelRequest, message: str) -> None:
    """The script that ran out is named with its place, the call and what there is; a retry would not help."""
    with pytest.raises(ModelError) as caught:
        await play(scripts, request_)
    assert str(caught.value) == message
    assert (caught.value.kind, caught.value.retryable) == ("script", False)


def test_replies_left_over_are_named() -> None:
    """A Turn that ran and did not hear all of its replies is told, with the place of the first unheard one."""
    model = ScriptedModel(
        scripts={
            "reader": [{"text": "a"}, {"text": "b"}, {"text": "c"}],
            "w": {"attempts": [[{"text": "a"}], [{"text": "b"}]]},
        }
    )
    assert model.leftover(
        [("read[a]", "reader", 1, 1), ("read[b]", "reader", 1, 3), ("w", "w", 2, 0), ("x", "y", 1, 0)]
    ) == [
        "scripts.reader: read[a] made 1 model call; 2 replies from [1] on left over",
        "scripts.w.attempts[1]: w made 0 model calls; 1 reply from [0] on left over",
    ]


def test_a_limit_becomes_a_slot() -> None:
    """`max_concurrent` is a slot under the model's name; the model fits the port."""
    model: Model = ScriptedModel("fast", scripts={}, max_concurrent=4)
    assert (model.name, model.slots) == ("fast", (Slot("model:fast", 4),))
    assert ScriptedModel(scripts={}).slots == ()


async def test_call_keys_are_left_to_the_runtime() -> None:
    """The model names no call keys; those are counted by the Turn."""
    reply, _ = await play({"reader": [{"calls": [{"search": {}}]}]})
    assert reply.message.blocks == (ToolCall("", "call_1_0", "search", {}),)
