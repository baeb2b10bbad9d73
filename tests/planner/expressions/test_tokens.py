"""The words of expressions: what is none, where it stands, and what to write instead."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.expressions import EvaluationFault, ExpressionFault, parse_expression


@pytest.mark.parametrize(
    ("text", "offset", "message", "hint"),
    [
        ("item.a && item.b", 7, "`&&`", "write `and`"),
        ("item.a || item.b", 7, "`||`", "write `or`"),
        ("!item.a", 0, "`!`", "write `not`"),
        ("item === 1", 5, "`===`", "write `==`"),
        ("item !== 1", 5, "`!==`", "write `!=`"),
        ("item = 1", 5, "`=` does not compare", "write `==`"),
        ("item.a ? 1 : 2", 7, "`?`", "write `b if a else c`"),
        ("item.a ?? 2", 7, "`??`", "default"),
        ("item?.a", 4, "`?.`", "write `.`"),
        ("2 ** 3", 2, "`**`", "no powers"),
        ("item.0", 4, "a list item is not read with `.`", "write `[0]`"),
        ("012", 0, "needless 0", "write `12`"),
        ("1x", 0, "neither a number nor a name", ""),
        ("item & 1", 5, "'&'", "write `and`"),
        ("a + `b`", 4, "'`'", "quote"),
        ("item; item", 4, "';'", "no statements"),
        ("'ab", 0, "never closed", ""),
        ("item == \"it's", 8, "never closed", ""),
        (r"'C:\dir'", 3, r"`\d` means nothing", r"write `\\`"),
        (r"'\ud83d'", 0, "half of a character", ""),
        ("(item", 0, "`(` is never closed", ""),
        ("item)", 4, "`)` closes nothing", ""),
        ("(item]", 5, "`]` cannot close `(`", ""),
        ("inputs.x²", 7, "cannot be a name", '["key"]'),
        ("${item}", 0, "'$'", "without `$`"),
    ],
)
def test_what_is_no_word_of_the_language(text: str, offset: int, message: str, hint: str) -> None:
    """A sign of another language is met with its place and with the word that is meant."""
    with pytest.raises(ExpressionFault) as caught:
        parse_expression(text)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.offset == offset


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"'a\n\t\r\\\'\"\/'", "a\n\t\r\\'\"/"),
        ("'line\r\nline'", "line\r\nline"),
        (r"'\ud83d\ude00 \u00e9'", "😀 é"),
        ("'é😀👨‍👩‍👧' 'joined'", "é😀👨‍👩‍👧joined"),
        ("'{{ x }} {% y %} {# z #} ${a}'", "{{ x }} {% y %} {# z #} ${a}"),
        ("1_000 + 0", 1000),
        ("1.5e3 + 0", 1500.0),
    ],
)
def test_literals_are_read_as_written(text: str, value: object) -> None:
    """Escapes, newlines, odd characters and template tags in quotes mean just themselves."""
    assert parse_expression(text).evaluate({}) == value


@given(st.text(max_size=20))
def test_every_text_can_stand_in_quotes(text: str) -> None:
    """Whatever characters a quoted text holds, it comes out as it went in."""
    quoted = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    assert parse_expression(quoted).evaluate({}) == text


@given(st.text(alphabet="item.a[]{}()'\"0 1+-*/~|%=<>!&?:,_inotrdf$", max_size=30))
def test_any_text_is_an_expression_or_a_fault(text: str) -> None:
    """Nothing that anybody writes ends in another exception, and every fault stands inside the text."""
    fault: ExpressionFault | EvaluationFault | None = None
    try:
        parse_expression(text).evaluate({"item": {"a": [1]}})
    except (ExpressionFault, EvaluationFault) as caught:
        fault = caught
    assert not isinstance(fault, ExpressionFault) or 0 <= fault.offset <= len(text)
    assert not isinstance(fault, EvaluationFault) or fault.expression == text.strip()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(" * 400 + "1" + ")" * 400, "brackets inside one another"),
        ("[" * 25 + "]" * 25, "brackets inside one another"),
        ("not " * 1_000 + "true", "levels deep"),
        ("-" * 4_000 + "1", "levels deep"),
        ("1" + " + 1" * 1_000, "levels deep"),
        ("item" + "[0]" * 1_000 + " + 1", "levels deep"),
        ("item" + " | list" * 500, "levels deep"),
        ("1 if item else " * 300 + "1", "levels deep"),
        ("item == 1" + " or item == 1" * 300, "write `x in [a, b, …]`"),
        ("1 ~ " * 2_000 + "1", "more than 5000"),
    ],
)
def test_size_and_depth_of_a_source_are_bounded(text: str, message: str) -> None:
    """An expression that could exhaust the stack of its reader is refused in words."""
    with pytest.raises(ExpressionFault) as caught:
        parse_expression(text)
    assert message in str(caught.value)


def test_what_the_bounds_allow_also_runs() -> None:
    """An expression just inside every bound is compiled and evaluated."""
    assert parse_expression("(" * 24 + "1" + ")" * 24).evaluate({}) == 1
    assert parse_expression("1" + " + 1" * 62).evaluate({}) == 63
    assert parse_expression("not " * 62 + "true").evaluate({}) is True
    assert parse_expression(" ~ ".join(["1"] * 1_000)).evaluate({}) == "1" * 1_000
    assert parse_expression("item" + "[0]" * 62 + " | list").references[0].parts == (0,) * 62
