"""The syntax tree of an expression, checked and reduced to a few safe operations.

Each path, operator, filter, test and literal becomes `call(name, arguments…)` of a `Run`; only `and`, `or`, `not` and
`if` stay as they are, because they decide what is evaluated at all. What is compiled afterwards holds no names,
attributes, filters or functions, so there is nothing in it to break out with.
"""

from collections.abc import Callable, Sequence
from typing import Any

from jinja2 import nodes

from planner.expressions.calls import check_call, check_known
from planner.expressions.faults import ExpressionFault, listed, nearest
from planner.expressions.grammar import parse
from planner.expressions.operators import FUNCTIONS
from planner.expressions.paths import ROOTS, Reference, check_shape
from planner.expressions.run import MAX_BITS
from planner.expressions.tokens import tokenize
from planner.expressions.vocabulary import FILTERS

_FOREIGN_NAMES = {
    "null": "write `none`",
    "nil": "write `none`",
    "undefined": "write `none`, or `x is defined`",
    "TRUE": "write `true`",
    "FALSE": "write `false`",
    "lambda": "there are no functions of your own; filters take names: `| map('upper')`",
    "len": "write `x | length`",
    "str": "write `x | string`",
    "loop": "in `for_each` the place of an item is `index`",
}
_SIGNS: dict[type[nodes.Expr], str] = {
    nodes.Add: "+",
    nodes.Sub: "-",
    nodes.Mul: "*",
    nodes.Div: "/",
    nodes.FloorDiv: "//",
    nodes.Mod: "%",
    nodes.Neg: "negative",
    nodes.Pos: "positive",
}


class Rewriter:
    """Turns the tree of one expression into decisions and calls, and collects its references."""

    def __init__(self, source: str) -> None:
        """Read and rewrite `source`.

        Raises:
            ExpressionFault: It is not an expression of the language.
        """
        self._tokens = tokenize(source)
        self.references: list[Reference] = []
        """In the order in which they stand in the source: `read` finds them by their number."""
        self.result = self._rewrite(parse(self._tokens, len(source.rstrip())))

    def _offset(self, node: nodes.Node) -> int:
        return self._tokens[(node.lineno or 1) - 1].offset

    def _rewrite(self, node: nodes.Expr) -> nodes.Expr:
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise ExpressionFault("this is not part of the language", offset=self._offset(node))
        return handler(self, node)

    def _each(self, expressions: Sequence[nodes.Expr]) -> list[nodes.Expr]:
        return [self._rewrite(each) for each in expressions]

    def _constant(self, node: Any) -> nodes.Expr:
        value = node.value
        if isinstance(value, int) and value.bit_length() > MAX_BITS:
            raise ExpressionFault(f"this number has more than {MAX_BITS} bits", offset=self._offset(node))
        if isinstance(value, float) and value - value != 0.0:
            raise ExpressionFault("this number is too large", offset=self._offset(node))
        return nodes.Const(value)

    def _decision(self, node: Any) -> nodes.Expr:
        kind: Callable[..., nodes.Expr] = type(node)
        return kind(self._rewrite(node.left), self._rewrite(node.right))

    def _not(self, node: Any) -> nodes.Expr:
        return nodes.Not(self._rewrite(node.node))

    def _condition(self, node: Any) -> nodes.Expr:
        if node.expr2 is None:
            hint = "write `b if a else c`; for nothing write `else none`"
            raise ExpressionFault("this `if` has no `else`", offset=self._offset(node), hint=hint)
        # In the order of the source, which is not the order of evaluation.
        chosen, test, other = self._each([node.expr1, node.test, node.expr2])
        return nodes.CondExpr(test, chosen, other)

    def _compare(self, node: Any) -> nodes.Expr:
        rest: list[nodes.Expr] = []
        first = self._rewrite(node.expr)
        for operand in node.ops:
            rest += nodes.Const(operand.op), self._rewrite(operand.expr)
        return _call("compare", first, *rest)

    def _binary(self, node: Any) -> nodes.Expr:
        return _call(_SIGNS[type(node)], self._rewrite(node.left), self._rewrite(node.right))

    def _unary(self, node: Any) -> nodes.Expr:
        return _call(_SIGNS[type(node)], self._rewrite(node.node))

    def _concat(self, node: Any) -> nodes.Expr:
        return _call("~", *self._each(node.nodes))

    def _list(self, node: Any) -> nodes.Expr:
        return _call("list", *self._each(node.items))

    def _map(self, node: Any) -> nodes.Expr:
        pairs = [side for pair in node.items for side in (pair.key, pair.value)]
        return _call("map", *self._each(pairs))

    def _path(self, node: Any) -> nodes.Expr:
        """A path: its static part is one reference, and what is computed is looked up step by step."""
        steps: list[Any] = []
        while isinstance(node, nodes.Getattr | nodes.Getitem):
            steps.append(node)
            node = node.node
        steps.reverse()
        below_output = False
        if isinstance(node, nodes.Name):
            reference, rest = self._reference(node, steps)
            current = _call("read", nodes.Const(len(self.references)))
            self.references.append(reference)
            below_output = reference.below_output
        else:
            current, rest = self._rewrite(node), steps
        for each in rest:
            if isinstance(each, nodes.Getitem) and isinstance(each.arg, nodes.Slice):
                current = self._part(current, each.arg)
                below_output = False
            else:
                key = nodes.Const(each.attr) if isinstance(each, nodes.Getattr) else self._rewrite(each.arg)
                current = _call("field", current, key, nodes.Const(below_output))
        return current

    def _part(self, current: nodes.Expr, bounds: nodes.Slice) -> nodes.Expr:
        given = (bounds.start, bounds.stop, bounds.step)
        return _call("part", current, *(nodes.Const(None) if b is None else self._rewrite(b) for b in given))

    def _reference(self, name: nodes.Name, steps: list[Any]) -> tuple[Reference, list[Any]]:
        if name.name not in ROOTS:
            raise ExpressionFault(
                f"unknown name `{name.name}`", offset=self._offset(name), hint=_meant(name.name, ROOTS)
            )
        parts: list[str | int] = []
        for each in steps:
            key = _static_key(each)
            if key is None:
                break
            parts.append(key)
        reference = Reference(name.name, tuple(parts), self._offset(name))
        if name.name == "tasks" and steps and not parts:
            hint = "write `tasks.<name>`; a task is known before anything runs"
            raise ExpressionFault("the name of a task cannot be computed", offset=reference.offset, hint=hint)
        check_shape(reference)
        return reference, steps[len(parts) :]

    def _function(self, node: Any) -> nodes.Expr:
        offset = self._offset(node)
        called = node.node
        if isinstance(called, nodes.Getattr):
            name = called.attr
            hint = f"write `x | {name}`" if name in FILTERS else "filters do such work: `x | filter`"
            raise ExpressionFault(f"`.{name}(…)` would call a method, and there are none", offset=offset, hint=hint)
        if not isinstance(called, nodes.Name):
            raise ExpressionFault("only functions can be called", offset=offset, hint="they are " + listed(FUNCTIONS))
        if called.name not in FUNCTIONS:
            hint = f"write `x | {called.name}`" if called.name in FILTERS else _meant(called.name, FUNCTIONS)
            raise ExpressionFault(f"unknown function `{called.name}`", offset=offset, hint=hint)
        return self._checked_call(f"{called.name}()", node)

    def _filter(self, node: Any) -> nodes.Expr:
        check_known("filter", node.name, self._offset(node))
        return self._checked_call(f"|{node.name}", node, node.node)

    def _test(self, node: Any) -> nodes.Expr:
        check_known("test", node.name, self._offset(node))
        return self._checked_call(f"is {node.name}", node, node.node)

    def _checked_call(self, operation: str, node: Any, *subject: nodes.Expr) -> nodes.Expr:
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            raise ExpressionFault("`*` and `**` cannot spread arguments here", offset=self._offset(node))
        check_call(operation, [*subject, *node.args], {each.key for each in node.kwargs}, self._offset(node))
        values = self._each([*subject, *node.args])
        return _call(operation, *values, named=[nodes.Keyword(k.key, self._rewrite(k.value)) for k in node.kwargs])


_HANDLERS: dict[type[nodes.Expr], Callable[[Rewriter, Any], nodes.Expr]] = {
    nodes.Const: Rewriter._constant,
    nodes.Name: Rewriter._path,
    nodes.Getattr: Rewriter._path,
    nodes.Getitem: Rewriter._path,
    nodes.And: Rewriter._decision,
    nodes.Or: Rewriter._decision,
    nodes.Not: Rewriter._not,
    nodes.CondExpr: Rewriter._condition,
    nodes.Compare: Rewriter._compare,
    nodes.Concat: Rewriter._concat,
    nodes.List: Rewriter._list,
    nodes.Tuple: Rewriter._list,
    nodes.Dict: Rewriter._map,
    nodes.Filter: Rewriter._filter,
    nodes.Test: Rewriter._test,
    nodes.Call: Rewriter._function,
    nodes.Neg: Rewriter._unary,
    nodes.Pos: Rewriter._unary,
    **dict.fromkeys((nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod), Rewriter._binary),
}


def _call(name: str, *arguments: nodes.Expr, named: Sequence[nodes.Keyword] = ()) -> nodes.Expr:
    return nodes.Call(nodes.Const(name), list(arguments), list(named), None, None)


def _static_key(step: nodes.Expr) -> str | int | None:
    """The key of a step if it stands in the source, else None."""
    if isinstance(step, nodes.Getattr):
        return step.attr
    argument = step.arg if isinstance(step, nodes.Getitem) else None
    sign = 1
    if isinstance(argument, nodes.Neg):
        sign, argument = -1, argument.node
    value = argument.value if isinstance(argument, nodes.Const) else None
    if isinstance(value, int) and not isinstance(value, bool):
        return sign * value
    return value if isinstance(value, str) and sign == 1 else None


def _meant(name: str, known: frozenset[str]) -> str:
    close = nearest(name, known)
    return _FOREIGN_NAMES.get(name) or (f"did you mean `{close}`?" if close else "known are " + listed(sorted(known)))
