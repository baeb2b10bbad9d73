"""Looking on from another process, and working off what can go on."""

import json
import signal
import time
from pathlib import Path

import pytest

from planner.cli.exits import Exit
from tests.planner.cli.conftest import Cli, process
from tests.planner.cli.test_process import PATIENCE, wait_for
from tests.planner.cli.texts import ASKS_AND_WORKS

pytestmark = pytest.mark.slow


def test_a_tree_is_followed_from_other_processes(cli: Cli, folder: Path) -> None:
    """Facts and the tree come as they happen, and the followers end with the tree."""
    (folder / "both.yaml").write_text(ASKS_AND_WORKS.replace("seconds: 30", "seconds: 4"))
    run = process(folder, "run", "both.yaml", "--json")
    wait_for(folder / "trace", "second")
    facts = process(folder, "events", "--follow", "--jsonl")
    shown = process(folder, "tree", "--follow")
    every = process(folder, "events", "--all", "--follow")
    try:
        (request,) = json.loads(cli("requests", "--json").out)["requests"]
        assert cli("answer", request["id"], "--value", "blue").code == Exit.DONE
        out, error = run.communicate(timeout=PATIENCE)
        assert (run.returncode, json.loads(out)["output"]["colour"]) == (Exit.DONE, "blue"), error
        followed, error = facts.communicate(timeout=PATIENCE)
        assert (facts.returncode, error) == (Exit.DONE, "")
        assert followed == cli("events", "--jsonl").out
        _, seen = shown.communicate(timeout=PATIENCE)
        assert shown.returncode == Exit.DONE
        assert "work is done after" in seen
        assert every.poll() is None
        every.send_signal(signal.SIGINT)
        out, error = every.communicate(timeout=PATIENCE)
        assert (every.returncode, error) == (Exit.INTERRUPTED, "interrupted\n")
        assert "REQUEST_ANSWERED" in out
    finally:
        for child in (run, facts, shown, every):
            child.kill()
            child.communicate()


def test_an_ended_tree_is_not_waited_for(cli: Cli, folder: Path) -> None:
    """Whoever follows it sees what there is."""
    cli("run", "works.yaml", "--virtual-time", "--quiet")
    assert cli("events", "--follow").out == cli("events").out
    assert cli("tree", "--follow").code == Exit.DONE
    ended = cli("events", "--follow", "--after", "1000")
    assert (ended.code, ended.out) == (Exit.DONE, "")


def test_a_worker_finishes_answered_trees(cli: Cli, folder: Path) -> None:
    """Those that wait stay as they are until they are answered; each ending is a line."""
    (folder / "both.yaml").write_text(ASKS_AND_WORKS.replace("seconds: 30", "seconds: 0"))
    for _ in range(3):
        cli("run", "both.yaml", "--quiet")
    worker = process(folder, "work", "--limit", "2")
    try:
        roots = [line.split()[0] for line in cli("list").out.splitlines()[1:]]
        requests = [json.loads(cli("requests", root, "--json").out)["requests"][0]["id"] for root in roots]
        lines = [json.dumps({"request": request, "value": number}) for number, request in enumerate(requests)]
        (folder / "answers").write_text("\n".join(lines))
        assert cli("answer", "--from", "answers").code == Exit.DONE
        until = time.monotonic() + PATIENCE
        while cli("list").out.count("COMPLETED") < 3:
            assert time.monotonic() < until
        worker.send_signal(signal.SIGINT)
        out, error = worker.communicate(timeout=PATIENCE)
        assert worker.returncode == Exit.INTERRUPTED
        assert sorted(out.splitlines()) == sorted([f"{root} (both) COMPLETED" for root in roots])
        assert "2 trees at a time" in error
    finally:
        worker.kill()
        worker.communicate()


def test_one_key_is_one_tree(cli: Cli, folder: Path) -> None:
    """The second run with a key shows how the first came out; another input is refused."""
    first = cli("run", "works.yaml", "--virtual-time", "--json", "--key", "m-1")
    second = cli("run", "works.yaml", "--virtual-time", "--json", "--key", "m-1")
    assert json.loads(first.out)["turnId"] == json.loads(second.out)["turnId"]
    assert (folder / "trace").read_text() == "first\nsecond\n"
    cli("run", "asks.yaml", "--virtual-time", "--quiet", "--key", "m-2")
    other = cli("run", "asks.yaml", "--virtual-time", "--quiet", "--key", "m-2", "-i", "count=3")
    assert other.code == Exit.MISUSED
    assert "the key 'm-2' is that of" in other.err


def test_only_agents_are_told(cli: Cli, folder: Path) -> None:
    """A plan reads nothing."""
    cli("run", "asks.yaml", "--virtual-time", "--quiet", "--ask")
    root = cli("list").out.splitlines()[1].split()[0]
    told = cli("tell", root, "hurry")
    assert (told.code, "is no agent that runs" in told.err) == (Exit.MISUSED, True)
