"""The commands that act on trees: `answer`, `cancel` and `tell`."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from planner.cli.batch import answer_from
from planner.cli.exits import Exit
from planner.cli.forms import read_pairs
from planner.cli.place import Place, find_tree, find_turn, read_view
from planner.inspector import path_of, resume_command
from planner.inspector.words import clean
from planner.plan.fields import parse_option
from runtime.errors import AnswerInvalid, NotFound, UsageError
from runtime.values.ids import split_request_id
from runtime.values.requests import Answer

if TYPE_CHECKING:
    from planner.inspector import TreeView
    from runtime.values.requests import Request


@attrs.frozen(kw_only=True)
class Said:
    """What a person says to a question; exactly one of these."""

    approve: bool = False
    reject: str | None = None
    value: str | None = None
    form: Sequence[str] = ()

    def check(self) -> None:
        """Refuse none and several, and a rejection without a reason.

        Raises:
            UsageError: It is not exactly one, or says nothing.
        """
        given = [
            name
            for name, there in (
                ("--approve", self.approve), ("--reject", self.reject is not None),
                ("--value", self.value is not None), ("--form", bool(self.form)),
            )
            if there
        ]  # fmt: skip
        if len(given) != 1:
            got = f"not {' and '.join(given)}" if given else "for instance --approve"
            raise UsageError(f"say one of --approve, --reject TEXT, --value V, --form k=v…; {got}")
        if self.reject is not None and not self.reject.strip():
            raise UsageError("--reject needs a reason, such as --reject 'too expensive'")

    def to(self, request: Request) -> Answer:
        """Return the answer, typed by what the question asks for.

        Raises:
            UsageError: It does not fit.
        """
        if self.reject is not None:
            return Answer.reject(self.reject)
        if self.form:
            if request.form is None:
                raise AnswerInvalid(f"{request.message!r} has no form; use --approve, --value V or --reject TEXT")
            return Answer.form(read_pairs(self.form, request.form, option="--form", what="field"))
        if self.approve:
            return Answer.approve()
        assert self.value is not None
        return Answer.of(parse_option({}, self.value))


async def answer(request: str, said: Said, db: str | None) -> Exit:
    """Record the answer to an open question, whoever runs its tree.

    Raises:
        NotFound: The question is not open.
        AnswerInvalid: The answer does not fit; the question stays open.
        OwnerSilent: A live process holds the tree and has not taken the answer yet.
    """
    said.check()
    place = Place.of(db)
    async with place.open() as runtime:
        info = await find_tree(runtime.journal, request)
        view = await read_view(runtime.journal, info.root_id)
        asked = _asked(view, request)
        await runtime.answer(asked.id, said.to(asked), by=_user())
        now = await runtime.journal.root(info.root_id)
    left = len(view.requests) - 1
    rest = f"; {left} more to answer: turntree requests {info.root_id}{place.options}" if left else ""
    if now.owner is None:
        next_step = f"recorded; go on with: {resume_command(info.root_id, options=place.options)}"
    else:
        next_step = f"it is taken, and the {now.owner} goes on"
    print(f"{next_step}{rest}", file=sys.stderr)
    return Exit.DONE


async def answer_all(source: str, db: str | None) -> Exit:
    """Give all answers of a file, see `answer_from`."""
    return await answer_from(source, db, _user())


async def tell(turn: str, text: str, db: str | None) -> Exit:
    """Steer a running agent.

    Raises:
        NotFound: There is no such Turn.
        UsageError: It has ended, or is no agent.
        OwnerSilent: A live process holds the tree and has not taken this yet.
    """
    async with Place.of(db).open() as runtime:
        _, _, node = await find_turn(runtime.journal, turn)
        await runtime.tell(node.turn_id, text, by=_user())
    print(f"{path_of(node)} ({node.turn_id}) is told before its next model call", file=sys.stderr)
    return Exit.DONE


def _asked(view: TreeView, given: str) -> Request:
    """Return the open question of this id; the id of the root may be cut short."""
    try:
        turn_id, key = split_request_id(given)
    except ValueError:
        turn_id, key = given, ""
    _, dot, below = turn_id.partition(".")
    root = view.root.turn_id if view.root is not None else ""
    wanted = f"{root}{dot}{below}:{key}"
    found = view.requests.get(wanted)
    if found is not None:
        return found
    still = "; ".join([f"{name} ({clean(each.message)[:60]})" for name, each in view.requests.items()])
    hint = f"open are: {still}" if still else "no question of this tree is open"
    if not key:
        raise NotFound(f"{given!r} is not the id of a question; {hint}")
    raise NotFound(f"the question {wanted} is not open (it may have been answered already); {hint}")


async def cancel(tree: str | None, reason: str, db: str | None) -> Exit:
    """End a tree for good.

    Raises:
        NotFound: There is no such tree.
        OwnerSilent: A live process holds it and has not taken this yet.
    """
    async with Place.of(db).open() as runtime:
        info = await find_tree(runtime.journal, tree)
        before = await read_view(runtime.journal, info.root_id)
        if before.root is not None and before.root.ending is not None:
            print(f"{info.name} ({info.root_id}) had ended already: {before.root.ending}", file=sys.stderr)
            return Exit.DONE
        await runtime.cancel(info.root_id, reason, by=_user())
    print(f"{info.name} ({info.root_id}) is cancelled", file=sys.stderr)
    return Exit.DONE


def _user() -> str:
    """Return the name under which a person is recorded."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return "someone"
