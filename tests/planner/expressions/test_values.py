"""Nested values whose texts are templates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.expressions import ExpressionFault, parse_value

LITERALS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(alphabet="ab$ {}é", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


def test_texts_at_any_depth_are_evaluated() -> None:
    """Maps and lists keep their shape and order, texts become values, the rest stays as it is."""
    source = {
        "b": ["${item.x}", {"a": "n ${item.x}", "k": 1}],
        "${item}": None,
        "args": "${item.x}+${item.y}",
        "e": "$${",
    }
    value = parse_value(source)
    result = value.evaluate({"item": {"x": [1], "y": "${z}"}})
    assert result == {"b": [[1], {"a": "n [1]", "k": 1}], "${item}": None, "args": "[1]+${z}", "e": "${"}
    assert isinstance(result, dict)
    assert list(result) == list(source)
    assert not value.is_literal
    assert source["b"] == ["${item.x}", {"a": "n ${item.x}", "k": 1}]


def test_references_come_with_the_text_that_holds_them() -> None:
    """Each template is listed with the keys and indexes that lead to it."""
    value = parse_value({"a": ["x", "${item.b}"], "c": "${inputs.d} ${index}"})
    assert [(at, template.source) for at, template in value.templates] == [
        (("a", 1), "${item.b}"),
        (("c",), "${inputs.d} ${index}"),
    ]
    assert [each.text for each in value.references] == ["item.b", "inputs.d", "index"]
    assert parse_value("${item}").templates[0][0] == ()


@given(LITERALS)
def test_a_value_without_templates_is_itself(value: object) -> None:
    """Nothing is copied and nothing changes if there is nothing to put in."""
    try:
        parsed = parse_value(value)
    except ExpressionFault:
        assert "${" in repr(value)
        return
    if not parsed.templates and "$${" not in repr(value):
        assert parsed.evaluate({}) is value
        assert parsed.is_literal


def test_a_fault_tells_which_text_it_is_in() -> None:
    """Keys and indexes lead to the text, the offset to the place in it."""
    with pytest.raises(ExpressionFault) as caught:
        parse_value({"a": [1, {"b": "x ${inptus.y}"}]})
    assert (caught.value.at, caught.value.offset) == (("a", 1, "b"), 4)
    assert "inputs" in caught.value.hint


def test_depth_of_a_value_is_bounded() -> None:
    """A value nested beyond all reason is a fault, not an exhausted stack."""
    value: object = "${item}"
    for _ in range(5_000):
        value = [value]
    with pytest.raises(ExpressionFault, match="nested more than 100 levels"):
        parse_value(value)
