"""The expression language of plans: texts with `${…}`, bare expressions, and the references in them.

Pure: no I/O, no clock, no state besides the cache of texts that were read. An expression reads a scope of JSON-like
values and makes one; it cannot change anything, call anything or use more than a bounded amount of work.

>>> parse_template("Find ${inputs.count} sources on ${inputs.topic}").evaluate({"inputs": {"count": 3, "topic": "tea"}})
'Find 3 sources on tea'
"""

from planner.expressions.faults import EvaluationFault as EvaluationFault
from planner.expressions.faults import ExpressionFault as ExpressionFault
from planner.expressions.operators import FUNCTIONS as FUNCTIONS
from planner.expressions.paths import ROOTS as ROOTS
from planner.expressions.paths import Reference as Reference
from planner.expressions.templates import Expression as Expression
from planner.expressions.templates import Template as Template
from planner.expressions.templates import parse_expression as parse_expression
from planner.expressions.templates import parse_template as parse_template
from planner.expressions.values import ValueTemplate as ValueTemplate
from planner.expressions.values import parse_value as parse_value
from planner.expressions.vocabulary import FILTERS as FILTERS
from planner.expressions.vocabulary import TESTS as TESTS
