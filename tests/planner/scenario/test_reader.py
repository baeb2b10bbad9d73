"""Strict YAML 1.2: what is read, what stays text, and where everything stands."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.scenario.reader import UNREADABLE, Source, read_file, read_text


def read(text: str) -> object:
    """Return the data of a text that has nothing wrong with it."""
    source = read_text(text, "x.yaml")
    assert source.findings == []
    return source.data


def codes(source: Source) -> list[str]:
    """Return what was found, in order."""
    return [finding.code for finding in source.findings]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("no", "no"), ("on", "on"), ("Yes", "Yes"), ("off", "off"), ("1:30", "1:30"), ("012", "012"), ("0o17", 15),
        ("0x1F", 31), ("2024-01-01", "2024-01-01"), ("12", 12), ("-3", -3), ("+4", 4), ("1.5", 1.5), ("1e3", 1000.0),
        (".5", 0.5), ("true", True), ("False", False), ("null", None), ("~", None), ("", None), (".inf", ".inf"),
        (".nan", ".nan"), ("1e999", "1e999"), ("1_000", "1_000"), ("99999999999999999999", "99999999999999999999"),
        ("'12'", "12"), ('"true"', "true"), ("=", "="), ("-", [None]), ("1.2.3", "1.2.3"), ("5%", "5%"),
    ],
)  # fmt: skip
def test_scalars_mean_what_yaml_1_2_says(written: str, meant: object) -> None:
    """Only JSON's constants and numbers are more than text; what YAML 1.1 made of `no` or `1:30` is gone."""
    data = read(f"a: {written}" if not written.startswith("-") or written == "-3" else f"a:\n{written}")
    assert data == {"a": meant}
    assert isinstance(data, dict)
    assert type(data["a"]) is type(meant)


def test_a_byte_order_mark_and_windows_line_ends_are_read() -> None:
    """Files that an editor on Windows wrote are as good as any."""
    source = read_text("\ufeffa: 1\r\nb:\r\n  - 2\r\n", "x.yaml")
    assert source.data == {"a": 1, "b": [2]}
    assert source.text[source.places.values["b", 0].start :].startswith("2")


def test_a_path_that_is_not_there_stands_where_its_parent_does() -> None:
    """Something that is missing is reported at what should have had it."""
    source = read_text("a:\n  b: 1\n", "x.yaml")
    assert source.mark(("a", "zzz", "y")) == source.places.values["a",]


def test_what_is_repeated_leaves_the_first_in_place() -> None:
    """The second of two equal keys is refused with everything in it; the first one counts."""
    source = read_text("a: {x: 1}\na: {x: 2, y: 3, y: 4}\nb: 5\n", "x.yaml")
    assert source.data == {"a": {"x": 1}, "b": 5}
    assert source.text[source.places.values["a", "x"].start] == "1"
    assert codes(source) == ["repeated-key", "repeated-key"]


def test_aliases_become_a_value_that_nobody_complains_of_again() -> None:
    """What cannot be read is stood in for, so that the rest can still be checked."""
    source = read_text("a: &x 1\nb: *x\n*x : 3\n", "x.yaml")
    assert source.data == {"a": 1, "b": UNREADABLE}
    assert codes(source) == ["anchor", "anchor", "anchor"]


@pytest.mark.parametrize(
    ("text", "code", "pointed"),
    [
        ("a: [1, 2\nb: 3\n", "unclosed-bracket", ": 3"),
        ("a: {x: 1", "unclosed-bracket", ""),
        ("a: {b: Read ${x.y}, c: 1}", "unquoted-template", "${x.y}"),
        ("a: [${x}]", "unquoted-template", "${x}"),
        ("a: {when: ! x }", "tag", "! x"),
        ("a: {when: !x}", "unquoted-expression", "!x}"),
        ("a: {w: x ? 1 : 2}", "unquoted-expression", "x ? 1"),
        ("a: {when: [1] == x, c: 2}", "unquoted-expression", "[1] =="),
        ("a: {for_each: x, key: item['y']}", "unquoted-expression", "item["),
        ("a: |x\n", "unquoted-text", "|x"),
        ("a: `x`", "unquoted-text", "`x`"),
        ("a: %x", "unquoted-text", "%x"),
        ("a: *", "unquoted-text", "*"),
        ("a: 'abc\nb: 1\n", "unclosed-quote", "'abc"),
        ("a: x\n\tb: 1", "tab", "\tb"),
        ("a:1\nb: 2", "indentation", "b: 2"),
        ("- a\nb: 1", "indentation", "b: 1"),
        ("a:\n  b: 1\n c: 2", "indentation", "c: 2"),
        ("[" * 1500, "too-deep", "["),
        ("a: x\u2028y", "bad-character", "\u2028y"),
        ("a: \ud800", "bad-character", "\ud800"),
        ("&x {a: 1}", "anchor", "&x"),
        ("? [a]\n: 1", "key-not-text", "[a]"),
        ("? {a: 1}\n: 1", "key-not-text", "{a: 1}"),
        ("", "empty-file", ""),
        ("--- a\n--- b\n", "several-documents", "--- b"),
        ("%FOO\n---\na: 1", "yaml-syntax", ""),
    ],
)
def test_a_syntax_error_is_told_where_it_begins(text: str, code: str, pointed: str) -> None:
    """Each trap has its own name and points at what the author has to change."""
    found = read_text(text, "x.yaml").findings[0]
    assert found.code == code
    assert text[found.index :].startswith(pointed)


def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    """A missing file, a folder and bytes that are no UTF-8 are told like every other mistake."""
    (tmp_path / "latin.yaml").write_bytes(b"a: \xe4")
    assert codes(read_file(tmp_path / "nope.yaml", "nope.yaml")) == ["no-file"]
    assert codes(read_file(tmp_path / "no" / "nope.yaml", "nope.yaml")) == ["no-file"]
    assert codes(read_file(tmp_path, "folder")) == ["not-a-file"]
    assert codes(read_file(tmp_path / "latin.yaml", "latin.yaml")) == ["not-utf8"]
    assert codes(read_file(Path("a\0b"), "odd")) == ["not-a-file"]


@given(st.text(alphabet="a:- {}[]'\"\n\t#&*!|>%@`,?$<~1\\\r\u2028é\U0001f600", max_size=60))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    """Nothing that someone may type makes the reader raise, and every finding points into the text."""
    source = read_text(text, "x.yaml")
    assert all(finding.index is not None and 0 <= finding.index <= len(text) for finding in source.findings)
    assert source.findings or source.data is not UNREADABLE
