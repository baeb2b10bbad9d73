"""Tools of the market brief: a search over a small shelf of sources, instead of one over the web."""

from typing import TypedDict

from runtime.core.ports import ToolContext

SHELF = {
    "grid": ("Grid report", "One new house in four has a battery; a year ago it was one in six."),
    "prices": ("Price survey", "Batteries cost a fifth less than a year ago."),
    "makers": ("Annual reports", "Order books are full until next autumn."),
    "rules": ("Rules on feeding in", "From next year feeding in pays less at noon."),
    "rumours": ("An anonymous blog", "A large maker is said to leave the market."),
}


class Hit(TypedDict):
    """One source that a search found."""

    id: str
    title: str


def search(query: str, context: ToolContext, limit: int = 10) -> list[Hit]:
    """Search for sources.

    Args:
        query: Words to look for.
        context: Given by turntree; a model does not see it.
        limit: How many sources to return at most.
    """
    context.progress(f"searching for {query}")
    return [Hit(id=name, title=title) for name, (title, _) in SHELF.items()][:limit]


def facts(source: str) -> str:
    """Return what a source says.

    Args:
        source: The id that a search returned.
    """
    if source not in SHELF:
        raise ValueError(f"there is no source {source!r}; the shelf has {', '.join(SHELF)}")
    return SHELF[source][1]
