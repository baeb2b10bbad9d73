"""The desk that a run's questions come to: the script answers, or the person at the terminal, or nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from runtime.errors import AnswerInvalid, NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from planner.cli.prompt import Prompt
    from planner.cli.screen import Screen
    from planner.inspector import TreeView
    from runtime.shell.runtime import Runtime
    from runtime.values.requests import Answer, Request

    Scripted = Callable[[str], Answer | None]


class Desk:
    """Takes the open questions of one tree, one after the other, while the tree runs on.

    Args:
        runtime: Holds the tree.
        view: Knows the open questions; the desk is told by `look` when it has changed.
        scripted: Says what the scenario's script answers to the question of a task.
        prompt: Asks a person; None when nobody can be asked.
        screen: What must not paint while somebody types.
    """

    def __init__(
        self, runtime: Runtime, view: TreeView, scripted: Scripted, prompt: Prompt | None, screen: Screen
    ) -> None:
        self._runtime = runtime
        self._view = view
        self._scripted = scripted
        self._prompt = prompt
        self._screen = screen
        self._seen: set[str] = set()
        """Questions that were answered or left open: nobody is asked twice."""
        self._changed = trio.Event()
        self._settled = trio.Event()
        self._asking: tuple[str, trio.CancelScope] | None = None

    def look(self) -> None:
        """Take notice of new questions, and of those that need no answer any more."""
        if self._asking is not None and self._asking[0] not in self._view.requests:
            self._asking[1].cancel(reason="the question was closed")
        self._changed.set()

    def done_with(self, requests: Sequence[Request]) -> bool:
        """Say whether each of these questions was dealt with."""
        return all(request.id in self._seen for request in requests)

    async def settled(self) -> None:
        """Wait until the next question was dealt with. A checkpoint."""
        await self._settled.wait()

    async def run(self) -> None:
        """Deal with questions until cancelled."""
        while True:
            self._changed = trio.Event()
            request = next((each for each in self._view.requests.values() if each.id not in self._seen), None)
            if request is None:
                await self._changed.wait()
                continue
            await self._deal(request)
            self._seen.add(request.id)
            self._settled.set()
            self._settled = trio.Event()

    async def _deal(self, request: Request) -> None:
        answer = self._scripted(request.task_key)
        if answer is not None:
            await self._runtime.answer(request.id, answer, by="scripts.answers")
        elif self._prompt is not None:
            await self._ask(request, self._prompt)
        else:
            await trio.lowlevel.checkpoint()

    async def _ask(self, request: Request, prompt: Prompt) -> None:
        with self._screen.paused():
            while True:
                # Only the waiting is given up when the question is closed: an answer that was given is recorded.
                with trio.CancelScope() as scope:
                    self._asking = (request.id, scope)
                    try:
                        answer = await prompt.ask(request)
                    finally:
                        self._asking = None
                if scope.cancelled_caught:
                    prompt.withdraw("the question was closed meanwhile")
                    return
                if answer is None:
                    return
                try:
                    await self._runtime.answer(request.id, answer, by="the terminal")
                except AnswerInvalid as error:
                    prompt.explain(error)
                except NotFound:
                    prompt.withdraw("the question was closed meanwhile")
                    return
                else:
                    return
