"""The adapter against a mock of a provider that others wrote: what it sends and understands is no private agreement."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planner.cli import main
from planner.cli.exits import Exit
from runtime import Agent, ModelError, Status, Usage, open_runtime
from runtime.core.ports import ModelReply, ModelRequest
from runtime.models import OpenAIModel
from runtime.values.messages import Text, UserMessage
from tests.real.aimock import aimock
from tests.runtime.models.fakes import Shown

LONG = "A sentence that comes in many pieces, one after the other, until it ends. " * 4
USED = {"prompt_tokens": 50, "completion_tokens": 9, "total_tokens": 59}
SUM = {"name": "add", "arguments": '{"a": 2, "b": 3}', "id": "call_1"}
FIXTURES: list[dict[str, Any]] = [
    {"match": {"userMessage": "Greet"}, "response": {"content": "Hello there.", "usage": USED}},
    {"match": {"userMessage": "Add", "hasToolResult": False}, "response": {"toolCalls": [SUM], "usage": USED}},
    {"match": {"userMessage": "Add", "toolResultContains": "5"}, "response": {"content": "Five.", "usage": USED}},
    {"match": {"userMessage": "Type", "responseFormat": "json_schema"}, "response": {"content": '{"n": 7}'}},
    {"match": {"userMessage": "Hurry"}, "response": {"error": {"message": "slow down", "type": "rate_limit_error"},
                                                    "status": 429, "retryAfter": 7}},
    {"match": {"userMessage": "Break"}, "response": {"error": {"message": "oops", "type": "server_error"},
                                                    "status": 500}},
    {"match": {"userMessage": "Stall"}, "response": {"content": LONG}, "latency": 20_000},
    {"match": {"userMessage": "Cut"}, "response": {"content": LONG}, "chunkSize": 5, "latency": 20,
     "truncateAfterChunks": 4},
    {"match": {"userMessage": "Vanish"}, "response": {"content": LONG}, "chunkSize": 5, "latency": 50,
     "disconnectAfterMs": 200},
]  # fmt: skip


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One server for all tests here."""
    with aimock(FIXTURES, tmp_path_factory.mktemp("aimock")) as base_url:
        yield base_url


async def ask(address: str, words: str, shown: Shown | None = None, **options: Any) -> ModelReply:
    """Make one call."""
    model = OpenAIModel("gpt-mock", base_url=address, **options)
    return await model.call(ModelRequest(messages=[UserMessage(words)]), shown or Shown())


async def test_text_and_usage(address: str) -> None:
    """The text is shown and returned, with what it used."""
    shown = Shown()
    reply = await ask(address, "Greet me.", shown)
    assert reply.message.blocks == (Text("Hello there."),)
    assert shown.joined("text") == "Hello there."
    assert reply.usage == Usage(input_tokens=50, output_tokens=9)


async def test_tools_and_their_results(address: str) -> None:
    """An agent calls a tool, sends its result back in the form that the server knows, and ends."""

    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    async with open_runtime() as runtime:
        agent = Agent("adder", model=OpenAIModel("gpt-mock", base_url=address), tools=[add])
        result = await runtime.run(agent, "Add 2 and 3.")
    assert (result.status, result.output) == (Status.COMPLETED, "Five.")
    assert result.usage == Usage(input_tokens=100, output_tokens=18, model_calls=2, tool_calls=1)


async def test_a_typed_output(address: str) -> None:
    """The server sees that JSON of a schema is wanted."""
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    async with open_runtime() as runtime:
        agent = Agent("typist", model=OpenAIModel("gpt-mock", base_url=address), output=schema)
        assert (await runtime.run(agent, "Type a number.")).output == {"n": 7}


@pytest.mark.parametrize(
    ("words", "kind", "retryable", "wait", "said"),
    [
        ("Hurry!", "rate_limit", True, 7.0, "slow down"),
        ("Break.", "server", True, None, "oops"),
        ("Cut.", "transport", True, None, "broke off"),
        ("Vanish.", "transport", True, None, "broke off"),
        ("Nothing that it knows.", "server", True, None, "no fixture matched"),
    ],
)
async def test_failures(address: str, words: str, kind: str, retryable: bool, wait: float | None, said: str) -> None:
    """Limits, errors and lost connections come with their kind, and with the wait that the server asks for."""
    with pytest.raises(ModelError, match=said) as caught:
        await ask(address, words)
    assert (caught.value.kind, caught.value.retryable, caught.value.retry_after) == (kind, retryable, wait)


async def test_a_stall(address: str) -> None:
    """A server that falls silent is given up after the time that was set."""
    with pytest.raises(ModelError, match=r"nothing came within 0\.5 s") as caught:
        await ask(address, "Stall.", idle_timeout=0.5)
    assert caught.value.kind == "timeout"


REHEARSED = """\
turntree: 1
name: greeting
models: {fast: {provider: scripted}}
agents: {host: {model: fast}}
plan:
  tasks:
    greet: {agent: host, prompt: Greet me.}
    gate: {needs: [greet], ask: {message: Good enough?}}
  output: "${tasks.greet.output}"
scripts: {host: [{text: rehearsed}], answers: {gate: true}}
expect: {output: rehearsed}
"""


def test_a_rehearsed_scenario_with_a_real_model(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--model` puts a real model in its place: then people are asked, and nobody expects what the script says."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    (tmp_path / "greeting.yaml").write_text(REHEARSED)
    assert main(["run", "greeting.yaml", "--db", "runs.db", "--model", "fast=openai:gpt-mock"]) == Exit.WAITS
    command = next(line.split() for line in capsys.readouterr().err.splitlines() if "turntree answer" in line)
    assert main(["answer", command[2], "--approve", "--db", "runs.db"]) == Exit.DONE
    assert main(["resume", "--db", "runs.db"]) == Exit.DONE
    assert capsys.readouterr().out == "Hello there.\n"
