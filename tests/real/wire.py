"""Recorded chat completions of many servers, as bytes and as answers."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import yaml

CHAT = "chat/completions"


@attrs.frozen
class Exchange:
    """One request and what came back."""

    name: str
    status: int
    request: Any
    """The parsed body; None where only the answer was kept."""
    stream: bytes | None
    """The bytes of an event stream."""
    body: Any
    """The parsed body of an answer that is no stream."""
    expected: Mapping[str, Any]
    """What another reader made of it."""


def exchanges(folder: Path) -> Iterator[Exchange]:
    """Yield every recorded exchange that is a chat completion."""
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    yield from _lines(folder, expected)
    yield from _pairs(folder, expected)
    yield from _cassettes(folder, expected)


def _lines(folder: Path, expected: Mapping[str, Any]) -> Iterator[Exchange]:
    """Streams of which each event stands in a line of its own, and one as it was."""
    for sort in ("compatible", "openai"):
        for file in sorted((folder / "vercel-ai" / sort).iterdir()):
            if not file.name.endswith((".chunks.txt", ".sse")):
                continue
            raw = file.read_bytes()
            if file.suffix == ".txt":
                if b"chat.completion.chunk" not in raw:
                    continue  # of another wire
                raw = b"".join([b"data: %s\n\n" % line for line in raw.splitlines() if line]) + b"data: [DONE]\n\n"
            name = file.relative_to(folder).as_posix()
            yield Exchange(name, 200, None, raw, None, expected[name][0])


def _pairs(folder: Path, expected: Mapping[str, Any]) -> Iterator[Exchange]:
    """Requests and answers in files of their own."""
    for file in sorted((folder / "agent-framework").glob("ChatCompletions-*-request.json")):
        request = json.loads(file.read_bytes())
        stream = file.with_name(file.name.replace("-request.json", "-response.txt"))
        if stream.exists():
            name = stream.relative_to(folder).as_posix()
            yield Exchange(name, 200, request, stream.read_bytes(), None, expected[name][0])
        else:
            answer = file.with_name(file.name.replace("-request", "-response"))
            body = json.loads(answer.read_bytes())
            yield Exchange(answer.relative_to(folder).as_posix(), 200, request, None, body, {})


def _cassettes(folder: Path, expected: Mapping[str, Any]) -> Iterator[Exchange]:
    """Cassettes of several exchanges each."""
    for sort in ("compatible", "openai-chat"):
        for file in sorted((folder / "pydantic-ai" / sort).glob("*.yaml")):
            name = file.relative_to(folder).as_posix()
            tape = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
            for number, exchange in enumerate(tape["interactions"]):
                request, answer = exchange["request"], exchange["response"]
                if CHAT not in request["uri"]:
                    continue
                text = (answer.get("body") or {}).get("string")
                streamed = text.encode() if isinstance(text, str) and answer["status"]["code"] == 200 else None
                yield Exchange(
                    f"{name}#{number}",
                    answer["status"]["code"],
                    request.get("parsed_body"),
                    streamed,
                    answer.get("parsed_body"),
                    expected[name][number],
                )
