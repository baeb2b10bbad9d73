"""Turns that run agents, tools and questions as a tree: journalled, resumable, answered at the root.

Knows nothing about plans. Start with `open_runtime`; events are in `runtime.events`, models in `runtime.models`.
"""

from runtime.core.ports import Model as Model
from runtime.core.ports import ModelReply as ModelReply
from runtime.core.ports import ModelRequest as ModelRequest
from runtime.core.ports import ModelStream as ModelStream
from runtime.core.ports import Tool as Tool
from runtime.core.ports import ToolContext as ToolContext
from runtime.errors import AnswerInvalid as AnswerInvalid
from runtime.errors import DefinitionChanged as DefinitionChanged
from runtime.errors import InternalError as InternalError
from runtime.errors import JournalError as JournalError
from runtime.errors import ModelError as ModelError
from runtime.errors import NotFound as NotFound
from runtime.errors import NotResumable as NotResumable
from runtime.errors import RuntimeFault as RuntimeFault
from runtime.errors import StaleWriter as StaleWriter
from runtime.errors import ToolError as ToolError
from runtime.errors import TreeHeld as TreeHeld
from runtime.errors import UsageError as UsageError
from runtime.shell.runtime import Runtime as Runtime
from runtime.shell.runtime import open_runtime as open_runtime
from runtime.shell.turn import Turn as Turn
from runtime.tools.function import tool as tool
from runtime.values.agent import Agent as Agent
from runtime.values.budget import Budget as Budget
from runtime.values.failure import Failure as Failure
from runtime.values.requests import Answer as Answer
from runtime.values.requests import Request as Request
from runtime.values.result import TaskResult as TaskResult
from runtime.values.result import TurnResult as TurnResult
from runtime.values.status import Status as Status
from runtime.values.usage import Usage as Usage
