"""The grammar accepts what machines record, and names the rule that anything else breaks."""

import random

import pytest

from runtime.core.grammar import GrammarError, check_grammar
from runtime.errors import RuntimeFault
from runtime.values import events as e
from runtime.values.status import Status
from runtime.values.usage import NO_USAGE
from tests.runtime.core.broken_histories import CASES, Case
from tests.runtime.core.histories import (
    ANSWERED,
    ASKED,
    CANCELLED,
    DONE,
    FAILED,
    FAILURE,
    MODEL,
    RESUMED,
    ROOT,
    STEP,
    STEP_DONE,
    TOOL,
    TOOL_DONE,
    Entries,
    child,
    child_ended,
    history,
    replied,
    started,
    suspended,
)  # fmt: skip

QUESTION = ("1", started("question", "sub", 1))
PARKED: Entries = [
    started(), STEP, MODEL, replied("allow"), child(), QUESTION, ("1", ASKED), ("1", suspended(":0.1.1")),
    e.ChildSuspended(1, ("1:0.1.1",)), STEP_DONE, suspended("1:0.1.1"),
]  # fmt: skip

VALID: dict[str, Entries] = {
    "an answer": [started(), STEP, MODEL, replied(), STEP_DONE, DONE],
    "a refused call": [
        started(), STEP, MODEL, replied("deny"), e.ToolDenied("1.1", "add", "depth", "no"), STEP_DONE,
        e.StepStarted(2), e.ModelStarted("2.0", 2, "m"), e.ModelFailed("2.0", FAILURE, NO_USAGE),
        e.StepCompleted(2), FAILED,
    ],
    "a tool that speaks, stops and is recovered": [
        started(), STEP, MODEL, replied("allow"), TOOL, e.Custom("1.1", "x", 1), e.StopRequested("1.1", "enough"),
        e.TurnRecovered(("1.1",)), TOOL_DONE, STEP_DONE, DONE,
    ],
    "a call left without result by a cancel": [
        started(), e.CancellationRequested("enough"), STEP, MODEL, replied("allow", "allow"), TOOL,
        e.ToolCancelled("1.1", "enough"), STEP_DONE, CANCELLED,
    ],
    "a retry cut by a cancel": [started("other"), e.RetryScheduled("0.1.2", 2, 9.0, FAILURE), CANCELLED],
    "a retry": [
        started("other"), e.RetryScheduled("0.1", 2, 9.0, FAILURE), e.ToolStarted("0.1", "add", {}),
        e.ToolFailed("0.1", FAILURE), FAILED,
    ],
    "a child that waits": [
        *PARKED, ("1", ANSWERED), ("1", RESUMED), ("1", DONE), RESUMED, e.StepStarted(2), e.ChildResumed(1),
        child_ended(1, Status.COMPLETED, "ok"), e.StepCompleted(2), DONE,
    ],
    "a cancel while a child waits": [
        *PARKED, e.CancellationRequested("enough"), ("1", e.RequestWithdrawn("0.1.1", "enough")), ("1", CANCELLED),
        child_ended(1, Status.CANCELLED), CANCELLED,
    ],
    "a child that never began": [
        started(), STEP, MODEL, replied("allow"), child(), child_ended(1, Status.CANCELLED), STEP_DONE, CANCELLED,
    ],
    "facts of types that nobody here knows": [started("other"), e.Unknown("BELL_RANG", {}), DONE],
}  # fmt: skip


@pytest.mark.parametrize("name", VALID)
def test_a_valid_history_passes_wherever_it_is_cut(name: str) -> None:
    """A history that keeps the rules passes, and so does each beginning of it."""
    facts = history(*VALID[name])
    check_grammar(facts, ended=True)
    for end in range(len(facts)):
        check_grammar(facts[:end], ended=False)


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_a_broken_rule_is_named(case: Case) -> None:
    """The fact that breaks a rule is refused with the rule in words; what came before it passes."""
    _, words, entries = case
    facts = history(*entries)
    check_grammar(facts[:-1], ended=False)
    with pytest.raises(GrammarError) as caught:
        check_grammar(facts, ended=False)
    assert words in caught.value.rule
    assert caught.value.position == len(facts)


def test_an_error_says_where_it_is() -> None:
    """The message names position, Turn and type, so that a reader finds the fact in the journal."""
    with pytest.raises(RuntimeFault, match=f"^position 2, Turn {ROOT}, STEP_COMPLETED: it pairs with"):
        check_grammar(history(started(), STEP_DONE), ended=False)


def test_positions_have_no_gaps() -> None:
    """A fact that is missing from the middle of the tree is noticed by its position."""
    facts = history(started(), STEP, MODEL)
    with pytest.raises(GrammarError, match="should have position 2"):
        check_grammar([facts[0], facts[2]], ended=False)


def test_sequences_have_no_gaps() -> None:
    """A Turn's facts count from 1 even when the tree's positions look right."""
    first, second = history(started(), STEP)
    wrong = e.Fact(second.header, 5, 2, 0.0, second.data)
    with pytest.raises(GrammarError, match="this should be number 2"):
        check_grammar([first, wrong], ended=False)


def test_two_trees_do_not_mix() -> None:
    """The facts of another root have no place in a history."""
    (first,) = history(started())
    other = e.Fact(e.TurnHeader("other", "other", None, "a", "1"), 1, 2, 0.0, started())
    with pytest.raises(GrammarError, match="another tree"):
        check_grammar([first, other], ended=False)


@pytest.mark.parametrize("entries", [[], [started()], [started(), STEP]])
def test_an_ended_history_has_a_terminal_fact(entries: list[e.EventData]) -> None:
    """A history that should have ended and has not is refused; as a beginning it passes."""
    facts = history(*entries)
    check_grammar(facts, ended=False)
    with pytest.raises(GrammarError, match="the root has no terminal fact"):
        check_grammar(facts, ended=True)


@pytest.mark.parametrize("seed", range(20))
def test_a_fact_that_is_lost_is_noticed(seed: int) -> None:
    """Taking any one fact out of an ended history and closing the gap in its numbers breaks a rule."""
    rng = random.Random(seed)
    entries = VALID[rng.choice(["a refused call", "a child that waits", "a cancel while a child waits"])]
    lost = rng.randrange(len(entries))
    if isinstance(entries[lost], e.CancellationRequested):
        pytest.skip("a tree may be cancelled by a deadline, without a request")
    with pytest.raises(GrammarError):
        check_grammar(history(*entries[:lost], *entries[lost + 1 :]), ended=True)
