"""Plans for hierarchical agents: tasks that need each other, run as a tree of Turns.

`Plan`, `Task`, `ForEach` and `Ask` write a plan in Python; `load_scenario` reads one from YAML. Either is run by
`runtime.open_runtime`.
"""

from planner.engine import PLAN as PLAN
from planner.plan import Ask as Ask
from planner.plan import ForEach as ForEach
from planner.plan import Plan as Plan
from planner.plan import PlanInvalid as PlanInvalid
from planner.plan import Retry as Retry
from planner.plan import Task as Task
from planner.scenario import Scenario as Scenario
from planner.scenario import ScenarioInvalid as ScenarioInvalid
from planner.scenario import load_scenario as load_scenario
