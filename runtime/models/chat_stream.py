"""A streamed chat completion, from bytes to the reply. Pure, so that recordings can be cut at every byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.models.chat_reply import DONE, ChatReply
from runtime.models.sse import EventReader

if TYPE_CHECKING:
    from runtime.core.ports import ModelReply
    from runtime.models.chat_errors import Server
    from runtime.models.chat_reply import Piece


class ChatStream:
    """One stream of events.

    Args:
        server: Who sends it, for the words of errors.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._events = EventReader()
        self._reply = ChatReply(server)

    @property
    def whole(self) -> bool:
        """Whether nothing more can come that counts."""
        return self._reply.whole

    def feed(self, chunk: bytes) -> list[Piece]:
        """Take the next bytes, and return what they add for people to see. Nothing may follow an error.

        Raises:
            ModelError: As `ChatReply.feed`.
        """
        try:
            events = self._events.feed(chunk)
        except UnicodeDecodeError as error:
            raise self._server.malformed(f"the stream is not UTF-8 ({error.reason})") from error
        return [piece for data in events for piece in self._reply.feed(data)]

    def finish(self) -> ModelReply:
        """Return the reply once the stream is over.

        Raises:
            ModelError: As `ChatReply.finish`.
        """
        if not self.whole and self._events.rest.strip() == DONE:  # some servers leave the last blank line out
            self._reply.feed(DONE)
        return self._reply.finish()
