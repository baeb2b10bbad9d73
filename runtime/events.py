"""Every event class, for users: `from runtime.events import ChildEnded, TextBlockDelta`."""

from runtime.values.events import (
    ENDINGS as ENDINGS,
)
from runtime.values.events import (
    FACTS as FACTS,
)
from runtime.values.events import (
    PREVIEWS as PREVIEWS,
)
from runtime.values.events import (
    CancellationRequested as CancellationRequested,
)
from runtime.values.events import (
    ChildEnded as ChildEnded,
)
from runtime.values.events import (
    ChildResumed as ChildResumed,
)
from runtime.values.events import (
    ChildStarted as ChildStarted,
)
from runtime.values.events import (
    ChildSuspended as ChildSuspended,
)
from runtime.values.events import (
    Custom as Custom,
)
from runtime.values.events import (
    Envelope as Envelope,
)
from runtime.values.events import (
    Event as Event,
)
from runtime.values.events import (
    EventData as EventData,
)
from runtime.values.events import (
    Fact as Fact,
)
from runtime.values.events import (
    HintAdded as HintAdded,
)
from runtime.values.events import (
    MaxIterationsReached as MaxIterationsReached,
)
from runtime.values.events import (
    MaxStepsReached as MaxStepsReached,
)
from runtime.values.events import (
    ModelCompleted as ModelCompleted,
)
from runtime.values.events import (
    ModelFailed as ModelFailed,
)
from runtime.values.events import (
    ModelStarted as ModelStarted,
)
from runtime.values.events import (
    Preview as Preview,
)
from runtime.values.events import (
    RequestAnswered as RequestAnswered,
)
from runtime.values.events import (
    RequestRefused as RequestRefused,
)
from runtime.values.events import (
    RequestWithdrawn as RequestWithdrawn,
)
from runtime.values.events import (
    RetryScheduled as RetryScheduled,
)
from runtime.values.events import (
    StepCompleted as StepCompleted,
)
from runtime.values.events import (
    StepStarted as StepStarted,
)
from runtime.values.events import (
    StopRequested as StopRequested,
)
from runtime.values.events import (
    TaskAnswerRequested as TaskAnswerRequested,
)
from runtime.values.events import (
    TextBlockDelta as TextBlockDelta,
)
from runtime.values.events import (
    TextBlockEnd as TextBlockEnd,
)
from runtime.values.events import (
    TextBlockStart as TextBlockStart,
)
from runtime.values.events import (
    ThinkingBlockDelta as ThinkingBlockDelta,
)
from runtime.values.events import (
    ThinkingBlockEnd as ThinkingBlockEnd,
)
from runtime.values.events import (
    ThinkingBlockStart as ThinkingBlockStart,
)
from runtime.values.events import (
    ToolCallDelta as ToolCallDelta,
)
from runtime.values.events import (
    ToolCallEnd as ToolCallEnd,
)
from runtime.values.events import (
    ToolCallStart as ToolCallStart,
)
from runtime.values.events import (
    ToolCancelled as ToolCancelled,
)
from runtime.values.events import (
    ToolCompleted as ToolCompleted,
)
from runtime.values.events import (
    ToolDenied as ToolDenied,
)
from runtime.values.events import (
    ToolFailed as ToolFailed,
)
from runtime.values.events import (
    ToolOutputDelta as ToolOutputDelta,
)
from runtime.values.events import (
    ToolProgress as ToolProgress,
)
from runtime.values.events import (
    ToolStarted as ToolStarted,
)
from runtime.values.events import (
    TurnCancelled as TurnCancelled,
)
from runtime.values.events import (
    TurnCompleted as TurnCompleted,
)
from runtime.values.events import (
    TurnFailed as TurnFailed,
)
from runtime.values.events import (
    TurnHeader as TurnHeader,
)
from runtime.values.events import (
    TurnRecovered as TurnRecovered,
)
from runtime.values.events import (
    TurnResumed as TurnResumed,
)
from runtime.values.events import (
    TurnStarted as TurnStarted,
)
from runtime.values.events import (
    TurnSuspended as TurnSuspended,
)
from runtime.values.events import (
    Unknown as Unknown,
)
from runtime.values.events import (
    Verdict as Verdict,
)
