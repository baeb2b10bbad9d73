"""Tools made of typed Python functions."""

from __future__ import annotations

import functools
import inspect
import re
from typing import TYPE_CHECKING, Any, Final, Literal, TypeGuard, overload

import attrs
import trio

from runtime.core.ports import Tool, ToolFunction, ToolSpec
from runtime.errors import ToolError, UsageError
from runtime.tools.signature import Signature, read_signature
from runtime.tools.validation import Validator
from runtime.values.commands import Slot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from runtime.core.ports import ToolContext

Replay = Literal["safe", "ask", "never"]

_REPLAYS: Final = ("safe", "ask", "never")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_PORT: Final = ("name", "spec", "replay", "slots", "timeout", "in_thread", "validate", "run")


@attrs.frozen(kw_only=True, eq=False)
class FunctionTool:
    """A Python function as a tool. Made by `tool` or `as_tool`; calling it calls the function."""

    function: ToolFunction
    spec: ToolSpec
    replay: Replay = "ask"
    timeout: float | None = None
    slots: tuple[Slot, ...] = ()
    is_async: bool
    _signature: Signature
    _validator: Validator

    @property
    def name(self) -> str:
        """The name by which it is called."""
        return self.spec.name

    @property
    def in_thread(self) -> bool:
        """True for a synchronous function: in its thread a call cannot be stopped, only left behind."""
        return not self.is_async

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function as if it were no tool."""
        return self.function(*args, **kwargs)

    def validate(self, arguments: Any) -> str | None:
        """Return what is wrong with the arguments, in words for a model or a person, or None."""
        if not isinstance(arguments, dict):
            return f"the arguments are {_kind(arguments)}, but must be an object; write {{}} for none"
        return self._validator.explain(arguments)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        """Call the function once with valid arguments and return what it returns.

        A synchronous function runs in a thread, bounded by the context's limiter; on cancellation it is left behind
        and may still run. Without a limiter it runs right here, and nothing else does meanwhile.

        Raises:
            ToolError: The arguments cannot be made into what the annotations say (kind `invalid_arguments`).
        """
        try:
            values = self._signature.convert(arguments)
        except (TypeError, ValueError) as error:
            raise ToolError(f"{self.name} cannot take these arguments: {error}", kind="invalid_arguments") from error
        if self._signature.context is not None:
            values[self._signature.context] = context
        if self.is_async:
            return await self.function(**values)
        if context.limiter is None:
            await trio.lowlevel.checkpoint()
            return self.function(**values)
        call = functools.partial(self.function, **values)
        return await trio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=context.limiter)


@overload
def tool(function: ToolFunction, /) -> FunctionTool: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    replay: Replay = "ask",
    timeout: float | None = None,
    max_concurrent: int | None = None,
) -> Callable[[ToolFunction], FunctionTool]: ...


def tool(
    function: ToolFunction | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    replay: Replay = "ask",
    timeout: float | None = None,
    max_concurrent: int | None = None,
) -> FunctionTool | Callable[[ToolFunction], FunctionTool]:
    """Make a tool of a typed function, as `@tool` or `@tool(...)`.

    The arguments' schema comes from the annotations, descriptions from the docstring. A parameter annotated
    `ToolContext` gets the call's context and is not shown to models.

    Args:
        function: The function; async, or synchronous for a thread.
        name: Under which it is called; default the function's own.
        description: What a model is told; default the docstring's words before its sections.
        parameters: JSON Schema of the arguments object, instead of the one that the annotations give; the function
            then takes arguments as they are.
        replay: What may happen to a call that was in flight at a crash: `safe` to run again, `ask` a person, `never`.
        timeout: Seconds that one call may take.
        max_concurrent: How many calls may run at a time.

    Raises:
        UsageError: The function or a setting will not do; the message says what to write.
    """
    make = functools.partial(
        _make, name=name, description=description, parameters=parameters, replay=replay, timeout=timeout,
        max_concurrent=max_concurrent,
    )  # fmt: skip
    return make if function is None else make(function)


def as_tool(thing: object) -> Tool:
    """Return a tool as it is, and a typed function as the tool that `tool` makes of it.

    Raises:
        UsageError: It is neither.
    """
    if _is_tool(thing):
        return thing
    if isinstance(thing, type) or not callable(thing):
        raise UsageError(f"{thing!r} is no tool; give a typed function, or what @tool makes of one")
    return tool(thing)


def _is_tool(thing: object) -> TypeGuard[Tool]:
    # Looked up without reading it: a tool may have to be imported before it can tell its parameters.
    own = getattr(thing, "__dict__", ())
    return not isinstance(thing, type) and all(hasattr(type(thing), part) or part in own for part in _PORT)


def _make(
    function: ToolFunction,
    *,
    name: str | None,
    description: str | None,
    parameters: Mapping[str, Any] | None,
    replay: Replay,
    timeout: float | None,
    max_concurrent: int | None,
) -> FunctionTool:
    if not (inspect.isfunction(function) or inspect.ismethod(function)):
        raise UsageError(f"{function!r} is no function; write a def with types and make that the tool")
    if inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function):
        raise UsageError(f"tool {function.__name__!r} yields; return a list, and show parts by context.output()")
    chosen = name if name is not None else function.__name__
    _check(chosen, replay, timeout, max_concurrent)
    if parameters is not None:
        Validator.check_schema(parameters, where=f"parameters of tool {chosen!r}")
    signature = read_signature(function, parameters)
    return FunctionTool(
        function=function,
        spec=ToolSpec(chosen, signature.description if description is None else description, signature.parameters),
        replay=replay,
        timeout=timeout,
        slots=() if max_concurrent is None else (Slot(f"tool:{chosen}", max_concurrent),),
        is_async=inspect.iscoroutinefunction(function),
        signature=signature,
        validator=Validator(signature.parameters),
    )


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else f"of type {type(value).__name__}"


def _check(name: str, replay: str, timeout: float | None, max_concurrent: int | None) -> None:
    place = f"tool {name!r}"
    if not _NAME.fullmatch(name):
        raise UsageError(f"{place}: a name has letters, digits, '_' and '-', at most 64; give one by @tool(name=...)")
    if replay not in _REPLAYS:
        raise UsageError(f"{place}: replay is safe, ask or never, not {replay!r}")
    if timeout is not None and not timeout > 0:
        raise UsageError(f"{place}: timeout is seconds above 0, not {timeout!r}")
    if max_concurrent is not None and max_concurrent < 1:
        raise UsageError(f"{place}: max_concurrent is at least 1, not {max_concurrent!r}")
