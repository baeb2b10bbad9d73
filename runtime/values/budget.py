"""Limits of a tree."""

from __future__ import annotations

import attrs


def _positive(_: object, field: attrs.Attribute[int], value: int) -> None:
    if value < 1:
        raise ValueError(f"{field.name} must be at least 1, not {value!r}")


@attrs.frozen(kw_only=True)
class Budget:
    """Limits on a whole tree."""

    depth: int = attrs.field(default=8, validator=_positive)
    """How many levels of Turns may stand under the root. A call that would go deeper is denied."""
