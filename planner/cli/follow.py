"""Following a tree to its end: the view, the questions, the data on stdout, and an orderly way out."""

from __future__ import annotations

import signal
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

import attrs
import orjson
import trio

from planner.cli.desk import Desk
from planner.cli.exits import Exit
from planner.cli.keyboard import Keyboard
from planner.cli.prompt import Prompt
from planner.cli.results import exit_of, output_text, result_document, summary
from planner.cli.screen import Blank, Lines, Screen
from planner.inspector import TreeView, resume_command
from planner.scenario import Scenario, differences
from runtime.codec import Codec
from runtime.shell.turn import Turn
from runtime.values.events import Fact

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TextIO

    from planner.cli.place import Place
    from runtime.shell.runtime import Runtime
    from runtime.values.events import Event
    from runtime.values.result import TurnResult


@attrs.frozen(kw_only=True)
class Output:
    """What a run writes, and where."""

    json: bool = False
    jsonl: bool = False
    quiet: bool = False
    previews: bool = False
    """With `jsonl`: previews too."""


@attrs.frozen(kw_only=True)
class Started:
    """A tree that runs."""

    turn: Turn
    scenario: Scenario | None = None
    """What it runs, if that is a scenario."""
    seen: int = 0
    """Position up to which its facts are old: they are not shown again."""


class Following:
    """One tree that is followed from here to its end, or until everything left waits.

    Args:
        runtime: Holds the tree.
        started: The tree.
        output: What to write.
        place: The journal, for the commands that are named.
        data: Where data goes.
    """

    def __init__(self, runtime: Runtime, started: Started, output: Output, place: Place, data: TextIO) -> None:
        self._runtime = runtime
        self._turn = started.turn
        self._scenario = started.scenario
        self._seen = started.seen
        self._output = output
        self._place = place
        self._data = data
        self._codec = Codec()
        self._view = TreeView()
        self._facts: list[Fact] = []
        self._screen = self._make_screen()
        self._desk = Desk(runtime, self._view, self._scripted, self._make_prompt(), self._screen)

    async def run(self) -> Exit:
        """Follow the tree, write what came of it, and return the exit code.

        Raises:
            JournalError: The tree had to stop.
            InternalError: The tree had to stop because of a bug.
        """
        with self._screen:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._read)
                nursery.start_soon(self._screen.run)
                nursery.start_soon(self._desk.run)
                result = await self._outcome()
                nursery.cancel_scope.cancel(reason="the tree has ended or waits")
            await self._catch_up()
        return self._conclude(result)

    async def _read(self) -> None:
        previews = self._screen.wants_previews or (self._output.jsonl and self._output.previews)
        async with self._turn.events(previews=previews) as events:
            async for event in events:
                self._take(event)

    async def _outcome(self) -> TurnResult:
        while True:
            result = await self._turn.result()
            if result.status.terminal or self._desk.done_with(result.requests):
                return result
            await self._desk.settled()

    async def _catch_up(self) -> None:
        """Take in what was recorded last and had not been read."""
        while facts := await self._runtime.journal.read(self._turn.turn_id, self._view.position):
            for fact in facts:
                self._take(fact)

    def _take(self, event: Event) -> None:
        self._view.fold(event)
        if isinstance(event, Fact):
            self._facts.append(event)
            self._desk.look()
            if event.position <= self._seen:
                return
        elif not self._output.previews:
            self._screen.show(event)
            return
        self._screen.show(event)
        if self._output.jsonl:
            self._data.write(orjson.dumps(self._codec.wire(event)).decode() + "\n")
            self._data.flush()

    def _conclude(self, result: TurnResult) -> Exit:
        if self._output.json:
            self._data.write(result_document(result) + "\n")
        elif not self._output.jsonl and (text := output_text(result.output)):
            self._data.write(text + "\n")
        self._data.flush()
        code = exit_of(result)
        if not self._output.quiet or code is not Exit.DONE:
            lines = summary(result, self._view, now=self._runtime.clock.now(), options=self._place.options)
            print("\n".join(lines), file=sys.stderr)
        if result.status.terminal and self._scenario is not None:
            found = differences(self._scenario, result, self._facts)
            if found:
                print("it came out differently from what the scenario says:", file=sys.stderr)
                print("\n".join(map(str, found)), file=sys.stderr)
                return Exit.FAILED
        return code

    def _scripted(self, key: str) -> Any:
        return None if self._scenario is None else self._scenario.answer_for(key)

    def _make_screen(self) -> Screen:
        if self._output.quiet:
            return Blank()
        if sys.stderr.isatty():
            from planner.cli.live import LiveTree  # loads slowly, and only terminals need it

            return LiveTree(self._view, self._runtime.clock, sys.stderr)
        return Lines(self._view, sys.stderr)

    def _make_prompt(self) -> Prompt | None:
        if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
            return None
        return Prompt(Keyboard(sys.stdin.fileno()), sys.stderr)


async def follow(
    start: Callable[[Runtime], Awaitable[Started]],
    runtime: Runtime,
    output: Output,
    place: Place,
) -> Exit:
    """Start or resume a tree and follow it; Ctrl-C and SIGTERM leave it resumable and say how to go on.

    What tools print goes to stderr, since stdout is for data.
    """
    data = sys.stdout
    known: list[str] = []
    codes: list[Exit] = []

    async def work() -> None:
        with redirect_stdout(sys.stderr):
            started = await start(runtime)
            known.append(started.turn.turn_id)
            codes.append(await Following(runtime, started, output, place, data).run())

    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:

            async def watch() -> None:
                async for _ in signals:
                    nursery.cancel_scope.cancel(reason="interrupted")
                    return

            nursery.start_soon(watch)
            await work()
            nursery.cancel_scope.cancel(reason="done")
    if codes:
        return codes[0]
    again = f"; go on with: {resume_command(known[0], options=place.options)}" if known else ""
    print(f"interrupted{again}", file=sys.stderr)
    return Exit.INTERRUPTED
