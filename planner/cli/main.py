"""From arguments to an exit code: the only place where trio is run and where errors become words."""

from __future__ import annotations

import errno
import io
import os
import sys
import tempfile
import traceback
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from planner.cli.exits import Exit

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command of the command line and return its exit code. Never raises.

    Args:
        arguments: Without the program's name; default those of the process.
    """
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # whatever the locale: data must not depend on who looks at it
    shadow = _shadow()
    if shadow is not None:
        print(f"turntree: {shadow}", file=sys.stderr)
        return Exit.MISUSED
    try:
        code = _run(tokens)
        sys.stdout.flush()
    # Whatever comes out here is put in words: nobody wants to read tracebacks.
    except (Exception, BaseExceptionGroup, KeyboardInterrupt, SystemExit) as error:  # noqa: BLE001
        return _explain(error)
    return code


def _run(tokens: list[str]) -> int:
    # What every start pays for is imported here; the commands bring the rest.
    from cyclopts import CycloptsError

    from planner.cli.app import Job, app
    from planner.cli.later import later

    refusal = later(tokens)
    if refusal is not None:
        return _say(refusal, Exit.MISUSED)
    try:
        command, bound, _ = app.parse_args(tokens, print_error=False, exit_on_error=False)
    except CycloptsError as error:
        return _say(f"{str(error).strip()}\n`turntree --help` lists the commands", Exit.MISUSED)
    job = command(*bound.args, **bound.kwargs)
    if isinstance(job, int):
        return job
    if not isinstance(job, Job):
        return Exit.DONE  # it printed its help
    import trio

    clock = None
    if job.virtual_time:
        from trio.testing import MockClock

        clock = MockClock(autojump_threshold=0)
    return trio.run(job.start, clock=clock)


def _explain(error: BaseException) -> int:
    """Say what went wrong, on stderr, and return the exit code."""
    from runtime.errors import JournalError, NotResumable, TreeHeld, UsageError
    from runtime.shell.runner import single_cause

    cause = single_cause(error)
    match cause:
        case BrokenPipeError():
            _forget_stdout()
            return Exit.INTERRUPTED
        case KeyboardInterrupt():
            return _say("interrupted", Exit.INTERRUPTED)
        case SystemExit(code=code):
            return code if isinstance(code, int) else Exit.DONE if code is None else Exit.FAILED
        case TreeHeld():
            return _say(str(cause), Exit.HELD)
        case NotResumable():
            return _say(str(cause), Exit.WAITS)
        case UsageError():
            return _say(str(cause), Exit.MISUSED)
        case OSError(errno=errno.ENOSPC):
            _forget_stdout()
            return _say(
                "cannot write the output: no space left; free some, then go on with: turntree resume", Exit.FAILED
            )
        case JournalError():
            return _say(str(cause), Exit.FAILED)
        case _:
            return _say(f"this is a bug in turntree ({cause!r}); the traceback is in {_keep(error)}", Exit.FAILED)


def _say(text: str, code: Exit) -> int:
    print(text, file=sys.stderr)
    return code


def _forget_stdout() -> None:
    """Nobody takes our output any more: keep the interpreter from saying so when it flushes at its end."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # a stdout without a descriptor needs no rescue
        return


def _keep(error: BaseException) -> Path:
    """Write a traceback where the journal is, or else among temporary files, and return the file."""
    text = "".join(traceback.format_exception(error))
    for folder in (Path(".turntree"), Path(tempfile.gettempdir())):
        try:
            handle, name = tempfile.mkstemp(".txt", "bug-", folder)
        except OSError:
            continue
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        return Path(name)
    return Path(os.devnull)


def _shadow() -> str | None:
    """Say which file is in the way when Python finds somebody else's `runtime` instead of ours."""
    ours = Path(__file__).resolve().parents[2]
    spec = find_spec("runtime")
    found = Path(spec.origin).resolve() if spec is not None and spec.origin is not None else None
    if found is not None and found.parents[1] == ours:
        return None
    where = f"{found} is in the way" if found is not None else "it is missing"
    return f"the package `runtime` of turntree cannot be imported: {where}; rename it, or run from another folder"
