"""Paths: their parts, their shape, and the values they name."""

import subprocess
import sys
from collections import OrderedDict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Undefined, UndefinedError
from jinja2.sandbox import SandboxedEnvironment

from planner.expressions import EvaluationFault, ExpressionFault, Reference, parse_expression, parse_template

ROOT = Path(__file__).parents[3]
SCOPE: dict[str, object] = {
    "inputs": {"name": "tea", "none": None, "xs": [1, [2, 3]]},
    "tasks": {
        "read": {"output": {"items": [{"url": "a.org"}], "keys": 1, "a b": 2, "naïve": 3, "nothing": None}},
        "gate": {"output": None},
        "each": {"output": [None, {"claim": "c"}], "items": [{"output": None}]},
    },
}
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "root", "parts", "spelled"),
    [
        ("item", "item", (), "item"),
        ("tasks.read.output.items[0]", "tasks", ("read", "output", "items", 0), "tasks.read.output.items[0]"),
        ("tasks['read'].output", "tasks", ("read", "output"), "tasks.read.output"),
        ('item["a }b"][-1].c', "item", ("a }b", -1, "c"), 'item["a }b"][-1].c'),
        ("item.naïve", "item", ("naïve",), "item.naïve"),
        ("item . a [ 0 ]", "item", ("a", 0), "item.a[0]"),
        (r"item['it\'s']", "item", ("it's",), 'item["it\'s"]'),
        ("item.not.if.is", "item", ("not", "if", "is"), "item.not.if.is"),
    ],
)
def test_a_path_has_a_root_parts_and_one_spelling(
    text: str, root: str, parts: tuple[str | int, ...], spelled: str
) -> None:
    """Dots, brackets, quotes and spaces are spellings of the same parts."""
    (reference,) = parse_expression(text).references
    assert (reference.root, reference.parts, reference.text) == (root, parts, spelled)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("inputs.name", "tea"),
        ("inputs.name[0]", "t"),
        ("inputs.xs[1][-1]", 3),
        ("tasks.read.output.items", [{"url": "a.org"}]),
        ("tasks.read.output.items[0].url", "a.org"),
        ("tasks.read.output.keys", 1),
        ("tasks.read.output['a b']", 2),
        ("tasks.read.output.naïve", 3),
        ("inputs.none", None),
    ],
)
def test_a_path_names_a_value(text: str, value: object) -> None:
    """A name reads a key, also one that is called like a method of Python's dict; the value keeps its type."""
    assert parse_expression(text).evaluate(SCOPE) == value
    assert parse_expression(f"({text})").evaluate(SCOPE) == value
    assert parse_template(f"${{{text}}}").evaluate(SCOPE) == value


@pytest.mark.parametrize(
    "text",
    [
        "tasks.gate.output",
        "tasks.gate.output.note",
        "tasks.gate.output.note.deep[0]",
        "tasks.gate.output[inputs.name]",
        "tasks.gate.output[inputs.name].more",
        "tasks.read.output.nothing.more",
        "tasks.each.output[0].claim",
    ],
)
def test_fields_of_a_skipped_output_are_none(text: str) -> None:
    """Below a task's output, and only there, a field of none is none."""
    assert parse_expression(text).evaluate(SCOPE) is None


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ("inputs.nmae", "inputs.nmae", "`inputs` has no key `nmae`; it has `name`, `none`, `xs`; did you mean `name`?"),
        ("inputs.none.x", "inputs.none.x", "`inputs.none` is null, so it has no key `x`"),
        ("inputs.name.x", "inputs.name.x", "`inputs.name` is a text, so it has no key `x`"),
        ("inputs.xs[2]", "inputs.xs[2]", "`inputs.xs` is a list of 2 items, so it has no item [2]"),
        ("inputs.xs.length", "inputs.xs.length", "write `| length`"),
        ("inputs[0]", "", "cannot be the name of an input"),
        ("tasks.read.output[0]", "tasks.read.output[0]", "`tasks.read.output` is a map, so it has no item [0]"),
        ("tasks.each.items[0].output.x", "tasks.each.items[0].output.x", "`tasks.each.items[0].output` is null"),
        ("tasks.nope.output", "tasks.nope.output", "`tasks` has no key `nope`"),
        ("item.url", "item.url", "`item` has no value here; known here: `inputs`, `tasks`"),
    ],
)
def test_a_value_that_is_not_there_is_explained(text: str, path: str, message: str) -> None:
    """The fault names the path, what stands there instead, and the nearest key."""
    with pytest.raises((EvaluationFault, ExpressionFault)) as caught:
        parse_expression(text).evaluate(SCOPE)
    assert message in str(caught.value)
    assert getattr(caught.value, "path", "") == path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tasks", "`tasks` alone is not a value"),
        ("tasks | length", "`tasks` alone is not a value"),
        ("tasks[inputs.name].output", "the name of a task cannot be computed"),
        ("tasks.Read.output", "cannot be the name of a task; names are lower-case"),
        ("tasks['a-b'].output", "cannot be the name of a task"),
        ("inputs.Name", "cannot be the name of an input"),
    ],
)
def test_what_can_never_name_anything_is_refused(text: str, message: str) -> None:
    """The shape of a path is checked when it is read, before any value is known."""
    with pytest.raises(ExpressionFault) as caught:
        parse_expression(text)
    assert message in str(caught.value)
    assert caught.value.offset == 0


def test_values_of_a_scope_may_be_subclasses() -> None:
    """An ordered map or a list of some other class is read like any other."""

    class Rows(list[object]):
        pass

    scope = {"inputs": OrderedDict(rows=Rows([1, 2]))}
    assert parse_expression("inputs.rows[1]").evaluate(scope) == 2
    assert parse_expression("inputs.rows | sum").evaluate(scope) == 3


@given(item=JSON_VALUES, keys=st.lists(st.text(max_size=3) | st.integers(-3, 3), max_size=4), data=st.data())
def test_our_own_resolver_agrees_with_jinja(item: object, keys: list[str | int], data: st.DataObject) -> None:
    """Any path over any value gives what stock Jinja2 subscripts give, and is a fault where they find nothing."""
    parts: list[str | int] = []
    here = item
    for key in keys:
        if isinstance(here, dict) and here:
            key = data.draw(st.sampled_from(sorted(here)))
            here = here[key]
        elif isinstance(here, list) and here:
            key = data.draw(st.integers(0, len(here) - 1))
            here = here[key]
        parts.append(key)
    ours = parse_expression(Reference("item", tuple(parts), 0).text)
    # Keys come in as values here, so that no spelling of ours is involved; a method of a text is no key.
    names = {f"k{index}": part for index, part in enumerate(parts)}
    stock = SandboxedEnvironment().compile_expression(
        "item" + "".join(f"[{name}]" for name in names), undefined_to_none=False
    )
    try:
        expected = stock(item=item, **names)
    except UndefinedError:
        expected = Undefined()
    if isinstance(expected, dict | list | str | int | type(None)):
        assert ours.evaluate({"item": item}) == expected
    else:
        with pytest.raises(EvaluationFault) as caught:
            ours.evaluate({"item": item})
        assert caught.value.path == ours.references[0].text


def test_plain_paths_never_load_the_compiler() -> None:
    """A plan of plain paths is read, evaluated and put into texts without Jinja2."""
    program = (
        "import sys; from planner.expressions import parse_expression, parse_template, parse_value\n"
        "scope = {'item': {'a b': [1]}, 'inputs': {}, 'tasks': {'x': {'output': None}}}\n"
        "parse_template('t ${item[\"a b\"][0]} ${ tasks.x.output.y } $${').evaluate(scope)\n"
        "parse_value({'a': ['${inputs}']}).evaluate(scope); parse_expression(' tasks.x.output ').evaluate(scope)\n"
        "print('jinja2' in sys.modules); parse_expression('1 + 1'); print('jinja2' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
