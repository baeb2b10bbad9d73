"""Every tree of these tests is watched: its facts rebuild its state after each batch, and keep the grammar."""

from collections.abc import Iterator

import pytest

from runtime.core.frame import NOTHING
from tests.runtime.shell.watch import Watch, watching


@pytest.fixture(autouse=True)
def watch() -> Iterator[Watch]:
    """What the test's trees recorded."""
    with watching() as watch:
        yield watch
    assert not NOTHING, "all Turns share this; somebody wrote to it"
