"""The garbage collector rests while a scenario is read."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the collector of cyclic garbage from running, for synchronous work that makes many objects and no cycles.

    All that reading makes is kept until it is done, so a collection in between finds nothing, and its many passes over
    what was read take a seventh of the time. The collector is as it was afterwards, also after an exception. It serves
    the whole process: other threads make garbage for as long, but lose nothing.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
