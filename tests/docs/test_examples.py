"""The harness that runs the pages' examples notices when a page is wrong."""

from pathlib import Path

import pytest

from tests.docs.examples import ExampleError, find_examples, run_example


def run_page(folder: Path, text: str) -> None:
    """Write a page and run its examples beside it."""
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    for example in find_examples(page):
        run_example(example, folder)


def test_shown_output_may_leave_things_open(tmp_path: Path) -> None:
    """Three dots in the shown output stand for anything, also for several lines."""
    run_page(tmp_path, "```console\n$ printf 'a\\nb\\n17 s\\n'\na\n... s\n$ true\n```\n")


def test_other_output_is_a_fault(tmp_path: Path) -> None:
    """A command that prints something else is named with its line in the page."""
    with pytest.raises(ExampleError, match=r"page\.md:4: `echo a` shows"):
        run_page(tmp_path, "# A page\n\n```console\n$ echo a\nb\n```\n")


def test_a_failing_command_is_a_fault(tmp_path: Path) -> None:
    """A command that fails is named with its exit code, whatever it prints."""
    with pytest.raises(ExampleError, match="`exit 3` ended with 3"):
        run_page(tmp_path, "```console\n$ exit 3\n...\n```\n")


def test_a_python_block_fails_at_its_line_of_the_page(tmp_path: Path) -> None:
    """An error in a Python block carries the page's line number."""
    with pytest.raises(ZeroDivisionError) as caught:
        run_page(tmp_path, "# A page\n\n```python\nx = 0\n1 / x\n```\n")
    last = caught.traceback[-1]
    assert (Path(last.path).name, last.lineno + 1) == ("page.md", 5)


def test_later_blocks_use_saved_files(tmp_path: Path) -> None:
    """A block with a file name is there for the commands after it, without the indent of its list item."""
    run_page(
        tmp_path,
        "1. Save:\n\n   ```text file=a.txt\n   one\n\n     two\n   ```\n\n```console\n$ cat a.txt\none\n\n  two\n```\n",
    )


def test_blocks_may_be_left_out_with_a_reason(tmp_path: Path) -> None:
    """A block that says why it is not run is not run."""
    run_page(tmp_path, "```console no-run: it would reboot\n$ exit 1\n```\n")


def test_leaving_out_needs_a_reason(tmp_path: Path) -> None:
    """A block that is left out without a reason is a fault of the page."""
    with pytest.raises(ExampleError, match=r"page\.md:2: no-run needs a reason"):
        run_page(tmp_path, "```python no-run:\n1 / 0\n```\n")


def test_a_saved_scenario_must_be_valid(tmp_path: Path) -> None:
    """A scenario with a mistake is a fault of the page, with the mistake's own words."""
    with pytest.raises(ExampleError, match="`plan` is missing"):
        run_page(tmp_path, "```yaml file=a.yaml\nturntree: 1\nname: a\n```\n")
