"""Who waits for whom, in which order, and how long it takes."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.plan import ForEach, PlanGraph, Task, check_plan
from planner.plan.values import Plan
from tests.planner.plan.plans import lookup, needing, write

ROOT = Path(__file__).parents[3]


@st.composite
def acyclic(draw: st.DrawFn) -> dict[str, list[str]]:
    """Needs of up to 9 tasks without circles, in any order."""
    size = draw(st.integers(1, 9))
    names = draw(st.permutations([f"t{index}" for index in range(size)]))
    needs = {
        name: draw(st.lists(st.sampled_from(names[:at]), unique=True)) if at else [] for at, name in enumerate(names)
    }
    return {name: needs[name] for name in draw(st.permutations(names))}


@st.composite
def any_needs(draw: st.DrawFn) -> dict[str, list[str]]:
    """Needs of up to 6 tasks, circles welcome."""
    names = [f"t{index}" for index in range(draw(st.integers(1, 6)))]
    return {name: draw(st.lists(st.sampled_from(names), unique=True)) for name in names}


def all_circles(needs: dict[str, list[str]]) -> set[tuple[str, ...]]:
    """Every simple circle, from its task that stands first, by trying everything."""
    names = list(needs)
    return {
        (*way, way[0])
        for length in range(1, len(names) + 1)
        for way in itertools.permutations(names, length)
        if way[0] == min(way, key=names.index)
        and all(after in needs[before] for before, after in itertools.pairwise((*way, way[0])))
    }


def test_references_are_needs_wherever_they_stand() -> None:
    """Every text of a task can refer to another, and all of these come before what is named under needs."""
    plan = Plan(
        [
            *(write(key) for key in "abcdefgh"),
            Task(
                "all",
                ForEach("tasks.a.output | list", key="tasks.b.output"),
                when="tasks.c.output == 'x'",
                tool=lookup,
                inputs={"word": ["${tasks.d.output}", {"deep": "see ${tasks.e.output} and ${tasks.a.output}"}, 3]},
                needs=["f", "a"],
            ),
        ]
    )
    graph = PlanGraph.of(plan)
    assert graph.needs["all"] == ("a", "b", "c", "d", "e", "f")
    assert [need for need in graph.needs["all"] if graph.is_data("all", need)] == ["a", "b", "c", "d", "e"]
    assert graph.users["a"] == ("all",)
    assert graph.leaves == ("g", "h", "all")


def test_order_follows_the_plan() -> None:
    """Of the tasks that could come next, the one that stands first in the plan comes first."""
    graph = PlanGraph.of(needing({"z": [], "c": ["a"], "b": [], "a": ["z"]}))
    assert graph.order == ("z", "b", "a", "c")
    assert graph.levels() == (("z", "b"), ("a",), ("c",))


def test_a_broken_plan_has_a_graph() -> None:
    """Needs of nobody are left out, and of two tasks with one name the first counts."""
    graph = PlanGraph.of(Plan([write("a", "${tasks.nobody.output}"), write("b", needs=["a", "x"]), write("a", "${")]))
    assert graph.needs == {"a": (), "b": ("a",)}
    assert graph.order == ("a", "b")


def test_missing_estimates_count_as_the_mean() -> None:
    """A task without an estimate counts as the mean of the given ones."""
    plan = Plan([write("a", estimate=2), write("b", needs=["a"], estimate=4), write("c", needs=["b"])])
    graph = PlanGraph.of(plan)
    assert [graph.remaining(key) for key in "abc"] == [9, 7, 3]


def test_a_step_that_takes_no_time_lengthens_no_path() -> None:
    """An estimate of 0 is one, and adds nothing to what comes after it."""
    plan = Plan([write("a", estimate=0), write("b", needs=["a"], estimate=4)])
    assert check_plan(plan) == []
    assert [PlanGraph.of(plan).remaining(key) for key in "ab"] == [4, 4]


def test_without_estimates_every_task_counts_one() -> None:
    """The longest path is counted in tasks when no task has an estimate."""
    graph = PlanGraph.of(needing({"a": [], "b": ["a"], "c": ["a"], "d": ["c"]}))
    assert [graph.remaining(key) for key in "abcd"] == [3, 1, 2, 1]


def test_a_circle_has_no_remaining_path() -> None:
    """Tasks before a circle have a path, those in it have none."""
    graph = PlanGraph.of(needing({"a": [], "b": ["a", "c"], "c": ["b"]}))
    assert graph.remaining("a") == 1
    with pytest.raises(KeyError):
        graph.remaining("b")


def test_circles_come_shortest_first() -> None:
    """Each circle begins with its first task, short ones stand before long ones, and a task alone can be one."""
    needs = {"start": [], "a": ["c"], "b": ["a", "start"], "c": ["b"], "d": ["e"], "e": ["d"], "f": ["f"], "g": ["a"]}
    assert PlanGraph.of(needing(needs)).cycles() == (("f", "f"), ("d", "e", "d"), ("a", "c", "b", "a"))


@given(acyclic())
def test_orders_are_topological(needs: dict[str, list[str]]) -> None:
    """Every task is in the order once, after all that it needs, and one level below the deepest of them."""
    graph = PlanGraph.of(needing(needs))
    place = {key: index for index, key in enumerate(graph.order)}
    assert sorted(place) == sorted(needs)
    assert all(place[need] < place[key] for key, found in needs.items() for need in found)
    level = {key: depth for depth, wave in enumerate(graph.levels()) for key in wave}
    assert all(level[key] == max((level[need] + 1 for need in found), default=0) for key, found in needs.items())
    assert graph.cycles() == ()


@given(acyclic(), st.lists(st.none() | st.integers(1, 9), min_size=9, max_size=9))
def test_remaining_is_the_longest_path(needs: dict[str, list[str]], estimates: list[int | None]) -> None:
    """`remaining` equals the longest of all paths to a leaf."""
    estimate = dict(zip(needs, estimates, strict=False))
    graph = PlanGraph.of(Plan([write(key, needs=found, estimate=estimate[key]) for key, found in needs.items()]))
    given_ones = [value for value in estimate.values() if value is not None]
    usual = sum(given_ones) / len(given_ones) if given_ones else 1

    def longest(key: str) -> float:
        own = estimate[key]
        after = [longest(user) for user, found in needs.items() if key in found]
        return (usual if own is None else own) + max(after, default=0)

    assert all(graph.remaining(key) == pytest.approx(longest(key)) for key in needs)


@given(any_needs())
def test_every_task_in_a_circle_is_named(needs: dict[str, list[str]]) -> None:
    """What is found are real circles, the shortest first, and each task that is in one is in one of those."""
    found = PlanGraph.of(needing(needs)).cycles()
    real = all_circles(needs)
    assert set(found) <= real
    assert [len(circle) for circle in found] == sorted(len(circle) for circle in found)
    assert {key for circle in found for key in circle} == {key for circle in real for key in circle}
    assert min(map(len, found), default=0) == min(map(len, real), default=0)


@pytest.mark.slow
def test_a_long_circle_is_found() -> None:
    """A circle through thousands of tasks is one circle, and finding it does not take forever."""
    size = 1000
    (circle,) = PlanGraph.of(needing({f"t{index}": [f"t{(index + 1) % size}"] for index in range(size)})).cycles()
    assert (len(circle), circle[0], circle[-1]) == (size + 1, "t0", "t0")


@pytest.mark.slow
def test_valid_plans_load_no_graph_library() -> None:
    """Checking a plan without faults loads neither the graph library nor the expression compiler."""
    program = (
        "import sys; from planner.plan import check_plan; from tests.planner.plan.plans import needing;"
        "assert not check_plan(needing({'a': [], 'b': ['a']}));"
        "print(*{'networkx', 'jinja2'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
