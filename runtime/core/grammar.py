"""What every history of a tree looks like, on every path: `check_grammar` reads one and says where it breaks a rule.

The rules hold at each fact, not only at the end: whatever was recorded so far is the beginning of a valid history, so
a tree that was cut off anywhere is checked by the same walk. Which types may follow each other is the table of
`runtime.core.legality`; here is what the table cannot say: what pairs with what, and what must be closed when.

One walk, constant work for each fact. Facts of types that this package does not know are progress and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.core.grammar_rules import RULES
from runtime.core.grammar_turn import Broken, TurnRecord
from runtime.core.legality import ENDED_AS, LEGAL, Position
from runtime.errors import RuntimeFault
from runtime.values.ids import parent_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from runtime.values.envelopes import Fact


class GrammarError(RuntimeFault):
    """A history breaks a rule that every history keeps: a bug in turntree, in a kind of Turn, or a damaged journal."""

    def __init__(self, rule: str, *, turn_id: str, position: int, type: str) -> None:
        super().__init__(f"position {position}, Turn {turn_id}, {type}: {rule}")
        self.rule = rule
        """The rule in words."""
        self.turn_id = turn_id
        self.position = position
        self.type = type


def check_grammar(facts: Iterable[Fact], *, ended: bool) -> None:
    """Check the history of one tree against every rule, in time linear in its length.

    Args:
        facts: All facts of the tree from its first one, in order. Previews are not facts; leave them out.
        ended: Whether the root has ended. If not, the facts are checked as the beginning of a longer history.

    Raises:
        GrammarError: The first fact that breaks a rule, or the last one if the history should have ended and has not.
    """
    turns: dict[str, TurnRecord] = {}
    position = 0
    running = Position.RUNNING
    fact = root = None
    name = ""
    try:
        for fact in facts:
            position += 1
            data = fact.data
            name = data.type
            if fact.position != position:
                raise Broken(f"positions count without gaps from 1, so this fact should have position {position}")
            turn_id = fact.header.turn_id
            turn = turns.get(turn_id)
            if turn is None:
                turn = turns[turn_id] = _enter(turns, fact)
                root = root or turn
            turn.sequence += 1
            if fact.sequence != turn.sequence:
                raise Broken(f"a Turn's facts count without gaps from 1, so this should be number {turn.sequence}")
            at = turn.position
            after = turn.legal.get(name, running if at is running else None)
            if after is None:
                raise Broken(f"a Turn that is {at} cannot record this")
            rule = RULES.get(name)
            if rule is not None:
                rule(turn, data)
            if after is not at:
                turn.position = after
                turn.legal = LEGAL[after]
        name = "the end"
        if ended and (root is None or root.position is not Position.ENDED):
            raise Broken(f"the root has no terminal fact; one of {', '.join(ENDED_AS)} must be the last")
    except Broken as broken:
        turn_id = fact.turn_id if fact is not None else "?"
        raise GrammarError(str(broken), turn_id=turn_id, position=position, type=name) from None


def _enter(turns: dict[str, TurnRecord], fact: Fact) -> TurnRecord:
    """Take in a Turn that has its first fact, and hold its place in the tree against what its parent said."""
    header = fact.header
    turn_id = header.turn_id
    above = header.parent_turn_id
    if above is None:
        if turns:
            raise Broken(f"the history of {next(iter(turns))} holds a fact of another tree")
        return TurnRecord(None, 0)
    parent = turns.get(above)
    if parent is None or above != parent_of(turn_id):
        raise Broken(f"a Turn comes after the CHILD_STARTED of its parent, and {above} has recorded nothing")
    n = int(turn_id.rpartition(".")[2])
    child = parent.children.get(n)
    if child is None:
        raise Broken(f"{above} has no CHILD_STARTED for child {n}")
    if child.ended:
        raise Broken(f"{above} has recorded the end of child {n} already")
    child.record = TurnRecord(parent, n)
    return child.record
