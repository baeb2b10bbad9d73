"""The commands that act on trees: answer and cancel."""

import json
import threading

import pytest
import trio

from planner.cli.exits import Exit
from planner.cli.place import Place
from runtime import open_runtime
from tests.planner.cli.conftest import Cli


@pytest.fixture
def waiting(cli: Cli) -> tuple[Cli, str]:
    """A tree that waits for a person, and its question's id."""
    cli("run", "asks.yaml", "--ask", "--virtual-time", "--quiet")
    return cli, json.loads(cli("requests", "--json").out)["requests"][0]["id"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["--form", "go=true", "--form", "levle=low"], "there is no field `levle`; did you mean `level`?\n"
         "field `level` is missing; add --form level=low\n"),
        (["--form", "go=maybe", "--form", "level=low"], "`go` must be true or false, not 'maybe'\n"),
        (["--form", "go=true", "--form", "level=mid"], '`level` must be one of "low", "high", not "mid"\n'),
        ([], "say one of --approve, --reject TEXT, --value V, --form k=v…; for instance --approve\n"),
        (["--approve", "--value", "1"],
         "say one of --approve, --reject TEXT, --value V, --form k=v…; not --approve and --value\n"),
        (["--approve"], "'Go on with tea?' wants a form with go, level, note; or reject it with a reason\n"),
        (["--reject", " "], "--reject needs a reason, such as --reject 'too expensive'\n"),
    ],
)  # fmt: skip
def test_an_answer_that_does_not_fit_is_explained(waiting: tuple[Cli, str], said: list[str], expected: str) -> None:
    """The question stays open."""
    cli, request = waiting
    ran = cli("answer", request, *said)
    assert (ran.code, ran.err) == (Exit.MISUSED, expected)
    assert json.loads(cli("requests", "--json").out)["requests"][0]["id"] == request


def test_an_answer_is_taken_once(waiting: tuple[Cli, str]) -> None:
    """The second one hears that the question is closed, and that none is left."""
    cli, request = waiting
    said = ["--form", "go=true", "--form", "level=high"]
    assert cli("answer", request, *said).err.startswith("recorded; go on with: turntree resume ")
    again = cli("answer", request, *said)
    assert again.code == Exit.MISUSED
    assert again.err.endswith("(it may have been answered already); no question of this tree is open\n")


def test_an_id_that_is_none_is_answered_with_those_that_are(waiting: tuple[Cli, str]) -> None:
    """Naming the tree alone is not enough, and the message has the whole id."""
    cli, request = waiting
    ran = cli("answer", request.partition(".")[0], "--approve")
    assert ran.code == Exit.MISUSED
    assert f"open are: {request} (Go on with tea?)" in ran.err


def test_cancel_ends_a_tree_for_good(waiting: tuple[Cli, str]) -> None:
    """It cannot be resumed afterwards, and cancelling it again changes nothing."""
    cli, _ = waiting
    assert cli("cancel", "--reason", "no time").code == Exit.DONE
    ran = cli("resume", "--virtual-time")
    assert ran.code == Exit.CANCELLED
    assert "no time" in cli("why").out
    assert cli("cancel").err.endswith(" had ended already: CANCELLED\n")
    assert cli("show").out.partition("error ")[2].startswith("    cancelled: no time\n")


def test_a_tree_that_is_held_is_left_alone(waiting: tuple[Cli, str]) -> None:
    """Looking is possible; acting is refused with exit code 6 and says who holds it."""
    cli, request = waiting
    held, done = threading.Event(), threading.Event()

    async def hold() -> None:
        async with open_runtime(Place.of(None).path) as runtime:
            claim = await runtime.journal.claim(request.partition(".")[0], now=runtime.clock.now())
            held.set()
            await trio.to_thread.run_sync(done.wait)
            await runtime.journal.release(claim)

    holder = threading.Thread(target=trio.run, args=[hold])
    holder.start()
    try:
        assert held.wait(10)
        for command in (["answer", request, "--reject", "x"], ["cancel"], ["resume", "--virtual-time"]):
            ran = cli(*command)
            assert ran.code == Exit.HELD
            assert " is held by " in ran.err
        assert cli("tree").code == Exit.DONE
    finally:
        done.set()
        holder.join()
