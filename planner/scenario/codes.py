"""Every sort of mistake that checking a scenario can report, by its short stable name."""

from collections.abc import Mapping

from planner.plan.faults import CODES as PLAN_CODES
from planner.plan.faults import START_CODES as START_CODES

READER_CODES: Mapping[str, str] = {
    "no-file": "there is no such file",
    "not-a-file": "the path is a folder or cannot be read",
    "not-utf8": "the bytes are not UTF-8",
    "bad-character": "a character that YAML does not allow, or reads as a line break",
    "empty-file": "nothing in the file but comments",
    "several-documents": "`---` starts a second document",
    "too-deep": "nested too deeply",
    "tab": "a tab where YAML wants spaces",
    "indentation": "a line is indented more or less than its neighbours",
    "unclosed-quote": "a quote is never closed",
    "unclosed-bracket": "a comma or a closing bracket is missing",
    "unquoted-template": "`${` inside braces needs quotes",
    "unquoted-expression": "an expression that YAML cannot read without quotes",
    "unquoted-text": "text with `: ` or a reserved first character needs quotes",
    "missing-colon": "a key without its colon",
    "bad-escape": "an unknown escape inside double quotes",
    "yaml-syntax": "any other error of YAML's own syntax",
    "repeated-key": "the same key twice in one mapping",
    "key-not-text": "a key that is a number, a truth value, empty or a collection",
    "anchor": "anchors and aliases are not read",
    "merge-key": "`<<` is not read",
    "tag": "`!` tags are not read",
}

STRUCTURE_CODES: Mapping[str, str] = {
    "wrong-type": "a value of another type than the key takes",
    "bad-value": "a value of the right type that is not allowed",
    "unknown-key": "a key that means nothing there",
    "missing-key": "a required key is absent",
    "not-supported": "a documented feature that this version does not have",
}

CHECK_CODES: Mapping[str, str] = {
    "unknown-agent": "no agent of that name",
    "unknown-tool": "no tool of that name",
    "unknown-model": "no model of that name",
    "unknown-plan": "no plan of that name",
    "name-clash": "one name for two things that must differ",
    "provider": "a model provider that cannot be used",
    "bad-script": "a reply in `scripts` is not one",
    "script-for-nobody": "`scripts` names no item, task or agent",
    "answer-for-nobody": "an answer for something that is no `ask` task",
    "bad-answer": "an answer that does not fit the question's form",
    "expect-nothing": "`expect` names a task that the plan does not have",
    "unclear-replay": "a Python tool does not say what may happen to it after a crash (a warning)",
}

CODES: Mapping[str, str] = {**READER_CODES, **STRUCTURE_CODES, **CHECK_CODES, **PLAN_CODES}
"""Everything that `check` can report."""
