"""For each rule of the grammar a history that breaks it with its last fact, and words of the rule."""

from runtime.values import events as e
from runtime.values.messages import AssistantMessage, ToolCall
from runtime.values.status import Status
from runtime.values.usage import NO_USAGE
from tests.runtime.core.histories import (
    ANSWERED,
    ASKED,
    CANCEL,
    CANCELLED,
    DONE,
    FAILED,
    FAILURE,
    MODEL,
    RESUMED,
    STEP,
    STEP_DONE,
    TOOL,
    TOOL_DONE,
    Entries,
    child,
    child_ended,
    replied,
    started,
    suspended,
)  # fmt: skip

Case = tuple[str, str, Entries]

ASKING: Entries = [started(), STEP, MODEL, replied("allow")]
REFUSED: Entries = [started(), STEP, MODEL, replied("deny")]
PARENT: Entries = [*ASKING, child()]
CHILD = ("1", started("agent", "sub", 1))
PARKED: Entries = [*PARENT, CHILD, e.ChildSuspended(1, ("1:0.1.1",))]

CASES: list[Case] = [
    ("first", "is NEW cannot record", [STEP]),
    ("second start", "is RUNNING cannot record", [started(), started()]),
    ("after the end", "is ENDED cannot record", [started(), DONE, STEP]),
    ("while suspended", "is SUSPENDED cannot record", [started("question"), ASKED, suspended(":0.1.1"), STEP]),
    ("resumed while running", "is RUNNING cannot record", [started(), RESUMED]),
    # Steps
    ("step in a step", "Step 1 has not ended", [started(), STEP, e.StepStarted(2)]),
    ("step number", "should be Step 1", [started(), e.StepStarted(2)]),
    ("step not open", "pairs with the STEP_STARTED of Step 1", [started(), STEP_DONE]),
    ("other step", "pairs with the STEP_STARTED of Step 2", [started(), STEP, e.StepCompleted(2)]),
    ("step with a call", "model call 1.0 is", [started(), STEP, MODEL, STEP_DONE]),
    ("ending in a step", "STEP_COMPLETED of Step 1 comes before", [started(), STEP, DONE]),
    ("suspended in a step", "suspends between Steps", [started(), STEP, ASKED, suspended(":0.1.1")]),
    # Model calls
    ("model outside", "belongs between a STEP_STARTED", [started(), MODEL]),
    ("two models", "at most one model call", [started(), STEP, MODEL, replied(), e.ModelStarted("1.1", 2, "m")]),
    ("model number", "model call 1 of its Turn", [started(), STEP, e.ModelStarted("1.0", 2, "m")]),
    ("model key", "model call is 1.0, not 1.5", [started(), STEP, e.ModelStarted("1.5", 1, "m")]),
    ("incomplete history", "tool-complete", [*ASKING, STEP_DONE, e.StepStarted(2), e.ModelStarted("2.0", 2, "m")]),
    ("model not open", "model call 1.0 is not open", [started(), STEP, replied()]),
    ("model closed twice", "model call 1.0 is not open", [*ASKING, e.ModelFailed("1.0", FAILURE, NO_USAGE)]),
    (
        "verdict missing",
        "one verdict for each call",
        [
            started(),
            STEP,
            MODEL,
            e.ModelCompleted("1.0", AssistantMessage((ToolCall("1.1", "i", "add", {}),)), NO_USAGE, "stop"),
        ],
    ),
    # Tools
    ("tool unasked", "no reply asked for call 1.1", [started(), STEP, TOOL]),
    ("tool refused", "not allowed", [*REFUSED, TOOL]),
    ("tool outside", "belongs between", [*ASKING, TOOL, TOOL_DONE, STEP_DONE, e.ToolStarted("1.1", "add", {})]),
    (
        "tool twice",
        "opened before",
        [started("call"), e.ToolStarted("0.1", "add", {}), e.ToolStarted("0.1", "add", {})],
    ),
    ("tool not open", "tool call 1.1 is not open", [*ASKING, TOOL_DONE]),
    ("tool closed twice", "tool call 1.1 is not open", [*ASKING, TOOL, TOOL_DONE, TOOL_DONE]),
    ("allowed tool denied", "was not refused", [*ASKING, e.ToolDenied("1.1", "add", "depth", "no")]),
    ("denied twice", "was not refused", [*REFUSED, *[e.ToolDenied("1.1", "add", "depth", "no")] * 2]),
    ("custom", "a tool speaks while it runs", [*ASKING, e.Custom("1.1", "x", 1)]),
    ("stop", "tool call 1.1 is not open", [*ASKING, e.StopRequested("1.1", "enough")]),
    ("no result", "has a result, and 1.1 has none", [*ASKING, STEP_DONE, DONE]),
    # Requests
    ("asked twice", "open already", [started("question"), ASKED, ASKED]),
    ("not asked", "closed once", [started("question"), ANSWERED]),
    ("withdrawn twice", "closed once", [started("question"), ASKED, *[e.RequestWithdrawn("0.1.1", "over")] * 2]),
    ("open at the end", "0.1.1 is open", [started("question"), ASKED, CANCELLED]),
    ("nothing asked", "has neither", [started("question"), suspended()]),
    ("not named", "which are :0.1.1", [started("question"), ASKED, suspended()]),
    # Suspension and recovery
    ("suspended busy", "tool call 0.1 is", [started("call"), e.ToolStarted("0.1", "add", {}), suspended()]),
    ("recovered", "call 1.1 was not in flight", [*ASKING, e.TurnRecovered(("1.1",))]),
    ("recovered child", "call 1.1 was not in flight", [*PARENT, e.TurnRecovered(("1.1",))]),
    ("cancel twice", "recorded once", [started(), *[e.CancellationRequested("enough")] * 2]),
    # Children
    ("child number", "should be child 1", [*ASKING, child(2)]),
    ("child unasked", "no reply asked for call 1.1", [started(), STEP, child()]),
    ("child outside", "belongs between", [*ASKING, STEP_DONE, child()]),
    ("no parent", "has recorded nothing", [started(), ("1.1", started("agent", "sub", 2))]),
    ("unknown child", "no CHILD_STARTED for child 1", [started(), CHILD]),
    ("child's key", "started it as 'sub'", [*PARENT, ("1", started("agent", "other", 1))]),
    ("child's depth", "at depth 1, not 3", [*PARENT, ("1", started("agent", "sub", 3))]),
    ("running child ended", "has not ended", [*PARENT, CHILD, child_ended()]),
    ("silent child", "all it can be is CANCELLED", [*PARENT, child_ended()]),
    ("late child", "recorded the end of child 1", [*PARENT, child_ended(1, Status.CANCELLED), CHILD]),
    ("status", "ended as FAILED, not COMPLETED", [*PARENT, CHILD, ("1", FAILED), child_ended()]),
    ("output", "not the one that it ended with", [*PARENT, CHILD, ("1", DONE), child_ended(1, Status.COMPLETED, "no")]),
    ("ended as another", "started as 'sub'", [*PARENT, child_ended(1, Status.CANCELLED, key="other")]),
    ("ended twice", "one CHILD_ENDED", [*PARENT, *[child_ended(1, Status.CANCELLED)] * 2]),
    ("never started", "one CHILD_ENDED", [started(), child_ended(1, Status.CANCELLED)]),
    ("child left", "child 1.1 is", [*PARENT, CHILD, STEP_DONE]),
    ("call left open", "tool call 0.1 is", [started("call"), e.ToolStarted("0.1", "add", {}), CANCELLED]),
    ("parked child left", "a parked one has not", [*PARKED, STEP_DONE, CANCELLED]),
    ("not running", "child 1 is not running", [*PARKED, e.ChildSuspended(1, ())]),
    ("no such child", "child 1 is not running", [started(), e.ChildSuspended(1, ())]),
    ("not parked", "child 1 is not parked", [*PARENT, e.ChildResumed(1)]),
    ("foreign request", "begin with its number", [*PARENT, CHILD, e.ChildSuspended(1, ("11:0.1.1",))]),
    ("parked model", "tool-complete", [*PARKED, STEP_DONE, e.StepStarted(2), e.ModelStarted("2.0", 2, "m")]),
    ("cause", "is ENDED", [started(), e.TurnCancelled(CANCEL), e.TurnCancelled(CANCEL)]),
]
