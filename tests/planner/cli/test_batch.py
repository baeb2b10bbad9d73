"""Many answers at once: all are checked before the first is given."""

import io
import json
from pathlib import Path

import pytest

from planner.cli.exits import Exit
from tests.planner.cli.conftest import Cli

TWO = """\
turntree: 1
name: two
plan:
  tasks:
    colour: {ask: {message: Which colour?}}
    size: {ask: {message: How big?, form: {width: integer}}}
"""


@pytest.fixture
def asked(cli: Cli, folder: Path) -> dict[str, str]:
    """A tree that asks twice; the ids of its questions by task."""
    (folder / "two.yaml").write_text(TWO)
    cli("run", "two.yaml", "--virtual-time", "--quiet")
    requests = json.loads(cli("requests", "--json").out)["requests"]
    return {request["taskKey"]: request["id"] for request in requests}


@pytest.mark.parametrize("sort", ["lines", "list", "stdin"])
def test_all_answers_are_given(
    cli: Cli, folder: Path, asked: dict[str, str], sort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As lines, as a list or from a pipe; with a line for each, and who said it in the history."""
    answers = [
        {"request": asked["size"], "form": {"width": 3}, "by": "ana"},
        {"request": asked["colour"], "value": "blue", "by": "ben"},
    ]
    text = json.dumps(answers) if sort == "list" else "\n".join([json.dumps(answer) for answer in answers]) + "\n\n"
    (folder / "answers").write_text(text)
    if sort == "stdin":
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    ran = cli("answer", "--from", "-" if sort == "stdin" else "answers")
    assert (ran.code, ran.err) == (Exit.DONE, "")
    assert ran.out == f"{asked['size']}: taken\n{asked['colour']}: taken\n"
    done = cli("resume", "--virtual-time", "--json")
    assert json.loads(done.out)["output"] == {"colour": "blue", "size": {"width": 3}}
    events = cli("events").out
    assert '"by": "ana"' in events
    assert '"by": "ben"' in events


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "answers:2: not valid JSON"),
        ("[1]", "answers:2: an answer is a JSON object"),
        ('{"request": "SIZE"}', "say one of approve, reject, value, form; none was given"),
        ('{"request": "SIZE", "value": 1, "form": {}}', "value and form was given"),
        ('{"request": "SIZE", "vlaue": 1}', "unknown vlaue; known are request, by, approve, reject, value, form"),
        ('{"value": 1}', "`request` is the id of a question"),
        ('{"request": "size", "value": 1}', "'size' is not a request id"),
        ('{"request": "SIZE", "approve": false}', "to say no, give `reject` with the reason"),
        ('{"request": "SIZE", "reject": " "}', "a rejection needs a reason"),
        ('{"request": "SIZE", "form": {"width": "much"}}', "answers:2: SIZE: "),
        ('{"request": "SIZE", "value": 3}', "wants a form with width"),
        ('{"request": "COLOUR", "value": "red"}', "COLOUR is answered by answers:1 already"),
        ('{"request": "nobody:0.1.1", "value": 1}', "nobody:0.1.1 is not open"),
    ],
)
def test_with_one_wrong_answer_none_is_given(
    cli: Cli, folder: Path, asked: dict[str, str], line: str, said: str
) -> None:
    """What is wrong is named with its place."""
    for name in ("size", "colour"):
        line = line.replace(name.upper(), asked[name])
        said = said.replace(name.upper(), asked[name])
    (folder / "answers").write_text(json.dumps({"request": asked["colour"], "value": "blue"}) + "\n" + line + "\n")
    ran = cli("answer", "--from", "answers")
    assert (ran.code, ran.out) == (Exit.MISUSED, "")
    assert said in ran.err
    assert len(json.loads(cli("requests", "--json").out)["requests"]) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--from", "nowhere"], "cannot read nowhere: No such file or directory"),
        (["--from", "empty"], "empty has no answers; write a line of JSON for each"),
        (["--from", "empty", "--approve"], "leave out the others"),
        (["k3v9:0.1.1", "--from", "empty"], "leave out the others"),
        ([], "name the question, as `turntree requests` prints it, or give answers with --from FILE"),
    ],
)
def test_what_cannot_be_meant_is_refused(cli: Cli, folder: Path, arguments: list[str], said: str) -> None:
    """With what to do instead."""
    (folder / "empty").write_text("\n")
    ran = cli("answer", *arguments)
    assert ran.code == Exit.MISUSED
    assert said in ran.err
