"""Task graphs that others measured or wrote down, turned into scenarios whose tasks sleep for as long as they take."""

import json
import re
from collections.abc import Iterable, Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import attrs

TOOLS = '''"""Work of a known length."""

import trio


async def work(seconds: float, after: list[float] | None = None) -> float:
    """Take some seconds; return when that is, counted from the start, if each of `after` was the end of a need."""
    await trio.sleep(seconds)
    return max(after or [0.0]) + seconds
'''
"""What stands beside the scenarios as `graph_tools.py`."""


@attrs.frozen
class Job:
    """One task of a graph."""

    seconds: float
    needs: tuple[str, ...] = ()


Jobs = Mapping[str, Job]
"""A graph: its tasks by names that a scenario takes."""


def task_name(name: str, prefix: str = "") -> str:
    """Return a name as scenarios want it."""
    return re.sub(r"[^a-z0-9_]", "_", f"{prefix}{name}".lower())


def from_asynchow(graph: Mapping[str, Any]) -> dict[str, Job]:
    """Read a graph of AsyncHow, with the low step times: `edges` are pairs, START and END are no steps."""
    needs: dict[str, list[str]] = {step: [] for step in graph["seconds"]}
    for before, after in graph["edges"]:
        if before != "START" and after != "END":
            needs[after].append(task_name(before, "s"))
    return {task_name(step, "s"): Job(low, tuple(needs[step])) for step, (low, _) in graph["seconds"].items()}


def from_adjacency(children: Mapping[str, Iterable[str]], seconds: Mapping[str, float] | None = None) -> dict[str, Job]:
    """Read a workflow of FlowBench, which lists the children of each task; each takes a second if nothing says more."""
    needs: dict[str, list[str]] = {}
    for parent, below in children.items():
        needs.setdefault(parent, [])
        for child in below:
            needs.setdefault(child, []).append(task_name(parent))
    jobs = {task_name(name): Job(1.0 if seconds is None else seconds[name], tuple(needs[name])) for name in needs}
    assert len(jobs) == len(needs), "two tasks have one name"
    return jobs


def layered(tasks: int, *, width: int = 100, seconds: float = 1.0) -> dict[str, Job]:
    """Make a graph in layers; each task needs three of the layer before."""
    return {
        f"t{number}": Job(
            seconds,
            tuple(f"t{number - width - number % width + (number + step) % width}" for step in (0, 1, 7))
            if number >= width
            else (),
        )
        for number in range(tasks)
    }


def write_scenario(
    folder: Path, name: str, jobs: Jobs, *, by_reference: bool = False, max_parallel: int | None = None
) -> Path:
    """Write a graph as a scenario, with its tools beside it.

    Args:
        folder: Where to.
        name: What it and its file are called.
        jobs: The graph.
        by_reference: Whether a task refers to the outputs of its needs, instead of only naming them under `needs`.
        max_parallel: How many tasks may run at once.
    """
    lines = [
        "turntree: 1",
        f"name: {json.dumps(name)}",
        'tools: {work: {python: "graph_tools:work", replay: safe}}',
        "plan:",
        *([] if max_parallel is None else [f"  max_parallel: {max_parallel}"]),
        "  tasks:",
        *(f"    {key}: {_task(job, by_reference=by_reference)}" for key, job in jobs.items()),
    ]
    if not (folder / "graph_tools.py").exists():
        (folder / "graph_tools.py").write_text(TOOLS)
    path = folder / f"{name}.yaml"
    path.write_text("\n".join(lines) + "\n")
    return path


def _task(job: Job, *, by_reference: bool) -> str:
    """Return a task in YAML's flow style, of which JSON is a part."""
    given: dict[str, Any] = {"seconds": job.seconds}
    task: dict[str, Any] = {"tool": "work", "with": given, "estimate": job.seconds}
    if by_reference:
        given["after"] = [f"${{tasks.{need}.output}}" for need in job.needs]
    elif job.needs:
        task["needs"] = list(job.needs)
    return json.dumps(task)


def earliest_ends(jobs: Jobs) -> dict[str, float]:
    """Return when each task would end if nothing but its needs held it back."""
    ends: dict[str, float] = {}
    for key in TopologicalSorter({key: job.needs for key, job in jobs.items()}).static_order():
        ends[key] = jobs[key].seconds + max((ends[need] for need in jobs[key].needs), default=0.0)
    return ends


def longest_path(jobs: Jobs) -> float:
    """Return the time that no schedule can beat."""
    return max(earliest_ends(jobs).values())
