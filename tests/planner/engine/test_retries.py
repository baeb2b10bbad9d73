"""Tasks that are tried again."""

import pytest

from planner import ForEach, Plan, Retry, Task
from runtime.shell.clock import VIRTUAL_START, jitter
from runtime.testing import Driven
from runtime.values import events as e
from runtime.values import signals as s
from runtime.values.failure import Failure
from runtime.values.status import Status
from runtime.values.usage import NO_USAGE, Usage
from tests.planner.engine.kit import WORKER, run, statuses, task, types
from tests.runtime.core.hand import Hand


def waits(driven: Driven) -> list[float]:
    """How long each retry waited."""
    facts = [fact for fact in driven.facts if isinstance(fact.data, e.RetryScheduled)]
    return [fact.data.due - fact.time for fact in facts if isinstance(fact.data, e.RetryScheduled)]


def attempts(driven: Driven) -> list[tuple[str, int]]:
    """Call key and attempt of each child."""
    data = [fact.data for fact in driven.facts]
    return [(event.call_key, event.attempt) for event in data if isinstance(event, e.ChildStarted)]


def test_a_failed_attempt_is_tried_again() -> None:
    """Each attempt is a new child with a call key of its own; the task completes with the one that works."""
    driven = run(Plan([task("a", "x", failures=2, retries=2)]))
    assert driven.output == "x"
    assert attempts(driven) == [("0.1", 1), ("0.1.2", 2), ("0.1.3", 3)]
    assert types(driven, "TASK", "RETRY") == [
        "TASK_STARTED", "RETRY_SCHEDULED", "TASK_STARTED", "RETRY_SCHEDULED", "TASK_STARTED", "TASK_COMPLETED",
    ]  # fmt: skip
    assert driven.root.state.usage == Usage(model_calls=3)


def test_retries_are_limited() -> None:
    """After so many tries the task fails with the last failure."""
    driven = run(Plan([task("a", failures=9, retries=2)]))
    assert len(attempts(driven)) == 3
    assert driven.tasks["a"].error is not None
    assert driven.tasks["a"].error.message == "attempt 3 fails"


@pytest.mark.parametrize(("kind", "tries"), [("transport", 2), ("rate_limit", 1)])
def test_only_some_failures_are_worth_a_retry(kind: str, tries: int) -> None:
    """`only` names the kinds of failure after which the task is tried again."""
    retry = Retry(1, only=frozenset({"transport", "timeout"}))
    assert len(attempts(run(Plan([task("a", failures=9, kind=kind, retries=retry)])))) == tries


def test_waits_grow_by_the_factor() -> None:
    """The first wait is the delay, each further one so many times longer, plus up to a tenth of jitter."""
    driven = run(Plan([task("a", failures=3, retries=Retry(3, 10.0, 3.0))]))
    first, second, third = waits(driven)
    assert 10.0 <= first <= 11.0
    assert 30.0 <= second <= 33.0
    assert 90.0 <= third <= 99.0


def test_jitter_depends_on_turn_call_and_attempt_only() -> None:
    """A replay waits equally long; the attempts of a task do not."""
    plan = Plan([task("a", failures=1, retries=1), task("b", failures=1, retries=1)])
    one, two = run(plan, seed=1), run(plan, seed=1)
    assert waits(one) == waits(two)
    assert jitter("t.1", "0.1", 1) != jitter("t.1", "0.1", 2)


def test_a_provider_may_ask_for_a_longer_wait() -> None:
    """`retry_after` counts when it is longer than the delay."""
    hand = Hand(Plan([task("a", retries=1)]))
    hand.signal(s.Start({}))
    failure = Failure("rate_limit", "slow down", retryable=True, retry_after=60.0)
    hand.signal(s.ChildCame(1, Status.FAILED, None, NO_USAGE, failure, at=100.0))
    scheduled = hand.facts[-1]
    assert isinstance(scheduled, e.RetryScheduled)
    assert (scheduled.due, scheduled.attempt, hand.state.status) == (160.0, 2, Status.RETRY_SCHEDULED)
    hand.check()


def test_a_retry_starts_when_its_time_has_come() -> None:
    """Before that the sleep is all that is open; the attempt closes it."""
    hand = Hand(Plan([task("a", retries=1)]))
    hand.signal(s.Start({}))
    hand.signal(hand.came(1, Status.FAILED))
    assert hand.signal(s.CancelRequested("not yet")) == ["CANCELLATION_REQUESTED"]
    assert hand.signal(s.Granted("0.1.2")) == ["TASK_STARTED", "CHILD_STARTED"]
    assert list(hand.state.open) == ["0.1.2"]
    hand.check()


def test_a_tree_that_is_being_cancelled_tries_nothing_again() -> None:
    """After the cancel was asked for, a failure is for good."""
    hand = Hand(Plan([task("a", retries=5)]))
    hand.signal(s.Start({}))
    hand.signal(s.CancelRequested("enough"))
    assert hand.signal(hand.came(1, Status.FAILED))[:2] == ["CHILD_ENDED", "TASK_FAILED"]


def test_a_child_that_ended_without_failure_can_be_tried_again() -> None:
    """A child that reached a limit counts as failed, with a failure that says how it ended."""
    hand = Hand(Plan([task("a", retries=1)]))
    hand.signal(s.Start({}))
    hand.signal(s.ChildCame(1, Status.MAX_STEPS_REACHED, None, NO_USAGE, None, at=0.0))
    scheduled = hand.facts[-1]
    assert isinstance(scheduled, e.RetryScheduled)
    assert scheduled.error.message == "a ended as MAX_STEPS_REACHED"


def test_a_stop_cancels_what_sleeps() -> None:
    """A task between two attempts is cancelled when the plan stops, and its sleep with it."""
    for seed in range(10):
        plan = Plan([task("a", failures=9, retries=Retry(9, 1.0)), task("bad", failures=1, kind="x")])
        driven = run(plan, seed=seed)
        assert statuses(driven) in ({"a": "CANCELLED", "bad": "FAILED"}, {"a": "FAILED", "bad": "CANCELLED"},
                                    {"a": "SKIPPED", "bad": "FAILED"}, {"a": "FAILED", "bad": "FAILED"})  # fmt: skip
        assert not driven.root.state.open


def test_items_are_tried_again_on_their_own() -> None:
    """Each item has its own attempts; keys of calls tell items and attempts apart."""
    each = ForEach(["0 k x", "1 k y", "2 k z"])
    for seed in range(5):
        driven = run(Plan([Task("a", each, agent=WORKER, prompt="${item}", retries=2)]), seed=seed)
        assert driven.output == ["x", "y", "z"]
        assert sorted(attempts(driven)) == [
            ("1.1", 1), ("1.2", 1), ("1.2.2", 2), ("1.3", 1), ("1.3.2", 2), ("1.3.3", 3),
        ]  # fmt: skip


def test_time_begins_where_virtual_time_does() -> None:
    """Facts of a driven tree carry virtual UTC, which sleeps move on."""
    driven = run(Plan([task("a", failures=1, retries=Retry(1, 3600.0))]))
    assert driven.facts[0].time == VIRTUAL_START
    assert driven.facts[-1].time >= VIRTUAL_START + 3600.0


def test_a_sleep_is_rebuilt_from_its_fact() -> None:
    """A plan that was cut while a task slept has the same sleep again."""
    driven = run(Plan([task("a", failures=1, retries=1)]))
    cut = next(fact.position for fact in driven.facts if fact.type == "RETRY_SCHEDULED")
    assert driven.refold("t00001", cut).status is Status.RETRY_SCHEDULED
