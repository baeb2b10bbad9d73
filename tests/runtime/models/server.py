"""A server on loopback that answers each connection as a test says, and remembers what it saw."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import attrs
import trio

from tests.runtime.models.chunks import stream_of


@attrs.define
class Connection:
    """One request, and the way to answer it."""

    stream: trio.SocketStream
    head: str
    """Request line and headers, in small letters."""
    body: Any

    async def send(self, *parts: bytes) -> None:
        """Send bytes as they are."""
        for part in parts:
            await self.stream.send_all(part)

    async def start(self, *, sort: str = "text/event-stream", status: str = "200 OK", headers: str = "") -> None:
        """Begin an answer whose body comes in chunks."""
        await self.send(
            f"HTTP/1.1 {status}\r\ncontent-type: {sort}\r\n{headers}transfer-encoding: chunked\r\n\r\n".encode()
        )

    async def chunk(self, raw: bytes) -> None:
        """Send a chunk of the body."""
        await self.send(f"{len(raw):x}\r\n".encode(), raw, b"\r\n")

    async def end(self) -> None:
        """End the body."""
        await self.send(b"0\r\n\r\n")

    async def closed(self) -> None:
        """Wait until the other side is gone."""
        try:
            while await self.stream.receive_some():
                pass
        except trio.BrokenResourceError:
            return


Answer = Callable[[Connection], Awaitable[None]]


@attrs.define
class Running:
    """A server that runs."""

    base_url: str
    seen: list[Connection] = attrs.field(factory=list)


@asynccontextmanager
async def serving(answer: Answer) -> AsyncIterator[Running]:
    """Serve as long as the block runs."""
    async with trio.open_nursery() as nursery:
        running = Running("")
        serve = partial(trio.serve_tcp, partial(_handle, running, answer), 0, host="127.0.0.1")
        listeners = await nursery.start(serve)
        running.base_url = f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}/v1"
        yield running
        nursery.cancel_scope.cancel()


async def _handle(running: Running, answer: Answer, stream: trio.SocketStream) -> None:
    raw = b""
    while b"\r\n\r\n" not in raw:
        raw += await stream.receive_some() or b"\r\n\r\n"
    head, _, body = raw.partition(b"\r\n\r\n")
    headers = dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:])
    while len(body) < int(headers.get("content-length", "0")):
        body += await stream.receive_some()
    connection = Connection(stream, head.decode().lower(), json.loads(body or b"null"))
    running.seen.append(connection)
    await answer(connection)
    await stream.aclose()


def streaming(*chunks: Any, done: bool = True, size: int = 1_000_000) -> Answer:
    """Answer with a stream of these chunks, parted into pieces of some bytes."""

    async def answer(connection: Connection) -> None:
        raw = stream_of(*chunks, done=done)
        await connection.start()
        for start in range(0, len(raw), size):
            await connection.chunk(raw[start : start + size])
        await connection.end()

    return answer


def answering(status: str, body: Any, headers: str = "", sort: str = "application/json") -> Answer:
    """Answer with a body in one piece."""

    async def answer(connection: Connection) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        await connection.send(
            f"HTTP/1.1 {status}\r\ncontent-type: {sort}\r\n{headers}content-length: {len(raw)}\r\n\r\n".encode(), raw
        )

    return answer
