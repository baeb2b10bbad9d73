"""The command line as a process: kills, signals, pipes, and a person at a terminal."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import attrs
import pytest

from planner.cli.exits import Exit
from tests.planner.cli.conftest import Cli, process
from tests.planner.cli.texts import ASKS_AND_WORKS

PATIENCE = 20.0
"""Seconds after which a test gives up on a process."""

pytestmark = pytest.mark.slow


def wait_for(trace: Path, text: str) -> None:
    """Wait until a tool has left its trace."""
    until = time.monotonic() + PATIENCE
    while not (trace.exists() and text in trace.read_text()):
        assert time.monotonic() < until, f"{text!r} never happened"
        select.select([], [], [], 0.01)


def test_a_killed_run_goes_on_where_it_was(cli: Cli, folder: Path) -> None:
    """What had finished does not run again; the call that was in flight is made again."""
    run = process(folder, "run", "works.yaml")
    wait_for(folder / "trace", "second")
    run.kill()
    run.communicate()
    assert "STOPPED" in cli("list").out
    assert "in flight when the process stopped; resume it: turntree resume" in cli("why").out
    ran = cli("resume")
    assert (ran.code, ran.out) == (Exit.DONE, "second\n")
    assert (folder / "trace").read_text() == "first\nsecond\nsecond\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_how_to_go_on(cli: Cli, folder: Path, number: signal.Signals) -> None:
    """Ctrl-C and SIGTERM leave a resumable tree, exit code 130, and the command."""
    run = process(folder, "run", "works.yaml")
    wait_for(folder / "trace", "second")
    run.send_signal(number)
    _, error = run.communicate(timeout=PATIENCE)
    assert run.returncode == Exit.INTERRUPTED
    command = re.search(r"^interrupted; go on with: turntree (.*)$", error, re.MULTILINE)
    assert command is not None
    assert "Traceback" not in error
    assert cli(*command[1].split()).code == Exit.DONE
    assert (folder / "trace").read_text() == "first\nsecond\nsecond\n"


def test_a_live_process_keeps_its_tree(cli: Cli, folder: Path) -> None:
    """Others can look at the tree while it runs, and cannot take it over; their cancel is its own."""
    run = process(folder, "run", "works.yaml")
    try:
        wait_for(folder / "trace", "second")
        assert "waits for the tool work" in cli("why").out
        assert cli("resume").code == Exit.HELD
        ended = cli("cancel", "--reason", "enough")
        assert (ended.code, "is cancelled" in ended.err) == (Exit.DONE, True)
        _, error = run.communicate(timeout=PATIENCE)
        assert run.returncode == Exit.CANCELLED
        assert "enough" in error
    finally:
        run.kill()
        run.communicate(timeout=PATIENCE)


def test_a_question_of_a_live_process_is_answered_from_another(cli: Cli, folder: Path) -> None:
    """It goes on within a second, and the one who answered is told that it does."""
    (folder / "both.yaml").write_text(ASKS_AND_WORKS)
    run = process(folder, "run", "both.yaml")
    try:
        wait_for(folder / "trace", "second")
        (request,) = json.loads(cli("requests", "--json").out)["requests"]
        began = time.monotonic()
        said = cli("answer", request["id"], "--value", "blue")
        assert (said.code, "it is taken, and the process" in said.err) == (Exit.DONE, True), said.err
        assert time.monotonic() - began < 5  # about 0.2 on a machine that does nothing else
        again = cli("answer", request["id"], "--value", "red")
        assert (again.code, "is not open" in again.err) == (Exit.MISUSED, True)
        assert cli("events").out.count("REQUEST_ANSWERED") == 1
        assert cli("cancel").code == Exit.DONE
        run.communicate(timeout=PATIENCE)
        assert run.returncode == Exit.CANCELLED
    finally:
        run.kill()
        run.communicate(timeout=PATIENCE)


def test_a_reader_may_leave_early(cli: Cli, folder: Path) -> None:
    """Nothing is said when whoever reads our output has seen enough."""
    cli("run", "works.yaml", "--virtual-time", "--quiet")
    cli("run", "asks.yaml", "--virtual-time", "--quiet")
    events = process(folder, "events", "--jsonl", "--all", stdout=subprocess.PIPE)
    assert events.stdout is not None
    events.stdout.close()
    assert events.stderr is not None
    assert events.stderr.read() == ""
    assert events.wait(PATIENCE) == Exit.INTERRUPTED
    events.stderr.close()


def test_data_is_utf_8_whatever_the_locale(cli: Cli, folder: Path) -> None:
    """Signs that a terminal of another encoding cannot show are written all the same."""
    cli("run", "asks.yaml", "--virtual-time", "--quiet")
    shown = process(folder, "tree", encoding="ascii")
    out, error = shown.communicate(timeout=PATIENCE)
    assert (shown.returncode, error) == (Exit.DONE, "")
    assert out.startswith("✓ asks ")


def test_looking_loads_no_more_than_it_needs(cli: Cli, folder: Path) -> None:
    """Commands that only look are quick: what reads scenarios and paints terminals stays unloaded."""
    cli("run", "asks.yaml", "--virtual-time", "--quiet")
    program = """if True:
        import sys
        from planner.cli import main
        for command in ("list", "tree", "why", "events", "requests"):
            assert main([command]) == 0
        print("loaded:", {"planner.scenario", "yaml", "rich", "jsonschema"} & set(sys.modules))
    """
    shown = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines()[-1] == "loaded: set()"


def test_a_full_disk_is_no_bug(cli: Cli, folder: Path) -> None:
    """Output that cannot be written is explained."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        run = process(folder, "run", "works.yaml", "--virtual-time", stdout=full)
        _, error = run.communicate(timeout=PATIENCE)
    assert run.returncode == Exit.FAILED
    assert error.splitlines()[-1].startswith("cannot write the output: no space left")


@attrs.define
class Terminal:
    """A person's side of a pseudo-terminal."""

    master: int
    seen: str = ""

    def expect(self, text: str, *, after: int = 0) -> int:
        """Wait until a text is on the screen; returns where it ends in all that was seen."""
        until = time.monotonic() + PATIENCE
        while text not in self.seen[after:]:
            ready, _, _ = select.select([self.master], [], [], max(until - time.monotonic(), 0.0))
            assert ready, f"{text!r} never came; seen: {self.seen!r}"
            try:
                self.seen += os.read(self.master, 65536).decode()
            except OSError:
                pytest.fail(f"the program ended before {text!r} came; seen: {self.seen!r}")
        return self.seen.index(text, after) + len(text)

    def type(self, text: str) -> None:
        """Type something."""
        os.write(self.master, text.encode())


def at_terminal(folder: Path, *arguments: str) -> tuple[subprocess.Popen[str], Terminal]:
    """Start the command line with a person at its terminal; stdout stays a pipe."""
    scenario = folder / "asks.yaml"
    scenario.write_text(scenario.read_text().replace("delay: 2s", "delay: 200ms"))  # time is real here
    master, slave = pty.openpty()
    run = process(folder, *arguments, stdin=slave, stderr=slave)
    os.close(slave)
    return run, Terminal(master)


def test_a_question_is_answered_while_siblings_run(folder: Path) -> None:
    """Each field is asked for by itself, what does not fit is asked again, and the run goes on meanwhile."""
    run, terminal = at_terminal(folder, "run", "asks.yaml", "--ask")
    at = terminal.expect("? gate: Go on with tea?")
    at = terminal.expect("go (yes or no): ", after=at)
    terminal.type("perhaps\n")
    at = terminal.expect("`go` must be yes or no, not 'perhaps'", after=at)
    at = terminal.expect("go (yes or no): ", after=at)
    terminal.type("yes\n")
    at = terminal.expect("level (low | high): ", after=at)
    terminal.type("high\n")
    at = terminal.expect("note (a string, Enter for none): ", after=at)
    terminal.type("\n")
    at = terminal.expect("read (reader)", after=at)  # the tree is painted again
    at = terminal.expect("asks COMPLETED", after=at)
    assert run.stdout is not None
    assert run.stdout.read() == "read\n"
    assert run.wait(PATIENCE) == Exit.DONE
    run.stdout.close()
    os.close(terminal.master)


def test_the_tree_is_not_painted_while_somebody_types(folder: Path) -> None:
    """Between a question and its answer nothing but the prompt is written, although siblings go on."""
    run, terminal = at_terminal(folder, "run", "asks.yaml", "--ask", "--jsonl")
    at = terminal.expect("go (yes or no): ")
    assert run.stdout is not None
    for line in run.stdout:  # both siblings end while the question stands on the screen
        if '"COMPLETED"' in line:
            break
    assert select.select([terminal.master], [], [], 0.3)[0] == []
    terminal.type("!no too dear\n")
    terminal.expect("asks FAILED", after=at)
    run.stdout.read()
    assert run.wait(PATIENCE) == Exit.FAILED
    run.stdout.close()
    os.close(terminal.master)


def test_answers_may_be_typed_ahead(folder: Path) -> None:
    """Lines that were typed before they were asked for stand behind their questions."""
    run, terminal = at_terminal(folder, "run", "asks.yaml", "--ask")
    at = terminal.expect("go (yes or no): ")
    terminal.type("yes\nlow\nas you like\n")
    at = terminal.expect("level (low | high): low", after=at)
    at = terminal.expect("note (a string, Enter for none): as you like", after=at)
    terminal.expect("asks COMPLETED", after=at)
    assert run.wait(PATIENCE) == Exit.DONE
    assert run.stdout is not None
    run.stdout.close()
    os.close(terminal.master)


def test_a_question_may_be_left_open(cli: Cli, folder: Path) -> None:
    """Ctrl-D leaves it; once everything else is done the program ends with 4 and the commands to go on with."""
    run, terminal = at_terminal(folder, "run", "asks.yaml", "--ask")
    at = terminal.expect("go (yes or no): ")
    terminal.type("\x04")
    at = terminal.expect("left open", after=at)
    at = terminal.expect("turntree answer", after=at)
    terminal.expect("then: turntree resume", after=at)
    assert run.wait(PATIENCE) == Exit.WAITS
    assert run.stdout is not None
    run.stdout.close()
    os.close(terminal.master)
    assert "2 of 2 done" in cli("tree").out


def test_ctrl_c_at_a_question_interrupts(folder: Path) -> None:
    """The terminal is left as it was, and the tree can be resumed."""
    run, terminal = at_terminal(folder, "run", "asks.yaml", "--ask")
    at = terminal.expect("go (yes or no): ")
    run.send_signal(signal.SIGINT)
    terminal.expect("interrupted; go on with: turntree resume", after=at)
    assert run.wait(PATIENCE) == Exit.INTERRUPTED
    assert run.stdout is not None
    run.stdout.close()
    os.close(terminal.master)
