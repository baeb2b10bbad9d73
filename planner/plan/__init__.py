"""Plans as values, and everything that can be known of one without running it. Pure.

`check_plan` finds what is wrong, `PlanGraph` says who waits for whom, `fields_schema` reads the field grammar.
"""

from planner.plan.check import PlanInvalid as PlanInvalid
from planner.plan.check import check_plan as check_plan
from planner.plan.check import checked_graph as checked_graph
from planner.plan.check_task import KINDS as KINDS
from planner.plan.faults import CODES as CODES
from planner.plan.faults import START_CODES as START_CODES
from planner.plan.faults import Fault as Fault
from planner.plan.fields import FieldsInvalid as FieldsInvalid
from planner.plan.fields import JsonSchema as JsonSchema
from planner.plan.fields import apply_defaults as apply_defaults
from planner.plan.fields import field_schema as field_schema
from planner.plan.fields import fields_schema as fields_schema
from planner.plan.fields import parse_option as parse_option
from planner.plan.graph import PlanGraph as PlanGraph
from planner.plan.types import Missing as Missing
from planner.plan.types import type_at as type_at
from planner.plan.types import type_name as type_name
from planner.plan.values import Ask as Ask
from planner.plan.values import ForEach as ForEach
from planner.plan.values import Plan as Plan
from planner.plan.values import Retry as Retry
from planner.plan.values import Task as Task
