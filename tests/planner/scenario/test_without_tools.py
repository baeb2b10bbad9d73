"""Answering and cancelling a stored tree run no code of its author's."""

from pathlib import Path

import pytest
from trio.testing import MockClock

from planner.scenario import load_scenario
from runtime import Answer, Status, UsageError, open_runtime
from runtime.journal.memory import MemoryJournal

SCENARIO = """
turntree: 1
name: gate
models: {m: {provider: scripted}}
tools: {note: {python: "gate_tools:note", replay: safe}}
agents: {clerk: {model: m, tools: [note]}}
plan:
  tasks:
    ask: {ask: {message: Go on?}}
    write: {agent: clerk, prompt: "Note ${tasks.ask.output}"}
    keep: {tool: note, with: {text: "${tasks.ask.output}"}}
scripts: {clerk: [{text: noted}]}
"""


async def waiting(folder: Path, journal: MemoryJournal) -> str:
    """Start the scenario, let it wait for its answer, and take the tools away."""
    (folder / "gate.yaml").write_text(SCENARIO, encoding="utf-8")
    tools = folder / "gate_tools.py"
    tools.write_text('def note(text: str) -> str:\n    """Keep a note."""\n    return text\n', encoding="utf-8")
    async with open_runtime(journal) as runtime:
        result = await runtime.run(load_scenario(folder / "gate.yaml"), {})
    tools.unlink()
    return result.requests[0].id


async def test_an_answer_needs_no_tools(tmp_path: Path, autojump_clock: MockClock) -> None:
    """It is recorded; only going on needs them, and says what is missing."""
    journal = MemoryJournal()
    request = await waiting(tmp_path, journal)
    root = request.partition(".")[0]
    async with open_runtime(journal) as runtime:
        await runtime.answer(request, Answer.approve())
        with pytest.raises(UsageError, match="gate_tools"):
            await runtime.resume(root)
        assert await runtime.requests(root) == []


async def test_a_cancel_needs_no_tools(tmp_path: Path, autojump_clock: MockClock) -> None:
    """The tree ends for good."""
    journal = MemoryJournal()
    root = (await waiting(tmp_path, journal)).partition(".")[0]
    async with open_runtime(journal) as runtime:
        assert (await runtime.cancel(root, "no longer needed")).status is Status.CANCELLED
