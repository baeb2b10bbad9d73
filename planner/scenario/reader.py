"""Strict YAML 1.2: text to plain data, and what is refused on the way.

The C parser's events are turned into data by our own few rules, because no ready loader refuses a repeated key and
leaves `no`, `on` and `1:30` alone. Scalars follow YAML 1.2's core schema as far as JSON can
hold them: `true false null ~`, whole and decimal numbers; `012`, `.inf`, `1:30`, `2024-01-01`, numbers beyond 64 bits
and everything else stay text.
"""

import functools
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import attrs
import yaml

from planner.plan.faults import did_you_mean
from planner.scenario.findings import Finding
from planner.scenario.places import (
    COMPLEX_KEY,
    Mark,
    PathKey,
    Places,
    child_key,
    end_of,
    find_places,
    is_merge,
    start_of,
)
from planner.scenario.syntax import explain

MAX_DEPTH = 64

_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z|0x[0-9a-fA-F]+\Z|0o[0-7]+\Z")
_LONGEST_INT = 24
"""Characters of the longest notation of 64 bits: 0o and 22 digits."""
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_CONSTANTS: Mapping[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_CORE_TAG = "tag:yaml.org,2002:"
_RUN_ON = re.compile(r"[\r\n][ ]*- ")


class Unreadable:
    """Stands where a value was refused, so that nobody complains of it a second time."""

    def __repr__(self) -> str:
        return "UNREADABLE"


UNREADABLE: Final = Unreadable()


@attrs.define
class Source:
    """A text as it was read: data, and everything that was refused on the way."""

    name: str
    """What people call the file."""
    text: str
    data: Any = None
    findings: list[Finding] = attrs.field(factory=list)
    refused: set[PathKey] = attrs.field(factory=set)
    """Keys that were refused although their value may have been read."""

    @functools.cached_property
    def places(self) -> Places:
        """Where everything stands; looked for at its first use, since nobody asks while nothing is wrong."""
        return find_places(self.text)

    def mark(self, path: PathKey, *, key: bool = False) -> Mark:
        """Return where the value of `path` stands (or its key), or the nearest thing around it that does."""
        keys, values = self.places.keys, self.places.values
        if key and path in keys:
            return keys[path]
        while path not in values:
            if not path:
                return Mark(0, 0)
            path = path[:-1]
        return values[path]


def read_file(path: Path, name: str) -> Source:
    """Read a scenario file.

    Never raises for what a user may have done wrong: the source then has findings, and no data if it came to that.
    """
    source = Source(name, "")
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        source.findings.append(Finding(code="no-file", message="there is no such file", hint=_nearby(path)))
        return source
    except (OSError, ValueError) as error:
        reason = "it is a folder" if path.is_dir() else getattr(error, "strerror", None) or str(error)
        source.findings.append(
            Finding(code="not-a-file", message=f"it cannot be read: {reason}", hint="name a scenario file")
        )
        return source
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        source.text = raw[: error.start].decode("utf-8")
        message = f"the file is not UTF-8: byte {raw[error.start]:#04x} cannot stand here"
        source.findings.append(
            Finding(code="not-utf8", message=message, hint="save it as UTF-8", index=len(source.text))
        )
        return source
    return read_text(text, name)


def read_text(text: str, name: str) -> Source:
    """Read the text of a scenario; a byte order mark at its start is dropped."""
    source = Source(name, text.removeprefix("\ufeff"))
    bad = _FORBIDDEN.search(source.text)
    if bad is not None:
        message = f"the character U+{ord(bad[0]):04X} cannot stand in a scenario"
        hint = f"delete it, or write it as \\u{ord(bad[0]):04x} inside double quotes"
        source.findings.append(Finding(code="bad-character", message=message, hint=hint, index=bad.start()))
        source.data = UNREADABLE
        return source
    _Builder(source).run()
    return source


def _nearby(path: Path) -> str:
    try:
        found = sorted(item.name for item in path.parent.iterdir() if item.suffix in {".yaml", ".yml"})
    except OSError:
        return f"there is no folder {str(path.parent)!r} either"
    return did_you_mean(path.name, found, otherwise="the folder has no .yaml file" if not found else "")


def scalar(text: str) -> str | int | float | bool | None:
    """Return what unquoted text means.

    Examples:
        >>> [scalar(text) for text in ("no", "012", "1:30", "12", "1.5", "true", "~")]
        ['no', '012', '1:30', 12, 1.5, True, None]
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if not text[0].isdigit() and text[0] not in "+-.":
        return text
    if _INT.match(text):
        whole = int(text, 0) if len(text) <= _LONGEST_INT else 2**64
        return whole if -(2**63) <= whole < 2**64 else text
    if _FLOAT.match(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text


@attrs.define
class _Open:
    """A collection whose end has not come yet."""

    data: Any
    """The mapping or list."""
    key_next: bool
    """True in a mapping while what comes next is a key."""
    key: str | None = None
    """The key that waits for its value."""
    drop: bool = False
    """True while the value that comes next is read only to be forgotten."""


class _Builder:
    """Turns the parser's events into the data of one source."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._stack = [_Open([], key_next=False)]
        """The innermost last; the first one holds the document."""
        self._documents = 0

    def run(self) -> None:
        text = self._source.text
        parser = yaml.CSafeLoader(text)
        scalar_event = yaml.ScalarEvent
        try:
            while (event := parser.get_event()) is not None:
                if event.__class__ is scalar_event:  # most events are
                    self._scalar(event)
                elif not self._take(event):
                    break
        except yaml.MarkedYAMLError as error:
            self._source.data = UNREADABLE
            self._source.findings.append(explain(error, text))
            return
        finally:
            parser.dispose()
        whole = self._stack[0].data
        self._source.data = whole[0] if whole else None
        if self._source.data is None and not self._source.findings:
            self._source.data = UNREADABLE
            self._add("empty-file", "there is nothing in this file", 0, "start it with `turntree: 1`")

    def _take(self, event: yaml.Event) -> bool:
        """Use one event that is no scalar; False when the rest of the text is of no use."""
        match event:
            case yaml.CollectionStartEvent():
                return self._open(event)
            case yaml.CollectionEndEvent():
                self._value(self._stack.pop().data)
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    hint = "keep one scenario in a file"
                    self._add("several-documents", "a second document starts here", start_of(event), hint)
                    return False
            case yaml.AliasEvent():
                self._add(
                    "anchor", f"aliases such as *{event.anchor} are not read", start_of(event),
                    "write the value out, or move what is shared into an agent, a tool or a plan",
                )  # fmt: skip
                self._value(UNREADABLE)
            case _:
                pass  # the stream's and the document's own borders say nothing about data
        return True

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        text = event.value
        value = text if event.style else self._plain(event)
        if event.anchor is not None or event.tag is not None:
            self._refuse_prefix(event)
            value = value if event.tag is None else UNREADABLE
        top = self._stack[-1]
        if top.key_next:
            top.key_next = False
            top.key = text
            top.drop = (value is not text or text == "<<" or text in top.data) and self._refuse_key(top, event, value)
        else:
            self._value(value)

    def _plain(self, event: yaml.ScalarEvent) -> Any:
        """Return what unquoted text means."""
        # A dash is in few texts, so the place of most is not looked at.
        if "-" in event.value and (found := _RUN_ON.search(self._source.text, start_of(event), end_of(event))):
            hint = "items of one list start in the same column"
            self._add("indentation", "this `- ` continues the text above it", found.end() - 2, hint)
            return UNREADABLE
        return scalar(event.value)

    def _refuse_key(self, top: _Open, event: yaml.ScalarEvent, value: Any) -> bool:
        """Say what is wrong with a key, if anything is; return whether to drop what it holds."""
        text = event.value
        drop = is_merge(event)
        if drop:
            self._source.refused.add(self._path())
            hint = "write the keys out; agents, tools and plans are how things are shared"
            self._add("merge-key", "merge keys are not read", start_of(event), hint)
        elif not isinstance(value, str) and value is not UNREADABLE:
            self._source.refused.add(self._path())
            shown = f"`{text}`" if text else "an empty key"
            self._add("key-not-text", f"{shown} is no text, and keys are text", start_of(event), f'write "{text}"')
        if text in top.data:
            drop = True
            first = self._source.text.count("\n", 0, self._source.mark(self._path(), key=True).start) + 1
            message = f"`{text}` stands here twice; first in line {first}"
            self._add("repeated-key", message, start_of(event), "keep one")
        return drop

    def _open(self, event: yaml.CollectionStartEvent) -> bool:
        if event.anchor is not None or event.tag is not None:
            self._refuse_prefix(event)
        if len(self._stack) > MAX_DEPTH:
            message = f"nested deeper than {MAX_DEPTH} levels"
            self._add("too-deep", message, start_of(event), "split it into plans")
            self._stack[0].data[:] = [UNREADABLE]
            return False
        if self._stack[-1].key_next:
            message = "a key cannot be a mapping or a list"
            self._add("key-not-text", message, start_of(event), "quote it if it is text")
        is_mapping = event.__class__ is yaml.MappingStartEvent
        self._stack.append(_Open({} if is_mapping else [], is_mapping))
        return True

    def _value(self, value: Any) -> None:
        """Put a finished value where it belongs."""
        top = self._stack[-1]
        if top.data.__class__ is list:
            top.data.append(value)
        elif top.key_next:  # an alias or a collection as a key: already refused
            top.key_next, top.key, top.drop = False, COMPLEX_KEY, True
        else:
            if not top.drop:
                top.data[top.key] = value
            top.key_next, top.key = True, None

    def _path(self) -> PathKey:
        """Return the path of the key that was read last."""
        path: PathKey = ()
        for level in self._stack[1:-1]:
            path = (*path, len(level.data) if isinstance(level.data, list) else child_key(level.key, drop=level.drop))
        return (*path, self._stack[-1].key or "")

    def _refuse_prefix(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> None:
        """Refuse the anchor or tag before a value."""
        start = start_of(event)
        if event.anchor is not None:
            self._add(
                "anchor", f"anchors such as &{event.anchor} are not read", start,
                "delete it; agents, tools and plans are how things are shared",
            )  # fmt: skip
        if event.tag is not None:
            own = event.tag.startswith(_CORE_TAG)
            shown = event.tag.replace(_CORE_TAG, "!!")
            hint = "delete it; quotes make text of anything" if own else "quote this expression, or write `not …`"
            self._add("tag", f"{shown} is a tag for YAML, and tags are not read", start, hint)

    def _add(self, code: str, message: str, index: int, hint: str) -> None:
        self._source.findings.append(Finding(code=code, message=message, hint=hint, index=index))
