"""Histories told by hand, for views that must show them."""

from __future__ import annotations

import attrs

from runtime.values import events as e
from runtime.values.messages import AssistantMessage, Text
from runtime.values.usage import Usage

ROOT = "k3"


@attrs.define
class Story:
    """Facts of one tree in the order in which they are told; each comes one second after the one before."""

    facts: list[e.Event] = attrs.field(factory=list)
    time: float = 1000.0
    headers: dict[str, e.TurnHeader] = attrs.field(factory=dict)
    counts: dict[str, int] = attrs.field(factory=dict)

    def begin(self, turn: str, kind: str, *, key: str = "", agent: str = "", attempt: int = 1) -> None:
        """Let a Turn start; its parent must have started."""
        above = turn.rpartition(".")[0] or None
        path = () if above is None else (*self.headers[above].path, key)
        self.headers[turn] = e.TurnHeader(turn, ROOT, above, agent or kind, "1", key, path)
        self.counts[turn] = 0
        self.tell(turn, e.TurnStarted(kind, 1, {"q": "tea"}, key, attempt))

    def tell(self, turn: str, *data: e.EventData) -> None:
        """Record what happened to a Turn."""
        for each in data:
            self.counts[turn] += 1
            position = 1 + sum(isinstance(fact, e.Fact) for fact in self.facts)
            self.facts.append(e.Fact(self.headers[turn], self.counts[turn], position, self.time, each))
            self.time += 1

    def show(self, turn: str, *data: e.EventData) -> None:
        """Show a preview of a Turn."""
        for each in data:
            self.facts.append(e.Preview(self.headers[turn], self.time, each, len(self.facts), "1.0", 0, 0, 0))

    def reply(self, turn: str, text: str, tokens: int = 10) -> None:
        """Let the model answer."""
        message = AssistantMessage((Text(text),))
        usage = Usage(input_tokens=tokens - 1, output_tokens=1, model_calls=1)
        self.tell(turn, e.ModelStarted("1.0", 1, "fast"), e.ModelCompleted("1.0", message, usage, "stop"))
