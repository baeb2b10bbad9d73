"""What all kinds share: every signal at every position, and folds that know every event."""

from collections.abc import Callable
from typing import Any, get_args

import pytest

from planner import Plan, Task
from planner.engine.events import PAYLOADS
from runtime.core import simple
from runtime.core.simple import Call, Question, describe_question
from runtime.errors import IllegalSignal
from runtime.testing import call
from runtime.values import events as e
from runtime.values import signals as s
from runtime.values.commands import CallModel, Sleep
from runtime.values.failure import Cause, Failure
from runtime.values.messages import AssistantMessage, Text
from runtime.values.requests import Answer
from runtime.values.status import Status
from runtime.values.usage import NO_USAGE
from tests.runtime.core.hand import Hand, portrait
from tests.runtime.core.scripts import add, agent

SIGNALS: dict[type[Any], s.Signal] = {
    s.Start: s.Start({"a": 1, "b": 2, "message": "Go?"}),
    s.Recovered: s.Recovered(),
    s.Granted: s.Granted("9.9"),
    s.ModelReplied: s.ModelReplied("9.9", AssistantMessage((Text("ok"),)), NO_USAGE),
    s.ModelBroke: s.ModelBroke("9.9", Failure("transport", "down")),
    s.ToolReturned: s.ToolReturned("9.9", 3),
    s.ToolBroke: s.ToolBroke("9.9", Failure("transport", "down")),
    s.ToolEmitted: s.ToolEmitted("9.9", "x", 1),
    s.ToolAskedToStop: s.ToolAskedToStop("9.9", "x"),
    s.ChildCame: s.ChildCame(9, Status.COMPLETED, None, NO_USAGE, None, 0.0),
    s.ChildParked: s.ChildParked(9, ()),
    s.ChildWoke: s.ChildWoke(9),
    s.Answered: s.Answered("9.9.9", Answer.approve(), "ann"),
    s.Refused: s.Refused(":9.9.9", "late", "ann", "nobody asked"),
    s.Hinted: s.Hinted("be brief"),
    s.CancelRequested: s.CancelRequested("enough"),
    s.Close: s.Close(Cause("cancelled", "enough")),
}
"""One of each, about calls, children and requests that no Turn has."""

ALWAYS = {s.Recovered, s.Refused, s.CancelRequested, s.Close}
"""What every started Turn takes until it has ended."""


def _new(definition: Any) -> Callable[[], Hand]:
    return lambda: Hand(definition)


def _started(definition: Any) -> Callable[[], Hand]:
    def make() -> Hand:
        hand = Hand(definition)
        hand.signal(SIGNALS[s.Start])
        return hand

    return make


def _suspended_agent() -> Hand:
    hand = _started(agent(agents=[agent(name="reader")]))()
    hand.signal(hand.machine.judge(hand.state, "1.0", call(("reader", {"task": "x"})), 0.0))
    hand.signal(s.ChildParked(1, (":0.1.1",)))
    return hand


def _suspended_plan() -> Hand:
    hand = _started(Plan([Task("a", tool=add, inputs={"a": 1, "b": 2})]))()
    hand.signal(s.ChildParked(1, (":0.1.1",)))
    return hand


def _ended(make: Callable[[], Hand]) -> Callable[[], Hand]:
    def closed() -> Hand:
        hand = make()
        hand.close(*_children(hand))
        return hand

    return closed


def _children(hand: Hand) -> list[s.ChildCame]:
    return [hand.came(n, Status.CANCELLED) for n in sorted({*hand.state.attached, *hand.state.parked})]


KINDS: dict[str, Any] = {
    "agent": agent(), "call": Call(add), "question": Question(),
    "plan": Plan([Task("a", tool=add, inputs={"a": 1, "b": 2})]),
}  # fmt: skip
PLACES: dict[str, tuple[Callable[[], Hand], set[type[Any]]]] = {
    **{f"{kind} new": (_new(what), {s.Start}) for kind, what in KINDS.items()},
    **{f"{kind} running": (_started(what), ALWAYS) for kind, what in KINDS.items() if kind in ("call", "plan")},
    "agent running": (_started(agent()), {*ALWAYS, s.Hinted}),
    "question suspended": (_started(Question()), ALWAYS),
    "agent suspended": (_suspended_agent, {*ALWAYS, s.Hinted}),
    "plan suspended": (_suspended_plan, ALWAYS),
    **{f"{kind} ended": (_ended(_started(what)), set()) for kind, what in KINDS.items()},
}


@pytest.mark.parametrize("sort", SIGNALS, ids=lambda sort: sort.__name__)
@pytest.mark.parametrize("place", PLACES)
def test_a_signal_that_cannot_be_taken_changes_nothing(place: str, sort: type[Any]) -> None:
    """Every kind at every position takes what its position allows, and is left untouched by everything else."""
    make, legal = PLACES[place]
    hand = make()
    before = portrait(hand.machine, hand.state)
    if sort not in legal:
        with pytest.raises(IllegalSignal):
            hand.signal(SIGNALS[sort])
        assert portrait(hand.machine, hand.state) == before
    elif sort is s.Close:
        hand.close(*_children(hand))
        assert hand.state.status is Status.CANCELLED
    else:
        hand.signal(SIGNALS[sort])
        hand.check()


def test_the_matrix_has_every_signal() -> None:
    """A signal that is added is asked of every kind."""
    assert set(SIGNALS) == set(get_args(s.Signal))


AGENT_ONLY = {
    e.StepStarted, e.StepCompleted, e.ModelStarted, e.ModelCompleted, e.ModelFailed, e.StopRequested, e.ToolDenied,
    e.MaxIterationsReached, e.MaxStepsReached, e.HintAdded,
}  # fmt: skip
TOOLS = {e.ToolStarted, e.ToolCompleted, e.ToolFailed, e.ToolCancelled}
CHILDREN = {e.ChildStarted, e.ChildEnded}
FOREIGN: dict[str, set[type[e.EventData]]] = {
    "agent": {e.RetryScheduled},
    "call": {*AGENT_ONLY, *CHILDREN, e.RetryScheduled},
    "question": {*AGENT_ONLY, *TOOLS, *CHILDREN, e.RetryScheduled},
    "plan": {*AGENT_ONLY, *TOOLS},
}
"""Events that a kind never records."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_fold_knows_every_event_of_its_kind(kind: str) -> None:
    """An event class that is added has a place in each fold, or is said here to be none of its business."""
    folds = simple._QUESTION_FOLDS if kind == "question" else Hand(KINDS[kind]).machine.folds
    own = set(PAYLOADS) if kind == "plan" else set()
    assert set(folds) == ({*e.FACTS, e.Unknown} - FOREIGN[kind]) | own


def test_a_turn_that_sleeps_waits_for_its_retry() -> None:
    """A Turn in which only sleeps are open is RETRY_SCHEDULED; anything else beside them and it runs."""
    hand = _started(agent())()
    hand.state.open = {"0.1.2": Sleep("0.1.2", 5.0)}
    alone = hand.state.status
    hand.state.open["1.0"] = CallModel("1.0", 1, agent().model)
    assert [alone, hand.state.status] == [Status.RETRY_SCHEDULED, Status.RUNNING]


def test_a_new_turn_is_ready() -> None:
    """Before its first fact a Turn is READY."""
    assert Hand(agent()).state.status is Status.READY


def test_facts_of_later_versions_are_kept() -> None:
    """A fact of an unknown type changes no fold."""
    for kind, what in KINDS.items():
        hand = _started(what)()
        before = portrait(hand.machine, hand.state)
        hand.machine.apply(hand.state, e.Unknown("BELL_RANG", {"loud": True}))
        assert portrait(hand.machine, hand.state) == before, kind


def test_a_question_describes_itself() -> None:
    """The input of a question holds message, data and form."""
    assert describe_question("Go?") == {"message": "Go?", "show": None, "form": None}
