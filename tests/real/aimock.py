"""A mock of model providers by other people, as a process with real sockets on loopback."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(sys.prefix) / "node" / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
"""Where `.ci/setup` puts it."""


@contextmanager
def aimock(fixtures: Sequence[dict[str, Any]], folder: Path) -> Iterator[str]:
    """Yield the address of a server that answers by these fixtures and refuses everything else."""
    node = shutil.which("node")
    if node is None or not PROGRAM.exists():
        pytest.skip("needs node 20 and aimock: install node, then run `.ci/setup .venv`")
    file = folder / "fixtures.json"
    file.write_text(json.dumps({"fixtures": fixtures}))
    command = [node, str(PROGRAM), "--port", "0", "--fixtures", str(file), "--strict", "--log-level", "info"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            yield f"{_address(process)}/v1"
        finally:
            process.terminate()


def _address(process: subprocess.Popen[str]) -> str:
    said = []
    assert process.stdout is not None
    for line in process.stdout:
        if (found := re.search(r"http://127\.0\.0\.1:\d+", line)) is not None:
            return found[0]
        said.append(line)
    raise AssertionError(f"aimock did not start:\n{''.join(said)}")
