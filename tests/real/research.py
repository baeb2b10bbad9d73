"""A recorded run of a research workflow (a planner, searches at once, a writer), turned into a scenario."""

import base64
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import attrs
import yaml


@attrs.frozen
class ModelCall:
    """One call of a model in the history."""

    prompt: str
    batch: str
    """Calls that were scheduled by the same decision share it."""
    seconds: float
    text: str
    """What the model answered."""


@attrs.frozen
class Research:
    """What the history holds."""

    question: str
    calls: tuple[ModelCall, ...]
    """In the order in which they were scheduled."""
    report: str
    """What the workflow returned."""

    @property
    def searches(self) -> list[dict[str, str]]:
        """What the planner asked for."""
        found: list[dict[str, str]] = json.loads(self.calls[0].text)["searches"]
        return found

    @property
    def critical_path(self) -> float:
        """The planner, the slowest search and the writer, one after the other."""
        return self.calls[0].seconds + max(call.seconds for call in self.calls[1:-1]) + self.calls[-1].seconds


def read_history(path: Path) -> Research:
    """Read a history: the model calls are its activities, their times those from being scheduled to being done."""
    events = json.loads(path.read_text())["events"]
    scheduled = {}
    done = {}
    for event in events:
        match event["eventType"]:
            case "EVENT_TYPE_ACTIVITY_TASK_SCHEDULED":
                scheduled[event["eventId"]] = event
            case "EVENT_TYPE_ACTIVITY_TASK_COMPLETED":
                done[event["activityTaskCompletedEventAttributes"]["scheduledEventId"]] = event
    first, last = events[0], events[-1]
    return Research(
        question=_payload(first["workflowExecutionStartedEventAttributes"]["input"]),
        calls=tuple(_call(event, done[key]) for key, event in scheduled.items()),
        report=_payload(last["workflowExecutionCompletedEventAttributes"]["result"]),
    )


def _call(scheduled: Mapping[str, Any], done: Mapping[str, Any]) -> ModelCall:
    asked = scheduled["activityTaskScheduledEventAttributes"]
    answered = _payload(done["activityTaskCompletedEventAttributes"]["result"])
    message = next(part for part in answered["output"] if "content" in part)
    return ModelCall(
        prompt=_payload(asked["input"])["input"][0]["content"],
        batch=asked["workflowTaskCompletedEventId"],
        seconds=(_time(done) - _time(scheduled)).total_seconds(),
        text=message["content"][0]["text"],
    )


def _payload(holder: Mapping[str, Any]) -> Any:
    return json.loads(base64.b64decode(holder["payloads"][0]["data"]))


def _time(event: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(event["eventTime"])


def write_research(folder: Path, research: Research) -> Path:
    """Write the workflow as a scenario whose models say what they said then, and take as long."""
    planner, *searches, writer = research.calls
    by_prompt = {call.prompt: call for call in searches}
    recorded = {search["query"]: by_prompt[search_prompt(search)] for search in research.searches}
    scenario = {
        "turntree": 1,
        "name": "research",
        "inputs": {"question": "string"},
        "models": {"recorded": {"provider": "scripted"}},
        "agents": {
            "planner": {"model": "recorded", "output": {"searches": [{"query": "string", "reason": "string"}]}},
            "searcher": {"model": "recorded"},
            "writer": {
                "model": "recorded",
                "output": {"short_summary": "string", "markdown_report": "string", "follow_up_questions": ["string"]},
            },
        },
        "plan": {
            "tasks": {
                "plan": {"agent": "planner", "prompt": "Query: ${inputs.question}"},
                "search": {
                    "for_each": "tasks.plan.output.searches",
                    "key": "item.query",
                    "agent": "searcher",
                    "prompt": search_prompt({"query": "${item.query}", "reason": "${item.reason}"}),
                },
                "write": {
                    "agent": "writer",
                    "prompt": "Original query: ${inputs.question}\nSummarized search results: ${tasks.search.output}",
                },
            },
            "output": "${tasks.write.output.markdown_report}",
        },
        "scripts": {
            "plan": [_reply(planner, structured=True)],
            **{f"search[{query}]": [_reply(call)] for query, call in recorded.items()},
            "write": [_reply(writer, structured=True)],
        },
    }
    path = folder / "research.yaml"
    path.write_text(yaml.safe_dump(scenario, sort_keys=False, allow_unicode=True))
    return path


def search_prompt(search: Mapping[str, str]) -> str:
    """Return what a searcher is asked."""
    return f"Search term: {search['query']}\nReason for searching: {search['reason']}"


def _reply(call: ModelCall, *, structured: bool = False) -> dict[str, Any]:
    said = {"json": json.loads(call.text)} if structured else {"text": call.text}
    return {**said, "delay": call.seconds}


def batches(calls: Iterable[ModelCall]) -> list[int]:
    """Return how many calls were scheduled by each decision, in order."""
    counts: dict[str, int] = {}
    for call in calls:
        counts[call.batch] = counts.get(call.batch, 0) + 1
    return list(counts.values())
