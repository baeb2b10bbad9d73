"""Agent Turns, run in random orders: model, tools, model, until an answer or a limit."""

import random
from typing import Any

import pytest

from runtime.core.grammar import check_grammar
from runtime.errors import ModelError
from runtime.testing import Driven, call, drive, say
from runtime.values import events as e
from runtime.values.agent import Agent
from runtime.values.messages import AssistantMessage, ToolMessage, UserMessage
from runtime.values.status import Status
from runtime.values.usage import Usage
from tests.runtime.core.scripts import ADD, BOOM, GHOST, agent

OK_SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}


def run(what: Agent, seed: int = 0, **options: Any) -> Driven:
    """Run an agent in the order of a seed and hold its facts against the grammar."""
    driven = drive(what, "go", rng=random.Random(seed), **options)
    check_grammar(driven.facts, ended=driven.status.terminal)
    return driven


def results(driven: Driven) -> list[Any]:
    """What the model was told of its calls, in order."""
    return [message.content for message in driven.root.state.messages if isinstance(message, ToolMessage)]


def types(driven: Driven) -> list[str]:
    """The types of the root's facts."""
    return [fact.type for fact in driven.facts if fact.parent_turn_id is None]


def test_an_answer_is_the_output() -> None:
    """An agent whose model answers at once takes one Step and ends with the text."""
    driven = run(agent("hello"))
    assert (driven.status, driven.output) == (Status.COMPLETED, "hello")
    assert types(driven) == [
        "TURN_STARTED", "STEP_STARTED", "MODEL_STARTED", "MODEL_COMPLETED", "STEP_COMPLETED", "TURN_COMPLETED",
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_results_return_in_the_order_of_the_calls(seed: int) -> None:
    """Tools and agents of one reply run side by side; the model sees the results in its own order."""
    calls = call(
        ("add", {"a": 1, "b": 2}),
        ("reader", {"task": "read"}),
        ("boom", {"text": "no line"}),
        ("add", {"a": 3, "b": 4}),
    )
    driven = run(agent(calls, "done", agents=[agent("I read", name="reader")]), seed)
    assert driven.output == "done"
    assert results(driven) == [3, "I read", {"error": "transport", "message": "no line"}, 7]


def test_calls_of_one_reply_run_at_the_same_time() -> None:
    """Each call of a reply is started before the first one ends."""
    driven = run(agent(call(*[("add", {"a": k, "b": 1}) for k in range(3)]), "done"))
    assert types(driven)[4:7] == ["TOOL_STARTED"] * 3


def test_usage_counts_the_whole_subtree() -> None:
    """Tokens and calls of agents below count for the one that called them."""
    below = agent(say("I read", usage=Usage(input_tokens=5, output_tokens=2)), name="reader")
    first = call(("reader", {"task": "x"}), ("add", {"a": 1, "b": 1}), usage=Usage(input_tokens=10))
    driven = run(agent(first, "done", agents=[below]))
    assert driven.root.state.usage == Usage(input_tokens=15, output_tokens=2, model_calls=3, tool_calls=1)


def test_an_agent_with_inputs_takes_its_arguments_whole() -> None:
    """An agent that declares its inputs gets the arguments object; one that does not gets the text of `task`."""
    schema = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}
    below = [agent("read", name="reader", inputs=schema), agent("wrote", name="writer")]
    driven = run(agent(call(("reader", {"url": "a.org"}), ("writer", {"task": "write"})), "done", agents=below))
    inputs = {fact.data.key: fact.data.input for fact in driven.facts if isinstance(fact.data, e.ChildStarted)}
    assert inputs == {"reader": {"url": "a.org"}, "writer": "write"}


def test_a_child_that_fails_is_a_result_too() -> None:
    """The model is told how an agent below it failed, and goes on."""
    driven = run(agent(call(("reader", {"task": "x"})), "done", agents=[agent(ModelError("down"), name="reader")]))
    assert driven.output == "done"
    assert results(driven) == [{"error": "transport", "message": "down"}]


# ------------------------------------------------------------------------------------------------ mistakes


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (("ghost", {}), "there is no tool 'ghost'; known tools: add, boom"),
        (("add", {"a": "one", "b": 2}), "a"),
        (("add", {"a": 1}), "b"),
        (("add", "{not JSON"), "the arguments are not valid JSON; send one JSON object"),
        (("add", "[1, 2]"), "the arguments are not valid JSON; send one JSON object"),
    ],
)
def test_a_wrong_call_goes_back_to_the_model(wrong: tuple[str, Any], words: str) -> None:
    """A call that cannot be made is denied with words for the model, and its siblings run all the same."""
    driven = run(agent(call(wrong, ("add", {"a": 1, "b": 2})), "done"))
    assert driven.output == "done"
    denied, result = results(driven)
    assert words in denied["message"]
    assert result == 3
    assert types(driven).count("TOOL_DENIED") == types(driven).count("TOOL_STARTED") == 1


def test_arguments_may_come_as_text() -> None:
    """Arguments that a provider gives as JSON text are read."""
    assert results(run(agent(call(("add", '{"a": 1, "b": 2}')), "done"))) == [3]


def test_empty_arguments_are_an_empty_object() -> None:
    """A provider's empty text stands for no arguments."""
    (result,) = results(run(agent(call(("add", "")), "done")))
    assert "JSON" not in result["message"]


def test_mistakes_are_bounded() -> None:
    """So many replies in a row with a mistake end the Turn, with every call answered."""
    driven = run(agent(GHOST, GHOST, GHOST, "never", max_mistakes=3))
    error = driven.root.state.error
    assert (driven.status, error.kind) == (Status.FAILED, "mistakes")
    assert error.message == "the model asks for calls that cannot be made, 3 times in a row"
    assert len(results(driven)) == 3


def test_a_right_call_clears_the_count() -> None:
    """Mistakes count in a row only."""
    assert run(agent(GHOST, ADD, GHOST, ADD, "done", max_mistakes=2)).output == "done"


def test_calls_that_are_right_run_before_the_turn_fails() -> None:
    """The last mistake does not take away the work of its siblings."""
    driven = run(agent(call(("ghost", {}), ("add", {"a": 1, "b": 2})), max_mistakes=1))
    assert driven.status is Status.FAILED
    assert results(driven)[1] == 3


def test_agents_call_each_other_so_deep_and_no_deeper() -> None:
    """At the depth limit a call of an agent is denied, and the model is asked to answer itself."""
    below: list[Agent] = []
    looping = agent(call(("lead", {"task": "deeper"})), "done", agents=below)
    below.append(looping)
    driven = run(looping, max_depth=3)
    assert driven.output == "done"
    assert max([len(fact.path) for fact in driven.facts]) == 3
    (denied,) = [fact for fact in driven.facts if isinstance(fact.data, e.ToolDenied)]
    assert isinstance(denied.data, e.ToolDenied)
    assert denied.data.reason == "depth"


# ------------------------------------------------------------------------------------------------ structured output


def test_structured_output_is_the_value() -> None:
    """An agent with an output schema ends with the JSON value."""
    assert run(agent('{"ok": true}', output=OK_SCHEMA)).output == {"ok": True}


@pytest.mark.parametrize("wrong", ["I am fine", '{"ok": 1}'])
def test_a_wrong_output_is_repaired(wrong: str) -> None:
    """Text that does not fit goes back to the model with what is wrong; the next answer counts."""
    driven = run(agent(wrong, '{"ok": true}', output=OK_SCHEMA))
    assert driven.output == {"ok": True}
    told = [message for message in driven.root.state.messages if isinstance(message, UserMessage)][1]
    assert "output schema" in told.content


def test_wrong_outputs_are_bounded() -> None:
    """Answers that never fit end the Turn."""
    driven = run(agent("no", "no", output=OK_SCHEMA, max_mistakes=2))
    assert driven.status is Status.FAILED
    assert "gives an output that does not fit" in driven.root.state.error.message


# ------------------------------------------------------------------------------------------------ failures, limits


def test_a_failed_tool_ends_the_turn_if_the_agent_says_so() -> None:
    """With `tool_errors="fail"` the Turn fails with the tool's own failure, once the other calls are done."""
    both = call(("boom", {"text": "no line"}), ("boom", {"text": "second"}), ("add", {"a": 1, "b": 2}))
    for seed in range(4):
        driven = run(agent(both, tool_errors="fail"), seed)
        assert driven.status is Status.FAILED
        assert driven.root.state.error.kind == "transport"
        assert driven.root.state.error.retryable
        assert results(driven)[2] == 3


def test_a_failed_model_call_ends_the_turn() -> None:
    """What the model's adapter raised is the Turn's failure, with its kind."""
    driven = run(agent(ADD, ModelError("busy", kind="rate_limit", retryable=True, retry_after=3.0)))
    error = driven.root.state.error
    assert (driven.status, error.kind, error.retry_after) == (Status.FAILED, "rate_limit", 3.0)


def test_model_calls_are_limited() -> None:
    """The Turn ends when it wants one model call more than it may make."""
    driven = run(agent(ADD, ADD, "never", max_iterations=2))
    assert driven.status is Status.MAX_ITERATIONS_REACHED
    assert types(driven)[-2:] == ["STEP_COMPLETED", "MAX_ITERATIONS_REACHED"]
    assert driven.root.state.error.message == "the Turn may make 2 model calls, and wanted one more"


def test_steps_are_limited() -> None:
    """The Turn ends when it wants one Step more than it may take."""
    driven = run(agent(ADD, ADD, "never", max_steps=2))
    assert driven.status is Status.MAX_STEPS_REACHED
    assert driven.root.state.error.message == "the Turn may make 2 Steps, and wanted one more"


@pytest.mark.parametrize("after", range(9))
def test_a_cancelled_turn_has_a_complete_history(after: int) -> None:
    """Wherever a cancel comes, every call has one result, and one last message says why the Turn ended."""
    calls = call(("add", {"a": 1, "b": 2}), ("reader", {"task": "x"}), ("boom", {"text": "no line"}))
    driven = run(agent(calls, BOOM, "done", agents=[agent(ADD, "read", name="reader")]), cancel_after=after)
    assert driven.status is Status.CANCELLED
    *history, last = driven.root.state.messages
    assert isinstance(last, AssistantMessage)
    assert last.text == "[cancelled] driven to its end"
    calls_made = [
        block.call_key for message in history if isinstance(message, AssistantMessage) for block in message.tool_calls
    ]
    assert [message.call_key for message in history if isinstance(message, ToolMessage)] == calls_made
