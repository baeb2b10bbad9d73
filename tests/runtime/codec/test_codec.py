"""Payloads, events and values as JSON."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import attrs
import orjson
import pytest
from hypothesis import given

from runtime.codec import Codec, from_json, to_json
from runtime.errors import CorruptJournal, JournalError, UsageError
from runtime.values.events import (
    FACTS,
    PREVIEWS,
    ChildEnded,
    ChildSuspended,
    Custom,
    EventData,
    Fact,
    ModelCompleted,
    Preview,
    RequestAnswered,
    StepStarted,
    TaskAnswerRequested,
    TextBlockDelta,
    ToolCompleted,
    ToolFailed,
    ToolStarted,
    TurnHeader,
    TurnStarted,
    TurnSuspended,
    Unknown,
    Verdict,
)
from runtime.values.failure import Failure
from runtime.values.jsonlike import freeze
from runtime.values.messages import AssistantMessage, Text, Thinking, ToolCall
from runtime.values.requests import Answer
from runtime.values.status import Status
from runtime.values.usage import NO_USAGE, Usage
from tests.runtime.codec.strategies import JSON, payloads

HEADER = TurnHeader("k3v9.2", "k3v9", "k3v9", "scout", "7", "read[a]", ("read[a]",))


@attrs.frozen
class PlanDrawn(EventData):
    """A payload that another package brings."""

    type: ClassVar[str] = "PLAN_DRAWN"
    tasks: tuple[str, ...]


def codec(*more: type[EventData]) -> Codec:
    """A codec that finds these kinds and no others."""
    return Codec(kinds=lambda: more)


@given(payloads(FACTS + PREVIEWS))
def test_what_is_decoded_equals_what_was_encoded(data: EventData) -> None:
    """Every payload class comes back as it was, tuples as tuples and enums as enums."""
    back = codec().decode(data.type, codec().encode(data))
    assert back == data
    assert repr(back) == repr(data)


def test_fields_are_in_camel_case_and_defaults_are_left_out() -> None:
    """The stored form is short, and its names are those of the public form."""
    message = AssistantMessage((Thinking("hm"), Text("hi"), ToolCall("0.1", "c1", "add", freeze({"a_b": 1}))))
    data = ModelCompleted("0.0", message, Usage(3, 2), "stop", (Verdict("0.1", allowed=True),))
    assert orjson.loads(codec().encode(data)) == {
        "callKey": "0.0",
        "message": {
            "role": "assistant",
            "blocks": [
                {"kind": "thinking", "text": "hm"},
                {"kind": "text", "text": "hi"},
                {"kind": "tool_call", "callKey": "0.1", "id": "c1", "name": "add", "arguments": {"a_b": 1}},
            ],
        },
        "usage": {"inputTokens": 3, "outputTokens": 2},
        "stopReason": "stop",
        "verdicts": [{"callKey": "0.1", "allowed": True}],
    }


def test_json_values_are_read_frozen() -> None:
    """What a fact holds cannot be changed by a reader."""
    back = codec().decode("TOOL_COMPLETED", codec().encode(ToolCompleted("0.1", freeze({"a": [1]}))))
    assert isinstance(back, ToolCompleted)
    with pytest.raises(TypeError, match="frozen"):
        back.result["a"].append(2)


@given(JSON)
def test_unknown_types_survive(value: Any) -> None:
    """A type that nobody knows is kept with its data and written again with the same meaning."""
    raw = orjson.dumps(value)
    data = codec().decode("FROM_LATER", raw)
    assert data == Unknown("FROM_LATER", freeze(value))
    assert orjson.loads(codec().encode(data)) == orjson.loads(raw)


def test_unknown_fields_are_passed_over() -> None:
    """A later version may add fields."""
    assert codec().decode("STEP_STARTED", b'{"step": 3, "mood": "good"}') == StepStarted(3)


def test_a_payload_that_does_not_fit_is_refused_with_every_fault() -> None:
    """Nothing is coerced or replaced: the error names the place, the type and each field."""
    raw = b'{"callKey": 7, "message": {"blocks": [{"kind": "song"}]}, "usage": {"inputTokens": "many"}}'
    with pytest.raises(CorruptJournal) as caught:
        codec().decode("MODEL_COMPLETED", raw, place="journal j.db, tree k3v9, position 4")
    assert str(caught.value).startswith(
        "journal j.db, tree k3v9, position 4: MODEL_COMPLETED does not fit: expected str, found 7 @ $.callKey; "
        "expected an object whose 'kind' is one of text, thinking, tool_call, found {'kind': 'song'} "
        "@ $.message.blocks[0]; expected int, found 'many' @ $.usage.inputTokens; "
        "required field missing @ $.stopReason; "
    )


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'{"step": 1', "not valid JSON"),
        (b"\xff", "not valid JSON"),
        (b"[]", r"expected an object, found \[\] @ \$"),
        (b'{"step": true}', "expected int, found True"),
        (b'{"step": 1.0}', r"expected int, found 1\.0"),
    ],
)
def test_bad_bytes_are_refused(raw: bytes, words: str) -> None:
    """What is not JSON, or is another sort of value, is never taken for something else."""
    with pytest.raises(CorruptJournal, match=words):
        codec().decode("STEP_STARTED", raw)


def test_a_wrong_word_is_answered_with_the_nearest() -> None:
    """A status that does not exist is reported with the one that was probably meant."""
    with pytest.raises(CorruptJournal, match=r"nearest: COMPLETED.* @ \$\.status"):
        codec().decode("CHILD_ENDED", b'{"n":1,"key":"a","status":"COMPLETE","output":1,"usage":{}}')


def test_wrong_values_are_shown_in_brief() -> None:
    """A large value does not fill the screen of whoever reads the error."""
    with pytest.raises(CorruptJournal) as caught:
        codec().decode("STEP_STARTED", orjson.dumps({"step": "x" * 10_000}))
    assert len(str(caught.value)) < 500


def test_a_payload_that_cannot_be_written_is_refused() -> None:
    """A value that was not frozen on entry does not reach the store."""
    with pytest.raises(JournalError, match="CUSTOM cannot be stored"):
        codec().encode(Custom("0.1", "odd", {1, 2}))


def test_text_that_is_no_unicode_is_mended() -> None:
    """An odd file name in a tool's error does not end the run: it is stored as text that everybody can read."""
    data = ToolFailed("0.1", Failure("tool_error", "no such file: \udcff.txt"))
    back = codec().decode("TOOL_FAILED", codec().encode(data))
    assert back == ToolFailed("0.1", Failure("tool_error", "no such file: \ufffd.txt"))


def test_kinds_bring_their_own_payloads() -> None:
    """Classes of other packages are encoded at sight and decoded once they are known."""
    data = PlanDrawn(("a", "b"))
    raw = codec().encode(data)
    known = codec()
    known.extend([PlanDrawn, StepStarted])
    assert known.decode("PLAN_DRAWN", raw) == data
    assert codec(PlanDrawn).decode("PLAN_DRAWN", raw) == data


def test_two_classes_cannot_claim_one_type() -> None:
    """The second class of the same wire name is refused and the first one stays."""

    @attrs.frozen
    class Other(EventData):
        type: ClassVar[str] = "STEP_STARTED"

    known = codec()
    with pytest.raises(UsageError, match=r"'STEP_STARTED' is claimed by .*Other and by .*StepStarted"):
        known.extend([Other])
    assert known.decode("STEP_STARTED", b'{"step": 1}') == StepStarted(1)


def install(folder: Path, module: str, text: str) -> None:
    """Install a package that declares a kind."""
    information = folder / f"{module}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8")
    (information / "entry_points.txt").write_text(f"[turntree.kinds]\nmine = {module}:KIND\n", encoding="utf-8")
    (folder / f"{module}.py").write_text(text, encoding="utf-8")


def test_installed_packages_are_asked_for_unknown_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stored tree can be read when nothing imported the package that wrote it."""
    program = f"from {__name__} import PlanDrawn\nclass KIND: payloads = (PlanDrawn,)\n"
    install(tmp_path, "kind_that_works", program)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert Codec().decode("PLAN_DRAWN", b'{"tasks": ["a"]}') == PlanDrawn(("a",))


def test_kinds_are_asked_no_further_than_needed() -> None:
    """Packages that may be slow to import are left alone once a type is known."""

    def kinds() -> Iterator[type[EventData]]:
        yield PlanDrawn
        raise AssertionError("nobody wanted more")

    data = PlanDrawn(("a",))
    assert Codec(kinds=kinds).decode("PLAN_DRAWN", Codec().encode(data)) == data


def test_a_broken_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind that does not load is an error that says which, and not an unknown type."""
    install(tmp_path, "kind_that_fails", "import nothing_of_that_name\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(JournalError, match=r"kind_that_fails:KIND.*install that package again"):
        Codec().decode("PLAN_UNKNOWN", b"{}")


def test_the_public_form_of_a_fact() -> None:
    """A fact on the wire carries its lineage, its order and its data."""
    fact = Fact(HEADER, 3, 17, 1_700_000_000.25, ToolStarted("0.1.2", "add", freeze({"a": 1})))
    assert codec().wire(fact) == {
        "schema": 1,
        "eventId": "k3v9.2#3",
        "turnId": "k3v9.2",
        "rootTurnId": "k3v9",
        "parentTurnId": "k3v9",
        "agentId": "scout",
        "agentVersion": "7",
        "sequence": 3,
        "position": 17,
        "type": "TOOL_STARTED",
        "occurredAt": "2023-11-14T22:13:20.250Z",
        "taskKey": "read[a]",
        "path": ["read[a]"],
        "idempotencyKey": "k3v9.2:0.1",
        "data": {"callKey": "0.1.2", "name": "add", "arguments": {"a": 1}},
    }


def test_the_public_form_of_a_preview() -> None:
    """A preview has no number; it says what it comes after and where in its block it belongs."""
    form = codec().wire(Preview(HEADER, 1.0, TextBlockDelta("hi"), 16, "0.0", 1, 5, 40))
    assert form["eventId"] == "k3v9.2~0.0.5"
    assert {"after": 16, "callKey": "0.0", "blockId": 1, "index": 5, "offset": 40}.items() <= form.items()
    assert not {"sequence", "position", "idempotencyKey"} & form.keys()


@pytest.mark.parametrize(
    ("data", "field", "shown"),
    [
        (TaskAnswerRequested("0.0.1", "Which?"), "requestId", "k3v9.2:0.0.1"),
        (RequestAnswered("0.0.1", Answer.of(3), "me"), "requestId", "k3v9.2:0.0.1"),
        (ChildSuspended(4, ("4:0.0.1",)), "requestIds", ["k3v9.2.4:0.0.1"]),
        (TurnSuspended("question", ":0.0.1", "", "TOOLS", (":0.0.1",)), "requestIds", ["k3v9.2:0.0.1"]),
        (TurnSuspended("question", ":0.0.1", "", "TOOLS", (":0.0.1",)), "correlationId", "k3v9.2:0.0.1"),
        (TurnSuspended("child", "4", "", "TOOLS"), "correlationId", "4"),
    ],
)
def test_requests_are_shown_by_their_own_ids(data: EventData, field: str, shown: object) -> None:
    """Payloads name requests relative to their Turn; on the wire stands the id that an answer must name."""
    assert codec().wire(Fact(HEADER, 1, 1, 0.0, data))["data"][field] == shown


def test_an_unknown_fact_keeps_its_type_on_the_wire() -> None:
    """What a later version wrote is shown as that version would."""
    form = codec().wire(Fact(HEADER, 1, 1, 0.0, Unknown("FROM_LATER", freeze({"x": [1]}))))
    assert (form["type"], form["data"]) == ("FROM_LATER", {"x": [1]})


def test_values_are_written_as_json() -> None:
    """Our own values, enums and tuples may stand anywhere inside plain ones."""
    value = {"ended": ChildEnded(1, "a", Status.FAILED, None, NO_USAGE), "used": (Usage(1),)}
    assert orjson.loads(to_json(value)) == {
        "ended": {"n": 1, "key": "a", "status": "FAILED", "output": None, "usage": {}},
        "used": [{"inputTokens": 1}],
    }
    with pytest.raises(UsageError, match="no JSON form"):
        to_json({"odd": object()})


def test_json_is_read_frozen() -> None:
    """What `from_json` returns can be put into a fact as it is."""
    value = from_json('{"a": [1, 2]}')
    assert freeze(value) is value
    with pytest.raises(UsageError, match="not JSON"):
        from_json("{")


def test_null_and_an_absent_default_mean_the_same() -> None:
    """A field that is written out although it has its default value is read as the same payload."""
    short = codec().decode("TURN_STARTED", b'{"kind":"agent","machineVersion":1,"input":null}')
    long = codec().decode("TURN_STARTED", b'{"kind":"agent","machineVersion":1,"input":null,"attempt":1,"key":""}')
    assert short == long == TurnStarted("agent", 1, None)
