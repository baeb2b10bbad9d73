"""UTC and root ids: the only file that reads a wall clock or draws random bits."""

from __future__ import annotations

import hashlib
import os
import secrets  # noqa: TID251 - and the source of ids
import sys
import time
from typing import TYPE_CHECKING, Final

import attrs
import trio

if TYPE_CHECKING:
    from runtime.core.ports import Clock

_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS: Final = [first + second for first in _DIGITS for second in _DIGITS]
_SHIFTS: Final = range(70, -1, -10)
_MOST: Final = (1 << 75) - 1
VIRTUAL_START: Final = 1_767_225_600.0
"""2026-01-01T00:00:00Z: UTC at the start of virtual time."""


class SystemClock:
    """The machine's own time."""

    jumps = False

    now = staticmethod(time.time)  # noqa: TID251 - see above; no call of ours in between, as it is read for every preview


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


class _Bits:
    """Random bits, drawn from the system in large pieces, since each draw costs as much as all the rest of an id."""

    def __init__(self) -> None:
        self._drawn = b""
        os.register_at_fork(after_in_child=self._forget)  # two processes must not go on with the same bits

    def _forget(self) -> None:
        self._drawn = b""

    def next(self) -> int:
        """Return 32 of them."""
        if not self._drawn:
            self._drawn = secrets.token_bytes(4096)
        taken, self._drawn = self._drawn[:4], self._drawn[4:]
        return int.from_bytes(taken, "big")


_BITS: Final = _Bits()


def new_root_id(now: float) -> str:
    """Return a new id of fifteen letters and digits: nine of time in milliseconds, then six random ones."""
    number = (int(now * 1000) << 30 | _BITS.next() >> 2) & _MOST
    return "".join([_PAIRS[number >> shift & 1023] for shift in _SHIFTS])[1:]


def jitter(turn_id: str, call_key: str, attempt: int) -> float:
    """Return a fraction in [0, 1) that depends on its arguments only, so that a replay waits equally long."""
    digest = hashlib.blake2b(f"{turn_id}:{call_key}:{attempt}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
