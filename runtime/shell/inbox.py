"""What outsiders have left for a tree, taken by its owner: answers, cancels, and words to running agents.

Theory of operation. Whoever does not hold a tree submits to the journal and waits. The owner hears of it, turns it into
one signal, and the batch that this causes takes the submission in the same transaction: so it has its effect once,
whoever dies when. What cannot be taken is taken too, and recorded as refused. Nobody but the owner's fold decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import trio

from runtime.errors import AnswerInvalid, IllegalSignal, JournalError, RuntimeFault
from runtime.shell.answers import check_answer
from runtime.values import events as e
from runtime.values import signals as s
from runtime.values.failure import Cause
from runtime.values.ids import parent_of, split_request_id
from runtime.values.requests import Answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from runtime.core.ports import Submission
    from runtime.shell.live import Live
    from runtime.shell.runtime import Runtime
    from runtime.shell.tree import Tree

_CHUNK: Final = 2000
_REST: Final = 1.0
"""Seconds before asking again a journal that could not be read."""


def answering(request: str, answer: Answer, by: str) -> dict[str, Any]:
    """Return the submission of an answer."""
    return {"do": "answer", "request": request, "kind": answer.kind, "value": answer.value, "by": by}


def cancelling(reason: str, by: str | None) -> dict[str, Any]:
    """Return the submission of a cancel."""
    return {"do": "cancel", "reason": reason, "by": by}


def telling(turn_id: str, text: str, by: str | None) -> dict[str, Any]:
    """Return the submission of a word to an agent."""
    return {"do": "tell", "turn": turn_id, "text": text, "by": by}


async def attend(runtime: Runtime) -> None:
    """Take what is left for the trees that the runtime holds, for as long as it is open."""
    newest = 0
    while True:
        try:
            newest = await runtime.journal.submitted(newest)
            await take_in(runtime, runtime.trees.values())
        except JournalError:
            await trio.sleep(_REST)  # whoever writes hears of it; the submissions stay where they are


async def take_in(runtime: Runtime, trees: Iterable[Tree]) -> None:
    """Take what was left for these trees, oldest first; a tree that cannot take it has been stopped by that."""
    held = {tree.root_id: tree for tree in trees}
    if not held:
        return
    for submission in await runtime.journal.submissions(held.keys()):
        tree = held[submission.root_id]
        if tree.released or tree.failure is not None or submission.ticket in tree.tickets:
            continue
        tree.tickets.add(submission.ticket)
        try:
            await _take(runtime, tree, submission)
        except RuntimeFault as error:
            tree.fail(error)


async def _take(runtime: Runtime, tree: Tree, submission: Submission) -> None:
    body = submission.body
    match body.get("do"):
        case "answer":
            await _answer(runtime, tree, submission.ticket, body)
        case "cancel" if tree.root.state.ending is None:
            cancel_root(tree, body["reason"], body["by"], submission.ticket)
        case "tell":
            _tell(tree, submission.ticket, body)
        case _:  # what a later version leaves, or a tree that has just ended: taken without effect
            tree.record(tree.root, (), submission.ticket)


async def _answer(runtime: Runtime, tree: Tree, ticket: int, body: Mapping[str, Any]) -> None:
    turn_id, key = split_request_id(body["request"])
    answer = Answer(body["kind"], body["value"])
    before = await who_answered(runtime, tree.root_id, turn_id, key)
    taken = tree.answered.get(body["request"], before)
    live = tree.find(turn_id)
    asked = live.state.requests.get(key) if live is not None else None
    if live is None or asked is None:
        reason = f"already answered by {taken}" if taken is not None else "it is not open"
        _refuse(tree, turn_id, key, s.Refused("", "late", body["by"], reason), ticket)
        return
    try:
        kept = check_answer(asked, answer)
    except AnswerInvalid as error:
        _refuse(tree, turn_id, key, s.Refused("", "invalid", body["by"], str(error)), ticket)
        return
    take_answer(tree, live, s.Answered(key, kept, body["by"]), ticket)
    if not tree.borrowed:
        runtime.go(tree)


def take_answer(tree: Tree, live: Live, signal: s.Answered, ticket: int | None = None) -> None:
    """Record an answer that fits, and wake what waits for it."""
    live.signal(signal, ticket)
    tree.answered[f"{live.header.turn_id}:{signal.request_key}"] = signal.by
    tree.drop_requests(live)
    tree.wake(live)


async def who_answered(runtime: Runtime, root_id: str, turn_id: str, key: str) -> str | None:
    """Return who answered a request, as far as the journal knows."""
    after = 0
    while chunk := await runtime.journal.read(root_id, after, _CHUNK):
        for fact in chunk:
            data = fact.data
            if isinstance(data, e.RequestAnswered) and data.request_key == key and fact.turn_id == turn_id:
                return data.by
        after = chunk[-1].position
    return None


def _refuse(tree: Tree, turn_id: str, key: str, refused: s.Refused, ticket: int) -> None:
    """Record a refusal where the request was asked, or at the nearest Turn above that has not ended."""
    above: str | None = turn_id
    while above is not None:
        live = tree.find(above)
        if live is not None and live.state.started and live.state.ending is None:
            path = turn_id[len(above) + 1 :]
            live.signal(s.Refused(f"{path}:{key}", refused.kind, refused.by, refused.reason), ticket)
            return
        above = parent_of(above)
    tree.record(tree.root, (), ticket)


def cancel_root(tree: Tree, reason: str, by: str | None, ticket: int | None = None) -> None:
    """Record that the tree shall end, and begin to unwind it; a tree that nobody runs is closed on the spot."""
    tree.root.signal(s.CancelRequested(reason, by), ticket)
    cause = Cause("cancelled", reason, by)
    if tree.borrowed:
        tree.close(tree.root, cause)
    else:
        tree.root.cancel(cause)
        tree.runtime.go(tree)


def _tell(tree: Tree, ticket: int, body: Mapping[str, Any]) -> None:
    live = tree.find(body["turn"])
    try:
        if live is not None and live.state.started:
            live.signal(s.Hinted(body["text"], body["by"]), ticket)
            return
    except IllegalSignal:
        pass  # it has ended, or is no agent
    tree.record(tree.root, (), ticket)


async def outcome(runtime: Runtime, root_id: str, ticket: int) -> e.Fact | None:
    """Return the fact that a submission caused, once it was taken; None if it had no effect.

    Waits for as long as nobody takes it: bound it with a deadline.
    """
    journal = runtime.journal
    while True:
        seen = journal.news()
        where = await journal.taken_at(ticket)
        if where is not None:
            break
        await journal.changed(seen)
    if where == 0:
        return None
    facts = await journal.read(root_id, where - 1, 20)
    for fact in facts:
        if type(fact.data) in _OUTCOMES and fact.time == facts[0].time:
            return fact
    return None


_OUTCOMES: Final = frozenset({e.RequestAnswered, e.RequestRefused, e.CancellationRequested, e.HintAdded})
