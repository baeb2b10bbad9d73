"""The page that lists reports names tests that exist, and every report once."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT

REPORTS = 58
ROWS = re.findall(r"^\| (\d+) \| ([^|]+) \| ([^|]+) \|$", (ROOT / "tests" / "REPORTS.md").read_text(), re.MULTILINE)
NAMED = sorted({name for _, _, where in ROWS for name in re.findall(r"`(tests/[^`]+::[^`]+)`", where)})


@cache
def functions_of(path: Path) -> set[str]:
    """Return the names of the test functions of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_report_has_one_row() -> None:
    """No report is missing and none stands twice; each has a test or says what it waits for."""
    assert [int(number) for number, _, _ in ROWS] == list(range(1, REPORTS + 1))
    assert all("::" in where or "later: " in where for _, _, where in ROWS)


@pytest.mark.parametrize("name", NAMED)
def test_every_named_test_exists(name: str) -> None:
    """What the page promises is there."""
    path, _, function = name.partition("::")
    assert (ROOT / path).is_file(), f"{path} does not exist"
    assert function in functions_of(ROOT / path), f"{path} has no {function}"
