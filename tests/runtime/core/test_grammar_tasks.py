"""What the grammar demands of plans: each task settled once, by the child that ran it, items before their task."""

import pytest

from planner.engine import events as p
from runtime.core.grammar import GrammarError, check_grammar
from runtime.values import events as e
from runtime.values.status import Status
from tests.runtime.core.histories import (
    CANCELLED,
    DONE,
    FAILED,
    FAILURE,
    PLAN,
    Entries,
    child,
    child_ended,
    history,
    started,
)  # fmt: skip

ONE: Entries = [PLAN, p.PlanCreated("plan", 1)]
RUN: Entries = [p.TaskStarted("a", 1), child(1, "a", "0.1")]
RUNNING: Entries = [*ONE, *RUN, ("1", started("agent", "a", 1))]
SPREAD: Entries = [*ONE, p.TaskStarted("a", items=["x", "y"], item_keys=("0", "1"))]
NEITHER: Entries = [p.TaskSkipped("a", "when", 0), p.TaskSkipped("a", "when", 1)]
BROKE: Entries = [*RUNNING, ("1", FAILED), child_ended(1, Status.FAILED, key="a")]
WORKED: Entries = [*RUNNING, ("1", DONE), child_ended(1, Status.COMPLETED, "ok", key="a")]
AGAIN: Entries = [*BROKE, e.RetryScheduled("0.1.2", 2, 5.0, FAILURE)]

VALID: dict[str, Entries] = {
    "a task": [*WORKED, p.TaskCompleted("a", 1), p.PlanCompleted(1, 0, 0), DONE],
    "a failure": [*BROKE, p.TaskFailed("a", 1), p.PlanCompleted(0, 1, 0), FAILED],
    "a task that cannot start": [*ONE, p.TaskFailed("a", error=FAILURE), FAILED],
    "a skipped task": [*ONE, p.TaskSkipped("a", "when: no"), p.PlanCompleted(0, 0, 1), DONE],
    "a retry": [
        *AGAIN, p.TaskStarted("a", 2, 2), child(2, "a", "0.1.2"), ("2", started("agent", "a", 1)), ("2", DONE),
        child_ended(2, Status.COMPLETED, "ok", key="a"), p.TaskCompleted("a", 2), DONE,
    ],
    "a retry that is not made": [*AGAIN, p.TaskCancelled("a"), CANCELLED],
    "items": [*SPREAD, p.TaskSkipped("a", "when", 0), p.TaskFailed("a", None, 1, FAILURE), p.TaskFailed("a"), FAILED],
    "skipped items": [*SPREAD, *NEITHER, p.TaskCompleted("a"), DONE],
    "a cancelled list": [*SPREAD, *NEITHER, p.TaskCancelled("a"), CANCELLED],
    "a cancelled task": [
        *RUNNING, ("1", CANCELLED), child_ended(1, Status.CANCELLED, key="a"), p.TaskCancelled("a", 1), CANCELLED,
    ],
}  # fmt: skip

BROKEN: list[tuple[str, Entries]] = [
    ("a plan is created once", [*ONE, p.PlanCreated("plan", 1)]),
    ("PLAN_CREATED is missing", [PLAN, p.TaskSkipped("a", "when")]),
    ("once each of its tasks is settled", [*ONE, p.PlanCompleted(0, 0, 0)]),
    ("and 1 are not", [*ONE, DONE]),
    ("spread over its items once", [*SPREAD, p.TaskStarted("a", items=[])]),
    ("spread over its items once", [*BROKE, p.TaskStarted("a", items=[])]),
    ("runs as its items", [*SPREAD, p.TaskStarted("a", 1)]),
    ("attempt 1 of task a comes next", [*ONE, p.TaskStarted("a", 1, 2)]),
    ("only after a RETRY_SCHEDULED", [*BROKE, p.TaskStarted("a", 2, 2)]),
    ("completes with the child", [*ONE, p.TaskCompleted("a")]),
    ("and 2 are not", [*SPREAD, p.TaskCompleted("a")]),
    ("and 1 are not", [*SPREAD, p.TaskSkipped("a", "x", 0), p.TaskFailed("a")]),
    ("and 2 are not", [*SPREAD, p.TaskCancelled("a")]),
    ("did not complete", [*BROKE, p.TaskCompleted("a", 1)]),
    ("child 1 of task a completed", [*WORKED, p.TaskFailed("a", 1)]),
    ("child 1 of task a completed", [*WORKED, p.TaskCancelled("a", 1)]),
    ("fails with the child", [*RUNNING, p.TaskFailed("a")]),
    ("cannot be skipped", [*RUNNING, p.TaskSkipped("a", "when")]),
    ("no attempt that could be cancelled", [*RUNNING, p.TaskCancelled("a")]),
    ("has no item 2", [*SPREAD, p.TaskSkipped("a", "x", 2)]),
    ("has no item 0", [*ONE, p.TaskSkipped("a", "x", 0)]),
    ("item 0 of task a is settled", [*SPREAD, *[p.TaskSkipped("a", "x", 0)] * 2]),
    ("child 2 does not run task a", [*BROKE, p.TaskFailed("a", 2)]),
    ("CHILD_ENDED of child 1 comes first", [*RUNNING, p.TaskFailed("a", 1)]),
    ("starts child 1 for a task", [*ONE, child(1, "a", "0.1")]),
    ("starts child 1 for a task", [*ONE, p.TaskStarted("a", 2), child(1, "a", "0.1")]),
    ("a retry follows", [*ONE, e.RetryScheduled("0.1.2", 2, 5.0, FAILURE)]),
    ("a retry follows", [*BROKE, e.RetryScheduled("0.1.3", 3, 5.0, FAILURE)]),
    ("a retry follows", [*BROKE, p.TaskFailed("a", 1), e.RetryScheduled("0.1.2", 2, 5.0, FAILURE)]),
    ("retry 0.1.2 is", [*AGAIN, DONE]),
]


@pytest.mark.parametrize("name", VALID)
def test_a_valid_plan_passes_wherever_it_is_cut(name: str) -> None:
    """A plan's history that keeps the rules passes, and so does each beginning of it."""
    facts = history(*VALID[name])
    check_grammar(facts, ended=True)
    for end in range(len(facts)):
        check_grammar(facts[:end], ended=False)


@pytest.mark.parametrize(("words", "entries"), BROKEN)
def test_a_broken_rule_is_named(words: str, entries: Entries) -> None:
    """The fact that breaks a rule of tasks is refused with the rule in words; what came before it passes."""
    facts = history(*entries)
    check_grammar(facts[:-1], ended=False)
    with pytest.raises(GrammarError) as caught:
        check_grammar(facts, ended=False)
    assert words in caught.value.rule
