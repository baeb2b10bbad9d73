"""Where a running call shows what it does: previews of a model's reply, and a tool's context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from runtime.values import events as e
from runtime.values import signals as s
from runtime.values.ids import idempotency_key
from runtime.values.jsonlike import freeze

if TYPE_CHECKING:
    from collections.abc import Callable

    from runtime.shell.live import Live

_STARTS: dict[type[e.EventData], e.EventData] = {
    e.TextBlockDelta: e.TextBlockStart(),
    e.ThinkingBlockDelta: e.ThinkingBlockStart(),
}
_ENDS: dict[type[e.EventData], e.EventData] = {
    e.TextBlockDelta: e.TextBlockEnd(),
    e.ThinkingBlockDelta: e.ThinkingBlockEnd(),
}


class Emitter:
    """Previews of one call. Once sealed it shows nothing more, so no preview follows its call's ending."""

    __slots__ = ("block", "block_id", "call_key", "index", "live", "offset", "sealed")

    def __init__(self, live: Live, call_key: str) -> None:
        self.live = live
        self.call_key = call_key
        self.sealed = False
        self.index = 0
        self.block_id = 0
        self.block: type[e.EventData] | None = None
        """Class of the deltas of the block that is open."""
        self.offset = 0

    def show(self, data: e.EventData) -> None:
        """Send a preview to whoever watches the tree."""
        if self.sealed:
            return
        tree = self.live.tree
        if not tree.watchers:
            return
        preview = e.Preview(
            self.live.header, tree.runtime.clock.now(), data, tree.position, self.call_key, self.block_id, self.index,
            self.offset,
        )  # fmt: skip
        self.index += 1
        for watcher in tree.watchers:
            watcher.push(preview)

    def _delta(self, sort: type[e.TextBlockDelta | e.ThinkingBlockDelta], delta: str) -> None:
        if self.block is not sort:
            self.end_block()
            self.block = sort
            self.block_id += 1
            self.offset = 0
            self.show(_STARTS[sort])
        self.show(sort(delta))
        self.offset += len(delta)

    def end_block(self) -> None:
        """Close the block that is open, if one is."""
        if self.block is not None:
            self.show(_ENDS[self.block])
            self.block = None

    def text(self, delta: str) -> None:
        """Show a piece of text."""
        self._delta(e.TextBlockDelta, delta)

    def thinking(self, delta: str) -> None:
        """Show a piece of reasoning."""
        self._delta(e.ThinkingBlockDelta, delta)

    def tool_call(self, name: str, arguments: str) -> None:
        """Show a tool call with the JSON text of its arguments."""
        self.end_block()
        self.block_id += 1
        self.offset = 0
        self.show(e.ToolCallStart(name))
        self.show(e.ToolCallDelta(arguments))
        self.offset = len(arguments)
        self.show(e.ToolCallEnd())

    async def relax(self) -> None:
        """Let others run. A checkpoint."""
        await trio.lowlevel.checkpoint()

    def seal(self) -> None:
        """Close what is open and show nothing from now on."""
        self.end_block()
        self.sealed = True


class CallContext:
    """What a running tool may know and do. Its methods may be called from a tool's thread too."""

    __slots__ = ("_emitter", "_live", "_token", "call_key", "cancelled", "limiter")

    def __init__(self, live: Live, call_key: str, emitter: Emitter) -> None:
        self._live = live
        self._emitter = emitter
        self._token = live.tree.runtime.token
        self.call_key = call_key
        self.cancelled = False
        self.limiter = live.tree.runtime.limiter

    @property
    def turn_id(self) -> str:
        """The Turn that called."""
        return self._live.header.turn_id

    @property
    def root_turn_id(self) -> str:
        """The tree."""
        return self._live.header.root_turn_id

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt of this call, also after a crash."""
        return idempotency_key(self._live.header.turn_id, self.call_key)

    def progress(self, message: str, percent: float | None = None) -> None:
        """Say how far the tool is."""
        self._do(lambda: self._emitter.show(e.ToolProgress(message, percent)))

    def output(self, delta: str) -> None:
        """Show a piece of output."""
        self._do(lambda: self._emitter.show(e.ToolOutputDelta(delta)))

    def emit(self, name: str, data: Any) -> None:
        """Record an event of the tool's own."""
        kept = freeze(data, where=name)
        self._do(lambda: self._signal(s.ToolEmitted(self.call_key, name, kept)))

    def request_stop(self, reason: str) -> None:
        """Ask that the agent's Turn complete after this Step with this tool's result as its output."""
        self._do(lambda: self._signal(s.ToolAskedToStop(self.call_key, reason)))

    def _signal(self, signal: s.Signal) -> None:
        if not self._emitter.sealed:
            self._live.signal(signal)

    def _do(self, action: Callable[[], None]) -> None:
        """Run in the event loop; from a thread, wait until it has been done."""
        if trio.lowlevel.in_trio_task():
            action()
        else:
            trio.from_thread.run_sync(action, trio_token=self._token)
