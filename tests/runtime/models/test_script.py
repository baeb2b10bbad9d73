"""Reading scripts: every fault at once, each with its place."""

from typing import Any

import pytest

from runtime.models.script import ScriptInvalid, read_scripts


@pytest.mark.parametrize(
    ("scripts", "place", "words"),
    [
        ([], "scripts", "write {name: [reply, …]}, not []"),
        ({"": []}, 'scripts[""]', "the name of an item, a task or an agent is text"),
        ({"a": "text"}, "scripts.a", "write a list of replies, not 'text'"),
        ({"a": {"text": "x"}}, "scripts.a", "write a list of replies, or {attempts: [[reply, …], …]}"),
        ({"a": {"attempts": []}}, "scripts.a.attempts", "write one list of replies for each attempt, not []"),
        ({"a": {"attempts": [{"text": "x"}]}}, "scripts.a.attempts[0]", "write a list of replies, not {'text': 'x'}"),
        (
            {"a": {"attempts": [[], [{}]]}},
            "scripts.a.attempts[1][0]",
            "has nothing to say; write exactly one of text, json, calls, error",
        ),
        ({"read[a.org]": ["x"]}, 'scripts["read[a.org]"][0]', "a reply is an object such as {text: Done.}, not 'x'"),
        (
            {"a": [{"text": "x", "json": 1}]},
            "scripts.a[0]",
            "has text and json; write exactly one of text, json, calls, error",
        ),
        ({"a": [{"txt": "x", "json": 1}]}, "scripts.a[0].txt", "not known; did you mean 'text'?"),
        (
            {"a": [{"json": 1, "zzz": 1}]},
            "scripts.a[0].zzz",
            "not known; a reply has one of text, json, calls, error, and perhaps thinking, usage, delay, chunks",
        ),
        ({"a": [{"text": None}]}, "scripts.a[0].text", "None is not text"),
        ({"a": [{"text": 5}]}, "scripts.a[0].text", "5 is not text; use json for other values"),
        (
            {"a": [{"json": {"x": {1: 2}}}]},
            "scripts.a[0].json",
            "x has the key 1 of type int; keys must be text; write str(key)",
        ),
        ({"a": [{"calls": []}]}, "scripts.a[0].calls", "write a list of calls, such as [{search: {q: tea}}]"),
        ({"a": [{"calls": {"s": {}}}]}, "scripts.a[0].calls", "write a list of calls, such as [{search: {q: tea}}]"),
        (
            {"a": [{"calls": [{"s": {}, "t": {}}]}]},
            "scripts.a[0].calls[0]",
            "a call is one tool with its arguments, such as {search: {q: tea}}, not {'s': {}, 't': {}}",
        ),
        (
            {"a": [{"calls": [{"s": {}}, {"t": None}]}]},
            "scripts.a[0].calls[1].t",
            "arguments are an object; write {} for none",
        ),
        ({"a": [{"calls": [{"s": 5}]}]}, "scripts.a[0].calls[0].s", "arguments are an object; not 5"),
        (
            {"a": [{"error": "Bad Luck"}]},
            "scripts.a[0].error",
            "'Bad Luck' is not the kind of an error; write one such as transport, timeout or rate_limit",
        ),
        (
            {"a": [{"error": "server", "usage": {"input": 1}}]},
            "scripts.a[0].usage",
            "an error has no usage; leave one of them out",
        ),
        ({"a": [{"text": "x", "usage": 5}]}, "scripts.a[0].usage", "write {input: 900, output: 80}, not 5"),
        (
            {"a": [{"text": "x", "usage": {"inputs": 5}}]},
            "scripts.a[0].usage",
            "write {input: 900, output: 80}, not {'inputs': 5}",
        ),
        (
            {"a": [{"text": "x", "usage": {"output": -1}}]},
            "scripts.a[0].usage.output",
            "-1 is not a count; write a whole number that is not negative, or 20k or 12M",
        ),
        (
            {"a": [{"text": "x", "delay": "soon"}]},
            "scripts.a[0].delay",
            "'soon' is not a duration; write seconds as a number, or 500ms, 30s, 5m, 1h or 3d",
        ),
        (
            {"a": [{"text": "x", "chunks": 0}]},
            "scripts.a[0].chunks",
            "write how many pieces, or the pieces as a list of texts, not 0",
        ),
        (
            {"a": [{"text": "xy", "chunks": ["x", "z"]}]},
            "scripts.a[0].chunks",
            "joined they are 'xz', not the reply's text",
        ),
        (
            {"a": [{"json": "xy", "chunks": ["x", "y"]}]},
            "scripts.a[0].chunks",
            "give a number of pieces: the text of json is ours to write",
        ),
        (
            {"a": [{"calls": [{"s": {}}], "chunks": 2}]},
            "scripts.a[0].chunks",
            "calls are not shown in pieces; leave it out",
        ),
        (
            {"a": [{"text": "x", "thinking": ["y"]}]},
            "scripts.a[0].thinking",
            "['y'] is not text; use json for other values",
        ),
    ],
)
def test_a_fault_is_told_with_its_place_and_remedy(scripts: Any, place: str, words: str) -> None:
    """What cannot be played says where it stands and what to write instead."""
    with pytest.raises(ScriptInvalid) as caught:
        read_scripts(scripts)
    assert str(caught.value) == f"{place}: {words}"


def test_all_faults_are_told_at_once() -> None:
    """One look is enough to mend a script, and each fault carries the way to it for whoever knows the file."""
    scripts = {"reader": [{"text": "x", "usage": 1, "delay": "x"}, {}], "writer": 7}
    with pytest.raises(ScriptInvalid) as caught:
        read_scripts(scripts)
    assert [fault.steps for fault in caught.value.faults] == [
        ("reader", 0, "usage"),
        ("reader", 0, "delay"),
        ("reader", 1),
        ("writer",),
    ]
    assert len(str(caught.value).splitlines()) == 4


def test_nothing_is_expanded() -> None:
    """A script is data: what looks like an expression stays as it is written."""
    scripts = read_scripts({"a": [{"text": "${inputs.x} $${y} {{ z }}"}]})
    assert scripts["a"].replies(1)[0].message.text == "${inputs.x} $${y} {{ z }}"
