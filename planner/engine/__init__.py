"""The plan machine, which brings the kind `plan` to the runtime (floor F6)."""

from planner.engine.events import PlanCompleted as PlanCompleted
from planner.engine.events import PlanCreated as PlanCreated
from planner.engine.events import TaskCancelled as TaskCancelled
from planner.engine.events import TaskCompleted as TaskCompleted
from planner.engine.events import TaskFailed as TaskFailed
from planner.engine.events import TaskSkipped as TaskSkipped
from planner.engine.events import TaskStarted as TaskStarted
from planner.engine.kind import PLAN as PLAN
from planner.engine.machine import PlanMachine as PlanMachine
