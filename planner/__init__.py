"""Plans for hierarchical agents: tasks that need each other, run as a tree of Turns.

`Plan`, `Task`, `ForEach` and `Ask` write a plan in Python; `load_scenario` reads one from YAML. Either is run by
`runtime.open_runtime`. Names are imported when they are first used, so that a command which needs few of them is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planner.plan import Ask as Ask
    from planner.plan import ForEach as ForEach
    from planner.plan import Plan as Plan
    from planner.plan import PlanInvalid as PlanInvalid
    from planner.plan import Retry as Retry
    from planner.plan import Task as Task
    from planner.scenario import Scenario as Scenario
    from planner.scenario import ScenarioInvalid as ScenarioInvalid
    from planner.scenario import load_scenario as load_scenario

__all__ = [
    "Ask", "ForEach", "Plan", "PlanInvalid", "Retry", "Scenario", "ScenarioInvalid", "Task", "load_scenario",
]  # fmt: skip

_HOMES = {
    "Ask": "planner.plan",
    "ForEach": "planner.plan",
    "Plan": "planner.plan",
    "PlanInvalid": "planner.plan",
    "Retry": "planner.plan",
    "Task": "planner.plan",
    "Scenario": "planner.scenario",
    "ScenarioInvalid": "planner.scenario",
    "load_scenario": "planner.scenario",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'planner' has no attribute {name!r}")
    import_module("planner.engine")  # brings the kind `plan`, without which no plan runs
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
