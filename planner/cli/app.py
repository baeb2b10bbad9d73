"""The commands and their options, as cyclopts reads them. Each imports what it needs when it is called."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any

import attrs
from cyclopts import App, Parameter

Db = Annotated[str | None, Parameter(help="The journal; default $TURNTREE_DB, else .turntree/journal.db.")]
Tree = Annotated[str | None, Parameter(help="Id of a tree, or its beginning; default the newest.")]
AnyTurn = Annotated[str | None, Parameter(help="Id of a Turn; default the newest tree.")]
Json = Annotated[bool, Parameter(help="Write one JSON document to stdout.")]
JsonLines = Annotated[bool, Parameter(help="Write a line of JSON for each fact to stdout.")]
Quiet = Annotated[bool, Parameter(help="Show nothing of the run unless it goes wrong; write the output only.")]
Previews = Annotated[bool, Parameter(help="With --jsonl: previews too.")]
Virtual = Annotated[bool, Parameter(help="Let time jump from event to event instead of passing.")]


@attrs.frozen
class Job:
    """What a command has to do inside trio."""

    start: Callable[[], Awaitable[int]]
    virtual_time: bool = False


Outcome = int | Job

app = App(
    name="turntree",
    help="Run plans of agents, watch them, answer their questions, stop and continue them, and look at what they did.",
    version_flags=[],
    default_parameter=Parameter(negative=(), show_default=False),
    help_format="plaintext",
    result_action="return_value",
)


def _output(*, json: bool, jsonl: bool, quiet: bool, previews: bool) -> Any:
    from planner.cli.follow import Output
    from runtime.errors import UsageError

    given = [name for name, there in (("--json", json), ("--jsonl", jsonl), ("--quiet", quiet)) if there]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} do not go together; take one")
    if previews and not jsonl:
        raise UsageError("--previews adds to --jsonl; give both")
    return Output(json=json, jsonl=jsonl, quiet=quiet, previews=previews)


@app.command
def run(
    scenario: Annotated[str, Parameter(help="The scenario file.")],
    /,
    *,
    input: Annotated[
        list[str] | None,
        Parameter(name=["--input", "-i"], help="An input as name=value or name=@file.json; may be repeated."),
    ] = None,
    tools: Annotated[str | None, Parameter(help="Module or .py file whose functions go before the scenario's.")] = None,
    model: Annotated[
        list[str] | None,
        Parameter(help="Another model for a name of the scenario, as name=provider:model; may be repeated."),
    ] = None,
    offline: Annotated[bool, Parameter(help="Let every model play the scenario's scripts.")] = False,
    virtual_time: Virtual = False,
    ask: Annotated[bool, Parameter(help="Ask you what the scenario's script could answer.")] = False,
    key: Annotated[str | None, Parameter(help="Names the tree: the same key is the same tree, started once.")] = None,
    db: Db = None,
    jsonl: JsonLines = False,
    json: Json = False,
    quiet: Quiet = False,
    previews: Previews = False,
) -> Outcome:
    """Run a scenario, with a live tree on a terminal."""
    from planner.cli.run import Source, run

    output = _output(json=json, jsonl=jsonl, quiet=quiet, previews=previews)
    source = Source(
        scenario=scenario, inputs=tuple(input or ()), tools=tools, models=tuple(model or ()), offline=offline, ask=ask,
        key=key,
    )  # fmt: skip
    return Job(partial(run, source, output, db, virtual_time=virtual_time), virtual_time)


@app.command
def check(
    *scenarios: Annotated[str, Parameter(help="Scenario files.")],
    offline: Annotated[bool, Parameter(help="Check them as `run --offline` would run them.")] = False,
) -> Outcome:
    """Find every fault of scenario files at once; runs none of their code."""
    from planner.cli.plans import check
    from runtime.errors import UsageError

    if not scenarios:
        raise UsageError("name the scenario files to check")
    return check(scenarios, offline=offline)


@app.command
def schema() -> Outcome:
    """Print the JSON Schema of scenario files, for editors."""
    from planner.cli.plans import schema

    return schema()


@app.command
def graph(
    what: Annotated[
        str | None, Parameter(help="A scenario file, or the id of a Turn that runs a plan; default the newest tree.")
    ] = None,
    /,
    *,
    style: Annotated[str, Parameter(name="--format", help="mermaid (the default), dot or svg.")] = "mermaid",
    db: Db = None,
) -> Outcome:
    """Draw a plan; of a Turn with how its tasks stand. Solid arrows carry data, dashed ones only an order."""
    from planner.cli.plans import check_style, graph_file, graph_turn, is_scenario

    check_style(style)
    if what is not None and is_scenario(what):
        return graph_file(what, style)
    return Job(partial(graph_turn, what, style, db))


@app.command(name="list")
def list_(*, every: Annotated[bool, Parameter(name="--all", help="Old trees too.")] = False, db: Db = None) -> Outcome:
    """List the trees of the journal, newest first."""
    from planner.cli.look import list_trees

    return Job(partial(list_trees, db, every=every))


@app.command
def tree(
    turn: AnyTurn = None,
    /,
    *,
    follow: Annotated[bool, Parameter(help="Keep showing the whole tree until it has ended.")] = False,
    db: Db = None,
) -> Outcome:
    """Show a tree of Turns: who did what, how long it took, what it cost."""
    if follow:
        from planner.cli.watch import follow_tree

        return Job(partial(follow_tree, turn, db))
    from planner.cli.look import tree

    return Job(partial(tree, turn, db))


@app.command
def show(turn: AnyTurn = None, /, *, db: Db = None) -> Outcome:
    """Show one Turn in full: input, messages, calls, output, errors, usage, children."""
    from planner.cli.show import show

    return Job(partial(show, turn, db))


@app.command
def why(turn: AnyTurn = None, /, *, db: Db = None) -> Outcome:
    """Say why a Turn waits or failed: one sentence for each cause."""
    from planner.cli.look import explain

    return Job(partial(explain, turn, db))


@app.command
def events(
    tree: Tree = None,
    /,
    *,
    after: Annotated[int, Parameter(help="Only facts with a higher position.")] = 0,
    every: Annotated[bool, Parameter(name="--all", help="Of all trees, in the order of the journal.")] = False,
    follow: Annotated[bool, Parameter(help="Go on with new facts as they come, until the tree has ended.")] = False,
    jsonl: JsonLines = False,
    db: Db = None,
) -> Outcome:
    """Print the facts of a tree, one a line."""
    from planner.cli.look import events
    from runtime.errors import UsageError

    if every and tree is not None:
        raise UsageError(f"--all prints every tree; leave out {tree!r}, or --all")
    return Job(partial(events, tree, db, after=after, every=every, follow=follow, jsonl=jsonl))


@app.command
def requests(tree: Tree = None, /, *, json: Json = False, db: Db = None) -> Outcome:
    """List the open questions of a tree with the commands that answer them."""
    from planner.cli.look import requests

    return Job(partial(requests, tree, db, json=json))


@app.command
def answer(
    request: Annotated[str | None, Parameter(help="Id of the question, as `turntree requests` prints it.")] = None,
    /,
    *,
    approve: Annotated[bool, Parameter(help="Say yes.")] = False,
    reject: Annotated[str | None, Parameter(help="Say no, with the reason.")] = None,
    value: Annotated[str | None, Parameter(help="Answer a question without a form.", allow_leading_hyphen=True)] = None,
    form: Annotated[list[str] | None, Parameter(help="A field as name=value; may be repeated.")] = None,
    source: Annotated[
        str | None,
        Parameter(
            name="--from", help="A file of JSON lines with an answer each; - is stdin.", allow_leading_hyphen=True
        ),
    ] = None,
    db: Db = None,
) -> Outcome:
    """Answer an open question, whoever runs its tree; or many, from a file."""
    from planner.cli.act import Said, answer, answer_all
    from runtime.errors import UsageError

    if source is not None:
        if request is not None or approve or reject is not None or value is not None or form:
            raise UsageError("--from brings questions and answers; leave out the others")
        return Job(partial(answer_all, source, db))
    if request is None:
        raise UsageError("name the question, as `turntree requests` prints it, or give answers with --from FILE")
    said = Said(approve=approve, reject=reject, value=value, form=tuple(form or ()))
    return Job(partial(answer, request, said, db))


@app.command
def resume(
    tree: Tree = None,
    /,
    *,
    virtual_time: Virtual = False,
    db: Db = None,
    jsonl: JsonLines = False,
    json: Json = False,
    quiet: Quiet = False,
    previews: Previews = False,
) -> Outcome:
    """Let a tree go on where it stopped; nothing that finished runs again."""
    from planner.cli.run import resume

    output = _output(json=json, jsonl=jsonl, quiet=quiet, previews=previews)
    return Job(partial(resume, tree, output, db, virtual_time=virtual_time), virtual_time)


@app.command
def cancel(
    tree: Tree = None,
    /,
    *,
    reason: Annotated[str, Parameter(help="Why; it is recorded.")] = "cancelled from the command line",
    db: Db = None,
) -> Outcome:
    """End a tree for good."""
    from planner.cli.act import cancel

    return Job(partial(cancel, tree, reason, db))


@app.command
def tell(
    turn: Annotated[str, Parameter(help="Id of the agent's Turn; the root may be cut short.")],
    text: Annotated[str, Parameter(help="What to tell it.", allow_leading_hyphen=True)],
    /,
    *,
    db: Db = None,
) -> Outcome:
    """Steer a running agent: it reads this before it calls its model again."""
    from planner.cli.act import tell

    return Job(partial(tell, turn, text, db))


@app.command
def work(*, limit: Annotated[int, Parameter(help="How many trees to run at a time.")] = 8, db: Db = None) -> Outcome:
    """Run every tree that can go on and that nobody runs, until interrupted."""
    from planner.cli.watch import work

    return Job(partial(work, db, limit=limit))
