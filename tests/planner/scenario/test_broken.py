"""Every sort of mistake has a file under `broken/` and the words that a user sees for it.

After a change of words run with TURNTREE_GOLDEN=1 and read the difference.
"""

import os
from pathlib import Path

import pytest

from planner.scenario import check_scenario
from planner.scenario.codes import CODES

BROKEN = Path(__file__).parent / "broken"
NAMES = sorted({file.stem for file in BROKEN.iterdir()} | {"flow_cycel"})

TWINS = {
    "invalids-dag-cyclicdependency.yaml": ("flow_cycle", "cycle"),
    "invalids-dag-notexist-task.yaml": ("flow_unknown_task", "unknown-task"),
    "invalids-duplicate-parallel.yaml": ("flow_duplicate_nested", "repeated-key"),
    "invalids-duplicate.yaml": ("flow_duplicate", "repeated-key"),
    "invalids-recursive-flow.yaml": ("flow_recursive", "plan-in-itself"),
}

UNREACHABLE = {
    "duplicate-key",  # YAML itself has one task of a name: the second one is a repeated key
}


@pytest.fixture(autouse=True)
def in_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the reports name files as a user in that folder would."""
    monkeypatch.chdir(BROKEN)


@pytest.mark.parametrize("name", NAMES)
def test_broken_file_is_reported_in_these_words(name: str) -> None:
    """The report of a broken file is its golden text, to the letter."""
    golden = BROKEN / f"{name}.txt"
    report = check_scenario(f"{name}.yaml").report + "\n"
    if os.environ.get("TURNTREE_GOLDEN"):
        golden.write_text(report, encoding="utf-8")
    assert report == golden.read_text(encoding="utf-8")


def test_the_invalid_flows_of_another_engine_are_invalid_here_too(data_folder: Path) -> None:
    """Each of the five flows that Kestra refuses has its rewritten twin, with the same mistake."""
    flows = {file.name for file in (data_folder / "dags" / "kestra").glob("invalids-*.yaml")}
    assert flows == TWINS.keys()
    for twin, code in TWINS.values():
        assert code in {finding.code for finding in check_scenario(f"{twin}.yaml").errors}


def test_every_sort_of_mistake_has_a_broken_file() -> None:
    """The mistakes that can be reported are exactly those that the broken files show."""
    seen = {finding.code for name in NAMES for finding in check_scenario(f"{name}.yaml").findings}
    assert seen == CODES.keys() - UNREACHABLE
