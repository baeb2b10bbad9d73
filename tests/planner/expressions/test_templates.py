"""Texts with `${…}` in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.expressions import EvaluationFault, ExpressionFault, parse_expression, parse_template

SCOPE: dict[str, object] = {
    "inputs": {
        "n": 3,
        "t": "tea",
        "xs": [1, {"a": None}],
        "no": None,
        "yes": True,
        "f": 1.5,
        "odd": "${inputs.n}",
        "é": "ü",
    },
    "item": {"out": "one"},
    "tasks": {"n1": {"output": "first"}, "n10": {"output": "tenth"}, "n2": {"output": 2}},
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${inputs.n}", 3),
        ("${ inputs.xs }", [1, {"a": None}]),
        ("${inputs.no}", None),
        (" ${inputs.n}", " 3"),
        (
            "${inputs.t} ${inputs.n} ${inputs.xs} ${inputs.no} ${inputs.yes} ${inputs.f}",
            'tea 3 [1,{"a":null}] null true 1.5',
        ),
        ("${inputs.n}${inputs.n}", "33"),
        ("${inputs.n + 1}", 4),
        ("${inputs.n + 1}!", "4!"),
        ("${[inputs.t]} é", '["tea"] é'),
        ("", ""),
        ("no template", "no template"),
        ("a\r\n${inputs.n}\n\n", "a\r\n3\n\n"),
        ("${-inputs.n}", -3),
        ("{{ inputs.n }} {% if %} {# c #}", "{{ inputs.n }} {% if %} {# c #}"),
        ("${ {'a': {'b': '}'}} }", {"a": {"b": "}"}}),
        ("${'}'}${\"{\"}", "}{"),
        ("${'it\\'s }'}", "it's }"),
    ],
)
def test_a_template_puts_values_in(text: str, value: object) -> None:
    """A lone `${…}` keeps the type of its value; inside other text, texts stand as they are and the rest as JSON."""
    assert parse_template(text).evaluate(SCOPE) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$${inputs.n}", "${inputs.n}"),
        ("$$${inputs.n}", "$${inputs.n}"),
        ("a $${ b", "a ${ b"),
        ("$${${inputs.n}}", "${3}"),
        ("$5 and $ {x} and $n1 and {y}$", "$5 and $ {x} and $n1 and {y}$"),
        ("$$", "$$"),
    ],
)
def test_dollars_are_dollars(text: str, value: object) -> None:
    """`$${` is a literal `${`, and a `$` without a brace is nothing special."""
    assert parse_template(text).evaluate(SCOPE) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${tasks.n1.output}+${tasks.n2.output}", "first+2"),
        ("$n1", "$n1"),
        ("${tasks.n10.output} beside ${tasks.n1.output}", "tenth beside first"),
        ("${inputs.odd} ${inputs.odd}", "${inputs.n} ${inputs.n}"),
        ("${inputs.odd}", "${inputs.n}"),
        ("$${tasks.n1.output}${tasks.n1.output}", "${tasks.n1.output}first"),
    ],
)
def test_every_reference_of_a_text_is_filled_once(text: str, value: str) -> None:
    """All of several references are filled, similar names are not confused, and values are not expanded again."""
    assert parse_template(text).evaluate(SCOPE) == value


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ("a ${inputs.n", 2, "this `${` is never closed; close it with `}`, or write `$${`"),
        ("a ${ {'x': 1} ", 2, "this `${` is never closed"),
        ("a ${'x}", 4, "the text that starts with ' is never closed"),
        ("a ${}", 4, "the expression is empty"),
        ("${inputs.n} ${inptus.n}", 14, "unknown name `inptus`; did you mean `inputs`?"),
        ("é😀 ${ inputs.n && 1}", 15, "write `and`"),
        ("${inputs.${inputs.t}}", 9, "'$' is not expected here"),
        ("x\ny ${tasks[item].output}", 6, "the name of a task cannot be computed"),
    ],
)
def test_an_unfinished_or_unknown_reference_is_a_fault(text: str, offset: int, message: str) -> None:
    """The fault stands in the whole text where its cause stands."""
    with pytest.raises(ExpressionFault) as caught:
        parse_template(text)
    assert message in str(caught.value)
    assert caught.value.offset == offset


def test_references_stand_where_the_text_has_them() -> None:
    """Offsets count from the start of the text, also when the same expression stands in another place."""
    template = parse_template("${item.out} and ${ item.out | upper }, $${x}")
    assert [(each.text, each.offset) for each in template.references] == [("item.out", 2), ("item.out", 19)]
    assert parse_template("-${ item.out | upper }").references[0].offset == 4
    assert parse_expression("  item.out").references[0].offset == 2


def test_a_template_knows_whether_it_is_literal() -> None:
    """Only `${…}` makes a text depend on its scope; an escaped one does not."""
    assert parse_template("plain $${x}").is_literal
    assert not parse_template("${inputs.n}").is_literal
    assert parse_template("${1}").references == ()


def test_the_same_text_is_read_once() -> None:
    """Reading is cached by the text, so that ten thousand equal prompts cost one."""
    assert parse_template("${inputs.n + 7}") is parse_template("${inputs.n + 7}")
    assert parse_expression("inputs.n + 7") is parse_expression("inputs.n + 7")


def test_a_fault_at_run_time_names_its_expression() -> None:
    """Among several expressions of a text, the fault shows the one that failed."""
    with pytest.raises(EvaluationFault) as caught:
        parse_template("${inputs.n} ${ inputs.m } ${inputs.t}").evaluate(SCOPE)
    assert (caught.value.expression, caught.value.path) == ("inputs.m", "inputs.m")
    assert str(caught.value).endswith("(in `inputs.m`)")


def test_what_json_cannot_write_is_a_fault() -> None:
    """A value that would make invalid JSON, or none at all, never lands in a text."""
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    for value in (float("nan"), float("inf"), {1, 2}, deep):
        with pytest.raises(EvaluationFault, match="cannot be written as JSON"):
            parse_template("text ${item}").evaluate({"item": value})


@given(st.lists(st.text(max_size=6), min_size=2, max_size=4), st.text(max_size=6))
def test_literal_text_comes_out_as_it_went_in(texts: list[str], value: str) -> None:
    """Whatever stands around expressions is kept, character by character, and so is what is put in."""
    # A `$` right before `${` would escape it.
    texts = [text + "." if text.endswith("$") else text for text in texts]
    template = parse_template("${item}".join(text.replace("${", "$${") for text in texts))
    if template.source != "${item}":
        assert template.evaluate({"item": value}) == value.join(texts)
