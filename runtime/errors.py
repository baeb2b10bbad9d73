"""Errors that a caller of `runtime` may see. Endings of a Turn are not errors: they are events and a `TurnResult`.

The tree says whose fault it was: `UsageError` (the caller's), `JournalError` (the store's), `AdapterError` (a model or
tool transport's), `InternalError` (ours).
"""

from __future__ import annotations


class RuntimeFault(Exception):
    """Root of every error that this package raises on purpose."""


class UsageError(RuntimeFault):
    """The caller asked for something that cannot be; the message says what to do instead."""


class IllegalSignal(UsageError):
    """A machine was sent a signal that its Turn cannot take in its present state; the state is untouched."""


class DefinitionChanged(UsageError):
    """The definition at hand is not the one that the stored tree was started with."""


class NotResumable(UsageError):
    """The tree cannot go on by itself; the message names the call or the cause and says what to do."""


class NotFound(UsageError):
    """No tree, Turn or request of that id in this journal."""


class KeyTaken(UsageError):
    """A tree with this key exists already; `root_id` is its id."""

    def __init__(self, key: str, root_id: str) -> None:
        super().__init__(f"the key {key!r} is that of {root_id}; nothing was started")
        self.key = key
        self.root_id = root_id


class AnswerInvalid(UsageError):
    """An answer does not fit its request, which stays open."""


class NotSupportedYet(UsageError):
    """A documented feature that this version does not have."""


class JournalError(RuntimeFault):
    """The store could not do what was asked; what had been committed before is intact."""


class StaleWriter(JournalError):
    """Another process took the tree over; nothing of this append was written."""


class TreeHeld(JournalError):
    """A live process holds the tree; `owner` says which."""

    def __init__(self, root_id: str, owner: str) -> None:
        super().__init__(f"{root_id} is held by {owner}; wait until it stops, or act through that process")
        self.root_id = root_id
        self.owner = owner


class OwnerSilent(TreeHeld):
    """A live process holds the tree and has not taken what was left for it; it stays in the inbox."""

    def __init__(self, root_id: str, owner: str) -> None:
        super().__init__(root_id, owner)
        self.args = (
            f"{root_id} is held by {owner}, which has not taken this yet; it stays in the inbox, and the owner, or "
            "whoever resumes the tree, will take it",
        )


class CorruptJournal(JournalError):
    """Stored data could not be read back; the message names the place. Nothing was changed."""


class AdapterError(RuntimeFault):
    """A model or tool transport failed."""

    def __init__(
        self, message: str, *, kind: str = "transport", retryable: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable
        self.retry_after = retry_after
        """Seconds that the other side asked us to wait, if it did."""


class ModelError(AdapterError):
    """A model call failed; raised by `Model.call`."""


class ToolError(AdapterError):
    """A tool may raise this to choose the failure's kind and whether a retry makes sense."""

    def __init__(
        self, message: str, *, kind: str = "tool_error", retryable: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(message, kind=kind, retryable=retryable, retry_after=retry_after)


class InternalError(RuntimeFault):
    """A bug in turntree. Nothing was recorded for the step that failed; please report it."""
