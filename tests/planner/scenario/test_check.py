"""Checking finds everything at once, says nothing twice, and never runs or raises anything."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.scenario import check_scenario, check_text
from tests.planner.scenario.examples import SCENARIOS, TEXTS

HEAD = """turntree: 1
name: x
models: {main: {provider: scripted}}
agents:
  w: {model: main}
"""


def found(text: str) -> list[tuple[str, str]]:
    """Return code and message of everything that is wrong with a text."""
    return [(finding.code, finding.message) for finding in check_text(text).findings]


def codes(text: str) -> list[str]:
    """Return the codes only."""
    return [code for code, _ in found(text)]


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_every_example_is_without_fault_or_warning(name: str) -> None:
    """What ships passes its own check."""
    assert check_scenario(SCENARIOS / f"{name}.yaml").report == ""


def test_checking_imports_no_tool(tmp_path: Path) -> None:
    """A tools file that would do harm when imported is not touched."""
    (tmp_path / "harm.py").write_text("raise SystemExit('imported')")
    (tmp_path / "s.yaml").write_text(
        HEAD + 'tools: {t: {python: "harm:t", replay: safe}}\nplan: {tasks: {a: {tool: t}}}\n'
    )
    assert check_scenario(tmp_path / "s.yaml").report == ""


def test_warnings_alone_are_no_errors() -> None:
    """A tool that does not say what may happen after a crash is warned of and can run."""
    checked = check_text(HEAD + 'tools: {t: {python: "a:t"}}\nplan: {tasks: {a: {tool: t}}}\n')
    assert [finding.severity for finding in checked.findings] == ["warning"]
    assert checked.errors == ()
    assert checked.demand()[1].plan.tasks[0].key == "a"


def test_offline_needs_no_provider() -> None:
    """The same file is refused with a provider's models and accepted with scripted ones."""
    text = "turntree: 1\nname: x\nmodels: {m: {provider: acme}}\nagents: {w: {model: m}}\n"
    text += "plan: {tasks: {a: {agent: w, prompt: Write.}}}\n"
    assert codes(text) == ["provider"]
    assert check_text(text, offline=True).findings == ()


def test_what_was_refused_is_not_blamed_again() -> None:
    """A task, agent or plan that could not be read still stands for its name."""
    text = HEAD + (
        "  bad: 7\n"
        "plans: {broken: 5, odd: {tasks: []}}\n"
        "plan:\n  tasks:\n"
        "    a: 3\n"
        "    b: {agent: bad, prompt: [1]}\n"
        "    c: {plan: broken, with: {x: '${tasks.a.output} ${tasks.b.output.deep}'}}\n"
        "    d: {plan: odd, with: {x: 1}}\n"
        "    e: {agent: w, prompt: '${tasks.d.output.any}', output: {x: 1}}\n"
    )
    assert sorted(codes(text)) == ["unknown-key", *["wrong-type"] * 5]


def test_an_output_that_could_not_be_read_may_hold_anything() -> None:
    """A mistake in an agent's output does not make mistakes of the references to it."""
    text = HEAD.replace("{model: main}", "{model: main, output: {a: strng}}")
    text += "plan:\n  tasks:\n    a: {agent: w, prompt: x}\n    b: {agent: w, prompt: '${tasks.a.output.zzz}'}\n"
    assert codes(text) == ["unknown-type"]
    text = HEAD.replace("{model: main}", "{model: main, output: *x}")
    text += "plan:\n  tasks:\n    a: {agent: w, prompt: x}\n    b: {agent: w, prompt: '${tasks.a.output.zzz}'}\n"
    assert codes(text) == ["anchor"]


def test_a_schema_file_is_read_beside_the_scenario(tmp_path: Path) -> None:
    """`{schema: file.json}` is held to be a JSON Schema, and references follow it."""
    (tmp_path / "good.json").write_text('{"type": "object", "properties": {"a": {}}, "additionalProperties": false}')
    (tmp_path / "bad.json").write_text('{"type": "nonsense"}')
    (tmp_path / "torn.json").write_text("{")
    text = HEAD.replace("{model: main}", "{model: main, output: {schema: FILE}}")
    text += "plan:\n  tasks:\n    a: {agent: w, prompt: x}\n    b: {agent: w, prompt: '${tasks.a.output.zzz}'}\n"
    (tmp_path / "deep.json").write_text("[" * 100_000)
    for file, code in [
        ("deep", "schema-file"),
        ("good", "unknown-output-field"),
        ("bad", "schema-file"),
        ("torn", "schema-file"),
    ]:
        checked = check_text(text.replace("FILE", f"{file}.json"), base=tmp_path)
        assert [finding.code for finding in checked.findings] == [code]


def test_a_section_that_could_not_be_read_may_hold_every_name() -> None:
    """One mistake around all tools does not make a mistake of each use of one."""
    text = HEAD + "tools: none\nplan: {tasks: {a: {tool: t, with: {x: 1}}}}\n"
    assert codes(text) == ["wrong-type"]
    text = HEAD.replace("{model: main}", "{model: main, output: {a: [*x]}}")
    text += "plan: {tasks: {a: {agent: w, prompt: x}, b: {agent: w, prompt: '${tasks.a.output.zzz}'}}}\n"
    assert codes(text) == ["anchor"]


def test_agents_may_call_each_other_in_a_circle() -> None:
    """Depth ends such a circle, so it is no mistake."""
    text = HEAD.replace("{model: main}", "{model: main, agents: [v]}\n  v: {model: main, agents: [w]}")
    checked = check_text(text + "plan: {tasks: {a: {agent: w, prompt: x}}}\n")
    assert checked.findings == ()
    assert checked.parts is not None
    agents = checked.parts.agents
    assert agents["w"].agents[0] is agents["v"]
    assert agents["v"].agents[0] is agents["w"]


def test_a_key_of_the_task_under_with_is_told_where_it_belongs() -> None:
    """Indenting one level too far is the usual slip."""
    text = HEAD + "plans: {p: {tasks: {a: {agent: w, prompt: x}}}}\n"
    text += "plan: {tasks: {a: {plan: p, with: {timeout: 5s}}}}\n"
    assert "indent it less" in check_text(text).findings[0].hint


def test_faults_of_a_plan_that_runs_twice_are_told_once() -> None:
    """A nested plan has its own place in the file, wherever it is run from."""
    text = HEAD + "plans:\n  p: {tasks: {a: {agent: w, prompt: '${inputs.x}'}}}\n"
    text += "  q: {tasks: {a: {plan: p}, b: {plan: p}}}\n"
    text += "plan: {tasks: {a: {plan: p}, b: {plan: q}}}\n"
    assert codes(text) == ["unknown-input"]


def test_a_name_that_is_no_input_is_told_at_the_input() -> None:
    """The inputs of the scenario stand at the top of the file, not inside the plan."""
    text = HEAD + "inputs: {Bad: string}\nplan: {tasks: {a: {agent: w, prompt: x}}}\n"
    checked = check_text(text)
    assert [finding.code for finding in checked.findings] == ["bad-name"]
    assert checked.report.startswith("scenario:6:10: error: ")


def test_the_report_says_file_line_column_and_hint() -> None:
    """A report can be clicked in an editor and read by a person."""
    report = check_text("turntree: 1\nnam: x\nplan: {tasks: {a: {}}}\n", name="my.yaml").report
    assert report == (
        "my.yaml:2:1: error: a scenario has no key `nam`\n"
        "    nam: x\n"
        "    ^\n"
        "    hint: did you mean `name`?\n"
        "my.yaml:3:16: error: this task runs nothing\n"
        "    plan: {tasks: {a: {}}}\n"
        "                   ^\n"
        "    hint: give it one of `agent`, `tool`, `plan`, `ask`"
    )


def test_wide_characters_do_not_move_the_caret() -> None:
    """The caret counts cells of the terminal, the column counts characters."""
    report = check_text("turntree: 1\n名前: {x: 1}\n").report
    assert "scenario:2:1: error" in report
    report = check_text("turntree: 1\nname: '名前'\nplan: {tasks: {a: {agent: '名前'}}}\n").report
    line, caret = report.splitlines()[1:3]
    assert line.index("'名前'") == caret.index("^")


@given(st.sampled_from(sorted(TEXTS)), st.data())
def test_no_mutation_of_an_example_ever_raises(name: str, data: st.DataObject) -> None:
    """Deleted, doubled and swapped lines and stray characters are reported, never raised."""
    lines = TEXTS[name].splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        match data.draw(st.sampled_from(["delete", "double", "indent", "insert", "cut", "swap"])):
            case "delete" if len(lines) > 1:
                del lines[at]
            case "double":
                lines.insert(at, lines[at])
            case "indent":
                lines[at] = " " + lines[at]
            case "swap":
                other = data.draw(st.integers(0, len(lines) - 1))
                lines[at], lines[other] = lines[other], lines[at]
            case "cut":
                lines[at] = lines[at][: data.draw(st.integers(0, len(lines[at])))]
            case _:
                column = data.draw(st.integers(0, len(lines[at])))
                odd = data.draw(st.text(alphabet="{}[]:,'\"${}&*!|>#-?%@\t\\ax1é\x00", min_size=1, max_size=3))
                lines[at] = lines[at][:column] + odd + lines[at][column:]
    text = "".join(lines)
    checked = check_text(text, base=SCENARIOS)
    assert checked.report == "" or checked.findings
    assert all(finding.index is None or finding.index <= len(text) for finding in checked.findings)


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(
        st.sampled_from(["tasks", "agent", "for_each", "ask", "plan", "with", "form", "a"]), below, max_size=4
    ),
    max_leaves=20,
))  # fmt: skip
def test_any_value_anywhere_is_checked(value: object) -> None:
    """Whatever stands at a key, its report comes back."""
    written = json.dumps(value)
    for key in ("inputs", "models", "tools", "agents", "plans", "plan", "scripts", "expect"):
        assert check_text(f"turntree: 1\nname: x\n{key}: {written}\n").findings
