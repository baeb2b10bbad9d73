"""When a run starts: tools are imported, and what tasks give them is held against their signatures."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from planner.scenario import ScenarioInvalid, load_scenario
from planner.scenario.codes import START_CODES
from runtime import UsageError
from runtime.values.commands import Slot
from tests.planner.scenario.examples import WITH_TOOLS, write_with_tools


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a scenario with its tools beside it, one of them in a package."""
    return write_with_tools(tmp_path)


def faults(folder: Path, **changes: str) -> str:
    """Return what preparing a changed scenario says; keys are texts to replace by underscored names."""
    text = WITH_TOOLS
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "s.yaml").write_text(text)
    with pytest.raises(ScenarioInvalid) as caught:
        load_scenario(folder / "s.yaml").prepare()
    return str(caught.value)


def test_declared_tools_are_what_the_file_says_and_the_function_adds(folder: Path) -> None:
    """The file's words hold; what it leaves out comes from the function once it is imported."""
    scenario = load_scenario(folder / "s.yaml")
    greet, other = scenario.tools["greet"], scenario.tools["other"]
    assert (greet.name, greet.replay, greet.timeout, greet.slots) == ("greet", "never", 5.0, (Slot("tool:greet", 2),))
    assert (other.replay, other.timeout, other.slots) == ("ask", None, ())
    scenario.prepare()
    assert (greet.spec.name, greet.spec.description) == ("greet", "Greets.")
    assert greet.spec.parameters["required"] == ["name"]
    assert greet.in_thread
    assert "missing" in (greet.validate({}) or "")
    assert (other.replay, other.timeout, other.slots) == ("safe", 7, (Slot("tool:other", 4),))


def test_tools_do_not_touch_the_search_path(folder: Path) -> None:
    """A file beside the scenario gets no name of its own among the modules of the program."""
    before = list(sys.path)
    load_scenario(folder / "s.yaml").prepare()
    assert sys.path == before
    assert "mine" not in sys.modules


def test_given_tools_go_before_the_files(folder: Path) -> None:
    """A module, its name or its file may hold some of the functions."""

    def greet(name: str, times: int) -> str:
        """Greet in another way."""
        return name * times

    module = ModuleType("given")
    module.greet = greet  # type: ignore[attr-defined]
    scenario = load_scenario(folder / "s.yaml", tools=module)
    scenario.prepare()
    assert scenario.tools["greet"].spec.parameters["required"] == ["name", "times"]
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "t.py").write_text("def greet(name: str, times: float) -> str:\n    return name\n")
    scenario = load_scenario(folder / "s.yaml", tools=str(folder / "elsewhere" / "t.py"))
    scenario.prepare()
    assert scenario.tools["greet"].spec.parameters["properties"]["times"] == {"type": "number"}
    load_scenario(folder / "s.yaml", tools="json").prepare()


def test_given_tools_must_be_there(folder: Path) -> None:
    """A module that does not exist is named once, also where no tool would be looked for in it."""
    with pytest.raises(UsageError) as caught:
        load_scenario(folder / "s.yaml", tools="no_such_module_here").prepare()
    words = "there is no module 'no_such_module_here'; name an importable module or a .py file"
    assert str(caught.value) == f"the tools 'no_such_module_here' cannot be used: {words}"
    (folder / "s.yaml").write_text("turntree: 1\nname: x\nplan: {tasks: {a: {ask: {message: Go?}}}}\n")
    load_scenario(folder / "s.yaml", tools="json").prepare()
    with pytest.raises(UsageError, match=r"there is no file .*; the scenario declares no Python tool, so leave"):
        load_scenario(folder / "s.yaml", tools=str(folder / "nope.py")).prepare()


def test_a_missing_tools_file_names_where_it_was_looked_for(folder: Path) -> None:
    """All tools that cannot be used are told at once, each at its place."""
    said = faults(folder, **{"mine:greet": "mime:greet", "pack.inner": "pack.outer"})
    assert f"there is no file '{folder / 'mime.py'}'" in said
    assert "hint: did you mean `mine`?" in said
    assert "tool `other` cannot be used: there is no file" in said
    assert ":7:19: error: " in said


def test_a_missing_name_in_a_tools_file_has_a_near_one(folder: Path) -> None:
    """The module's own names are offered."""
    assert "has no 'gret'" in faults(folder, **{"mine:greet": "mine:gret"})
    assert "did you mean `greet`?" in faults(folder, **{"mine:greet": "mine:gret"})


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise SystemExit(3)", "importing 'mine' failed at mine.py:1: SystemExit: 3"),
        ("import nothing_like_this", "a file beside it is imported by `from . import nothing_like_this`"),
        ("def greet(:\n", "SyntaxError"),
        ("greet = 5", "5 is no tool"),
        ("def greet(name): ...\n", "name"),
    ],
)
def test_a_tools_file_that_cannot_be_used_is_a_user_error(folder: Path, code: str, said: str) -> None:
    """Whatever importing raises, the user reads which file and which line."""
    (folder / "mine.py").write_text(code)
    assert said in faults(folder)


def test_arguments_are_held_against_the_signature(folder: Path) -> None:
    """Unknown, missing and wrong arguments are found before the first task."""
    said = faults(folder, **{'name: "${inputs.who}", times: 2': "nam: x, times: many, retries: 2"})
    assert "tool `greet` is not given its argument `name`" in said
    assert "tool `greet` has no argument `nam`" in said
    assert "hint: did you mean `name`?" in said
    assert '`times` must be an integer, not "many"' in said
    assert "`retries` is a key of the task: indent it less than `with`" in said
    assert "has no argument `x`" in faults(folder, **{"b: {tool: other, ": "b: {tool: other, with: {x: 1}, "})
    assert "it takes none" in faults(folder, **{"b: {tool: other, ": "b: {tool: other, with: {x: 1}, "})


def test_arguments_in_every_plan_are_held_against_the_signature(folder: Path) -> None:
    """Plans that tasks run, and plans that nobody runs, have their faults at their own places."""
    text = WITH_TOOLS.replace("    b: {tool: other, needs: [a]}\n", "    b: {plan: inner}\n") + (
        "plans:\n  inner: {tasks: {deep: {tool: greet, with: {name: 1}}}}\n"
        "  spare: {tasks: {deep: {tool: greet, with: {name: 2}}}}\n"
    )
    (folder / "s.yaml").write_text(text)
    with pytest.raises(ScenarioInvalid) as caught:
        load_scenario(folder / "s.yaml").prepare()
    assert [finding.message[-5:] for finding in caught.value.findings] == ["not 1", "not 2"]
    assert "17:52: error: tool `greet`: `name` must be a string, not 1" in str(caught.value)


def test_a_tools_file_that_fails_is_run_once(folder: Path) -> None:
    """Looking at what its tasks give it does not import it again."""
    (folder / "mine.py").write_text(
        "from pathlib import Path\n\nwith Path(__file__).with_name('runs').open('a') as file:\n"
        "    file.write('x')\nraise ValueError('no')\n"
    )
    with pytest.raises(ScenarioInvalid, match="ValueError: no"):
        load_scenario(folder / "s.yaml").prepare()
    assert (folder / "runs").read_text() == "x"


def test_every_sort_of_mistake_at_the_start_is_listed(folder: Path) -> None:
    """The mistakes that only a start can find are exactly those of the list."""
    text = WITH_TOOLS.replace('name: "${inputs.who}", times: 2', "nam: x, times: many").replace("pack.inner", "nope")
    (folder / "s.yaml").write_text(text)
    with pytest.raises(ScenarioInvalid) as caught:
        load_scenario(folder / "s.yaml").prepare()
    assert {finding.code for finding in caught.value.findings} == START_CODES.keys()


def test_a_tool_that_takes_anything_is_given_anything(folder: Path) -> None:
    """Open parameters leave unknown names to the tool."""
    (folder / "mine.py").write_text(
        "from runtime import tool\n\n\n@tool(parameters={'type': 'object'})\n"
        "def greet(**rest: object) -> str:\n    return 'x'\n"
    )
    load_scenario(folder / "s.yaml").prepare()


def test_arguments_with_templates_are_left_to_the_run(folder: Path) -> None:
    """What is not known yet is not judged; a reference of known type is."""
    text = WITH_TOOLS.replace("times: 2", 'times: "${inputs.who | length}"')
    (folder / "s.yaml").write_text(text)
    load_scenario(folder / "s.yaml").prepare()
    said = faults(folder, **{"times: 2": 'times: "${inputs.who}"'})
    assert "`times` must be an integer, not a string" in said
