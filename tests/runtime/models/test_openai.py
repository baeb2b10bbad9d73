"""The adapter against a server on loopback: the whole way of a call, and everything that may go wrong on it."""

import gc
import subprocess
import sys
from contextlib import suppress
from typing import Any

import pytest
import trio

from runtime import Agent, ModelError, Status, Usage, UsageError, open_runtime
from runtime.core.ports import ModelReply, ModelRequest
from runtime.models import OpenAIModel
from runtime.values.commands import Slot
from runtime.values.messages import Text, Thinking, ToolCall, UserMessage
from tests.runtime.models.chunks import call, delta, stream_of, usage
from tests.runtime.models.fakes import Shown
from tests.runtime.models.server import Connection, answering, serving, streaming

ASK = ModelRequest(messages=[UserMessage("Write.")], instructions="Briefly.")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no key and no address of the machine's own reach a test."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "HTTP_PROXY", "http_proxy",
                 "ALL_PROXY", "all_proxy"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)


async def ask(base_url: str, shown: Shown | None = None, **options: Any) -> ModelReply:
    """Make one call to a server that needs no key."""
    return await OpenAIModel("gpt-x", base_url=base_url, **options).call(ASK, shown or Shown())


async def failing(base_url: str, **options: Any) -> ModelError:
    """Make a call that fails."""
    with pytest.raises(ModelError) as caught:
        await ask(base_url, **options)
    return caught.value


@pytest.mark.parametrize("size", [7, 1_000_000])
async def test_a_reply_is_shown_while_it_comes_and_returned_whole(size: int) -> None:
    """Reasoning, text, calls and usage arrive, however the bytes are parted."""
    answer = streaming(
        delta(reasoning="I "), delta(reasoning="look."), delta(content="One "), delta(content="moment"),
        delta("tool_calls", tool_calls=[call(0, "a", "search", '{"q": "tea"}')]), usage(9, 4), size=size,
    )  # fmt: skip
    shown = Shown()
    async with serving(answer) as server:
        reply = await ask(server.base_url, shown)
    arguments = '{"q": "tea"}'
    assert reply.message.blocks == (
        Thinking("I look.", "reasoning"), Text("One moment"), ToolCall("", "a", "search", arguments),
    )  # fmt: skip
    assert (reply.usage, reply.stop_reason) == (Usage(input_tokens=9, output_tokens=4), "tool_calls")
    assert shown.pieces("thinking") == ["I ", "look."]
    assert shown.pieces("text") == ["One ", "moment"]
    assert shown.seen[-1] == ("call", "search", arguments)


async def test_what_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The request has the messages, the model and the key of the environment variable that was named."""
    monkeypatch.setenv("OTHER_KEY", "abc")
    async with serving(streaming(delta("stop", content="x"))) as server:
        await ask(server.base_url, api_key_env="OTHER_KEY")
        (seen,) = server.seen
    assert "post /v1/chat/completions " in seen.head
    assert "authorization: bearer abc" in seen.head
    assert (seen.body["model"], seen.body["stream"]) == ("gpt-x", True)
    assert [message["content"] for message in seen.body["messages"]] == ["Briefly.", "Write."]


async def test_an_address_from_the_environment_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of one's own may need no key."""
    async with serving(streaming(delta("stop", content="x"))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        reply = await OpenAIModel("llama").call(ASK, Shown())
    assert reply.message.text == "x"


async def test_a_server_that_does_not_stream() -> None:
    """The whole reply in one body of JSON is a reply too."""
    body = {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}], **usage(1, 2)}
    body["choices"] = [{"message": {"content": "x"}, "finish_reason": "stop"}]
    shown = Shown()
    async with serving(answering("200 OK", body)) as server:
        reply = await ask(server.base_url, shown)
    assert (reply.message.text, shown.joined("text")) == ("x", "x")
    assert reply.usage == Usage(input_tokens=1, output_tokens=2)


@pytest.mark.parametrize(
    ("body", "sort", "words"),
    [
        (b"<html>hello</html>", "text/html; charset=utf-8", "it answered with text/html"),
        (b"{", "application/json", "not JSON"),
        (b"data: {\n\n", "text/event-stream", "a chunk is not JSON"),
        (b"data: 7\n\n", "text/event-stream", "a chunk is no object but 7"),
    ],
)
async def test_an_answer_that_is_no_chat_completion(body: bytes, sort: str, words: str) -> None:
    """An address that leads elsewhere is told by what came."""
    async with serving(answering("200 OK", body, sort=sort)) as server:
        error = await failing(server.base_url)
    assert (error.kind, error.retryable) == ("malformed", False)
    assert words in str(error)
    assert "speak the chat completions wire" in str(error)


async def test_a_limit_on_the_rate_says_how_long_to_wait() -> None:
    """The wait that the server names stands in the failure, from a date as well."""
    headers = "date: Tue, 01 Dec 2026 10:00:00 GMT\r\nretry-after: Tue, 01 Dec 2026 10:00:20 GMT\r\n"
    body = {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}
    async with serving(answering("429 Too Many Requests", body, headers)) as server:
        error = await failing(server.base_url)
        assert len(server.seen) == 1  # retries are the task's, and are recorded
    assert (error.kind, error.retryable, error.retry_after) == ("rate_limit", True, 20.0)
    assert "slow down" in str(error)


async def test_a_refused_key_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the server says, the key stays out of the message."""
    monkeypatch.setenv("OPENAI_API_KEY", "topsecret")
    async with serving(answering("401 Unauthorized", {"error": {"message": "bad key topsecret"}})) as server:
        error = await failing(server.base_url)
        assert "bearer topsecret" in server.seen[0].head
    assert error.kind == "auth"
    assert "valid one into OPENAI_API_KEY" in str(error)
    assert "topsecret" not in repr(error)


async def test_nobody_there() -> None:
    """A server that does not run is unreachable, and the message names it."""
    async with serving(streaming()) as server:
        address = server.base_url
    error = await failing(address)
    assert (error.kind, error.retryable) == ("transport", True)
    assert f"cannot reach {address[7:-3]}" in str(error)


async def test_a_stream_that_stalls() -> None:
    """Silence in the middle of a reply is a timeout, after the time that was set for it."""

    async def answer(connection: Connection) -> None:
        await connection.start()
        await connection.chunk(stream_of(delta(content="x"), done=False))
        await connection.closed()

    async with serving(answer) as server:
        error = await failing(server.base_url, idle_timeout=0.3)
    assert (error.kind, error.retryable) == ("timeout", True)
    assert "nothing came within 0.3 s" in str(error)


async def test_a_stream_that_breaks_off() -> None:
    """A connection that is lost in the middle of a reply leaves no half reply behind."""

    async def answer(connection: Connection) -> None:
        await connection.start()
        await connection.chunk(stream_of(delta(content="x"), done=False))

    async with serving(answer) as server:
        error = await failing(server.base_url)
    assert (error.kind, error.retryable) == ("transport", True)
    assert "broke off" in str(error)


async def test_a_server_that_never_hangs_up() -> None:
    """Once the reply is whole, nobody waits for the end of the connection."""

    async def answer(connection: Connection) -> None:
        await connection.start()
        await connection.chunk(stream_of(delta("stop", content="x"), usage(1, 1)))
        await connection.closed()

    async with serving(answer) as server:
        assert (await ask(server.base_url)).message.text == "x"


async def test_a_cancel_closes_the_connection_at_once() -> None:
    """The server sees the end of the connection when the call is cancelled, not when the reply would have ended."""
    gone = trio.Event()
    begun = trio.Event()

    async def answer(connection: Connection) -> None:
        await connection.start()
        for _ in range(20):
            await connection.chunk(stream_of(delta(content="x"), done=False))
        begun.set()
        await connection.closed()
        gone.set()

    async with serving(answer) as server:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, server.base_url)
            await begun.wait()
            nursery.cancel_scope.cancel()
        with trio.fail_after(5):
            await gone.wait()


async def test_a_cancel_before_the_first_byte() -> None:
    """A call that waits for the server can be cancelled as well."""
    gone = trio.Event()
    asked = trio.Event()

    async def answer(connection: Connection) -> None:
        asked.set()
        await connection.closed()
        gone.set()

    async with serving(answer) as server:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, server.base_url)
            await asked.wait()
            nursery.cancel_scope.cancel()
        with trio.fail_after(5):
            await gone.wait()


async def test_nothing_is_left_behind() -> None:
    """No generator and no socket of any ending waits for the garbage collector, which would warn."""
    endings = [
        streaming(delta("stop", content="x"), usage(1, 1)),
        streaming(delta(content="x"), done=False),
        streaming({"error": {"message": "x"}}, *[delta(content="x" * 5000)] * 20),
        answering("500 Oops", {}),
        answering("200 OK", b"x" * 100_000, sort="text/html"),
    ]
    for ending in endings:
        async with serving(ending) as server:
            with suppress(ModelError):
                await ask(server.base_url)
        gc.collect()  # warnings are errors


def test_what_a_call_needs_is_known_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing key, a wrong address and a missing extra are told with what to run."""
    with pytest.raises(UsageError, match=r"the model fast needs a key: export OPENAI_API_KEY=…; for a server of your"):
        OpenAIModel("gpt-x", name="fast").prepare()
    with pytest.raises(UsageError, match=r"export OTHER=…$"):
        OpenAIModel("gpt-x", base_url="http://localhost/v1", api_key_env="OTHER").prepare()
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:8000")
    with pytest.raises(UsageError, match="'localhost:8000' is no address"):
        OpenAIModel("gpt-x").prepare()
    OpenAIModel("gpt-x", base_url="http://localhost/v1").prepare()
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(UsageError, match=r"pip install 'turntree\[openai\]'"):
        OpenAIModel("gpt-x").prepare()


async def test_a_program_that_did_not_prepare_fails_its_call() -> None:
    """A missing key fails the call with the same words."""
    with pytest.raises(ModelError, match="export OPENAI_API_KEY") as caught:
        await OpenAIModel("gpt-x").call(ASK, Shown())
    assert caught.value.kind == "auth"


def test_names_and_places() -> None:
    """The name that people see, and the slot that bounds calls."""
    model = OpenAIModel("gpt-x", name="fast", max_concurrent=3)
    assert (model.name, model.slots) == ("fast", (Slot("model:fast", 3),))
    assert (OpenAIModel("gpt-x").name, OpenAIModel("gpt-x").slots) == ("gpt-x", ())


def test_importing_it_imports_no_sdk() -> None:
    """The SDK takes a second to load, which only a call pays."""
    code = "import sys, runtime.models; sys.exit('openai' in sys.modules or 'httpx2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_an_agent_with_tools_and_a_typed_output() -> None:
    """Two calls of a Turn: the model asks for a tool, sees its result, and answers in the form that is asked for."""

    def double(n: int) -> int:
        """Double a number."""
        return 2 * n

    async def answer(connection: Connection) -> None:
        if connection.body["messages"][-1]["role"] == "tool":
            result = connection.body["messages"][-1]["content"]
            await streaming(delta("stop", content=f'{{"n": {result}}}'), usage(20, 5))(connection)
        else:
            await streaming(delta("tool_calls", tool_calls=[call(0, "", "double", '{"n": 4}')]), usage(10, 5))(
                connection
            )

    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    async with serving(answer) as server, open_runtime() as runtime:
        model = OpenAIModel("gpt-x", base_url=server.base_url)
        agent = Agent("counter", model=model, tools=[double], output=schema)
        result = await runtime.run(agent, "Double 4.")
    assert (result.status, result.output) == (Status.COMPLETED, {"n": 8})
    assert (result.usage.input_tokens, result.usage.output_tokens, result.usage.model_calls) == (30, 10, 2)
