"""Why something did not end well, as a value."""

from __future__ import annotations

import attrs


@attrs.frozen
class Failure:
    """The typed reason of a failed call or Turn; it keeps its kind on the way up the tree."""

    kind: str
    """`transport timeout rate_limit server tool_error rejected expression …`; `retries.only` names these."""
    message: str
    retryable: bool = False
    retry_after: float | None = None
    """Seconds that a provider asked us to wait."""
    where: str | None = None
    """Keys down to the Turn in which it began, such as `diagnose/recent`, if that is below the Turn that reports it."""


@attrs.frozen
class Cause:
    """Why a subtree is being closed before its time."""

    kind: str
    """`cancelled` or `timeout`."""
    message: str
    by: str | None = None
    """Who asked for it, if a person or program did."""
