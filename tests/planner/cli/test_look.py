"""The commands that look at trees: list, tree, show, why, requests, events, graph."""

import json
import re
from pathlib import Path

import pytest

from planner.cli.exits import Exit
from planner.cli.look import Listed, list_text
from runtime.core.ports import RootInfo
from tests.planner.cli.conftest import Cli


@pytest.fixture
def waiting(cli: Cli) -> Cli:
    """A tree that waits for a person."""
    cli("run", "asks.yaml", "--ask", "--virtual-time", "--quiet")
    return cli


def without_ids(text: str) -> str:
    """Replace root ids, which are new in every run, and the age of trees, which started in virtual time."""
    return re.sub(r"since [^,]+, [^:]+ ago:", "since AGE:", re.sub(r"\b1[0-9a-z]{14}\b", "ROOT", text))


def test_tree_shows_every_turn(waiting: Cli) -> None:
    """One line each: glyph, name, time, tokens, status, and what there is to say; items stand under their task."""
    assert without_ids(waiting("tree").out) == (
        "… asks ROOT     2.0 s      200  waiting for child  waits for its tasks\n"
        "  ✓ read (reader)                     200  completed         2 of 2 done\n"
        "    ✓ read[0]              2.0 s      100  completed         read\n"
        "    ✓ read[1]              2.0 s      100  completed         read\n"
        "  ? gate                   2.0 s           waiting for user  asks: Go on with tea?\n"
    )


def test_why_names_the_question_and_the_way_on(waiting: Cli) -> None:
    """One sentence for each cause, with the command to type."""
    assert without_ids(waiting("why").out) == (
        "asks (ROOT) WAITING_FOR_CHILD\n"
        "  gate waits for an answer to 'Go on with tea?' since AGE: turntree answer ROOT.3:0.1.1 "
        "--form go=true --form level=low\n"
        "  1 of its tasks waits: gate\n"
    )


def test_list_says_who_holds_what() -> None:
    """A tree in flight that no process holds has stopped; one that waits is held by nobody."""
    info = RootInfo(
        root_id="1aaa", kind="scenario", name="brief", definition=None, started_at=1000.0, updated_at=1060.0,
        position=5, status="RUNNING", owner=None,
    )  # fmt: skip
    held = RootInfo(
        root_id="1bbb", kind="plan", name="a name that is much too long for a table", definition=None,
        started_at=900.0, updated_at=1060.0, position=5, status="RUNNING", owner="host.x",
    )  # fmt: skip
    listed = [
        Listed(info=info, tokens=1200, questions=2, ended=None),
        Listed(info=held, tokens=0, questions=0, ended=None),
        Listed(info=info, tokens=0, questions=0, ended=1030.0),
    ]
    assert list_text(listed, 4600.0).splitlines() == [
        "ID    NAME                          STATUS   AGE        TOOK       TOKENS  QUESTIONS  HOLDER",
        "1aaa  brief                         STOPPED  1 h        1 min      1.2k    2          nobody",
        "1bbb  a name that is much too lon…  RUNNING  1 h 1 min  1 h 1 min  0       -          host.x",
        "1aaa  brief                         STOPPED  1 h        30 s       0       -          -",
    ]


def test_list_shows_the_journal(waiting: Cli) -> None:
    """Every tree has its line with status and open questions."""
    (head, line) = waiting("list").out.splitlines()
    assert head.split() == ["ID", "NAME", "STATUS", "AGE", "TOOK", "TOKENS", "QUESTIONS", "HOLDER"]
    assert re.fullmatch(r"1\w{14}  asks  WAITING .* 2\.0 s  200     1          nobody", line)


def test_show_tells_a_turn_in_full(waiting: Cli) -> None:
    """Input, what the model said, output and usage of the Turn that was named."""
    root = json.loads(waiting("requests", "--json").out)["requests"][0]["turnId"].partition(".")[0]
    shown = without_ids(waiting("show", f"{root}.1").out)
    assert shown.startswith("read[0] (ROOT.1): agent reader\nstatus    COMPLETED\n")
    assert "input\n  tea 0\n" in shown
    assert "  model  90 tokens in, 10 out\n  says   read\n" in shown
    assert shown.endswith("output\n  read\n")


def test_show_lists_children_and_questions(waiting: Cli) -> None:
    """The root names its children, and the asking Turn the command that answers it."""
    shown = waiting("show").out
    root = shown.partition("(")[2].partition(")")[0]
    assert f"  {root}.3  gate (question)  WAITING_FOR_USER  2.0 s" in shown
    assert f"turntree answer {root}.3:0.1.1 --form go=true --form level=low" in waiting("show", f"{root}.3").out


def test_events_can_be_read_on(waiting: Cli) -> None:
    """`--after` gives what came later; the plain form has one line for each fact too."""
    every = waiting("events", "--jsonl").out.splitlines()
    assert waiting("events", "--jsonl", "--after", "3").out.splitlines() == every[3:]
    plain = waiting("events").out.splitlines()
    assert len(plain) == len(every)
    assert plain[0].startswith("     1  00:00:00.000  asks                      TURN_STARTED ")


def test_events_of_all_trees_come_in_the_order_of_the_journal(waiting: Cli) -> None:
    """Two trees are told apart by their roots."""
    waiting("run", "works.yaml", "--virtual-time", "--quiet")
    roots = [json.loads(line)["rootTurnId"] for line in waiting("events", "--all", "--jsonl").out.splitlines()]
    assert len(set(roots)) == 2
    assert waiting("events", "--all", roots[0]).code == Exit.MISUSED


def test_requests_come_with_their_commands(waiting: Cli) -> None:
    """What is asked, what is to be looked at, and how to answer."""
    lines = without_ids(waiting("requests").out).splitlines()
    assert re.sub(r"\(.* ago\)", "(AGE ago)", lines[0]) == "gate: Go on with tea? (AGE ago)"
    assert lines[1:] == [
        '  shows {"topic": "tea"}',
        "  turntree answer ROOT.3:0.1.1 --form go=true --form level=low",
    ]


def test_the_graph_of_a_run_shows_how_tasks_stand(waiting: Cli) -> None:
    """The newest tree is drawn with its statuses; of a file, the plan alone."""
    assert 't2{{"gate<br/>ask"}}:::waiting' in waiting("graph").out
    plan = waiting("graph", "asks.yaml").out
    assert ":::" not in plan
    assert "t2 --> t3" in plan
    assert waiting("graph", "asks.yaml", "--format", "dot").out.startswith('digraph "asks" {')
    assert waiting("graph", "asks.yaml", "--format", "svg").out.startswith("<svg ")


def test_an_agent_has_no_graph(waiting: Cli) -> None:
    """The message names a Turn that has one."""
    root = waiting("show").out.partition("(")[2].partition(")")[0]
    ran = waiting("graph", f"{root}.2")
    assert ran.code == Exit.MISUSED
    assert ran.err == f"{root}.2 runs the agent reader, which has no graph; these run plans: {root}\n"


@pytest.mark.parametrize("command", ["tree", "show", "why", "events", "requests", "graph", "cancel", "resume"])
def test_unknown_trees_are_refused_with_those_that_exist(waiting: Cli, command: str) -> None:
    """Every command that takes an id says what there is instead."""
    ran = waiting(command, "zzz")
    assert ran.code == Exit.MISUSED
    assert re.fullmatch(r"there is no tree 'zzz'; there is 1\w{14} \(asks\)\n", ran.err)


def test_an_id_may_be_cut_short(waiting: Cli) -> None:
    """As long as it means one tree; otherwise the trees that it could mean are named."""
    root = waiting("show").out.partition("(")[2].partition(")")[0]
    assert waiting("why", root[:12]).code == Exit.DONE
    assert waiting("show", f"{root[:12]}.1").out.startswith("read[0] ")
    wrong = waiting("show", f"{root}.77")
    assert wrong.err.startswith(f"there is no Turn '{root}.77' in asks; ")
    waiting("run", "asks.yaml", "--virtual-time", "--quiet")
    ran = waiting("why", root[:3])
    assert ran.code == Exit.MISUSED
    assert ran.err.startswith(f"2 trees begin with '{root[:3]}'; say more of the id: ")


NESTED = """\
turntree: 1
name: nested
models: {m: {provider: scripted}}
agents: {reader: {model: m, instructions: Read.}}
plans:
  inner:
    tasks:
      read: {agent: reader, prompt: Read.}
      late: {when: tasks.read.output == 'late', agent: reader, prompt: Read.}
plan: {tasks: {outer: {plan: inner}}}
scripts: {reader: [{text: read, usage: {input: 1, output: 0}}]}
"""


def test_one_of_anything_is_not_a_plural(cli: Cli) -> None:
    """Numbers and their nouns agree, and what is skipped in a plan below is named by its path."""
    Path("nested.yaml").write_text(NESTED)
    ran = cli("run", "nested.yaml", "--virtual-time")
    assert "outer/read is done after 0.0 s, 1 token\n" in ran.err
    assert "outer/late is skipped (when: tasks.read.output == 'late')\n" in ran.err
    assert "usage     1 token in, 0 out, 1 model call, 0 tool calls, with" in cli("show").out
