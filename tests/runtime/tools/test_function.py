"""Functions as tools: settings, the check of arguments, and running them."""

import threading
from collections.abc import AsyncIterator
from datetime import date
from typing import Any

import attrs
import pytest
import trio
from trio.testing import assert_checkpoints

from runtime.core.ports import Tool, ToolContext
from runtime.errors import ToolError, UsageError
from runtime.tools.function import FunctionTool, as_tool, tool
from runtime.values.commands import Slot
from runtime.values.jsonlike import freeze
from tests.runtime.tools.fakes import Context


@tool
async def search(q: str, limit: int = 5) -> list[str]:
    """Search the web."""
    return [q] * limit


@tool(name="refund_order", replay="never", timeout=30.0, max_concurrent=2, description="Give money back.")
def refund(amount_cents: int, here: ToolContext) -> dict[str, Any]:
    """Refund."""
    here.progress("paying", 50)
    return {"paid": amount_cents, "key": here.idempotency_key, "thread": threading.get_ident()}


def test_the_bare_decorator_takes_everything_from_the_function() -> None:
    """Name, description and schema come from the function; a crash asks a person; nothing is limited."""
    assert isinstance(search, FunctionTool)
    assert (search.name, search.spec.name, search.spec.description) == ("search", "search", "Search the web.")
    assert search.spec.parameters["required"] == ["q"]
    assert (search.replay, search.slots, search.timeout, search.in_thread) == ("ask", (), None, False)


def test_settings_win_over_the_function() -> None:
    """What the decorator is given counts; a limit is a slot under the tool's name."""
    assert (refund.name, refund.spec.description) == ("refund_order", "Give money back.")
    assert (refund.replay, refund.timeout, refund.in_thread) == ("never", 30.0, True)
    assert refund.slots == (Slot("tool:refund_order", 2),)
    assert list(refund.spec.parameters["properties"]) == ["amount_cents"]


async def test_a_decorated_function_can_still_be_called() -> None:
    """Users test their functions as before."""
    assert await search("tea", limit=2) == ["tea", "tea"]


async def test_an_async_function_is_awaited() -> None:
    """The result is what the function returns, unfrozen."""
    assert await search.run(freeze({"q": "tea", "limit": 1}), Context()) == ["tea"]


async def test_a_sync_function_runs_in_a_thread_of_the_limiter() -> None:
    """With a limiter it leaves the event loop, and gets the context like any other."""
    context = Context(limiter=trio.CapacityLimiter(1))
    result = await refund.run({"amount_cents": 5}, context)
    assert result["thread"] != threading.get_ident()
    assert (result["paid"], result["key"], context.said) == (5, "r.1:1.0", [("paying", 50)])


async def test_without_a_limiter_a_sync_function_runs_in_place() -> None:
    """Under virtual time nothing may wait for a thread; the call is a checkpoint all the same."""
    with assert_checkpoints():
        result = await refund.run({"amount_cents": 5}, Context())
    assert result["thread"] == threading.get_ident()


async def test_a_cancelled_thread_is_left_behind() -> None:
    """Cancelling ends the call at once, while the function itself goes on in its thread."""
    entered, leave, left = threading.Event(), threading.Event(), threading.Event()

    def block() -> None:
        entered.set()
        leave.wait(10)
        left.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(tool(block).run, {}, Context(limiter=trio.CapacityLimiter(1)))
        await trio.to_thread.run_sync(entered.wait, 10)
        nursery.cancel_scope.cancel()
    assert not left.is_set()
    leave.set()
    assert await trio.to_thread.run_sync(left.wait, 10)


async def test_arguments_are_converted_before_the_call() -> None:
    """A function that asks for a date gets a date."""

    @tool
    async def weekday(day: date) -> int:
        return day.isoweekday()

    assert await weekday.run({"day": "2024-02-29"}, Context()) == 4


async def test_a_class_that_refuses_its_values_fails_the_call_in_words() -> None:
    """What only the class can check is told as a fault of the arguments."""

    @attrs.frozen
    class Amount:
        cents: int = attrs.field(validator=attrs.validators.gt(0))

    async def pay(amount: Any) -> int:
        return int(amount.cents)

    pay.__annotations__["amount"] = Amount
    with pytest.raises(ToolError, match=r"pay cannot take these arguments: .*must be > 0") as caught:
        await tool(pay).run({"amount": {"cents": 0}}, Context())
    assert caught.value.kind == "invalid_arguments"


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({"q": "tea"}, None),
        ({}, "q: missing (required)"),
        ({"q": None}, "q: null is not text"),
        ({"q": "tea", "limt": 3}, "limt: not known; did you mean 'limit'?"),
        ({"q": "tea", "limit": True}, "limit: true is not an integer"),
        (None, "the arguments are null, but must be an object; write {} for none"),
        (5, "the arguments are of type int, but must be an object; write {} for none"),
        ([], "the arguments are a list, but must be an object; write {} for none"),
        ('{"q": 1', "the arguments are text, but must be an object; write {} for none"),
    ],
)
def test_arguments_are_checked_in_words(arguments: object, fault: str | None) -> None:
    """A model or a person reads what to mend."""
    assert search.validate(freeze(arguments)) == fault


def test_a_call_without_arguments_is_not_one_with_none() -> None:
    """Report 11: a tool without parameters takes {}, and nothing else counts as the same."""

    @tool
    def now() -> str:
        return "now"

    assert now.validate({}) is None
    assert now.validate(None) == "the arguments are null, but must be an object; write {} for none"
    assert now.validate({"x": 1}) == "x: not known; nothing is expected here"


async def test_a_schema_of_ones_own_replaces_the_annotations() -> None:
    """With `parameters` the function may take anything, as it is."""

    @tool(parameters={"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]})
    async def log(**fields: Any) -> dict[str, Any]:
        return fields

    assert log.validate({}) == "day: missing (required)"
    assert await log.run({"day": "x", "more": 1}, Context()) == {"day": "x", "more": 1}


def test_as_tool_takes_functions_and_tools() -> None:
    """A typed function becomes a tool, and a tool stays the very same."""

    def add(a: int, b: int) -> int:
        return a + b

    made: Tool = as_tool(add)
    assert made.name == "add"
    assert as_tool(made) is made


async def items() -> AsyncIterator[int]:
    """Yields."""
    yield 1


def work(value: str) -> str:
    """Works."""
    return value


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: as_tool(5), "5 is no tool; give a typed function, or what @tool makes of one"),
        (lambda: as_tool(dict), "is no tool"),
        (lambda: as_tool(len), "is no function; write a def with types"),
        (lambda: tool(items), "tool 'items' yields; return a list"),
        (lambda: tool(lambda: 1), "tool '<lambda>': a name has letters, digits, '_' and '-', at most 64"),
        (lambda: tool(name="a b")(work), "tool 'a b': a name has letters"),
        (lambda: tool(replay="sometimes")(work), "tool 'work': replay is safe, ask or never, not 'sometimes'"),  # type: ignore[call-overload]
        (lambda: tool(timeout=0)(work), "tool 'work': timeout is seconds above 0, not 0"),
        (lambda: tool(max_concurrent=0)(work), "tool 'work': max_concurrent is at least 1, not 0"),
        (lambda: tool(parameters={"type": "objekt"})(work), "parameters of tool 'work' is not a JSON Schema"),
    ],
)
def test_what_cannot_be_a_tool_is_refused(make: Any, message: str) -> None:
    """A user's mistake is told when the tool is made, with what to write."""
    with pytest.raises(UsageError) as caught:
        make()
    assert message in str(caught.value)
