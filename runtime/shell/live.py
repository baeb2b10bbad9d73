"""A Turn that this process has in memory: its fold, its inbox, and the one place where it records.

`Live.signal` is the whole of "decide, apply, advance, one append". It is synchronous, so no cancel point lies between
deciding and recording. Whoever holds news for a Turn may call it; the Turn's own task only starts what a batch opened.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

import trio

from runtime.core.frame import NOTHING, Frame, settle, step
from runtime.errors import InternalError, JournalError, UsageError
from runtime.shell.clock import jitter
from runtime.values import signals as s
from runtime.values.commands import CallModel, Command, RunChild, RunTool, Slot, Want
from runtime.values.failure import Cause, Failure
from runtime.values.ids import child_id, order_key

if TYPE_CHECKING:
    from runtime.core.ports import Machine
    from runtime.shell.active import ActiveClock
    from runtime.shell.emitter import Emitter
    from runtime.shell.tree import Tree
    from runtime.values.events import EventData, TurnHeader

_NO_NEWS: Final[deque[tuple[str, s.Signal | None]]] = deque()
"""Shared by all Turns that have heard nothing; never written to, but replaced."""
INLINE_DEPTH = 40
"""Levels of Turns that may share one task; deeper ones get tasks of their own, so that no call stack grows too deep."""


class Live:
    """One Turn in memory."""

    __slots__ = (
        "cause", "children", "clocks", "command", "due", "emitters", "header", "held", "inbox", "machine",
        "parent", "priority", "queued", "scope", "sequence", "sleeper", "sleeps", "state", "tree",
    )  # fmt: skip

    def __init__(
        self, tree: Tree, machine: Machine, header: TurnHeader, parent: Live | None, command: RunChild | None
    ) -> None:
        self.tree = tree
        self.machine = machine
        self.header = header
        self.parent = parent
        self.command = command
        """What its parent attached it with; None for a root."""
        self.state: Frame = machine.new()
        self.sequence = 0
        self.priority = command.priority if command is not None else 0.0
        self.children: dict[int, Live] = NOTHING
        """Children that have not been recorded as ended, running or parked."""
        self.inbox: deque[tuple[str, s.Signal | None]] = _NO_NEWS
        """Endings of calls that the Turn's task has not taken in yet; None says that a sleep is over."""
        self.sleeper: trio.lowlevel.Task | None = None
        self.scope: trio.CancelScope | None = None
        """Set while the Turn has a task."""
        self.cause: Cause | None = None
        """Why the Turn is to be closed; set before its scope is cancelled."""
        self.held: dict[str, tuple[Slot, ...]] = NOTHING
        """Admission places by the call that holds them."""
        self.due: frozenset[str] = frozenset()
        """Open sleeps whose time has come."""
        self.sleeps: dict[str, trio.Event] = NOTHING
        """Sleeps in progress; setting the event ends one early."""
        self.queued = False
        """Whether admission refused a want the last time it was asked."""
        self.emitters: dict[str, Emitter] = {}
        self.clocks: tuple[ActiveClock, ...] = parent.clocks if parent is not None else ()

    @property
    def order(self) -> tuple[object, ...]:
        """A stable sort key: the order in which parents counted their children."""
        return order_key(self.header.turn_id)

    # -------------------------------------------------------------------------------------------- recording

    def signal(self, signal: s.Signal, taken: int | None = None) -> None:
        """Record what happened and what follows from it, as one batch.

        Args:
            signal: What happened.
            taken: Ticket of the submission that said so, taken with the batch.

        Raises:
            IllegalSignal: The Turn cannot take it; nothing was recorded.
            InternalError: The machine has a bug; nothing was recorded.
        """
        self.queued = False
        try:
            events = step(self.machine, self.state, signal, self._grant, self.due)
        except UsageError:
            raise
        except Exception as error:
            raise self._bug(f"could not take {signal!r}", error) from error
        self._record(events, taken)

    def pump(self) -> None:
        """Start what is wanted, now that a place came free or a time has come.

        Whoever gave the place back may belong to another tree, so what goes wrong here stops this tree only.
        """
        if self.state.ending is not None:
            return
        self.queued = False
        try:
            self._record(settle(self.machine, self.state, [], self._grant, self.due))
        except JournalError:
            return  # `Tree.record` has stopped the tree
        except Exception as error:  # noqa: BLE001 - a bug of the machine, raised by whoever runs the tree
            self._bug("could not go on", error)
            return
        if self.state.fresh:
            self.nudge()

    def _bug(self, what: str, error: Exception) -> InternalError:
        """Stop the tree: its folds may be ahead of its facts now."""
        bug = InternalError(f"{self.header.turn_id} {what}: {error!r}; please report it")
        bug.__cause__ = error
        self.tree.fail(bug)
        return bug

    def _record(self, events: list[EventData], taken: int | None = None) -> None:
        if not events and taken is None:
            return
        self.tree.record(self, events, taken)
        state = self.state
        if self.held:
            self._give_back()
        if self.sleeps:
            self._wake_sleepers()
        if state.requests:
            self.tree.note_requests(self)
        if state.dropped:
            self.drop_parked()

    def _grant(self, want: Want) -> bool:
        if not want.slots:
            return True
        if self.tree.runtime.admission.take(self, want):
            if not self.held:
                self.held = {}
            self.held[want.call_key] = want.slots
            return True
        self.queued = True
        return False

    def _give_back(self) -> None:
        """Give back the places of calls that are not open any more."""
        done = [key for key in self.held if key not in self.state.open]
        for key in done:
            self.tree.runtime.admission.release(self, self.held.pop(key))

    def _wake_sleepers(self) -> None:
        """End the sleeps before retries that will not be made."""
        for key, event in self.sleeps.items():
            if key not in self.state.open:
                event.set()

    def drop_parked(self) -> None:
        """Cancel children that the Turn has no more use for; parked ones are closed on the spot."""
        cause = Cause("cancelled", "it is not needed any more")
        for n in sorted(self.state.dropped):
            child = self.children.get(n)
            if child is None:
                continue
            if n in self.state.parked:
                self.tree.close(child, cause)
                self.children.pop(n)
                self.signal(child.came())
                self.nudge()
            else:
                child.cancel(cause)

    # -------------------------------------------------------------------------------------------- calls

    def hold(self, command: Command) -> None:
        """Take back the places of a command that was admitted before."""
        if command.slots and command.call_key not in self.held:
            self.tree.runtime.admission.retake(self, command.slots)
            if not self.held:
                self.held = {}
            self.held[command.call_key] = command.slots

    def wake_child(self, n: int) -> None:
        """Let a parked child go on. Its places are taken first, so that nothing new starts in them."""
        self.hold(self.state.parked[n].command)
        self.signal(s.ChildWoke(n))

    def alone(self) -> bool:
        """Say whether the only thing open is new and can run in the Turn's own task, as nothing else can come."""
        state = self.state
        if len(state.open) != 1 or len(state.fresh) != 1 or state.requests or state.parked or self.queued:
            return False
        sort = type(state.open[state.fresh[0]])
        return sort is CallModel or sort is RunTool or (sort is RunChild and len(self.header.path) < INLINE_DEPTH)

    def lone(self) -> Command | None:
        """Return the command to run in the Turn's own task, if there is just one."""
        return self.state.open[self.state.fresh.pop()] if self.alone() else None

    def finish(self, key: str, signal: s.Signal | None) -> None:
        """Take in how a call ended: give back its places, seal its previews, record it."""
        if signal is None:
            if key in self.state.open:
                self.due |= {key}
                self.pump()
            return
        emitter = self.emitters.pop(key, None)
        if emitter is not None:
            emitter.seal()
        if type(signal) is s.ChildCame:
            child = self.children.pop(signal.n, None)
            if child is not None:
                child.leave()
        self.signal(signal)
        if type(signal) is s.ChildParked:
            child = self.children.get(signal.n)  # None if it was not needed any more and is closed now
            if child is not None and not child.parked:
                self.wake_child(signal.n)  # answered before we had heard that it was parked

    def leave(self) -> None:
        """Give everything back that the Turn holds: it has ended, or its tree is let go of."""
        held, self.held = self.held, NOTHING
        for slots in held.values():
            self.tree.runtime.admission.release(self, slots)
        for emitter in self.emitters.values():
            emitter.seal()
        self.emitters.clear()
        if self.queued:
            self.tree.runtime.admission.leave(self)

    # -------------------------------------------------------------------------------------------- the Turn's task

    @property
    def parked(self) -> bool:
        """True when the Turn waits for someone outside and needs no task."""
        return self.state.suspended

    def post(self, key: str, signal: s.Signal | None) -> None:
        """Leave the ending of a call for the Turn's task."""
        if not self.inbox:
            self.inbox = deque()
        self.inbox.append((key, signal))
        self.nudge()

    def nudge(self) -> None:
        """Wake the Turn's task if it waits."""
        if self.sleeper is not None:
            task, self.sleeper = self.sleeper, None
            trio.lowlevel.reschedule(task)

    async def wait(self) -> None:
        """Wait for a nudge."""
        self.sleeper = trio.lowlevel.current_task()

        def abort(_: Any) -> trio.lowlevel.Abort:
            self.sleeper = None
            return trio.lowlevel.Abort.SUCCEEDED

        await trio.lowlevel.wait_task_rescheduled(abort)

    def cancel(self, cause: Cause) -> None:
        """Unwind the Turn's task; whoever attached it closes the subtree afterwards."""
        if self.cause is None:
            self.cause = cause
        if self.scope is not None:
            self.scope.cancel(reason=cause.message)

    # -------------------------------------------------------------------------------------------- children

    def attach(self, command: RunChild) -> Live:
        """Return the child that the command runs, as it was left or new."""
        child = self.children.get(command.n)
        if child is None:
            child = self.tree.new_child(self, command)
            if not self.children:
                self.children = {}
            self.children[command.n] = child
        child.command = command
        return child

    def came(self) -> s.ChildCame:
        """Return the news of this Turn's ending for its parent."""
        state = self.state
        assert state.ending is not None
        command = self.command
        assert command is not None
        at = self.tree.runtime.clock.now()
        error = state.error
        if error is not None and error.where is None:
            error = Failure(error.kind, error.message, error.retryable, error.retry_after, "/".join(self.header.path))
        wait = jitter(self.header.turn_id, command.call_key, command.attempt) if error is not None else 0.0
        return s.ChildCame(command.n, state.ending, state.output, state.usage, error, at, wait)

    def child_name(self, n: int) -> str:
        """Return the id of child n."""
        return child_id(self.header.turn_id, n)
