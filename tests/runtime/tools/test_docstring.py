"""Docstrings in Google style."""

import pytest

from runtime.tools.docstring import Docstring, read_docstring


@pytest.mark.parametrize("text", [None, "", "   "])
def test_no_docstring_says_nothing(text: str | None) -> None:
    """Its description is empty."""
    assert read_docstring(text) == Docstring()


def test_sections_other_than_arguments_are_left_out() -> None:
    """What a function returns or raises is no parameter and no description."""
    text = """Find.

    More words: with a colon.

    Args:
        q (str): What.

            A second paragraph.
        limit: Any of:
            - a
    Returns:
        found: Something.
    """
    assert read_docstring(text) == Docstring(
        "Find.\n\nMore words: with a colon.", {"q": "What. A second paragraph.", "limit": "Any of: - a"}
    )


def test_another_style_is_a_description() -> None:
    """Sphinx fields stay in the description rather than being lost."""
    assert read_docstring("Find.\n\n:param q: What.") == Docstring("Find.\n\n:param q: What.")
