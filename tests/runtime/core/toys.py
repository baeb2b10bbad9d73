"""A kind of Turn that nobody else knows: it counts down, and says each number."""

from typing import Any, ClassVar

import attrs

from runtime.core import frame as f
from runtime.core.kinds import Kind, register
from runtime.values import events as e
from runtime.values import signals as s


@attrs.frozen
class NumberSaid(e.EventData):
    """The countdown says a number."""

    type: ClassVar[str] = "NUMBER_SAID"
    number: int


@attrs.frozen
class Countdown:
    """The definition of a Turn that counts down from its input."""

    kind: ClassVar[str] = "countdown"
    name: str = "countdown"
    version: str = "1"


class CountdownMachine:
    """Says one number after the other, then ends."""

    kind = "countdown"
    version = 1
    drops = False

    def new(self) -> f.Frame:
        """Return the empty fold; `step` holds the number that comes next."""
        return f.Frame()

    def decide(self, state: f.Frame, signal: s.Signal) -> list[e.EventData]:
        """Take a start, and whatever every kind takes."""
        if isinstance(signal, s.Start):
            return [f.started(self.kind, self.version, signal)]
        return f.decide_frame(state, signal)

    def advance(self, state: f.Frame) -> tuple[e.EventData, ...]:
        """Say the next number, or end."""
        return (NumberSaid(state.step),) if state.step else (e.TurnCompleted("lift-off"),)

    def wants(self, state: f.Frame, due: object) -> tuple[()]:
        """Want nothing."""
        return ()

    def summary(self, state: f.Frame) -> dict[str, Any]:
        """Have no tasks."""
        return {}

    def apply(self, state: f.Frame, event: e.EventData) -> None:
        """Count."""
        if isinstance(event, NumberSaid):
            state.step -= 1
        else:
            f.FRAME_APPLY[type(event)](state, event)
            if isinstance(event, e.TurnStarted):
                state.step = event.input


COUNTDOWN = register(
    Kind(
        name="countdown", build=lambda _: CountdownMachine(), describe=lambda countdown: countdown.name,
        load=lambda _: Countdown(), payloads=(NumberSaid,),
    )
)  # fmt: skip
