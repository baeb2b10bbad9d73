"""YAML's own syntax errors in words that say what to write."""

import re

import yaml

from planner.scenario.findings import Finding, Lines

_VALUE_BEFORE = re.compile(r"(?:.*[{,\[]|^)\s*(?:-\s+)?(?P<key>\w+)\s*:\s+(?P<value>[^{}\n]*)$")
"""The part of a line up to an error, with the key that was being given a value; the last one if there are several."""
_EXPRESSION_KEYS = frozenset({"when", "for_each", "key"})


def explain(error: yaml.MarkedYAMLError, text: str) -> Finding:
    """Turn what the YAML parser says about `text` into a finding of ours."""
    at = min(error.problem_mark.index if error.problem_mark else len(text), len(text))
    opened = error.context_mark.index if error.context_mark else None
    problem, context = error.problem or "", error.context or ""
    line_before = text[_line_start(text, at) : at]
    found = _about_tokens(problem, context, text, at, opened)
    if found is None and "expected ',' or" in problem and opened is not None:
        found = _inside_brackets(text, at, opened, line_before)
    if found is None and ("quoted" in context and opened is not None):
        found = Finding(
            code="unclosed-quote",
            message=f"the quote {text[opened : opened + 1]} that opens here is never closed",
            hint="close it" + ("; inside single quotes a quote is written twice" if text[opened] == "'" else ""),
            index=opened,
        )
    return found or _about_layout(problem, text, at, opened, line_before)


def _about_tokens(problem: str, context: str, text: str, at: int, opened: int | None) -> Finding | None:
    char = text[at : at + 1]
    if "tab" in problem or char == "\t":
        return Finding(
            code="tab", message="a tab cannot indent", hint="use spaces; most editors can do it for you", index=at
        )
    if "escape" in problem or "hexdecimal" in problem or "Unicode character" in problem:
        return Finding(
            code="bad-escape",
            message="this is no escape that double quotes know",
            hint=r"write \\ for a backslash, or use single quotes",
            index=at,
        )
    if "scanning a tag" in context and opened is not None:
        return Finding(
            code="unquoted-expression",
            message="a value that starts with ! is read as a YAML tag",
            hint="quote this expression, or write `not …`",
            index=opened,
        )
    if "cannot start any token" in problem or "scanning an a" in context or "block scalar" in context:
        start = at if opened is None else opened
        first = text[start : start + 1]
        return Finding(
            code="unquoted-text",
            message=f"a value cannot start with {first} in YAML",
            hint="put quotes around the text",
            index=start,
        )
    if "nesting depth" in problem:
        return Finding(code="too-deep", message="nested too deeply", hint="split it into plans", index=at)
    return None


def _inside_brackets(text: str, at: int, opened: int, line_before: str) -> Finding:
    if text[at - 1 : at + 1] == "${":
        return Finding(
            code="unquoted-template",
            message="${ inside braces breaks YAML",
            hint='put quotes around ${…}: "${…}"',
            index=at - 1,
        )
    value = _VALUE_BEFORE.match(line_before)
    start = at - len(value["value"]) if value is not None else at
    if value is not None and opened < start < at < len(text):
        what = "expression" if value["key"] in _EXPRESSION_KEYS else "text"
        quoted = value["value"][0] in "\"'"
        cause = "the closing quote" if quoted else f"{text[at]} inside braces"
        return Finding(
            code="unquoted-expression",
            message=f"{cause} ends the {what} of `{value['key']}` for YAML",
            hint=f'quote this {what}: {value["key"]}: "…"',
            index=start,
        )
    bracket = text[opened]
    line, column = Lines(text).place(opened)
    closing = "}" if bracket == "{" else "]"
    return Finding(
        code="unclosed-bracket",
        message=f"a comma or {closing} is missing: the {bracket} of line {line}, column {column} is still open here",
        hint=f"close it with {closing}",
        index=at,
    )


def _about_layout(problem: str, text: str, at: int, opened: int | None, line_before: str) -> Finding:
    if "could not find expected ':'" in problem:
        start = at if opened is None else opened
        return Finding(
            code="missing-colon",
            message="this line is neither `key: value` nor the rest of the line above",
            hint="write a colon and a space after a key; quote text that goes over several lines, or use |",
            index=start,
        )
    if "mapping values are not allowed" in problem:
        return _stray_colon(at, line_before)
    if line_before.rstrip()[-1:] in {'"', "'"}:
        return Finding(
            code="unquoted-expression",
            message="the value ended with its quote, and something follows",
            hint="put quotes of the other sort around the whole value",
            index=at,
        )
    if "expected key" in problem or "'-' indicator" in problem or "document start" in problem:
        return Finding(
            code="indentation",
            message="this line does not line up with the ones above it",
            hint="keys of one mapping, and items of one list, start in the same column",
            index=at,
        )
    return Finding(code="yaml-syntax", message=f"YAML cannot go on here: {problem or 'unknown error'}", index=at)


def _stray_colon(at: int, line_before: str) -> Finding:
    key = line_before.strip()
    if re.fullmatch(r"(- )?[\w.-]+", key):
        return Finding(
            code="indentation",
            message=f"`{key}` cannot be a key here: the line above it already has a value",
            hint="indent the line like its siblings, and write a space after every colon",
            index=at - len(line_before.lstrip()),
        )
    return Finding(
        code="unquoted-text",
        message="a colon and a space inside unquoted text start a mapping",
        hint="put quotes around the text",
        index=at,
    )


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
