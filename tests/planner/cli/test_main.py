"""Arguments, refusals and errors of the command line."""

import json
import os
from pathlib import Path

import pytest

from planner.cli import look
from planner.cli.exits import Exit
from tests.planner.cli.conftest import Cli


def test_help_lists_the_commands_of_this_version(cli: Cli) -> None:
    """All of them, and none that is not there."""
    ran = cli("--help")
    assert ran.code == Exit.DONE
    commands = [line.split()[1] for line in ran.out.splitlines() if line.startswith("│ ") and line[2] not in " -"]
    assert commands == [
        "answer", "cancel", "check", "events", "graph", "list", "requests", "resume", "run", "schema", "show", "tell",
        "tree", "why", "work",
    ]  # fmt: skip


@pytest.mark.parametrize("command", ["new", "retry", "fork", "prune", "serve", "export", "simulate"])
def test_commands_of_later_versions_are_refused(cli: Cli, command: str) -> None:
    """With the words "not supported yet"."""
    ran = cli(command, "something")
    assert ran.code == Exit.MISUSED
    assert ran.err == f"`turntree {command}` is not supported yet; `turntree --help` lists what is\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["list", "--status", "stuck"],
        ["events", "--previews"],
        ["answer", "x:0.1.1", "--grant", "cost=1"],
        ["answer", "x:0.1.1", "--approve", "--edit", "{}"],
        ["resume", "--accept-changes"],
    ],
)
def test_options_of_later_versions_are_refused(cli: Cli, arguments: list[str]) -> None:
    """Before anything happens."""
    ran = cli(*arguments)
    assert ran.code == Exit.MISUSED
    assert f"of `turntree {arguments[0]}` is not supported yet" in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rnu"], 'Did you mean "run"?'),
        (["run", "asks.yaml", "--offlin"], "--offline"),
        (["run"], "SCENARIO"),
        (["events", "--after", "many"], "many"),
        (["check"], "name the scenario files to check"),
        (["graph", "asks.yaml", "--format", "svgg"], "there is no format 'svgg'; did you mean `svg`?"),
        (["graph", "nowhere.yaml"], "nowhere.yaml"),
        (["list"], "there is no journal .turntree/journal.db; `turntree run SCENARIO` makes one"),
        (["list", "--db", "asks.yaml"], "asks.yaml"),
    ],
)
def test_misuse_is_explained(cli: Cli, arguments: list[str], said: str) -> None:
    """In a sentence or two on stderr, without a traceback."""
    ran = cli(*arguments)
    assert ran.code in (Exit.MISUSED, Exit.FAILED)
    assert said in ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err


def test_check_finds_every_fault_of_several_files(cli: Cli, folder: Path) -> None:
    """Good files are named too; one bad file makes the exit code 2."""
    (folder / "bad.yaml").write_text("turntree: 1\nname: bad\nplan: {tasks: {a: {agnet: x}, b: {tool: y}}}\n")
    ran = cli("check", "asks.yaml", "bad.yaml")
    assert ran.code == Exit.MISUSED
    assert ran.out.startswith("asks.yaml: no faults\nbad.yaml:3:")
    assert "did you mean `agent`" in ran.out
    assert "there is no tool `y`" in ran.out


def test_warnings_alone_are_no_fault(cli: Cli, folder: Path) -> None:
    """They are printed, and the exit code is 0."""
    (folder / "works.yaml").write_text((folder / "works.yaml").read_text().replace(", replay: safe", ""))
    ran = cli("check", "works.yaml")
    assert ran.code == Exit.DONE
    assert "warning" in ran.out


def test_an_invalid_scenario_does_not_run(cli: Cli, folder: Path) -> None:
    """The faults are shown as `check` shows them, and nothing is recorded."""
    (folder / "bad.yaml").write_text("turntree: 1\nname: bad\nplan: {tasks: {a: {tool: y}}}\n")
    ran = cli("run", "bad.yaml")
    assert ran.code == Exit.MISUSED
    assert ran.err.startswith("bad.yaml:3:")
    assert not (folder / ".turntree").exists()


def test_schema_is_a_json_schema(cli: Cli) -> None:
    """For editors."""
    assert json.loads(cli("schema").out)["title"] == "A scenario of turntree"


def test_a_bug_is_called_one(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, with the file that has the traceback."""
    cli("run", "asks.yaml", "--virtual-time", "--quiet")

    def broken(*_: object) -> str:
        raise RuntimeError("cannot happen")

    monkeypatch.setattr(look, "list_text", broken)
    ran = cli("list")
    assert ran.code == Exit.FAILED
    said, _, file = ran.err.strip().rpartition(" ")
    assert said == "this is a bug in turntree (RuntimeError('cannot happen')); the traceback is in"
    assert Path(file).parent == folder / ".turntree"
    assert "RuntimeError: cannot happen" in Path(file).read_text()


def test_an_empty_journal_is_no_error(cli: Cli, folder: Path) -> None:
    """`list` says how to begin."""
    os.makedirs(".turntree")
    Path(".turntree/journal.db").touch()
    ran = cli("list")
    assert (ran.code, ran.out, ran.err) == (Exit.DONE, "", "no trees yet; `turntree run SCENARIO` starts one\n")
    assert cli("why").err == "there are no trees in this journal yet; `turntree run SCENARIO` starts one\n"
