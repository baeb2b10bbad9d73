"""The commands that run trees: `run` and `resume`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from planner.cli.follow import Output, Started, follow
from planner.cli.forms import read_pairs
from planner.cli.place import Place, find_tree
from planner.scenario import Scenario, load_scenario
from runtime.core.kinds import find
from runtime.errors import UsageError
from runtime.shell.runtime import open_runtime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planner.cli.exits import Exit
    from runtime.core.ports import RootInfo
    from runtime.shell.runtime import Runtime


@attrs.frozen(kw_only=True)
class Source:
    """What is to be run."""

    scenario: str
    inputs: tuple[str, ...] = ()
    """`name=value`, as written."""
    tools: str | None = None
    models: tuple[str, ...] = ()
    """`name=provider:model`, as written."""
    offline: bool = False
    ask: bool = False
    """Ask people although the scenario's script could answer for them."""
    key: str | None = None

    def load(self) -> Scenario:
        """Read the scenario.

        Raises:
            ScenarioInvalid: The file has errors.
            UsageError: A model was chosen that cannot be.
        """
        # A stored tree must find its tools from any working directory.
        tools = str(Path(self.tools).absolute()) if self.tools and self.tools.endswith(".py") else self.tools
        models = _chosen(self.models)
        return load_scenario(self.scenario, offline=self.offline, tools=tools, models=models, answers=not self.ask)


def _chosen(written: Sequence[str]) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for pair in written:
        name, equals, model = pair.partition("=")
        if not equals:
            raise UsageError(f"--model {pair}: write it as name=provider:model, such as fast=openai:gpt-5-mini")
        if name in chosen:
            raise UsageError(f"--model {name} is given twice; give it once")
        chosen[name] = model
    return chosen


async def run(source: Source, output: Output, db: str | None, *, virtual_time: bool) -> Exit:
    """Run a scenario to its end, or until everything left waits.

    Raises:
        UsageError: The file, the inputs or the journal cannot be used; nothing was recorded.
    """
    scenario = source.load()
    _refuse_jumps(scenario, virtual_time=virtual_time)
    inputs = read_pairs(source.inputs, scenario.inputs, option="-i", what="input")
    place = Place.of(db)
    place.prepare()

    async def start(runtime: Runtime) -> Started:
        return Started(turn=await runtime.start(scenario, inputs, key=source.key), scenario=scenario)

    async with open_runtime(place.path) as runtime:
        return await follow(start, runtime, output, place)


async def resume(tree: str | None, output: Output, db: str | None, *, virtual_time: bool) -> Exit:
    """Let a tree that nobody holds go on, and follow it as `run` does.

    Raises:
        NotFound: There is no such tree.
        TreeHeld: A live process holds it.
        NotResumable: A tool call was in flight that may not simply run again.
        UsageError: A model lacks its key or its package.
    """
    place = Place.of(db)

    async def start(runtime: Runtime) -> Started:
        info = await find_tree(runtime.journal, tree)
        definition = await _definition(runtime, info)
        _refuse_jumps(definition, virtual_time=virtual_time)
        turn = await runtime.resume(info.root_id, definition)
        scenario = definition if isinstance(definition, Scenario) else None
        return Started(turn=turn, scenario=scenario, seen=info.position)

    async with place.open() as runtime:
        return await follow(start, runtime, output, place)


def _refuse_jumps(definition: Any, *, virtual_time: bool) -> None:
    """Refuse virtual time for models that answer in real time: every wait for them would be over at once."""
    if virtual_time and isinstance(definition, Scenario) and definition.live_models:
        names = ", ".join([model.name for model in definition.live_models])
        raise UsageError(f"--virtual-time does not go with models that answer in real time ({names}); leave it away")


async def _definition(runtime: Runtime, info: RootInfo) -> Any:
    """Return what the tree runs, made again from what the journal keeps of it."""
    if info.definition is None:
        return None
    return find(info.kind).load(await runtime.journal.definition(info.definition))
