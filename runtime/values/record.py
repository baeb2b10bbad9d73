"""What small value classes share, so that attrs need not write it for each of them: a hundred classes import faster."""

from __future__ import annotations

from typing import Any, TypeVar, dataclass_transform

import attrs

Sort = TypeVar("Sort", bound=type)


@dataclass_transform(frozen_default=True, field_specifiers=(attrs.field,))
def record(cls: Sort) -> Sort:
    """Make a slotted attrs class of a `Record` whose fields nobody may set.

    The type checker holds everybody to that. A guard at run time would make building such a value, which happens a
    dozen times in each Turn, three times slower.
    """
    return attrs.define(cls, eq=False, repr=False)


class Record:
    """Compares and shows itself by its fields. Subclasses are made by `record`."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _names(self))

    def __hash__(self) -> int:
        return hash((self.__class__, *[getattr(self, name) for name in _names(self)]))

    def __repr__(self) -> str:
        fields = ", ".join([f"{name}={getattr(self, name)!r}" for name in _names(self)])
        return f"{self.__class__.__name__}({fields})"


def _names(record: Any) -> list[str]:
    return [field.name for field in record.__attrs_attrs__]
