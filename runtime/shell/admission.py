"""Who may start: slots per plan, agent, model and tool, granted in a stable order.

A place that is free is granted in the same synchronous call in which it is wanted. One that is not puts the Turn in
line; when a place comes free, the Turns in line are asked again in the order `(priority, Turn, call)`. A command that
went on after a park or a crash takes its place back without waiting, even above the limit, so that answered work is
never starved; nothing new starts until the number is below the limit again.

No command waits for a place while it holds one that another needs: a model or tool call holds its places only while it
runs, and a task's places are taken before its Turn exists. So admission cannot deadlock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runtime.shell.live import Live
    from runtime.values.commands import Slot, Want


class Admission:
    """Slots of one runtime. Not durable: the open commands of live Turns say what is taken."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}
        self._line: dict[str, dict[Live, tuple[Any, ...]]] = {}

    def take(self, live: Live, want: Want) -> bool:
        """Take the places of a want if all are free; otherwise put the Turn in line for them."""
        used = self._used
        names = [(name_of(live, slot), slot.limit) for slot in want.slots]
        if all(used.get(name, 0) < limit for name, limit in names):
            for name, _ in names:
                used[name] = used.get(name, 0) + 1
            return True
        order = (want.priority or live.priority, live.order, want.call_key)
        for name, limit in names:
            if used.get(name, 0) >= limit:
                line = self._line.setdefault(name, {})
                line[live] = min(order, line.get(live, order))
        return False

    def retake(self, live: Live, slots: tuple[Slot, ...]) -> None:
        """Take places for a command that was admitted before, whether or not they are free."""
        for slot in slots:
            name = name_of(live, slot)
            self._used[name] = self._used.get(name, 0) + 1

    def release(self, live: Live, slots: tuple[Slot, ...]) -> None:
        """Give places back and let those in line try again, best first."""
        names = [(name_of(live, slot), slot.limit) for slot in slots]
        for name, _ in names:
            left = self._used[name] - 1
            if left:
                self._used[name] = left
            else:
                del self._used[name]
        for name, limit in names:
            self._serve(name, limit)

    def _serve(self, name: str, limit: int) -> None:
        line = self._line.pop(name, None)
        if line is None:
            return
        waiting = sorted(line.items(), key=lambda item: item[1])
        for place, (live, _) in enumerate(waiting):
            if self._used.get(name, 0) >= limit:
                self._line.setdefault(name, {}).update(waiting[place:])
                return
            live.pump()

    def leave(self, live: Live) -> None:
        """Take a Turn that is being closed out of every line."""
        for line in self._line.values():
            line.pop(live, None)


def name_of(live: Live, slot: Slot) -> str:
    """Return the name under which a place is counted; a local one belongs to its Turn."""
    return f"{live.header.turn_id}/{slot.name}" if slot.local else slot.name
