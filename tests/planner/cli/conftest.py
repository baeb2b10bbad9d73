"""The command line in this process, in a folder of its own; and as a process, for signals, pipes and terminals."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from planner.cli import main
from tests.planner.cli.texts import ASKS, TOOLS, WORKS


@attrs.frozen
class Ran:
    """What came of a command."""

    code: int
    out: str
    err: str


Cli = Callable[..., Ran]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with two scenarios: `asks.yaml` waits for a person, `works.yaml` calls a tool."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TURNTREE_DB", raising=False)
    (tmp_path / "asks.yaml").write_text(ASKS)
    (tmp_path / "works.yaml").write_text(WORKS)
    (tmp_path / "my_tools.py").write_text(TOOLS)
    return tmp_path


@pytest.fixture
def cli(folder: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run one command in this process."""

    def run(*arguments: str) -> Ran:
        capsys.readouterr()
        code = main(arguments)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


def process(folder: Path, *arguments: str, encoding: str = "utf-8", **options: object) -> subprocess.Popen[str]:
    """Start the command line as a process of its own, which is told that terminals have this encoding."""
    environment = {
        **os.environ, "PYTHONUNBUFFERED": "1", "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24",
        "PYTHONIOENCODING": encoding,
    }  # fmt: skip
    given: dict[str, object] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-m", "planner.cli", *arguments],
        cwd=folder,
        env=environment,
        encoding="utf-8",
        **{**given, **options},
    )
