"""Finds the examples of a Markdown page and runs them as a reader would.

The examples of a page run from the top in one folder, so a later one may use what an earlier one made. A fence's
info string says what to do with its block:

- `python`: executed as a program.
- `console`: each line after `$ ` is run by the shell. Output that is shown must be what the command prints; `...`
  stands for anything. A command without output shown must only succeed.
- any language with `file=NAME`: saved under that name first; a saved scenario must also pass `turntree check`.
- `no-run: REASON`: left out, for the reason given.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs

from planner import ScenarioInvalid, load_scenario

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w+)(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```$", re.M | re.S)
NO_RUN = re.compile(r"\bno-run:\s*(?P<reason>.*)")
SAVED = re.compile(r"\bfile=(?P<name>[\w.-]+)")
COMMAND_SECONDS = 60


class ExampleError(AssertionError):
    """An example does not do what its page says."""


@attrs.frozen(kw_only=True)
class Example:
    """One fenced block of a page."""

    page: Path
    line: int
    """Of the block's first line of content, so that tracebacks point into the page."""
    language: str
    info: str
    body: str

    @property
    def place(self) -> str:
        """Where the block stands, in the form that editors open."""
        return f"{self.page}:{self.line}"


def find_examples(page: Path) -> Iterator[Example]:
    """Every fenced block of the page that asks to be run, from the top.

    Raises:
        ExampleError: A block is left out without a reason.
    """
    text = page.read_text(encoding="utf-8")
    for fence in FENCE.finditer(text):
        width = len(fence["indent"])
        example = Example(
            page=page,
            line=text.count("\n", 0, fence.start("body")) + 1,
            language=fence["language"],
            info=fence["info"],
            body="".join(line[min(width, len(line) - 1) :] for line in fence["body"].splitlines(keepends=True)),
        )
        left_out = NO_RUN.search(example.info)
        if left_out is None:
            yield example
        elif not left_out["reason"].strip():
            raise ExampleError(f"{example.place}: no-run needs a reason after the colon")


def run_example(example: Example, folder: Path) -> None:
    """Run one block in the folder, which must be the working directory too.

    Raises:
        ExampleError: A command failed or printed something else.
        Exception: Whatever a Python block raised.
    """
    saved = SAVED.search(example.info)
    if saved is not None:
        (folder / saved["name"]).write_text(example.body, encoding="utf-8")
        if example.language == "yaml" and example.body.startswith("turntree:"):
            _check_scenario(example, folder / saved["name"])
    if example.language == "python":
        # The blank lines give the program the line numbers of the page.
        program = compile("\n" * (example.line - 1) + example.body, str(example.page), "exec")
        exec(program, {"__name__": "__main__"})
    elif example.language == "console":
        for command, output in split_console(example.body):
            _run_command(example, command, output, folder)


def split_console(body: str) -> list[tuple[str, str]]:
    r"""The commands of a console block, each with the output shown below it.

    >>> split_console("$ echo a\na\n$ true\n")
    [('echo a', 'a\n'), ('true', '')]
    """
    parts = re.split(r"^\$ ", body, flags=re.M)
    # A command goes on in the next line after a backslash, as in the shell.
    matches = [re.match(r"((?:[^\n]*\\\n)*[^\n]*)\n?(.*)", part, re.S) for part in parts[1:]]
    return [(match[1], match[2]) for match in matches if match]


def matches_shown(shown: str, printed: str) -> bool:
    """Whether the printed text is the one shown, where `...` stands for anything.

    >>> matches_shown("done in ... s", "done in 0.2 s")
    True
    >>> matches_shown("done", "not done")
    False
    """
    pattern = ".*?".join(re.escape(piece) for piece in shown.strip().split("..."))
    lines = "\n".join(line.rstrip() for line in printed.strip().splitlines())
    return re.fullmatch(pattern, lines, re.S) is not None


def _check_scenario(example: Example, path: Path) -> None:
    """What `turntree check` does, without a process of its own."""
    try:
        load_scenario(path)
    except ScenarioInvalid as invalid:
        raise ExampleError(f"{example.place}: this is no valid scenario:\n{invalid}") from None


def _run_command(example: Example, command: str, shown: str, folder: Path) -> None:
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=_reader_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise ExampleError(f"{example.place}: `{command}` ended with {done.returncode}:\n{done.stdout}")
    if shown and not matches_shown(shown, done.stdout):
        raise ExampleError(f"{example.place}: `{command}` shows\n{shown}\nbut prints\n{done.stdout}")


def _reader_environment() -> dict[str, str]:
    """A reader's environment: our commands first on the path, a plain terminal of a known width, no own journal."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TURNTREE_")}
    return kept | {"PATH": path, "COLUMNS": "120", "NO_COLOR": "1"}
