"""Typed Python functions as tools: the JSON Schema of their arguments, and the arguments that they want."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import attrs

from runtime.core.ports import ToolContext
from runtime.errors import UsageError
from runtime.tools.docstring import read_docstring
from runtime.tools.forms import Convert, Field, Form, FormReader, NoForm, convert_some, object_schema
from runtime.values.jsonlike import freeze

_REFUSED: Final[dict[Any, str]] = {
    inspect.Parameter.POSITIONAL_ONLY: "is positional only, but arguments come by name; remove the '/'",
    inspect.Parameter.VAR_POSITIONAL: "takes arguments without names; write a list, such as {name}: list[str]",
    inspect.Parameter.VAR_KEYWORD: "takes any argument; write a dict, such as {name}: dict[str, Any]",
}


@attrs.frozen(kw_only=True)
class Signature:
    """What a function says of itself."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of the arguments object."""
    context: str | None
    """The parameter that wants the ToolContext, if there is one."""
    converters: Mapping[str, Convert]
    """How arguments become what the annotations say, for those whose JSON value would not do."""

    def convert(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments as the function wants them; they must fit `parameters`."""
        return convert_some(arguments, self.converters)


def read_signature(function: Callable[..., Any], parameters: Mapping[str, Any] | None = None) -> Signature:
    """Read a function's parameters, annotations and docstring.

    Args:
        function: What is to be called.
        parameters: Schema of the arguments object, if it is not to come from the annotations; then arguments reach
            the function as they are.

    Raises:
        UsageError: A parameter cannot be filled from JSON; the message names it and says what to write.
    """
    name = getattr(function, "__name__", repr(function))
    hints = _hints(function, name)
    contexts = [parameter for parameter, hint in hints.items() if hint is ToolContext]
    if len(contexts) > 1:
        raise UsageError(f"tool {name!r}: {' and '.join(contexts)} both want the ToolContext; one is enough")
    docs = read_docstring(function.__doc__)
    converters: dict[str, Convert] = {}
    if parameters is None:
        reader = FormReader()
        arguments = list(_arguments(function, name, hints, reader))
        parameters = _with_definitions(object_schema(arguments, docs.parameters), reader)
        converters = {argument.name: form.convert for argument, form in arguments if form.convert}
    return Signature(
        name=name,
        description=docs.description,
        parameters=freeze(parameters),
        context=contexts[0] if contexts else None,
        converters=converters,
    )


def _arguments(
    function: Callable[..., Any], name: str, hints: Mapping[str, Any], reader: FormReader
) -> Iterator[tuple[Field, Form]]:
    for parameter in inspect.signature(function).parameters.values():
        place = f"tool {name!r}: parameter {parameter.name!r}"
        problem = _REFUSED.get(parameter.kind)
        if problem is not None:
            raise UsageError(f"{place} {problem.format(name=parameter.name)}")
        if parameter.name not in hints:
            raise UsageError(f"{place} has no type; write one, such as {parameter.name}: str")
        if hints[parameter.name] is not ToolContext:
            required = parameter.default is inspect.Parameter.empty
            default = attrs.NOTHING if required else parameter.default
            field = Field(parameter.name, hints[parameter.name], required, default)
            yield field, _form(reader, field.annotation, place)


def schema_of(kind: Any) -> Mapping[str, Any]:
    """Return the JSON Schema of a type: an attrs class, a dataclass, a TypedDict, or what an annotation may say.

    Raises:
        UsageError: Part of it has no form in JSON; the message names the field and says what to write.
    """
    reader = FormReader()
    schema = _form(reader, kind, f"type {getattr(kind, '__name__', kind)}").schema
    if isinstance(reference := schema.get("$ref"), str):
        # Models and people want to see an object at the root.
        schema = reader.definitions[reference.rpartition("/")[2]]
    frozen: Mapping[str, Any] = freeze(_with_definitions(schema, reader))
    return frozen


def _form(reader: FormReader, annotation: Any, place: str) -> Form:
    try:
        return reader.read(annotation)
    except NoForm as error:
        inner = f", field {'.'.join(error.steps)!r}" if error.steps else ""
        raise UsageError(f"{place}{inner}: {error}") from error


def _with_definitions(schema: dict[str, Any], reader: FormReader) -> dict[str, Any]:
    return schema | {"$defs": reader.definitions} if reader.definitions else schema


def _hints(function: Callable[..., Any], name: str) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise UsageError(
            f"tool {name!r}: nothing is named {error.name!r}, which its annotations name; "
            "import or define it at the top of the module, outside `if TYPE_CHECKING:`"
        ) from error
    except (TypeError, SyntaxError) as error:
        raise UsageError(f"tool {name!r}: an annotation cannot be read: {error}") from error
