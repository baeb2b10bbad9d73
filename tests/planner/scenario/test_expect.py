"""A run is held against what its scenario expects."""

from pathlib import Path

import pytest
import trio

from planner.scenario import Scenario, differences, load_scenario
from runtime import Status, TurnResult, Usage
from tests.planner.scenario.examples import INPUTS, SCENARIOS, run

SMALL = """turntree: 1
name: small
inputs: {topic: {type: string, default: tea}}
models: {main: {provider: scripted}}
agents: {w: {model: main}}
plan:
  on_failure: continue
  tasks:
    draft: {agent: w, prompt: "Write about ${inputs.topic}"}
    each: {for_each: [a, b], key: item, agent: w, prompt: "${item}"}
    fails: {agent: w, prompt: Fail., when: inputs.topic == 'tea'}
scripts:
  draft: [{text: One., usage: {input: 10, output: 5}}, {text: Never heard.}]
  each: [{json: [1, 2]}]
  fails: [{error: server}]
"""


def small(folder: Path, expect: str, **changes: str) -> Scenario:
    """Load the small scenario with expectations."""
    text = SMALL
    for old, new in changes.items():
        text = text.replace(old, new)
    (folder / "s.yaml").write_text(f"{text}expect:\n{expect}" if expect else text)
    return load_scenario(folder / "s.yaml")


async def test_the_market_brief_can_be_watched(autojump_clock: trio.testing.MockClock) -> None:
    """The demo runs long enough to see something, and no longer."""
    start = trio.current_time()
    await run(load_scenario(SCENARIOS / "market_brief.yaml"))
    assert 5 <= trio.current_time() - start <= 8


@pytest.mark.parametrize("name", sorted(INPUTS))
async def test_every_example_comes_out_as_it_expects(name: str, autojump_clock: trio.testing.MockClock) -> None:
    """The scenarios that ship are their own tests."""
    scenario = load_scenario(SCENARIOS / f"{name}.yaml", offline=True)
    result, facts = await run(scenario, INPUTS[name])
    assert [str(difference) for difference in differences(scenario, result, facts)] == []


async def test_everything_that_differs_is_told(tmp_path: Path, autojump_clock: trio.testing.MockClock) -> None:
    """Each difference names its key of the scenario, what was expected and what came."""
    scenario = small(
        tmp_path,
        "  status: COMPLETED\n"
        "  tasks:\n"
        "    draft: {status: SKIPPED, output: Two.}\n"
        "    each: {count: 3, output: [[1, 2], [1, 3]]}\n"
        "    fails: {status: COMPLETED}\n"
        "  output: {draft: Two.}\n"
        "  usage: {model_calls: 2, total_tokens: {max: 3}, tool_calls: {min: 1}}\n"
        "  events: [TASK_STARTED draft, TASK_STARTED draft, TURN_COMPLETED]\n",
    )
    result, facts = await run(scenario)
    said = "\n".join(map(str, differences(scenario, result, facts)))
    assert "expect.tasks.draft.status\n  expected SKIPPED\n  got      COMPLETED" in said
    assert 'expect.tasks.draft.output\n  expected "Two."\n  got      "One."' in said
    assert "expect.tasks.each.count\n  expected 3\n  got      2: a, b" in said
    assert "  -    3" in said
    assert "expect.tasks.fails.status\n  expected COMPLETED\n  got      FAILED: " in said
    assert "expect.status\n  expected COMPLETED\n  got      FAILED: " in said
    assert "expect.usage.model_calls\n  expected 2\n" in said
    assert "expect.usage.total_tokens\n  expected at most 3\n" in said
    assert "expect.usage.tool_calls\n  expected at least 1\n  got      0" in said
    assert "expect.events[1]\n  expected TASK_STARTED draft after TASK_STARTED draft\n  got      none" in said
    assert "scripts.draft\n  draft made 1 model call; 1 reply from [1] on left over" in said


async def test_a_run_that_fits_differs_in_nothing(tmp_path: Path, autojump_clock: trio.testing.MockClock) -> None:
    """Bounds, order and outputs that hold are silent."""
    scenario = small(
        tmp_path,
        "  status: COMPLETED\n"
        '  tasks: {fails: {status: SKIPPED}, each: {output: ["[1,2]", "[1,2]"]}}\n'
        "  usage: {model_calls: 3, total_tokens: {min: 15, max: 1k}}\n"
        "  events: [PLAN_CREATED, TASK_STARTED draft, TURN_STARTED draft, TURN_COMPLETED]\n",
        **{", {text: Never heard.}": ""},
    )
    result, facts = await run(scenario, {"topic": "milk"})
    assert [str(each) for each in differences(scenario, result, facts)] == []


def test_a_plan_that_never_began_has_none_of_its_tasks(tmp_path: Path) -> None:
    """A run that failed at once is told so for each task that was expected."""
    scenario = small(tmp_path, "  status: FAILED\n  tasks: {draft: {status: COMPLETED}}\n")
    result = TurnResult(turn_id="r", status=Status.CANCELLED, usage=Usage())
    said = [str(each) for each in differences(scenario, result, [])]
    assert said == [
        "expect.status\n  expected FAILED\n  got      CANCELLED",
        "expect.tasks.draft\n  expected a task\n  got      none: the plan never began",
    ]


async def test_a_long_difference_is_cut(tmp_path: Path, autojump_clock: trio.testing.MockClock) -> None:
    """A diff shows where it begins and how much more there is."""
    many = ", ".join(map(str, range(100)))
    scenario = small(tmp_path, f"  tasks: {{each: {{output: [[{many}]]}}}}\n", **{", {text: Never heard.}": ""})
    result, facts = await run(scenario)
    assert "more lines" in str(differences(scenario, result, facts)[0])


async def test_no_expectations_and_no_scripts_differ_in_nothing(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """A scenario without agents and `expect` has nothing to compare."""
    (tmp_path / "s.yaml").write_text(
        "turntree: 1\nname: x\nplan: {tasks: {a: {tool: t}}}\ntools: {t: {python: 't:t'}}\n"
    )
    (tmp_path / "t.py").write_text("def t() -> int:\n    return 1\n")
    scenario = load_scenario(tmp_path / "s.yaml")
    result, facts = await run(scenario)
    assert result.output == 1
    assert differences(scenario, result, facts) == []
