"""What the pages show is true: their examples run, and their links lead somewhere."""

import re
import shutil
from pathlib import Path

import pytest

from tests.docs.examples import find_examples, run_example

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?:|mailto:|#)(?P<target>[^)#\s]+)")

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@every_page
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every example of the page does what the page says, in a folder that holds the scenarios."""
    scenarios = ROOT / "scenarios"
    if scenarios.is_dir():
        shutil.copytree(scenarios, tmp_path / "scenarios", ignore=shutil.ignore_patterns("__pycache__", ".turntree"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # as it is for a program that is run from its folder
    monkeypatch.delenv("TURNTREE_DB", raising=False)
    for example in find_examples(page):
        run_example(example, tmp_path)


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link of the page names a file or folder of the checkout."""
    targets = [link["target"] for link in LINK.finditer(page.read_text(encoding="utf-8"))]
    assert [target for target in targets if not (page.parent / target).exists()] == []
