"""Python code beside a scenario: found by its file, imported under a name of its own, `sys.path` left alone."""

import hashlib
import importlib
import sys
import traceback
from pathlib import Path
from types import ModuleType

from planner.plan.faults import did_you_mean
from runtime.errors import UsageError


def module_beside(base: Path, dotted: str) -> ModuleType:
    """Import `dotted` from the folder of the scenario.

    The folder becomes the search path of a package that only turntree knows, so that a file called `random.py` shadows
    nothing, and files beside each other are reached by `from . import other`.

    Raises:
        UsageError: No such file, or running it failed.
    """
    wanted = base.joinpath(*dotted.split("."))
    if not wanted.with_name(f"{wanted.name}.py").is_file() and not (wanted / "__init__.py").is_file():
        near = did_you_mean(wanted.name, sorted(file.stem for file in wanted.parent.glob("*.py")))
        looked = wanted.with_name(f"{wanted.name}.py")
        raise UsageError(f"there is no file {str(looked)!r}" + (f"; {near}" if near else ""))
    root = f"turntree_tools_{hashlib.sha256(str(base).encode()).hexdigest()[:12]}"
    if root not in sys.modules:
        package = ModuleType(root, "Stands for the folder of a scenario.")
        package.__path__ = [str(base)]
        sys.modules[root] = package
    return _import(f"{root}.{dotted}", dotted)


def named_module(name: str) -> ModuleType:
    """Import what `--tools` names: an importable module, or the path of a `.py` file.

    Raises:
        UsageError: There is none, or running it failed.
    """
    if name.endswith(".py"):
        file = Path(name).resolve()
        return module_beside(file.parent, file.stem)
    return _import(name, name)


def _import(full: str, shown: str) -> ModuleType:
    importlib.invalidate_caches()
    try:
        return importlib.import_module(full)
    except ModuleNotFoundError as error:
        if error.name is not None and (full == error.name or full.startswith(f"{error.name}.")):
            raise UsageError(f"there is no module {shown!r}; name an importable module or a .py file") from error
        hint = f"; a file beside it is imported by `from . import {error.name}`" if error.name else ""
        raise UsageError(f"importing {shown!r} failed{_line(error)}: {error}{hint}") from error
    except (Exception, SystemExit) as error:
        raise UsageError(f"importing {shown!r} failed{_line(error)}: {type(error).__name__}: {error}") from error


def _line(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "importlib" not in frame.filename]
    return f" at {Path(own[-1].filename).name}:{own[-1].lineno}" if len(own) > 1 else ""
