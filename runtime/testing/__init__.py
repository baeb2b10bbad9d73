"""What tests of your own agents, plans and kinds of Turn need (floor F4).

- `drive` runs a definition without trio, in an order that a random generator chooses: whatever order the real runtime
  could take, a test meets it in microseconds, and meets it again with the same seed.
- `FunctionModel` is a model that a plain function plays, the same under `drive` and under `open_runtime`; `say` and
  `call` write its replies.
- `FaultyJournal` fails at chosen appends, and every commit of `SlowJournal` takes a while.
- `SequentialIds` names trees `t00001`, `t00002`, ….
- `cancel_at_every_step` cancels a program at each of its task steps in turn; `count_task_steps` counts them.
- `runtime.testing.strategies` makes random agents and their inputs; it needs Hypothesis and is not imported here.

>>> import random
>>> from runtime import Agent
>>> clerk = Agent("clerk", model=FunctionModel(lambda request: say(f"You said {request.messages[0].content}.")))
>>> run = drive(clerk, "hello", rng=random.Random(1))
>>> run.status, run.output
(<Status.COMPLETED: 'COMPLETED'>, 'You said hello.')
>>> [fact.type for fact in run.facts][-2:]
['STEP_COMPLETED', 'TURN_COMPLETED']
"""

from runtime.testing.drive import Driven as Driven
from runtime.testing.drive import DrivenTurn as DrivenTurn
from runtime.testing.drive import drive as drive
from runtime.testing.fakes import FunctionModel as FunctionModel
from runtime.testing.fakes import SequentialIds as SequentialIds
from runtime.testing.fakes import call as call
from runtime.testing.fakes import perform as perform
from runtime.testing.fakes import say as say
from runtime.testing.faulty import FaultyJournal as FaultyJournal
from runtime.testing.faulty import SlowJournal as SlowJournal
from runtime.testing.steps import cancel_at_every_step as cancel_at_every_step
from runtime.testing.steps import count_task_steps as count_task_steps
