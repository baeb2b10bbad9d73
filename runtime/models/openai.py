"""Models behind the chat completions wire of OpenAI, which many other servers speak too.

The official SDK carries the calls (keys, proxies, TLS, forms of requests); what comes back is read by our own few
modules, as raw bytes: the SDK's stream objects leave async generators behind under trio, and drop what other servers
add to the wire. The SDK is imported when it is first needed, since that takes a second.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import ssl
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlsplit

import trio

from runtime.errors import ModelError, UsageError
from runtime.models.chat_errors import Server
from runtime.models.chat_reply import ChatReply
from runtime.models.chat_request import chat_body
from runtime.models.chat_stream import ChatStream
from runtime.values.commands import Slot

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

    from runtime.core.ports import ModelReply, ModelRequest, ModelStream
    from runtime.models.chat_reply import Piece

HOME: Final = "https://api.openai.com/v1"
KEY: Final = "OPENAI_API_KEY"
_CONNECT_SECONDS: Final = 20.0
_GOODBYE_SECONDS: Final = 0.5
"""How long a server may take to end a stream after its closing mark."""


class OpenAIModel:
    """A model that is called by the chat completions wire.

    Args:
        model: The server's name of it, such as `gpt-5-mini`.
        name: Shown to people and recorded with each call; default `model`.
        base_url: Where the server is, such as `http://127.0.0.1:11434/v1`; default `$OPENAI_BASE_URL`, else OpenAI.
        api_key_env: The environment variable that holds the key; default `OPENAI_API_KEY`, which may be missing if
            `base_url` (or `$OPENAI_BASE_URL`) says that the server is not OpenAI's. The key is read at each call and
            kept nowhere.
        max_concurrent: How many calls may run at a time; None for no limit.
        structured_output: How the model is told of an agent's output: `schema` sends it as `response_format`, to which
            most servers hold the model; `instructions` describes it in words, for servers that refuse the former.
        idle_timeout: Seconds without a byte after which a call fails with kind `timeout`.
    """

    def __init__(
        self,
        model: str,
        *,
        name: str | None = None,
        base_url: str | None = None,
        api_key_env: str | None = None,
        max_concurrent: int | None = None,
        structured_output: Literal["schema", "instructions"] = "schema",
        idle_timeout: float = 300.0,
    ) -> None:
        self._model = model
        self._name = name or model
        self._base_url = base_url
        self._api_key_env = api_key_env
        self._slots = () if max_concurrent is None else (Slot(f"model:{self._name}", max_concurrent),)
        self._in_words = structured_output == "instructions"
        self._idle = idle_timeout
        self._trust: ssl.SSLContext | None = None
        """Loaded once, as that takes longer than to make a client."""

    @property
    def name(self) -> str:
        """Shown to people and recorded with each call."""
        return self._name

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Admission slots that one call holds."""
        return self._slots

    def prepare(self) -> None:
        """Make sure that calls can be made: the SDK is installed, the address is one, and a needed key is there.

        Raises:
            UsageError: They cannot; the message says what to run.
        """
        if importlib.util.find_spec("openai") is None:
            raise UsageError(
                f"the model {self._name} needs an extra that is not installed: pip install 'turntree[openai]'"
            )
        address = self._address()
        if not re.match(r"https?://[^/\s]", address):
            raise UsageError(f"{address!r} is no address of a server; write one such as https://host/v1")
        self._key(address)

    async def call(self, request: ModelRequest, stream: ModelStream) -> ModelReply:
        """Make one call; a cancel closes its connection at once.

        Raises:
            ModelError: The call failed; `runtime.models.chat_errors` lists the kinds.
        """
        try:
            self.prepare()
        except UsageError as error:
            raise ModelError(str(error), kind="auth") from error
        import httpx2
        import openai

        address = self._address()
        key = self._key(address)
        server = Server(
            model=self._model, address=_shown(address), key_name=self._api_key_env or KEY, key=key or "",
        )  # fmt: skip
        body = chat_body(request, self._model, schema_in_words=self._in_words)
        try:
            async with self._client(address, key) as client:
                return await self._exchange(client, body, server, stream)
        except openai.APIStatusError as error:
            raise server.answered(error.status_code, error.response.headers, error.body) from error
        except (openai.APITimeoutError, httpx2.TimeoutException) as error:
            raise self._late(server, error) from error
        except openai.APIConnectionError as error:
            raise server.unreachable(str(error.__cause__ or error)) from error
        except (httpx2.RequestError, ssl.SSLError, trio.BrokenResourceError) as error:
            raise server.broken(f"the connection broke off ({error})") from error

    async def _exchange(
        self, client: AsyncOpenAI, body: dict[str, Any], server: Server, stream: ModelStream
    ) -> ModelReply:
        """Send the request and read what comes, to its end."""
        async with client.chat.completions.with_streaming_response.create(**body) as answer:
            response: httpx2.Response = answer.http_response
            sort = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if sort == "application/json":
                reply = ChatReply(server)
                _show(reply.feed_whole(_json(await response.aread(), server)), stream)
                whole = reply.finish()
            elif sort in ("text/event-stream", ""):
                whole = await _read(response, ChatStream(server), stream)
            else:
                raise server.malformed(f"it answered with {sort}")
        for call in whole.message.tool_calls:
            stream.tool_call(call.name, call.arguments)
        return whole

    def _client(self, address: str, key: str | None) -> AsyncOpenAI:
        """Return a client for one call: connections are not shared, so that none outlives a loop or a cancel."""
        import httpx2
        import openai

        if self._trust is None:
            self._trust = httpx2.create_ssl_context()
        timeout = httpx2.Timeout(self._idle, connect=min(_CONNECT_SECONDS, self._idle))
        return openai.AsyncOpenAI(
            api_key=key or "none", base_url=address, timeout=timeout, max_retries=0,
            http_client=httpx2.AsyncClient(verify=self._trust, timeout=timeout),
        )  # fmt: skip

    def _address(self) -> str:
        return (self._base_url or os.environ.get("OPENAI_BASE_URL") or HOME).rstrip("/")

    def _key(self, address: str) -> str | None:
        name = self._api_key_env or KEY
        key = os.environ.get(name, "").strip()
        if not key and (self._api_key_env is not None or address == HOME):
            elsewhere = "" if self._api_key_env else "; for a server of your own set base_url (or OPENAI_BASE_URL)"
            raise UsageError(f"the model {self._name} needs a key: export {name}=…{elsewhere}")
        return key or None

    def _late(self, server: Server, error: Exception) -> ModelError:
        import httpx2

        cause = error.__cause__ or error
        if isinstance(cause, httpx2.ConnectTimeout):
            return server.silent(min(_CONNECT_SECONDS, self._idle), "no connection")
        return server.silent(self._idle, "nothing came")


async def _read(response: httpx2.Response, chat: ChatStream, stream: ModelStream) -> ModelReply:
    """Read a stream to its end, and show what comes."""
    failure: ModelError | None = None
    # The loop is left by a cancel, never by `break` or an error of its own, and nothing in its body waits: only so all
    # generators inside come to their end with it. Each receive is a checkpoint, so others get their turn.
    with trio.CancelScope() as scope:
        async for chunk in response.aiter_bytes():
            try:
                _show(chat.feed(chunk), stream)
            except ModelError as error:
                failure = error
                scope.cancel()
            if chat.whole:
                scope.deadline = min(scope.deadline, trio.current_time() + _GOODBYE_SECONDS)
    if failure is not None:
        raise failure
    return chat.finish()


def _show(pieces: list[Piece], stream: ModelStream) -> None:
    for sort, text in pieces:
        if sort == "text":
            stream.text(text)
        else:
            stream.thinking(text)


def _json(raw: bytes, server: Server) -> Any:
    try:
        return json.loads(raw)
    except ValueError as error:
        raise server.malformed(f"the answer is not JSON ({error})") from error


def _shown(address: str) -> str:
    """Return the host of an address, with its port, and without a name or a password."""
    return urlsplit(address).netloc.rpartition("@")[2] or address
