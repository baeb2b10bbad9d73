"""UTC and root ids: the only file that reads a wall clock or draws random bits."""

from __future__ import annotations

import hashlib
import secrets  # noqa: TID251 - and the source of ids
import sys
import time
from typing import TYPE_CHECKING, Final

import attrs
import trio

if TYPE_CHECKING:
    from runtime.core.ports import Clock

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
VIRTUAL_START: Final = 1_767_225_600.0
"""2026-01-01T00:00:00Z: UTC at the start of virtual time."""


class SystemClock:
    """The machine's own time."""

    jumps = False

    def now(self) -> float:
        """Return UTC in seconds since 1970."""
        return time.time()  # noqa: TID251 - see above


@attrs.frozen
class VirtualClock:
    """A fixed start plus the virtual seconds that trio's mock clock has counted."""

    begin: float

    jumps = True

    def now(self) -> float:
        """Return virtual UTC in seconds since 1970."""
        return VIRTUAL_START + trio.current_time() - self.begin


def present_clock() -> Clock:
    """Return the clock that goes with the running trio loop."""
    testing = sys.modules.get("trio.testing")  # not imported here: it brings pytest along, and costs as much as trio
    if testing is not None and isinstance(trio.lowlevel.current_clock(), testing.MockClock):
        return VirtualClock(trio.current_time())
    return SystemClock()


def _base32(number: int, digits: int) -> str:
    return "".join([_ALPHABET[(number >> (5 * shift)) & 31] for shift in reversed(range(digits))])


def new_root_id(now: float) -> str:
    """Return a new id: nine characters of time in milliseconds, then six random ones."""
    return _base32(int(now * 1000), 9) + _base32(secrets.randbits(30), 6)


def jitter(turn_id: str, call_key: str, attempt: int) -> float:
    """Return a fraction in [0, 1) that depends on its arguments only, so that a replay waits equally long."""
    digest = hashlib.blake2b(f"{turn_id}:{call_key}:{attempt}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
