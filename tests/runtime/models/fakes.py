"""A stream that remembers what it was shown."""

import trio


class Shown:
    """Takes a reply's pieces in their order."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, ...]] = []
        self.breaths = 0

    def text(self, delta: str) -> None:
        """Remember a piece of text."""
        self.seen.append(("text", delta))

    def thinking(self, delta: str) -> None:
        """Remember a piece of reasoning."""
        self.seen.append(("thinking", delta))

    def tool_call(self, name: str, arguments: str) -> None:
        """Remember a call."""
        self.seen.append(("call", name, arguments))

    async def relax(self) -> None:
        """Let others run."""
        self.breaths += 1
        await trio.lowlevel.checkpoint()

    def joined(self, kind: str) -> str:
        """All text of one kind."""
        return "".join(entry[1] for entry in self.seen if entry[0] == kind)

    def pieces(self, kind: str) -> list[str]:
        """The pieces of one kind."""
        return [entry[1] for entry in self.seen if entry[0] == kind]
