"""The reference says what the code says: the parts that are made from it are compared, and nothing is left out."""

import os
from pathlib import Path

import pytest

from planner.engine.events import PAYLOADS
from planner.expressions import FILTERS, FUNCTIONS, TESTS
from planner.plan import KINDS
from runtime.values.events import FACTS, PREVIEWS
from tests.docs import vocabulary
from tests.docs.names_elsewhere import ELSEWHERE
from tests.docs.reference import PART, PARTS, regenerated

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PAGES = sorted(page for page in REFERENCE.glob("*.md") if PART.search(page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_generated_parts_are_up_to_date(page: Path) -> None:
    """The marked parts of a page are what the code gives; TURNTREE_UPDATE=1 writes them anew."""
    written = page.read_text(encoding="utf-8")
    if os.environ.get("TURNTREE_UPDATE"):
        page.write_text(regenerated(written), encoding="utf-8")
        written = page.read_text(encoding="utf-8")
    assert written == regenerated(written), "run this test with TURNTREE_UPDATE=1 and read the difference"


def test_every_part_stands_in_a_page() -> None:
    """Nothing that can be generated is missing from the reference."""
    used = {part["name"] for page in PAGES for part in PART.finditer(page.read_text(encoding="utf-8"))}
    assert used == set(PARTS)


def test_every_event_has_its_names_elsewhere() -> None:
    """The table of names in other runtimes has every event type and no others."""
    assert set(ELSEWHERE) == {payload.type for payload in (*FACTS, *PAYLOADS, *PREVIEWS)}


def test_the_whole_vocabulary_is_explained() -> None:
    """Every filter, test, function and failure kind has its sentence."""
    assert set(vocabulary.FILTERS) == FILTERS
    assert set(vocabulary.TESTS) == TESTS
    assert set(vocabulary.FUNCTIONS) == FUNCTIONS
    assert set(vocabulary.KINDS) == set(KINDS)
