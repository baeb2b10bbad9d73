"""What is documented and not there yet: refused with those words, never ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COMMANDS: Final = frozenset({"new", "retry", "fork", "prune", "serve", "export", "simulate"})
OPTIONS: Final[Mapping[str, frozenset[str]]] = {
    "list": frozenset({"--status"}),
    "events": frozenset({"--previews"}),
    "answer": frozenset({"--grant", "--result", "--error", "--edit"}),
    "resume": frozenset({"--accept-changes"}),
}
"""By command."""


def later(tokens: Sequence[str]) -> str | None:
    """Return what to say to a command or an option of a later version; None if there is none.

    Examples:
        >>> later(["serve"])
        '`turntree serve` is not supported yet; `turntree --help` lists what is'
    """
    if not tokens:
        return None
    command, *rest = tokens
    if command in COMMANDS:
        return f"`turntree {command}` is not supported yet; `turntree --help` lists what is"
    options = OPTIONS.get(command, frozenset())
    for token in rest:
        if token == "--":
            break
        if (name := token.partition("=")[0]) in options:
            return f"{name} of `turntree {command}` is not supported yet; `turntree {command} --help` lists what is"
    return None
