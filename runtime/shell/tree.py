"""One tree that this process owns: the order of its facts, its Turns in memory, and whoever watches it."""

from __future__ import annotations

from collections import deque
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import trio

from runtime.errors import JournalError, RuntimeFault
from runtime.shell.live import Live
from runtime.values import events as e
from runtime.values import signals as s
from runtime.values.commands import RunTool
from runtime.values.failure import Cause
from runtime.values.ids import order_key, parent_of, request_id
from runtime.values.requests import Request
from runtime.values.status import Status
from runtime.values.usage import NO_USAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from runtime.core.ports import Claim, Definition
    from runtime.shell.runtime import Runtime
    from runtime.shell.stream import EventStream
    from runtime.values.commands import RunChild

_RECENT = 2048
_BREATH = 32
"""Calls that may run one after the other without a checkpoint of their own."""


class Tree:
    """What all Turns of one running root share."""

    def __init__(self, runtime: Runtime, claim: Claim, definition: Definition, position: int = 0) -> None:
        self.runtime = runtime
        self.journal = runtime.journal
        self.claim = claim
        self.root_id = claim.root_id
        self.definition = definition
        self.position = position
        """Of the newest fact."""
        self.durable = position
        """Position up to which a barrier has been passed."""
        self.watchers: list[EventStream] = []
        """Readers that want previews."""
        self.requests: dict[str, Request] = {}
        """Open requests of the whole tree by id."""
        self.on_request: Callable[[], None] | None = None
        """Called when a request was opened."""
        self.root = Live(self, runtime.known.machine(definition), _header(self, definition), None, None)
        self.recent: deque[e.Fact] = deque(maxlen=_RECENT)
        """The newest facts, for readers that keep up."""
        self._breath = 0
        self.running = False
        """Whether a task of the runtime runs the root."""
        self.in_caller = False
        """Whether the root runs in the task of whoever called `Runtime.run`."""
        self.idle = False
        """Whether nothing of the tree runs: it has ended, or everything left waits."""
        self._idlers: trio.Event | None = None
        self.released = False
        self.failure: BaseException | None = None
        self.stirred: trio.Event | None = None
        self.borrowed = False
        """Whether it is held only for as long as it takes to record something."""
        self.answered: dict[str, str] = {}
        """Who answered which request here; the journal may not have committed that yet."""
        self.tickets: set[int] = set()
        """Submissions that were taken; the journal may not have committed that yet."""

    # -------------------------------------------------------------------------------------------- recording

    def record(self, live: Live, events: Iterable[e.EventData], taken: int | None = None) -> None:
        """Append one batch of one Turn, and take the submission that caused it."""
        now = self.runtime.clock.now()
        header = live.header
        sequence, position = live.sequence, self.position
        facts = []
        for event in events:
            sequence += 1
            position += 1
            facts.append(e.Fact(header, sequence, position, now, event))
        live.sequence, self.position = sequence, position
        self._append(facts, taken)

    def _append(self, facts: list[e.Fact], taken: int | None = None) -> None:
        if self.failure is not None:
            raise JournalError(f"{self.root_id} has stopped and records nothing more: {self.failure}")
        try:
            self.journal.append(self.claim, facts, self.status, taken)
        except RuntimeFault as error:
            self.fail(error)
            raise
        self.recent.extend(facts)

    def fail(self, error: RuntimeFault) -> None:
        """Stop everything in the tree without recording anything: its folds may be ahead of its facts.

        Whoever runs the tree raises the error once its tasks are gone.
        """
        if self.failure is None:
            self.failure = error
            if self.root.scope is not None:
                self.root.scope.cancel(reason="the tree failed")
            else:
                self.runtime.go(self)

    @property
    def status(self) -> str:
        """What the journal's list says of the tree."""
        state = self.root.state
        if state.ending is not None:
            return state.ending
        return "WAITING" if state.suspended else "RUNNING"

    async def barrier(self) -> None:
        """Wait until everything recorded so far is durable."""
        position = self.position
        await self.journal.barrier(self.claim, position)
        self.durable = max(self.durable, position)

    def rest(self) -> None:
        """Note that nothing of the tree runs, and tell those who wait for that."""
        self.idle = True
        if self._idlers is not None:
            self._idlers.set()
            self._idlers = None

    async def at_rest(self) -> None:
        """Wait until nothing of the tree runs."""
        while not self.idle:  # between the event and our next step an answer may have set it going again
            if self._idlers is None:
                self._idlers = trio.Event()
            await self._idlers.wait()

    def stir(self) -> None:
        """Tell whoever runs the tree in a task of its own that something has changed."""
        if self.stirred is not None:
            self.stirred.set()

    def newest(self, after: int) -> list[e.Fact] | None:
        """Return the durable facts after a position from memory; None if they are not all there any more."""
        recent = self.recent
        durable = self.journal.watermark(self.root_id)
        if durable <= after:
            return []
        if not recent or recent[0].position > after + 1:
            return None
        return [fact for fact in islice(recent, after + 1 - recent[0].position, None) if fact.position <= durable]

    def out_of_breath(self) -> bool:
        """Say now and then that it is time for a checkpoint."""
        self._breath += 1
        return self._breath % _BREATH == 0

    # -------------------------------------------------------------------------------------------- Turns

    def new_child(self, parent: Live, command: RunChild) -> Live:
        """Put a child into memory; it has recorded nothing yet."""
        definition = command.definition
        header = e.TurnHeader(
            parent.child_name(command.n), self.root_id, parent.header.turn_id, definition.name, definition.version,
            command.key, (*parent.header.path, command.key),
        )  # fmt: skip
        return Live(self, self.runtime.known.machine(definition), header, parent, command)

    def find(self, turn_id: str) -> Live | None:
        """Return a Turn that is in memory."""
        if turn_id == self.root_id:
            return self.root
        above = parent_of(turn_id)
        parent = self.find(above) if above is not None else None
        n = turn_id.rpartition(".")[2]
        return parent.children.get(int(n)) if parent is not None and n.isdecimal() else None

    def lives(self) -> list[Live]:
        """Return all Turns in memory, parents before their children."""
        out = [self.root]
        for live in out:
            out.extend(live.children.values())
        return out

    # -------------------------------------------------------------------------------------------- requests

    def open_requests(self) -> tuple[Request, ...]:
        """Return the open requests, oldest first; those of one moment in the order of their Turns."""
        return tuple(sorted(self.requests.values(), key=lambda request: (request.asked_at, order_key(request.turn_id))))

    def note_requests(self, live: Live, times: Mapping[str, float] | None = None) -> None:
        """Take new requests of a Turn into the tree's index; `times` says when they were asked, if not now."""
        for key, asked in live.state.requests.items():
            name = request_id(live.header.turn_id, key)
            if name not in self.requests:
                self.requests[name] = Request(
                    turn_id=live.header.turn_id, key=key, message=asked.message, show=asked.show, form=asked.form,
                    task_key=live.header.task_key, path=live.header.path,
                    asked_at=self.runtime.clock.now() if times is None else times[key],
                )  # fmt: skip
                if self.on_request is not None:
                    self.on_request()

    def drop_requests(self, live: Live) -> None:
        """Take a Turn's closed requests out of the index."""
        for name in [name for name in self.requests if self.requests[name].turn_id == live.header.turn_id]:
            if self.requests[name].key not in live.state.requests:
                del self.requests[name]

    def wake(self, live: Live) -> None:
        """Let a Turn that was parked go on: its parked ancestors are attached again, from the top down."""
        path = [live]
        while path[-1].parent is not None:
            path.append(path[-1].parent)
        path.reverse()
        for parent, child in pairwise(path):
            assert child.command is not None
            n = child.command.n
            if n in parent.state.parked:
                parent.wake_child(n)
                parent.nudge()

    def free(self) -> None:
        """Give back the places of a tree that is let go of, and take it out of every line."""
        lives = self.lives()
        for live in lives:
            self.runtime.admission.leave(live)
        for live in lives:
            live.leave()
        if self.root.state.ending is not None and self.failure is None:
            del self.root.tree  # the only way round; without it an ended tree is freed at once, not by the collector

    # -------------------------------------------------------------------------------------------- closing

    def close(self, live: Live, cause: Cause) -> None:
        """End every Turn of a subtree whose tasks are gone, children before their parents, in one append."""
        facts: list[e.Fact] = []
        closed: list[Live] = []
        self._close(live, cause, facts, closed)
        self._append(facts)
        for one in closed:
            one.leave()  # now: whoever gets its places may record at once
            self.drop_requests(one)

    def _close(self, live: Live, cause: Cause, facts: list[e.Fact], closed: list[Live]) -> None:
        machine, state = live.machine, live.state
        if not state.started:
            return
        now = self.runtime.clock.now()
        events: list[e.EventData] = []
        came = self._take_in(live, events)
        below = Cause("cancelled", f"its parent ended: {cause.message}", cause.by)
        for n in sorted({*state.attached, *state.parked} - came.keys()):
            child = live.children.get(n)
            if child is not None and child.state.ending is None:
                self._close(child, below, facts, closed)
            never = s.ChildCame(n, Status.CANCELLED, None, NO_USAGE, None, now)
            came[n] = child.came() if child is not None and child.state.ending is not None else never
        abandoned = frozenset(
            [key for key in live.emitters if type(c := state.open.get(key)) is RunTool and c.tool.in_thread]
        )
        closing = machine.decide(state, s.Close(cause, tuple([came[n] for n in sorted(came)]), abandoned))
        for event in closing:
            machine.apply(state, event)
        for event in [*events, *closing]:
            live.sequence += 1
            self.position += 1
            facts.append(e.Fact(live.header, live.sequence, self.position, now, event))
        live.children.clear()
        closed.append(live)

    def _take_in(self, live: Live, events: list[e.EventData]) -> dict[int, s.ChildCame]:
        """Keep what had come in before the cancel: results are recorded, endings of children are returned."""
        came: dict[int, s.ChildCame] = {}
        for key, signal in live.inbox:
            if type(signal) is s.ChildCame:
                came[signal.n] = signal
            elif type(signal) is not s.ChildParked and signal is not None and key in live.state.open:
                for event in live.machine.decide(live.state, signal):
                    live.machine.apply(live.state, event)
                    events.append(event)
        live.inbox.clear()
        return came


def _header(tree: Tree, definition: Definition) -> e.TurnHeader:
    return e.TurnHeader(tree.root_id, tree.root_id, None, definition.name, definition.version)
