"""Choosing models at the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from planner.cli.exits import Exit
from planner.scenario import load_scenario
from runtime.shell.runtime import open_runtime
from runtime.values.status import Status
from tests.runtime.models.server import serving, streaming

if TYPE_CHECKING:
    from pathlib import Path

    from tests.planner.cli.conftest import Cli

SCENARIO = """\
turntree: 1
name: one
models: {fast: {provider: %s}}
agents: {writer: {model: fast}}
plan: {tasks: {write: {agent: writer, prompt: Write.}}}
scripts: {writer: [{text: rehearsed}]}
expect: {output: rehearsed}
"""
REPLY = (
    {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hello "}, "finish_reason": None}]},
    {"choices": [{"index": 0, "delta": {"content": "there"}, "finish_reason": None}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}},
)


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of this machine decides what a model is."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def one(folder: Path) -> Path:
    """A scenario with one scripted model."""
    path = folder / "one.yaml"
    path.write_text(SCENARIO % "scripted")
    return path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fast=openai:gpt-5-mini"], "the model fast needs a key: export OPENAI_API_KEY=…"),
        (["fats=openai:gpt-5-mini"], "there is no model `fats` in the scenario; did you mean `fast`?"),
        (["fast"], "--model fast: write it as name=provider:model, such as fast=openai:gpt-5-mini"),
        (["fast=acme:big"], "models of `acme` are not supported yet; write fast=openai:big"),
        (["fast=openai:"], "write it as name=provider:model"),
        (["fast=openai:a", "fast=openai:b"], "--model fast is given twice"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(cli: Cli, one: Path, arguments: list[str], said: str) -> None:
    """Before anything is recorded, with what to write instead."""
    ran = cli("run", one.name, *[f"--model={argument}" for argument in arguments])
    assert (ran.code, ran.out) == (Exit.MISUSED, "")
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert "one" not in cli("list").out


def test_a_choice_does_not_go_with_offline(cli: Cli, one: Path) -> None:
    """One of the two has to go."""
    ran = cli("run", one.name, "--offline", "--model", "fast=openai:gpt-5-mini")
    assert ran.code == Exit.MISUSED
    assert "--offline plays `scripts` for every model" in ran.err


def test_a_real_model_does_not_go_with_virtual_time(cli: Cli, one: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every wait for it would be over at once."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    ran = cli("run", one.name, "--virtual-time", "--model", "fast=openai:gpt-5-mini")
    assert ran.code == Exit.MISUSED
    assert "--virtual-time does not go with models that answer in real time (fast)" in ran.err


async def test_a_chosen_model_is_kept_with_the_tree(one: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever resumes the tree needs neither the program nor the option; the key is nowhere in the journal."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    journal = one.parent / "runs.db"
    asked = trio.Event()
    answer = streaming(*REPLY)

    async def hold(connection: object) -> None:
        asked.set()
        await trio.sleep_forever()

    async with serving(hold) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        scenario = load_scenario(one, models={"fast": "openai:small"})
        async with open_runtime(journal) as runtime:
            turn = await runtime.start(scenario, {})
            await asked.wait()
    async with serving(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        async with open_runtime(journal) as runtime:
            again = await runtime.resume(turn.turn_id)
            result = await again.result()
    assert (result.status, result.output) == (Status.COMPLETED, "Hello there")
    assert (result.usage.input_tokens, result.usage.output_tokens) == (7, 2)
    assert all(b"very-secret" not in file.read_bytes() for file in one.parent.glob("runs.db*") if file.is_file())
