"""Scenarios: plans as YAML files with everything that they need (floor F7).

`check_scenario` finds every fault of a file and runs nothing of it; `load_scenario` makes something that a runtime can
start; `differences` holds what came of it against what the file expects.
"""

from planner.scenario.build import Scenario as Scenario
from planner.scenario.build import load_scenario as load_scenario
from planner.scenario.check import Checked as Checked
from planner.scenario.check import check_scenario as check_scenario
from planner.scenario.check import check_text as check_text
from planner.scenario.expect import Difference as Difference
from planner.scenario.expect import differences as differences
from planner.scenario.findings import Finding as Finding
from planner.scenario.findings import ScenarioInvalid as ScenarioInvalid
from planner.scenario.kind import SCENARIO as SCENARIO
from planner.scenario.schema import scenario_schema as scenario_schema
