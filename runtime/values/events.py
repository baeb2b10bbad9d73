"""Every event class in one place: payloads of facts and previews, and the envelopes that carry them."""

from __future__ import annotations

from runtime.values.envelopes import (
    Envelope as Envelope,
)
from runtime.values.envelopes import (
    Event as Event,
)
from runtime.values.envelopes import (
    Fact as Fact,
)
from runtime.values.envelopes import (
    Preview as Preview,
)
from runtime.values.envelopes import (
    TurnHeader as TurnHeader,
)
from runtime.values.payloads import (
    ENDINGS as ENDINGS,
)
from runtime.values.payloads import (
    FACTS as FACTS,
)
from runtime.values.payloads import (
    CancellationRequested as CancellationRequested,
)
from runtime.values.payloads import (
    ChildEnded as ChildEnded,
)
from runtime.values.payloads import (
    ChildResumed as ChildResumed,
)
from runtime.values.payloads import (
    ChildStarted as ChildStarted,
)
from runtime.values.payloads import (
    ChildSuspended as ChildSuspended,
)
from runtime.values.payloads import (
    Custom as Custom,
)
from runtime.values.payloads import (
    EventData as EventData,
)
from runtime.values.payloads import (
    HintAdded as HintAdded,
)
from runtime.values.payloads import (
    MaxIterationsReached as MaxIterationsReached,
)
from runtime.values.payloads import (
    MaxStepsReached as MaxStepsReached,
)
from runtime.values.payloads import (
    ModelCompleted as ModelCompleted,
)
from runtime.values.payloads import (
    ModelFailed as ModelFailed,
)
from runtime.values.payloads import (
    ModelStarted as ModelStarted,
)
from runtime.values.payloads import (
    RequestAnswered as RequestAnswered,
)
from runtime.values.payloads import (
    RequestRefused as RequestRefused,
)
from runtime.values.payloads import (
    RequestWithdrawn as RequestWithdrawn,
)
from runtime.values.payloads import (
    RetryScheduled as RetryScheduled,
)
from runtime.values.payloads import (
    StepCompleted as StepCompleted,
)
from runtime.values.payloads import (
    StepStarted as StepStarted,
)
from runtime.values.payloads import (
    StopRequested as StopRequested,
)
from runtime.values.payloads import (
    TaskAnswerRequested as TaskAnswerRequested,
)
from runtime.values.payloads import (
    ToolCancelled as ToolCancelled,
)
from runtime.values.payloads import (
    ToolCompleted as ToolCompleted,
)
from runtime.values.payloads import (
    ToolDenied as ToolDenied,
)
from runtime.values.payloads import (
    ToolFailed as ToolFailed,
)
from runtime.values.payloads import (
    ToolStarted as ToolStarted,
)
from runtime.values.payloads import (
    TurnCancelled as TurnCancelled,
)
from runtime.values.payloads import (
    TurnCompleted as TurnCompleted,
)
from runtime.values.payloads import (
    TurnFailed as TurnFailed,
)
from runtime.values.payloads import (
    TurnRecovered as TurnRecovered,
)
from runtime.values.payloads import (
    TurnResumed as TurnResumed,
)
from runtime.values.payloads import (
    TurnStarted as TurnStarted,
)
from runtime.values.payloads import (
    TurnSuspended as TurnSuspended,
)
from runtime.values.payloads import (
    Unknown as Unknown,
)
from runtime.values.payloads import (
    Verdict as Verdict,
)
from runtime.values.previews import (
    PREVIEWS as PREVIEWS,
)
from runtime.values.previews import (
    TextBlockDelta as TextBlockDelta,
)
from runtime.values.previews import (
    TextBlockEnd as TextBlockEnd,
)
from runtime.values.previews import (
    TextBlockStart as TextBlockStart,
)
from runtime.values.previews import (
    ThinkingBlockDelta as ThinkingBlockDelta,
)
from runtime.values.previews import (
    ThinkingBlockEnd as ThinkingBlockEnd,
)
from runtime.values.previews import (
    ThinkingBlockStart as ThinkingBlockStart,
)
from runtime.values.previews import (
    ToolCallDelta as ToolCallDelta,
)
from runtime.values.previews import (
    ToolCallEnd as ToolCallEnd,
)
from runtime.values.previews import (
    ToolCallStart as ToolCallStart,
)
from runtime.values.previews import (
    ToolOutputDelta as ToolOutputDelta,
)
from runtime.values.previews import (
    ToolProgress as ToolProgress,
)
