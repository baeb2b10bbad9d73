"""Identity of Turns, calls and requests. Ids are plain strings without shell or URL metacharacters."""

from __future__ import annotations


def child_id(parent: str, n: int) -> str:
    """Return the id of the parent's n-th child (n counts from 1)."""
    return f"{parent}.{n}"


def parent_of(turn_id: str) -> str | None:
    """Return the parent's id, or None for a root."""
    head, dot, _ = turn_id.rpartition(".")
    return head if dot else None


def root_of(turn_id: str) -> str:
    """Return the id of the tree that the Turn belongs to."""
    return turn_id.partition(".")[0]


def request_id(turn_id: str, key: str) -> str:
    """Return the id of the request with this key (`<callKey>.<k>`) in its Turn."""
    return f"{turn_id}:{key}"


def split_request_id(request: str) -> tuple[str, str]:
    """Split a request id into the owning Turn's id and the request's key.

    Raises:
        ValueError: The text is not of the form `<turnId>:<callKey>.<k>`.
    """
    turn_id, colon, key = request.partition(":")
    if not (turn_id and colon and key):
        raise ValueError(f"{request!r} is not a request id; they look like 'k3v9x2m4qa.2:0.0.1'")
    return turn_id, key


def relative_request(n: int, relative: str) -> str:
    """Prefix a request id that is relative to child n, so that it is relative to the parent.

    Payloads name requests relative to their own Turn, so that a fork of the tree rewrites envelopes only.
    """
    path, _, key = relative.partition(":")
    return f"{n}.{path}:{key}" if path else f"{n}:{key}"


def absolute_request(turn_id: str, relative: str) -> str:
    """Turn a request id relative to `turn_id` into the request's own id."""
    path, _, key = relative.partition(":")
    return f"{turn_id}.{path}:{key}" if path else f"{turn_id}:{key}"


def idempotency_key(turn_id: str, call_key: str) -> str:
    """Return the key under which a tool may deduplicate: root, Turn and call, without the attempt."""
    step, _, rest = call_key.partition(".")
    return f"{turn_id}:{step}.{rest.partition('.')[0]}"


def order_key(turn_id: str) -> tuple[object, ...]:
    """Return a sort key that puts Turns of one tree in the order in which their parents counted them."""
    root, *path = turn_id.split(".")
    return (root, *map(int, path))
