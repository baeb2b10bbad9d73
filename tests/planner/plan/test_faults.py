"""How faults are said, and how the nearest name is found."""

from planner.plan import Fault
from planner.plan.faults import did_you_mean


def test_a_fault_is_one_line() -> None:
    """A fault says where, what, and what to do; what is empty is left out."""
    assert str(Fault(("tasks", "a", "needs", 0), "no", code="cycle", hint="go")) == "tasks.a.needs[0]: no; go"
    assert str(Fault((), "no", code="cycle")) == "no"


def test_faults_move_with_what_holds_them() -> None:
    """Seen from outside, the place of a fault begins with where its value stands."""
    inner = Fault(("n",), "no", code="cycle")
    assert inner.below(("inputs",)).path == ("inputs", "n")
    assert inner.below(()) is inner


def test_names_are_found_among_many() -> None:
    """In a plan of thousands the nearest name is sought among those with the same first letter."""
    names = [f"a{index}" for index in range(1000)] + ["reader", "writer"]
    assert did_you_mean("raeder", names) == "did you mean `reader`?"
    assert did_you_mean("zzz", names).endswith("and 994 more")
