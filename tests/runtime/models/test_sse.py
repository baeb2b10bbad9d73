"""Server-sent events out of bytes that were parted anywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.models.sse import EventReader

STREAMS = {
    "data: one\n\ndata: two\n\n": ["one", "two"],
    "data: one\r\n\r\ndata: two\r\n\r\n": ["one", "two"],
    "data: one\r\rdata: two\r\r": ["one", "two"],
    ": a comment\n\nevent: x\ndata: one\nid: 3\n\n": ["one"],
    "data: first\ndata: second\n\n": ["first\nsecond"],
    "data:close\ndata:  far\n\n": ["close\n far"],
    "\ufeffdata: größer 🚲\n\n\n\n": ["größer 🚲"],
    "event: ping\n\nretry: 3\n\n": [],
    "data: whole\n\ndata: half\n": ["whole"],
}


@pytest.mark.parametrize("stream", STREAMS)
@given(data=st.data())
def test_events_do_not_depend_on_the_cuts(stream: str, data: st.DataObject) -> None:
    """Any way of parting the bytes gives the same events."""
    raw = stream.encode()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(raw)))))
    reader = EventReader()
    events = []
    for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True):
        events += reader.feed(raw[start:end])
    assert events == STREAMS[stream]


def test_what_is_open_at_the_end() -> None:
    """The event that never got its blank line can be looked at, and nothing changes by that."""
    reader = EventReader()
    reader.feed(b"data: a\ndata: b")
    assert (reader.rest, reader.rest) == ("a\nb", "a\nb")
    assert reader.feed(b"\n\n") == ["a\nb"]
    assert reader.rest == ""


def test_text_that_is_no_utf8_is_refused() -> None:
    """A line of other bytes is no text that could be guessed."""
    with pytest.raises(UnicodeDecodeError):
        EventReader().feed(b"data: \xff\n")
