"""Makes the parts of the reference pages that say what the code says.

A page marks such a part by `<!-- generated: NAME -->` and `<!-- end -->`; `PARTS` has the function for each name.
"""

import ast
import inspect
import re
import textwrap
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import attrs
from cyclopts import Parameter

import planner
import runtime
import runtime.models
import runtime.testing
from planner.cli.app import app
from planner.cli.exits import Exit
from planner.cli.later import COMMANDS, OPTIONS
from planner.engine.events import PAYLOADS
from planner.expressions import run as limits
from planner.expressions.grammar import MAX_DEPTH
from planner.expressions.vocabulary import usage
from planner.plan import KINDS
from planner.scenario.document import ScenarioNode
from planner.scenario.field_shapes import Fields, OneField
from planner.scenario.records import NOT_YET, Node, Record
from planner.scenario.rehearsal import AttemptsNode, ReplyNode, Scripts, ScriptsNode
from planner.scenario.shapes import AnyJson, AnyMap, Choice, Either, ListOf, MapOf, Shape, Text, Whole
from runtime.codec._converter import camel
from runtime.values import messages
from runtime.values.events import FACTS, PREVIEWS, EventData, Verdict
from runtime.values.failure import Cause, Failure
from runtime.values.requests import Answer
from runtime.values.usage import Usage
from tests.docs import vocabulary
from tests.docs.names_elsewhere import ELSEWHERE

PART = re.compile(r"(?P<open><!-- generated: (?P<name>[a-z-]+) -->\n).*?(?P<close><!-- end -->)", re.S)


def regenerated(page: str) -> str:
    """The text of a page with every marked part made anew."""
    return PART.sub(lambda part: f"{part['open']}\n{PARTS[part['name']]()}\n\n{part['close']}", page)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""A Markdown table.

    >>> table(["a", "b"], [["1", "x|y"]])
    '| a | b |\n|---|---|\n| 1 | x\\|y |'
    """
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" if line[0] != "---" else f"|{'|'.join(line)}|" for line in lines)


@cache
def field_docs(cls: type) -> Mapping[str, str]:
    """The text below each field of a class, on one line."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(body, ast.ClassDef)
    found = {}
    for field, text in zip(body.body, body.body[1:], strict=False):
        target = field.target if isinstance(field, ast.AnnAssign) else None
        if isinstance(field, ast.Assign):
            target = field.targets[0]  # type: ignore[assignment] # a member of an enum has no annotation
        if isinstance(target, ast.Name) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            found[target.id] = " ".join(str(text.value.value).split())
    return found


def first_line(thing: object) -> str:
    """The summary of a docstring."""
    return (inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")


# ------------------------------------------------------------------------------------------------ events

_WORDS = {"str": "text", "int": "whole number", "float": "number", "bool": "true or false", "Any": "any JSON value"}
_NESTED: tuple[type, ...] = (
    Failure, Cause, Usage, Verdict, Answer, messages.AssistantMessage, messages.Text, messages.Thinking,
    messages.ToolCall,
)  # fmt: skip


def _type_words(annotation: str) -> str:
    """A type as it stands in JSON.

    >>> _type_words("tuple[str, ...]"), _type_words("int | None"), _type_words("Usage")
    ('list of text', 'whole number or null', '`Usage`')
    """
    if many := re.fullmatch(r"tuple\[(.+), \.\.\.\]", annotation):
        return f"list of {_type_words(many[1])}"
    if annotation.startswith("Literal["):
        return " or ".join(f"`{value}`" for value in re.findall(r"\w+", annotation)[1:])
    if " | " in annotation:
        return " or ".join("null" if part == "None" else _type_words(part) for part in annotation.split(" | "))
    if annotation == "Block":
        return "`Text`, `Thinking` or `ToolCall`"
    return _WORDS.get(annotation, f"`{annotation}`")


def _field_list(cls: type) -> str:
    docs = field_docs(cls)
    lines = []
    for field in attrs.fields(cls):
        meaning = f". {docs[field.name].rstrip('.')}" if field.name in docs else ""
        # As it is written: `field.type` is that too, until somebody resolves the names in it.
        written = cls.__annotations__[field.name]
        line = f"- `{camel(field.name)}`: {_type_words(written)}{meaning}"
        lines.append(textwrap.fill(line, 118, subsequent_indent="  "))
    return "\n".join(lines)


def _class_sections(classes: Iterable[tuple[str, type]]) -> str:
    parts = []
    for name, cls in classes:
        parts.append(f"### {name}\n\n{' '.join((inspect.getdoc(cls) or '').split())}")
        if fields := _field_list(cls):
            parts.append(fields)
    return "\n\n".join(parts)


def _events(payloads: Iterable[type[EventData]]) -> str:
    return _class_sections((payload.type, payload) for payload in payloads)


def _elsewhere() -> str:
    rows = [(f"`{payload.type}`", *ELSEWHERE[payload.type]) for payload in (*FACTS, *PAYLOADS, *PREVIEWS)]
    return table(["turntree", "Agents-Flex", "AgentScope"], rows)


# ------------------------------------------------------------------------------------------------ scenarios


def _scenario() -> str:
    seen: list[type[Node]] = []
    pending: list[type[Node]] = [ScenarioNode]
    while pending:
        node = pending.pop(0)
        if node not in seen:
            seen.append(node)
            pending.extend(_nodes_in(node))
    return "\n\n".join(_node(node) for node in seen)


def _shape_of(field: "attrs.Attribute[Any]") -> Shape:
    shape: Shape = field.metadata["key"].shape
    return shape


def _nodes_in(node: type[Node]) -> list[type[Node]]:
    if node is ScriptsNode:
        return [ReplyNode, AttemptsNode, *_below(ReplyNode)]
    return _below(node)


def _below(node: type[Node]) -> list[type[Node]]:
    return [found for field in node.keys().values() for found in _nodes_of(_shape_of(field))]


def _nodes_of(shape: Shape) -> list[type[Node]]:
    match shape:
        case Record():
            return [shape.node]
        case Scripts():
            return [ScriptsNode]
        case MapOf():
            return _nodes_of(shape.value)
        case ListOf():
            return _nodes_of(shape.item)
        case Either():
            return [node for _, option in shape.options for node in _nodes_of(option)]
        case _:
            return []


def _title(node: type[Node]) -> str:
    words = node.SORT.replace("`", "")
    return words[0].upper() + words[1:]


def _node(node: type[Node]) -> str:
    rows = []
    for name, field in node.keys().items():
        needed = " (required)" if field.default is attrs.NOTHING else ""
        rows.append((f"`{name}`{needed}", _shape_words(_shape_of(field)), field.metadata["key"].doc))
    return f"### {_title(node)}\n\n{table(['key', 'value', 'meaning'], rows)}"


def _shape_words(shape: Shape) -> str:
    match shape:
        case Record():
            return _link(shape.node)
        case Scripts():
            return _link(ScriptsNode)
        case Fields():
            return "[fields](fields.md)"
        case OneField():
            return "[a field](fields.md), usually several as a map"
        case MapOf():
            return f"a map of names, each {_shape_words(shape.value)}"
        case ListOf():
            return f"a list, each {_shape_words(shape.item)}"
        case Either():
            return ", or ".join(_shape_words(option) for _, option in shape.options)
        case Choice():
            return " or ".join(f"`{value}`" for value in shape.values)
        case Whole():
            return f"a whole number from {shape.least}"
        case Text() if shape.rule:
            return f"text: {shape.rule}"
        case AnyMap() | AnyJson() | _:
            return shape.words


def _link(node: type[Node]) -> str:
    anchor = re.sub(r"[^a-z0-9 -]", "", _title(node).lower()).replace(" ", "-")
    return f"[{node.SORT}](#{anchor})"


# ------------------------------------------------------------------------------------------------ expressions


def _operations(prefix: str, suffix: str, meanings: Mapping[str, str]) -> str:
    rows = []
    for name, meaning in sorted(meanings.items()):
        # A default that no user can write is a plain object in the code.
        written = re.sub(r"<object object at \w+>", "…", usage(f"{prefix}{name}{suffix}"))
        rows.append((f"`{written.removesuffix('()')}`", meaning))
    return table(["written as", "gives"], rows)


def _limits() -> str:
    rows = [
        ("levels of nesting", MAX_DEPTH),
        ("characters of a text that it makes", limits.MAX_TEXT),
        ("items of a list or map that it makes", limits.MAX_ITEMS),
        ("bits of a whole number", limits.MAX_BITS),
        ("units of work (about one for each item that is touched)", limits.MAX_WORK),
    ]
    return table(["one expression may have at most", ""], [(what, f"{most:,}") for what, most in rows])


# ------------------------------------------------------------------------------------------------ the rest


def _kinds() -> str:
    return table(["kind", "what happened"], [(f"`{kind}`", vocabulary.KINDS[kind]) for kind in KINDS])


def _exits() -> str:
    docs = field_docs(Exit)
    return table(["code", "meaning"], [(str(int(code)), docs.get(code.name, code.name.title())) for code in Exit])


def _commands() -> str:
    names = [name for name in app if not name.startswith("-")]
    return "\n\n".join(_command(name) for name in sorted(names))


def _command(name: str) -> str:
    function = app[name].default_command
    assert function is not None
    hints = typing.get_type_hints(function, include_extras=True)
    positional, rows = [], []
    for parameter in inspect.signature(function).parameters.values():
        written = hints[parameter.name]
        settings = next(each for each in typing.get_args(written)[1:] if isinstance(each, Parameter))
        optional = parameter.default is not parameter.empty
        if parameter.kind is parameter.KEYWORD_ONLY:
            names = settings.name or (f"--{parameter.name.replace('_', '-')}",)
            takes = "" if typing.get_args(written)[0] is bool else " VALUE"
            rows.append((", ".join(f"`{each}{takes}`" for each in names), settings.help or ""))
        else:
            many = parameter.kind is parameter.VAR_POSITIONAL
            word = parameter.name.upper().removesuffix("S" if many else "")
            positional.append(f"[{word}]" if optional else f"{word}{'…' if many else ''}")
            rows.append((f"`{word}`", settings.help or ""))
    heading = " ".join(["turntree", name, *positional])
    options = f"\n\n{table(['option', 'meaning'], rows)}" if rows else ""
    return f"## `{heading}`\n\n{first_line(function)}{options}"


def _later() -> str:
    rows = [(f"`{name}`", "") for name in sorted(COMMANDS)]
    rows += [(f"`{name}`", ", ".join(f"`{each}`" for each in sorted(later))) for name, later in sorted(OPTIONS.items())]
    return table(["command", "options; all of it if none are named"], rows)


def _not_yet() -> str:
    return textwrap.fill(", ".join(f"`{key}`" for key in sorted(NOT_YET)), 118)


_INNER = frozenset({"digest", "go", "let_go", "close"})
"""Methods of the runtime that only its own parts call."""
_WITH_METHODS = ("Runtime", "Turn", "Model", "ModelStream", "Tool", "ToolContext", "Answer", "TurnResult")


def _api() -> str:
    parts = []
    for module in (runtime, planner, runtime.models, runtime.testing):
        listed = getattr(module, "__all__", dir(module))
        names = [name for name in listed if _is_public(name, getattr(module, name))]
        rows = [(f"`{name}`", first_line(getattr(module, name))) for name in sorted(names, key=str.lower)]
        parts.append(f"## `{module.__name__}`\n\n{first_line(module)}\n\n{table(['name', 'what it is'], rows)}")
        parts.extend(_methods(getattr(module, name)) for name in _WITH_METHODS if name in names)
    return "\n\n".join(parts)


def _is_public(name: str, value: object) -> bool:
    if name.startswith("_") or inspect.ismodule(value):
        return False
    return getattr(value, "__module__", "").split(".")[0] in {"runtime", "planner"}


def _methods(cls: type) -> str:
    rows = []
    for name, member in vars(cls).items():
        inner = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if name.startswith("_") or name in _INNER or not inspect.isfunction(inner):
            continue
        rows.append((f"`{name}`" if isinstance(member, property) else f"`{_call(name, inner)}`", first_line(inner)))
    fields = [(f"`{field.name}`", field_docs(cls).get(field.name, "")) for field in _fields(cls)]
    return f"### `{cls.__name__}`\n\n{table(['member', 'what it is'], [*fields, *rows])}"


def _fields(cls: type) -> "tuple[attrs.Attribute[Any], ...]":
    return attrs.fields(cls) if attrs.has(cls) else ()


def _call(name: str, function: Callable[..., Any]) -> str:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    shown = ", ".join(f"{each.name}=…" if each.default is not each.empty else each.name for each in parameters)
    return f"{'await ' if inspect.iscoroutinefunction(function) else ''}{name}({shown})"


PARTS: Mapping[str, Callable[[], str]] = {
    "facts": lambda: _events(FACTS),
    "plan-facts": lambda: _events(PAYLOADS),
    "previews": lambda: _events(PREVIEWS),
    "nested-values": lambda: _class_sections((cls.__name__, cls) for cls in _NESTED),
    "names-elsewhere": _elsewhere,
    "scenario": _scenario,
    "not-yet": _not_yet,
    "filters": lambda: _operations("|", "", vocabulary.FILTERS),
    "tests": lambda: _operations("is ", "", vocabulary.TESTS),
    "functions": lambda: _operations("", "()", vocabulary.FUNCTIONS),
    "limits": _limits,
    "failure-kinds": _kinds,
    "commands": _commands,
    "exit-codes": _exits,
    "later-commands": _later,
    "api": _api,
}
