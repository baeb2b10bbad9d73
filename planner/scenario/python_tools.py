"""Python functions that a scenario declares as tools: found and imported when a run starts, not before."""

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from planner.plan.faults import did_you_mean
from planner.scenario.document import ToolNode
from planner.scenario.loading import module_beside, named_module
from runtime.core.ports import Tool, ToolContext, ToolSpec
from runtime.errors import UsageError
from runtime.tools.function import as_tool
from runtime.values.commands import Slot


@attrs.frozen
class Workshop:
    """Where the functions of a scenario are looked for."""

    base: Path
    """The folder of the scenario."""
    module: ModuleType | str | None = None
    """What `--tools` gave: its functions go before those of files beside the scenario."""

    def open(self, *, wanted: bool) -> None:
        """Import what `--tools` gave, which must be there even if nothing of it is used.

        Args:
            wanted: Whether the scenario has Python tools at all.

        Raises:
            UsageError: There is no such module, or running it failed.
        """
        if not isinstance(self.module, str):
            return
        try:
            named_module(self.module)
        except UsageError as error:
            spare = "" if wanted else "; the scenario declares no Python tool, so leave `--tools` (`tools=`) away"
            raise UsageError(f"the tools {self.module!r} cannot be used: {error}{spare}") from error

    def find(self, reference: str) -> Any:
        """Return what `module:name` stands for.

        Raises:
            UsageError: There is no such file or name; the message says where it was looked for.
        """
        dotted, _, name = reference.partition(":")
        if self.module is not None:
            given = named_module(self.module) if isinstance(self.module, str) else self.module
            if hasattr(given, name):
                return getattr(given, name)
        module = module_beside(self.base, dotted)
        if hasattr(module, name):
            return getattr(module, name)
        near = did_you_mean(name, [known for known in vars(module) if not known.startswith("_")])
        raise UsageError(f"{module.__file__} has no {name!r}" + (f"; {near}" if near else ""))


@attrs.define(eq=False)
class DeclaredTool:
    """A tool by its declaration. What the file says holds; the function fills in the rest once it is imported.

    A use that needs the function imports it if that has not happened yet, and raises UsageError if it cannot be.
    """

    name: str
    _node: ToolNode
    _workshop: Workshop
    _function: Tool | None = None
    _problem: UsageError | None = attrs.field(default=None, init=False)

    def load(self) -> Tool:
        """Import the function, once: its code must not run again for each use that fails.

        Raises:
            UsageError: Says what is wrong with it.
        """
        if self._problem is not None:
            raise self._problem
        if self._function is None:
            try:
                self._function = as_tool(self._workshop.find(self._node.python))
            except UsageError as error:
                self._problem = error
                raise
        return self._function

    @property
    def spec(self) -> ToolSpec:
        """What a model is told."""
        spec = self.load().spec
        return ToolSpec(self.name, self._node.description or spec.description, spec.parameters)

    @property
    def replay(self) -> str:
        """What the file says, else what the function says."""
        return self._node.replay or (self._function.replay if self._function is not None else "ask")

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The place that one call takes, if the file or the function limits how many run at once."""
        most = self._node.max_concurrent
        if most is None:
            return self._function.slots if self._function is not None else ()
        return (Slot(f"tool:{self.name}", most),)

    @property
    def timeout(self) -> float | None:
        """Seconds that one call may take."""
        if self._node.timeout is None and self._function is not None:
            return self._function.timeout
        return self._node.timeout

    @property
    def in_thread(self) -> bool:
        """Whether the function is a synchronous one."""
        return self.load().in_thread

    def validate(self, arguments: Any) -> str | None:
        """Hold arguments against the function's signature."""
        return self.load().validate(arguments)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        """Call the function."""
        return await self.load().run(arguments, context)
