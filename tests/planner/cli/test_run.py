"""The commands `run` and `resume`, without a terminal."""

import json
from pathlib import Path

import pytest

from planner.cli.exits import Exit
from tests.planner.cli.conftest import Cli


def test_the_script_answers_and_the_output_is_data(cli: Cli, folder: Path) -> None:
    """A rehearsed run ends with the output on stdout, one line for each start, end and question on stderr."""
    ran = cli("run", "asks.yaml", "--virtual-time")
    assert (ran.code, ran.out) == (Exit.DONE, "read\n")
    lines = [line[11:] for line in ran.err.splitlines() if line.startswith(" ")]
    assert lines[0] == "asks starts"
    assert "gate asks: Go on with tea?" in lines
    assert any(line.startswith("gate is answered by scripts.answers: {") for line in lines)
    assert "end is done after 2.0 s, 100 tokens" in lines
    assert ran.err.splitlines()[-1].startswith("asks COMPLETED after 4.0 s, 300 tokens (")
    assert (folder / ".turntree" / ".gitignore").read_text() == "*\n"


def test_inputs_are_typed_by_the_scenario(cli: Cli, folder: Path) -> None:
    """A number is a number, a text stays what was written, and a file may hold the value."""
    (folder / "count.json").write_text("1")
    ran = cli("run", "asks.yaml", "--virtual-time", "-i", "topic=007", "-i", "count=@count.json", "--quiet")
    assert (ran.code, ran.err) == (Exit.DONE, "")
    events = [json.loads(line) for line in cli("events", "--jsonl").out.splitlines()]
    assert events[0]["data"]["input"] == {"topic": "007", "count": 1}


def test_wrong_inputs_are_explained_all_at_once(cli: Cli, folder: Path) -> None:
    """Nothing is started, and each message says what to write instead."""
    ran = cli("run", "asks.yaml", "-i", "cuont=1", "-i", "count=ten", "-i", "topic", "-i", "count=3")
    assert ran.code == Exit.MISUSED
    assert ran.err.splitlines() == [
        "there is no input `cuont`; did you mean `count`?",
        "`count` must be an integer, not 'ten'",
        "-i topic: write it as name=value",
        "-i count is given twice; give it once",
    ]
    assert not (folder / ".turntree").exists()


def test_a_missing_file_of_an_input_is_named(cli: Cli) -> None:
    """The message says which file, and how to write a text that begins with @."""
    ran = cli("run", "asks.yaml", "-i", "topic=@nowhere.txt")
    assert ran.err == (
        "input `topic`: cannot read nowhere.txt: No such file or directory; "
        "a value that begins with @ is written @@nowhere.txt\n"
    )


def test_without_a_terminal_a_question_is_left_for_later(cli: Cli) -> None:
    """Exit code 4 comes with the commands that answer and resume, and these work as they are printed."""
    ran = cli("run", "asks.yaml", "--ask", "--virtual-time")
    assert ran.code == Exit.WAITS
    answer, resume = [line.strip().removeprefix("then: ") for line in ran.err.splitlines()[-2:]]
    assert answer.startswith("turntree answer ")
    assert answer.endswith(" --form go=true --form level=low")
    assert cli(*answer.split()[1:]).code == Exit.DONE
    again = cli(*resume.split()[1:], "--virtual-time")
    assert (again.code, again.out) == (Exit.DONE, "read\n")
    assert "read[0]" not in again.err


def test_a_rejected_question_fails_the_run(cli: Cli) -> None:
    """The reason stands in the failure."""
    cli("run", "asks.yaml", "--ask", "--virtual-time")
    request = json.loads(cli("requests", "--json").out)["requests"][0]["id"]
    assert cli("answer", request, "--reject", "too dear").code == Exit.DONE
    ran = cli("resume", "--virtual-time")
    assert ran.code == Exit.FAILED
    assert "too dear" in ran.err


def test_json_is_one_document(cli: Cli) -> None:
    """It has the output, the usage, the tasks with their items, and a version."""
    document = json.loads(cli("run", "asks.yaml", "--virtual-time", "--json").out)
    assert document["schema"] == 1
    assert (document["status"], document["output"]) == ("COMPLETED", "read")
    assert document["usage"] == {
        "inputTokens": 270, "outputTokens": 30, "totalTokens": 300, "modelCalls": 3, "toolCalls": 0,
    }  # fmt: skip
    assert [item["status"] for item in document["tasks"]["read"]["items"]] == ["COMPLETED", "COMPLETED"]
    assert document["requests"] == []


def test_json_of_a_waiting_run_has_its_questions(cli: Cli) -> None:
    """A program finds the id, the form and what to look at."""
    ran = cli("run", "asks.yaml", "--virtual-time", "--ask", "--json")
    (request,) = json.loads(ran.out)["requests"]
    assert request["message"] == "Go on with tea?"
    assert request["show"] == {"topic": "tea"}
    assert list(request["form"]["properties"]) == ["go", "level", "note"]
    assert request["taskKey"] == "gate"


def test_jsonl_is_a_line_for_each_fact(cli: Cli) -> None:
    """The lines are those that the journal has; previews come only when they are wanted."""
    ran = cli("run", "asks.yaml", "--virtual-time", "--jsonl")
    facts = [json.loads(line) for line in ran.out.splitlines()]
    assert [fact["position"] for fact in facts] == list(range(1, len(facts) + 1))
    assert ran.out == cli("events", "--jsonl").out
    more = cli("run", "asks.yaml", "--virtual-time", "--jsonl", "--previews").out.splitlines()
    kinds = {json.loads(line)["type"] for line in more if "position" not in json.loads(line)}
    assert {"TEXT_BLOCK_START", "TEXT_BLOCK_DELTA", "TEXT_BLOCK_END"} <= kinds


def test_a_run_that_differs_from_its_expectations_fails(cli: Cli, folder: Path) -> None:
    """The difference is shown, and the code is 1 although the tree completed."""
    text = (folder / "asks.yaml").read_text()
    (folder / "asks.yaml").write_text(text + "expect: {status: COMPLETED, tasks: {end: {status: SKIPPED}}}\n")
    ran = cli("run", "asks.yaml", "--virtual-time")
    assert ran.code == Exit.FAILED
    assert ran.err.splitlines()[-3:] == ["expect.tasks.end.status", "  expected SKIPPED", "  got      COMPLETED"]


def test_what_tools_print_is_no_data(cli: Cli, folder: Path) -> None:
    """The output of a run can be piped on, whatever its tools print."""
    ran = cli("run", "works.yaml", "--virtual-time")
    assert (ran.code, ran.out) == (Exit.DONE, "second\n")
    assert "a tool prints" in ran.err


def test_functions_of_a_named_module_go_first(cli: Cli, folder: Path) -> None:
    """`--tools` replaces a function of the scenario, also when the tree is resumed elsewhere."""
    (folder / "other.py").write_text("def work(name: str, seconds: float = 0) -> str:\n    return name.upper()\n")
    assert cli("run", "works.yaml", "--virtual-time", "--tools", "other.py").out == "SECOND\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "asks.yaml", "--json", "--jsonl"], "--json and --jsonl do not go together; take one"),
        (["run", "asks.yaml", "--previews"], "--previews adds to --jsonl; give both"),
        (["run", "nowhere.yaml"], "nowhere.yaml"),
        (["resume"], "there is no journal .turntree/journal.db"),
    ],
)
def test_misuse_is_explained(cli: Cli, arguments: list[str], said: str) -> None:
    """Each mistake gets exit code 2 and a sentence, never a traceback."""
    ran = cli(*arguments)
    assert ran.code == Exit.MISUSED
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_journal_may_stand_anywhere(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--db` and $TURNTREE_DB name it, and commands to copy name it too when they have to."""
    ran = cli("run", "asks.yaml", "--ask", "--virtual-time", "--db", "runs.db")
    assert ran.err.splitlines()[-1].endswith("--db runs.db")
    assert not (folder / ".turntree").exists()
    monkeypatch.setenv("TURNTREE_DB", "runs.db")
    assert "asks" in cli("list").out


def test_resuming_an_ended_tree_shows_its_output_again(cli: Cli) -> None:
    """Nothing runs twice."""
    cli("run", "works.yaml", "--virtual-time")
    ran = cli("resume", "--virtual-time")
    assert (ran.code, ran.out) == (Exit.DONE, "second\n")
    assert Path("trace").read_text() == "first\nsecond\n"
