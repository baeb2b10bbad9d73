"""The JSON Schema of scenario files, for editors and for other programs; printed from the classes that read them."""

from typing import Any

from planner.scenario.document import DOCUMENT
from planner.scenario.records import Schemas

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def scenario_schema() -> dict[str, Any]:
    """Return the JSON Schema of a scenario file.

    It says as much of the rules as JSON Schema can: keys, types, short and long forms. Names that must exist and
    expressions are left to `check`.

    Examples:
        >>> scenario_schema()["required"]
        ['turntree', 'name', 'plan']
    """
    schemas = Schemas()
    DOCUMENT.schema(schemas)
    top = schemas.defs.pop("ScenarioNode")
    return {"$schema": DIALECT, "title": "A scenario of turntree", **top, "$defs": dict(sorted(schemas.defs.items()))}
