"""Plans for tests, made in a few words. Nothing in them ever runs."""

from collections.abc import Mapping
from typing import Any

import attrs

from planner.plan import Plan, Task
from runtime.core.ports import ModelReply, ModelRequest, ModelStream
from runtime.values.agent import Agent
from runtime.values.commands import Slot


@attrs.frozen
class SilentModel:
    """A model that is never called."""

    name: str = "silent"
    slots: tuple[Slot, ...] = ()

    async def call(self, request: ModelRequest, stream: ModelStream) -> ModelReply:
        """Refuse: tests of plans run none."""
        raise NotImplementedError


WRITER = Agent("writer", model=SilentModel())


def agent(output: Mapping[str, Any] | type | None) -> Agent:
    """An agent with this output."""
    return Agent("worker", model=SilentModel(), output=output)


def lookup(word: str) -> str:
    """A tool."""
    return word


def write(key: str, prompt: str = "Write.", **settings: Any) -> Task:
    """A task of an agent whose output is text."""
    return Task(key, agent=WRITER, prompt=prompt, **settings)


def needing(needs: Mapping[str, list[str]]) -> Plan:
    """A plan in which tasks only come after others."""
    return Plan([write(key, needs=found) for key, found in needs.items()])
