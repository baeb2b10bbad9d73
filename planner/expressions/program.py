"""Real expressions, compiled by Jinja2's sandbox. Loaded only when a text is more than a plain path."""

from collections.abc import Mapping
from typing import Any

from jinja2 import Template, nodes
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment

from planner.expressions.faults import EvaluationFault
from planner.expressions.rewriting import Rewriter
from planner.expressions.run import Run
from planner.expressions.vocabulary import OPERATIONS


class _Sandbox(SandboxedEnvironment):
    """Compiles rewritten trees, and lets them call nothing but operations of the run at hand."""

    def call(self, context: Context, name: str, /, *args: Any, **kwargs: Any) -> object:
        """The one thing that compiled code can do."""
        return context.parent["run"].call(name, *args, **kwargs)


# Never folds constants: they would be computed while a file is checked, before any limit applies.
_SANDBOX = _Sandbox(optimized=False, cache_size=0)


class Program:
    """An expression that was read and found well formed; compiled when it first runs."""

    def __init__(self, source: str) -> None:
        """Read `source`.

        Raises:
            ExpressionFault: It is not an expression of the language.
        """
        self._source = source.strip()
        rewriter = Rewriter(source)
        self._tree = rewriter.result
        self.references = tuple(rewriter.references)
        """In the order in which they stand in the source; one for each place."""
        self._compiled: Template | None = None

    def evaluate(self, scope: Mapping[str, object]) -> object:
        """The value of the expression.

        Raises:
            EvaluationFault: The values of `scope` do not fit, or the work is too much.
        """
        if self._compiled is None:
            body: list[nodes.Node] = [nodes.Assign(nodes.Name("result", "store"), self._tree, lineno=1)]
            self._compiled = _SANDBOX.from_string(nodes.Template(body, lineno=1))
        run = Run(OPERATIONS, self.references, scope, self._source)
        context = Context(_SANDBOX, {"run": run}, None, {})
        try:
            for _ in self._compiled.root_render_func(context):
                pass
            return run.finished(context.vars["result"])
        except OverflowError:
            raise EvaluationFault("a number becomes too large", expression=self._source) from None
        except RecursionError:
            raise EvaluationFault("a value is nested too deeply", expression=self._source) from None
