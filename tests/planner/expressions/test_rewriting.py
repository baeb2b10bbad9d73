"""Names, references and calls in real expressions."""

import pytest

from planner.expressions import FILTERS, FUNCTIONS, ROOTS, TESTS, ExpressionFault, parse_expression


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("inputs.a + tasks.b.output.c", [("inputs.a", 0), ("tasks.b.output.c", 11)]),
        (
            "item.x | default(tasks.b.output) | join(inputs.sep)",
            [("item.x", 0), ("tasks.b.output", 17), ("inputs.sep", 40)],
        ),
        ("args.a if plan.status == 'X' else output.z", [("args.a", 0), ("plan.status", 10), ("output.z", 34)]),
        ("tasks.a.output[inputs.key].url", [("tasks.a.output", 0), ("inputs.key", 15)]),
        ("tasks.a.output[1:index]", [("tasks.a.output", 0), ("index", 17)]),
        ("[item, {'k': index}]", [("item", 1), ("index", 13)]),
        ("(item.a | first).b", [("item.a", 1)]),
        ("item.xs | selectattr('n', 'gt', inputs.n) | list", [("item.xs", 0), ("inputs.n", 32)]),
        ("item.xs | sort(attribute='n', reverse=inputs.r)", [("item.xs", 0), ("inputs.r", 38)]),
        ("item.a is defined and item.a not in inputs.b", [("item.a", 0), ("item.a", 22), ("inputs.b", 36)]),
        ("\n 'é😀' ~\n item.a", [("item.a", 10)]),
        ("1 + 1", []),
    ],
)
def test_every_reference_is_found_where_it_stands(text: str, found: list[tuple[str, int]]) -> None:
    """References in filters, conditions, subscripts and literals are all found, in order, with their offsets."""
    assert [(each.text, each.offset) for each in parse_expression(text).references] == found


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ("1 + input.x", 4, "unknown name `input`; did you mean `inputs`?"),
        ("task.read.output", 0, "did you mean `tasks`?"),
        ("null", 0, "unknown name `null`; write `none`"),
        ("item == undefined", 8, "write `none`"),
        ("zzz", 0, "known are `args`, `index`, `inputs`"),
        ("len(item)", 3, "write `x | length`"),
        ("upper(item)", 5, "write `x | upper`"),
        ("rnage(3)", 5, "unknown function `rnage`; did you mean `range`?"),
        ("item.upper()", 10, "write `x | upper`"),
        ("item.items()", 10, "write `x | items`"),
        ("'a'.format(1)", 10, "would call a method, and there are none"),
        ("(item)(1)", 6, "unknown function `item`"),
        ("item[0](1)", 7, "only functions can be called"),
        ("item | lenght", 7, "unknown filter `lenght`; did you mean `length`?"),
        ("item | attr('x')", 7, "unknown filter `attr`; write `.key`"),
        ("item is defind", 5, "unknown test `defind`; did you mean `defined`?"),
        ("item | zzz", 7, "filters are `abs`"),
        ("item | replace('a')", 7, "it takes `replace(old, new, count=-1)`"),
        ("item | selectattr", 7, "it takes `selectattr(attribute, test…)`"),
        ("item is defined(1)", 5, "it takes `defined()`"),
        ("item[1, 2:3]", 8, "not part of the language"),
        ("item | sort(up=true)", 7, "wrong arguments for `sort`"),
        ("range()", 5, "it takes `range(start, stop=none, step=1)`"),
        ("item | join(*item)", 7, "cannot spread arguments"),
        ("item | map('nope')", 7, "unknown filter `nope`"),
        ("item | map('replace', 'a')", 7, "it takes `replace(old, new, count=-1)`"),
        ("item | map('map', 'attr', 'x')", 7, "unknown filter `attr`"),
        ("item | map(inputs.name)", 7, "must stand here as quoted text"),
        ("item | map", 7, "write `map('upper')` or `map(attribute='url')`"),
        ("item | map('upper', attribute='x')", 7, "write `map('upper')` or `map(attribute='url')`"),
        ("item | select('nope')", 7, "unknown test `nope`"),
        ("item | selectattr('a', '==', 1)", 7, "unknown test `==`; write `eq`"),
        ("item | rejectattr('a', 'gt')", 7, "wrong arguments for `gt`; it takes `gt(other)`"),
        ("1e999", 0, "this number is too large"),
        ("1" * 400, 0, "more than 1024 bits"),
    ],
)
def test_what_an_expression_cannot_name_or_call(text: str, offset: int, message: str) -> None:
    """Unknown names, filters, tests, functions and arguments are found when the text is read, with the nearest name."""
    with pytest.raises(ExpressionFault) as caught:
        parse_expression(text)
    assert message in str(caught.value)
    assert caught.value.offset == offset


def test_the_vocabulary_is_public() -> None:
    """Documentation and hints can list every root, filter, test and function."""
    assert {"inputs", "tasks", "item", "index", "args", "plan", "output"} == ROOTS
    assert {"default", "join", "length", "map", "select", "tojson"} <= FILTERS
    assert {"defined", "eq", "in", "none", "string"} <= TESTS
    assert {"range"} == FUNCTIONS
