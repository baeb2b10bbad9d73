"""Every test that asks for `make` runs on all journals."""

from pathlib import Path

import pytest

from tests.runtime.journal.equipment import SORTS, Make, maker


@pytest.fixture(params=SORTS)
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Makes journal objects over the same data, of each sort in turn."""
    return maker(request.param, tmp_path / "journal.db")
