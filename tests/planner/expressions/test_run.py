"""No text, whoever wrote it, can take more than a bounded amount of time and space, or reach Python."""

import pytest

from planner.expressions import EvaluationFault, ExpressionFault, parse_expression, parse_template

MANY = list(range(100_000))
SCOPE: dict[str, object] = {
    "inputs": {"text": "x" * 900_000, "many": MANY, "long": ["x" * 1_000] * 500, "huge": "y" * 5_000_000, "xs": [1, 2]},
    "item": {"a": 1},
}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("'a' * 1000000000", "a text of more than 1,000,000 characters"),
        ("1000000000 * 'a'", "a text of more than 1,000,000 characters"),
        ("[1] * 1000000000", "a list of more than 100,000 items"),
        ("range(1000000000)", "a list of more than 100,000 items"),
        ("range(0, -99999999999999999999999999, -1)", "a list of more than 100,000 items"),
        ("inputs.text ~ inputs.text", "a text of more than"),
        ("inputs.text + inputs.text", "a text of more than"),
        ("inputs.many + inputs.many", "a list of more than"),
        ("'%1000000000d' % 1", "this `%` pattern cannot be used"),
        ("'%.1000000000f' % 1", "this `%` pattern cannot be used"),
        ("('%999d' * 1000) % ([1] * 1000)", "a text of more than"),
        ("inputs.text | replace('x', 'yyyy')", "a text of more than"),
        ("inputs.text | replace('', 'yyyy')", "a text of more than"),
        ("inputs.text | split('x')", "a list of more than"),
        pytest.param("inputs.many | join(inputs.text[:100])", "a text of more than", marks=pytest.mark.slow),
        ("inputs.xs | batch(1000000000, 0)", "a list of more than"),
        ("[inputs.long, inputs.long, inputs.long] | string", "a text of more than"),
        ("([inputs.long] * 3) | tojson", "a text of more than"),
        ("[[[[inputs.many[:30000]]]]] | tojson(indent=8)", "a text of more than"),
        pytest.param("1 in [[1] * 1000] * 100000", "more work than one expression may", marks=pytest.mark.slow),
        pytest.param("[[1] * 100000] * 100000", "more work than one expression may", marks=pytest.mark.slow),
        pytest.param(
            "[[[1] * 1000] * 1000] * 1000 == [[[1] * 1000] * 1000] * 1000", "more work", marks=pytest.mark.slow
        ),
        ("([inputs.text] * 1000) | map('upper') | map('length') | sum", "more work"),
        ("([inputs.many] * 1000) | map('sort') | map('first')", "more work"),
        pytest.param("[[inputs.many] * 100] | unique", "more work", marks=pytest.mark.slow),
        (" * ".join(["99999999999999999999"] * 20), "a whole number of more than 1024 bits"),
        ("('9' * 390) | int * 1", "a whole number of more than 1024 bits"),
        ("('f' * 390) | int(base=36)", "a whole number of more than 1024 bits"),
        ("('9' * 5000) | int", "`int` cannot make a number"),
        ("1e308 * 10", "no number that JSON can write"),
        ("1e308 + 1e308", "no number that JSON can write"),
        ("(('9' * 300) | int) * 1e300", "no number that JSON can write"),
    ],
)
def test_sizes_are_checked_before_they_are_made(text: str, message: str) -> None:
    """Repetition, joining, formatting and nesting end in a fault, before time or memory is spent."""
    with pytest.raises(EvaluationFault) as caught:
        parse_expression(text).evaluate(SCOPE)
    assert message in caught.value.message


def test_constants_are_not_computed_while_a_text_is_read() -> None:
    """Reading a hostile expression costs nothing: it is computed at run time only, under its limits."""
    assert parse_expression("('a' * 1000000000) | upper ~ 'b' * 1000000000").references == ()


def test_a_number_beyond_every_float_is_a_fault() -> None:
    """A large whole number of the scope that no fraction can hold is refused in words."""
    with pytest.raises(EvaluationFault, match="a number becomes too large"):
        parse_expression("item / 3").evaluate({"item": 10**400})
    with pytest.raises(EvaluationFault, match="`%d` cannot show"):
        parse_expression("'%d' % item").evaluate({"item": 10**5000})


def test_a_deep_value_is_a_fault() -> None:
    """Comparing or writing a value that is nested beyond all reason does not exhaust the stack."""
    deep: list[object] = []
    same: list[object] = []
    for _ in range(50_000):
        deep, same = [deep], [same]
    for text in ("item == index", "item | tojson", "item ~ 'x'"):
        with pytest.raises(EvaluationFault, match=r"nested too deeply|cannot be written"):
            parse_expression(text).evaluate({"item": deep, "index": same})


def test_large_values_of_the_scope_pass_through() -> None:
    """Limits are for what an expression makes; what it only hands on, picks or counts may be larger."""
    for text in (
        "inputs.huge",
        "inputs.huge if true else ''",
        "inputs.nope | default(inputs.huge)",
        "[inputs.huge] | first",
    ):
        assert parse_expression(text).evaluate(SCOPE) is SCOPE["inputs"]["huge"]  # type: ignore[index]
    assert parse_expression("inputs.huge | length").evaluate(SCOPE) == 5_000_000
    assert parse_template("a ${inputs.huge}").evaluate(SCOPE) == "a " + "y" * 5_000_000


def test_ordinary_work_on_many_items_is_within_the_limits() -> None:
    """Twenty thousand items can be filtered, mapped, sorted and added up."""
    chosen = parse_expression("inputs.many[:20000] | select('even') | sort(reverse=true) | first")
    assert chosen.evaluate(SCOPE) == 19_998
    assert parse_expression("inputs.many[:20000] | map('string') | map('length') | sum").evaluate(SCOPE) == 88_890


@pytest.mark.parametrize(
    "text",
    [
        "item.__class__",
        "item.a.__class__.__mro__",
        "''.__class__",
        "item['__class__']",
        "item.keys.__globals__",
        "''.join",
        "item.a.real",
        "item[''.join]",
        "'{0.__class__}'.format(item)",
        "'%(x)s'.__mod__(item)",
        "item | attr('__class__')",
        "item | map(attribute='__class__')",
        "[item] | map(attribute='a.__class__')",
        "[item] | map('attr', '__class__')",
        "[item] | selectattr('__class__')",
        "[item] | sort(attribute='__class__')",
        "self",
        "self._TemplateReference__context",
        "cycler.__init__.__globals__",
        "lipsum.__globals__",
        "namespace()",
        "context",
        "environment",
        "run",
        "dict(a=1)",
        "range.__class__",
        "item | xmlattr",
        "item | pprint",
        "item is callable",
        "item is filter",
        "caller()",
        "_('x')",
        "item and loop.index",
        "(item).__class__",
        "[].__class__",
        "{}.__class__.__base__.__subclasses__()",
        "1 }} {{ 2",
        "item %} {% set x = 1",
        "item # comment",
        "read(0)",
        "item | read",
        "item['a' ~ 'b'].__class__",
    ],
)
def test_nothing_reaches_python(text: str) -> None:
    """Attributes, methods, globals, format strings and the compiler's own names are out of reach."""
    with pytest.raises((ExpressionFault, EvaluationFault)):
        parse_expression(text).evaluate(SCOPE)
