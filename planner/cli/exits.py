"""Exit codes: what the command line tells the shell that called it."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Why the program ended."""

    DONE = 0
    """Completed, or the command did what it was asked."""
    FAILED = 1
    """The tree failed, or came out differently from what `expect` says."""
    MISUSED = 2
    """Bad use, or an invalid file."""
    LIMIT = 3
    """A limit ended the tree."""
    WAITS = 4
    """Waits for a person, a grant or outside work."""
    CANCELLED = 5
    HELD = 6
    """A live process holds the tree."""
    INTERRUPTED = 130
    """Stopped from outside; the tree stays resumable."""
