"""What every journal says when something is not as the caller thinks."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from runtime.errors import NotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable


def no_tree(root_id: str, known: Iterable[str]) -> NotFound:
    """Return the error for an id that names no tree."""
    near = difflib.get_close_matches(root_id, list(known), n=1)
    hint = f"did you mean {near[0]}?" if near else "list the trees to see their ids"
    return NotFound(f"no tree {root_id!r} in this journal; {hint}")


def no_definition(digest: str) -> NotFound:
    """Return the error for a digest under which nothing is kept."""
    return NotFound(f"no definition with the digest {digest!r} in this journal; it was never stored here")


def no_ticket(ticket: int) -> NotFound:
    """Return the error for a ticket that was never given."""
    return NotFound(f"no submission has the ticket {ticket} in this journal")


def root_taken(root_id: str) -> UsageError:
    """Return the error for a new tree whose id is in use."""
    return UsageError(f"there is a tree {root_id!r} already; ids of trees must be unique, so take a new one")


def lost(root_id: str) -> str:
    """Say that a claim does not count any more."""
    return f"{root_id} is not held here any more; nothing was written. Claim it again and go on from what is stored"


def gap(root_id: str, position: int, found: int) -> str:
    """Say that a batch does not follow the newest fact."""
    return f"{root_id} ends at position {position}, but the next batch begins at {found}; please report this"
