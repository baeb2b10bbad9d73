"""Where every key and value stands in a text that was read.

Apart from the reading itself: places are asked for only when there is something to report, and finding all of them
takes longer than everything else that a large file needs.
"""

import attrs
import yaml

PathKey = tuple[str | int, ...]

COMPLEX_KEY = "?"
"""Stands for a key that is no text."""


@attrs.frozen
class Mark:
    """Where a key or value stands in the text."""

    start: int
    end: int
    style: str = ""
    """`'`, `"`, `|` or `>` for text written so, `{` or `[` for a collection in brackets, else empty."""


@attrs.frozen
class Places:
    """The places of one text, as far as it can be read."""

    values: dict[PathKey, Mark] = attrs.field(factory=dict)
    keys: dict[PathKey, Mark] = attrs.field(factory=dict)


@attrs.define
class _Open:
    """A collection whose end has not come yet."""

    path: PathKey
    start: int
    style: str
    is_mapping: bool
    items: int = 0
    """How many values of a list are complete."""
    key: str | None = None
    """The key that waits for its value."""
    drop: bool = False
    """Whether that key is one of those that the reader drops."""


def find_places(text: str) -> Places:
    """Find out where everything in the first document of a text stands.

    What comes after an error of YAML's has no place. Of two equal keys the first one has the place.
    """
    places = Places()
    parser = yaml.CSafeLoader(text)
    try:
        finder = _Finder(places)
        while not isinstance(event := parser.get_event(), yaml.DocumentEndEvent | None):
            finder.take(event)
    except yaml.MarkedYAMLError:
        return places
    finally:
        parser.dispose()
    return places


def start_of(event: yaml.Event) -> int:
    """Return the index in the text at which an event begins."""
    return event.start_mark.index if event.start_mark is not None else 0


def end_of(event: yaml.Event) -> int:
    """Return the index in the text behind an event."""
    return event.end_mark.index if event.end_mark is not None else 0


def is_merge(event: yaml.ScalarEvent) -> bool:
    """Tell a key that YAML 1.1 would merge."""
    return event.value == "<<" and not event.style


def child_key(key: str | None, *, drop: bool) -> str:
    """Return the part of a path that stands for the value of a key; without one, for a key that is no text."""
    if key is None:
        return COMPLEX_KEY
    # What is dropped must not take the places of what stays: no key of a file can start with NUL.
    return f"\0{key}" if drop else key


class _Finder:
    """Follows the parser's events, as the reader does, for the places alone."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._stack: list[_Open] = []

    def take(self, event: yaml.Event) -> None:
        """Use one event."""
        match event:
            case yaml.ScalarEvent() if self._key_is_next():
                self._key(self._stack[-1], event)
            case yaml.ScalarEvent():
                self._value(Mark(start_of(event), end_of(event), event.style or ""))
            case yaml.AliasEvent():
                self._value(Mark(start_of(event), end_of(event)))
            case yaml.CollectionStartEvent():
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                style = ("{" if is_mapping else "[") if event.flow_style else ""
                self._stack.append(_Open(self._next_path(), start_of(event), style, is_mapping))
            case yaml.CollectionEndEvent():
                closed = self._stack.pop()
                self._value(Mark(closed.start, end_of(event), closed.style))
            case _:
                pass  # the borders of stream and document

    def _key_is_next(self) -> bool:
        return bool(self._stack) and self._stack[-1].is_mapping and self._stack[-1].key is None

    def _key(self, top: _Open, event: yaml.ScalarEvent) -> None:
        path = (*top.path, event.value)
        top.key = event.value
        top.drop = is_merge(event) or path in self._places.keys
        if not top.drop:
            self._places.keys[path] = Mark(start_of(event), end_of(event), event.style or "")

    def _next_path(self) -> PathKey:
        """Return the path of the value that comes next."""
        if not self._stack:
            return ()
        top = self._stack[-1]
        if not top.is_mapping:
            return (*top.path, top.items)
        return (*top.path, child_key(top.key, drop=top.drop))

    def _value(self, mark: Mark) -> None:
        """Note the place of a value that is complete."""
        if self._key_is_next():
            self._stack[-1].key, self._stack[-1].drop = COMPLEX_KEY, True
            return
        self._places.values[self._next_path()] = mark
        if self._stack:
            top = self._stack[-1]
            top.items += 1
            top.key = None
