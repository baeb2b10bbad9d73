"""The synchronous driver: the same machines as under trio, one action after the other, in an order chosen at random.

At each moment some things could happen next: a call ends, a child begins, a parent hears of a child, an answer comes, a
sleep is over, a cancelled child has unwound. `drive` picks one, runs it through the Turn that it concerns, and looks
again, until the root has ended or everything left waits for an answer that nobody gives.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from runtime.core.frame import Frame, fold, settle, step
from runtime.core.kinds import find
from runtime.errors import InternalError
from runtime.shell.clock import VIRTUAL_START, jitter
from runtime.testing.fakes import perform as perform_directly
from runtime.values import signals as s
from runtime.values.commands import CallModel, RunChild, RunTool, Sleep, Slot, Want
from runtime.values.events import EventData, Fact, TurnHeader
from runtime.values.failure import Cause
from runtime.values.ids import child_id
from runtime.values.jsonlike import freeze
from runtime.values.requests import Answer, Request
from runtime.values.status import Status
from runtime.values.usage import NO_USAGE

if TYPE_CHECKING:
    from runtime.core.ports import Definition

ROOT = "t00001"
_NOT_NEEDED = Cause("cancelled", "it is not needed any more")


class Rng(Protocol):
    """What is asked of a random generator; `random.Random` has it."""

    def randrange(self, stop: int, /) -> int:
        """Return a number from 0 up to but not including `stop`."""
        ...


Perform = Callable[["DrivenTurn", CallModel | RunTool], s.Signal]
Watch = Callable[["Driven", "DrivenTurn"], object]
Answers = Callable[[Request], Answer | None] | Mapping[str, Answer]


class DrivenTurn:
    """One Turn of a driven tree."""

    def __init__(
        self, machine: Any, header: TurnHeader, parent: DrivenTurn | None = None, command: RunChild | None = None
    ) -> None:
        self.machine = machine
        self.header = header
        self.parent = parent
        self.command = command
        self.state: Any = machine.new()
        self.sequence = 0
        self.children: dict[int, DrivenTurn] = {}
        """Children that have not been recorded as ended."""
        self.due: set[str] = set()
        self.queued = False
        """Whether a want was refused the last time."""

    @property
    def turn_id(self) -> str:
        """The Turn's id."""
        return self.header.turn_id


class Driven:
    """A tree that was driven as far as it would go."""

    def __init__(
        self, definition: Definition, perform: Perform, rng: Rng, answers: Answers | None, watch: Watch | None
    ) -> None:
        self.facts: list[Fact] = []
        """All facts in order."""
        self.batches: list[int] = []
        """The position after each append: where a crash can cut the history."""
        self.turns: dict[str, DrivenTurn] = {}
        """Every Turn that began, also those that have ended."""
        self.actions = 0
        """How many things happened."""
        self.now = VIRTUAL_START
        self._perform = perform
        self._rng = rng
        self._answers = answers
        self._watch = watch
        self._machines: dict[int, Any] = {}
        header = TurnHeader(ROOT, ROOT, None, definition.name, definition.version)
        self.root = DrivenTurn(self._machine(definition), header)

    @property
    def status(self) -> Status:
        """Where the root stands."""
        status: Status = self.root.state.status
        return status

    @property
    def output(self) -> Any:
        """What the root ended with."""
        return self.root.state.output if self.status.terminal else None

    @property
    def tasks(self) -> Mapping[str, Any]:
        """How each task of a plan stands."""
        tasks: Mapping[str, Any] = self.root.machine.summary(self.root.state)
        return tasks

    def refold(self, turn_id: str, upto: int | None = None) -> Frame:
        """Rebuild a Turn from its facts, or from those up to a position."""
        facts = [fact.data for fact in self.facts[:upto] if fact.turn_id == turn_id]
        state: Frame = fold(self.turns[turn_id].machine, facts)
        return state

    # -------------------------------------------------------------------------------------------- recording

    def signal(self, turn: DrivenTurn, signal: s.Signal) -> None:
        """Run a signal through a Turn and record what comes of it as one batch."""
        turn.queued = False
        self._record(turn, step(turn.machine, turn.state, signal, lambda want: self._grant(turn, want), turn.due))

    def _pump(self, turn: DrivenTurn) -> None:
        turn.queued = False
        self._record(turn, settle(turn.machine, turn.state, [], lambda want: self._grant(turn, want), turn.due))

    def _record(self, turn: DrivenTurn, events: list[EventData]) -> None:
        self._append(turn, events)
        if events:
            self._cut(turn)
        while pointless := turn.state.dropped & turn.state.parked.keys():
            n = min(pointless)
            self._close(turn.children[n], _NOT_NEEDED)
            self.signal(turn, self._came(turn, n))

    def _cut(self, turn: DrivenTurn) -> None:
        """Note that a batch is complete."""
        self.batches.append(len(self.facts))
        if self._watch is not None:
            self._watch(self, turn)

    def _append(self, turn: DrivenTurn, events: list[EventData]) -> None:
        for event in events:
            turn.sequence += 1
            self.facts.append(Fact(turn.header, turn.sequence, len(self.facts) + 1, self.now, event))

    def _grant(self, turn: DrivenTurn, want: Want) -> bool:
        if not want.slots:
            return True
        held = [
            _place(owner, slot)
            for owner in self._live()
            for command in owner.state.open.values()
            for slot in command.slots
        ]
        free = all(held.count(_place(turn, slot)) < slot.limit for slot in want.slots)
        turn.queued = turn.queued or not free
        return free

    # -------------------------------------------------------------------------------------------- what can happen

    def run(self, start: s.Start, cancel_after: int | None) -> None:
        """Let things happen until nothing more can."""
        self.turns[ROOT] = self.root
        self.signal(self.root, start)
        while self.root.state.ending is None:
            if self.actions == cancel_after:
                self.cancel("driven to its end")
                return
            actions = self._actions()
            if not actions:
                if self.root.state.suspended:
                    return
                raise InternalError(f"{ROOT} has nothing to do and has not ended; please report it")
            self.actions += 1
            actions[self._rng.randrange(len(actions))]()
            waiting = [turn for turn in self._live() if turn.queued]
            while waiting:
                self._pump(waiting.pop(self._rng.randrange(len(waiting))))

    def cancel(self, reason: str) -> None:
        """End the tree for good, as `Turn.cancel` does."""
        self.signal(self.root, s.CancelRequested(reason))
        self._close(self.root, Cause("cancelled", reason))

    def _live(self) -> list[DrivenTurn]:
        """Return all Turns that have not been recorded as ended, parents first."""
        out = [self.root]
        for turn in out:
            out.extend(turn.children.values())
        return out

    def _actions(self) -> list[Callable[[], None]]:
        out: list[Callable[[], None]] = []
        for turn in self._live():
            for command in turn.state.open.values():
                self._offer(out, turn, command)
            for key in turn.state.requests:
                answer = self._answer(turn, key)
                if answer is not None:
                    out.append(partial(self._take_answer, turn, key, answer))
        return out

    def _offer(self, out: list[Callable[[], None]], turn: DrivenTurn, command: Any) -> None:
        """Add what can happen to an open command."""
        if isinstance(command, RunChild):
            child = turn.children.get(command.n)
            if child is None:
                out.append(lambda: self._attach(turn, command))
            elif child.state.ending is not None:
                out.append(lambda: self.signal(turn, self._came(turn, command.n)))
            elif command.n in turn.state.dropped:
                out.append(lambda: self._close(child, _NOT_NEEDED))
            elif child.state.suspended:
                parked = s.ChildParked(command.n, child.state.open_requests())
                out.append(lambda: self._park(turn, child, parked))
        elif isinstance(command, Sleep):
            if command.call_key not in turn.due:
                out.append(lambda: self._wake_up(turn, command))
        else:
            out.append(lambda: self.signal(turn, self._perform(turn, command)))

    def _attach(self, parent: DrivenTurn, command: RunChild) -> None:
        above, definition = parent.header, command.definition
        header = TurnHeader(
            child_id(above.turn_id, command.n), ROOT, above.turn_id, definition.name, definition.version, command.key,
            (*above.path, command.key),
        )  # fmt: skip
        child = DrivenTurn(self._machine(definition), header, parent, command)
        parent.children[command.n] = self.turns[child.turn_id] = child
        start = parent.state.start
        self.signal(child, s.Start(command.input, command.key, command.attempt, start.depth + 1, start.max_depth))

    def _park(self, parent: DrivenTurn, child: DrivenTurn, parked: s.ChildParked) -> None:
        """Let a parent hear that a child waits; now and then the child is answered just before that."""
        asked = [(key, answer) for key in child.state.requests if (answer := self._answer(child, key)) is not None]
        if asked and self._rng.randrange(2):
            self._take_answer(child, *asked[0])
        self.signal(parent, parked)
        if parked.n in parent.state.parked and not child.state.suspended:
            self.signal(parent, s.ChildWoke(parked.n))

    def _wake_up(self, turn: DrivenTurn, sleep: Sleep) -> None:
        self.now = max(self.now, sleep.due)
        turn.due.add(sleep.call_key)
        self._pump(turn)

    def _answer(self, turn: DrivenTurn, key: str) -> Answer | None:
        asked = turn.state.requests[key]
        request = Request(
            turn_id=turn.turn_id, key=key, message=asked.message, show=asked.show, form=asked.form,
            task_key=turn.header.task_key, path=turn.header.path,
        )  # fmt: skip
        if isinstance(self._answers, Mapping):
            return self._answers.get(request.task_key)
        return None if self._answers is None else self._answers(request)

    def _take_answer(self, turn: DrivenTurn, key: str, answer: Answer) -> None:
        self.signal(turn, s.Answered(key, answer, "drive"))
        path = [turn]
        while path[-1].parent is not None:
            path.append(path[-1].parent)
        path.reverse()
        for parent, child in itertools.pairwise(path):
            assert child.command is not None
            if child.command.n in parent.state.parked:
                self.signal(parent, s.ChildWoke(child.command.n))

    def _came(self, parent: DrivenTurn, n: int) -> s.ChildCame:
        child = parent.children.pop(n)
        command, state = child.command, child.state
        assert command is not None
        wait = jitter(child.turn_id, command.call_key, command.attempt)
        return s.ChildCame(n, state.ending, state.output, state.usage, state.error, self.now, wait)

    def _close(self, turn: DrivenTurn, cause: Cause) -> None:
        """End a subtree, children first, as one batch."""
        self._close_below(turn, cause)
        self._cut(turn)

    def _close_below(self, turn: DrivenTurn, cause: Cause) -> None:
        state = turn.state
        came = []
        for n in sorted({*state.attached, *state.parked}):
            child = turn.children.get(n)
            if child is None:
                came.append(s.ChildCame(n, Status.CANCELLED, None, NO_USAGE, None, self.now))
                continue
            if child.state.ending is None:
                self._close_below(child, Cause("cancelled", f"its parent ended: {cause.message}"))
            came.append(self._came(turn, n))
        events = turn.machine.decide(state, s.Close(cause, tuple(came)))
        for event in events:
            turn.machine.apply(state, event)
        self._append(turn, events)

    def _machine(self, definition: Definition) -> Any:
        known = self._machines.get(id(definition))
        if known is None:
            known = self._machines[id(definition)] = find(definition.kind).build(definition)
        return known


def _place(turn: DrivenTurn, slot: Slot) -> str:
    return f"{turn.turn_id}/{slot.name}" if slot.local else slot.name


def drive(
    definition: Definition,
    input: Any = None,
    *,
    rng: Rng,
    perform: Perform = perform_directly,
    answers: Answers | None = None,
    cancel_after: int | None = None,
    watch: Watch | None = None,
    max_depth: int = 8,
) -> Driven:
    """Run a definition without trio, in the order that `rng` chooses.

    Args:
        definition: An agent, a plan, or a definition of any registered kind.
        input: What it is asked.
        rng: Chooses what happens next; the same choices give the same facts.
        perform: Says how a model or tool call ends.
        answers: Answers by task key, or a function of the request; None leaves questions open.
        cancel_after: Cancel the tree once so many things have happened.
        watch: Called after each batch with the tree and the Turn that recorded it, as it stands then.
        max_depth: How many levels of Turns may stand under the root.

    Returns:
        The tree, ended or waiting for answers.

    Raises:
        UsageError: The definition or the input does not hold.
        InternalError: A Turn that has not ended has nothing to do.
    """
    kind = find(definition.kind)
    accepted = freeze(kind.accept(definition, input), where="input")
    run = Driven(definition, perform, rng, answers, watch)
    run.run(s.Start(accepted, max_depth=max_depth), cancel_after)
    return run
