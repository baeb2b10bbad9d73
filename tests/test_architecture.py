"""Rules of the architecture that the import linter cannot state."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("runtime", "planner")
PROJECT = (*PACKAGES, "scenarios", "tests", "docs", "benchmarks")
LONGEST_FILE = 400
LONGEST_FUNCTION = 50
HEAVY = ("cyclopts", "jinja2", "networkx", "rich", "yaml", "hypercorn", "starlette", "anthropic", "mcp", "openai")


def sources(*folders: str) -> list[Path]:
    """Every Python file under the folders, named from the root of the checkout."""
    return sorted(path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.py"))


def tree_of(path: Path) -> ast.Module:
    """The syntax tree of one source file."""
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), filename=str(path))


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method, nested ones included."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_importing_runtime_stays_light() -> None:
    """`import runtime` loads no graph, YAML, template, terminal or web library and no provider's SDK."""
    program = f"import sys, runtime; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_say_that_they_are_typed(package: str) -> None:
    """Users' type checkers read our annotations."""
    assert (ROOT / package / "py.typed").is_file()


def test_every_folder_is_a_package() -> None:
    """Every folder with Python files has an `__init__.py`: without one the import linter passes over it."""
    folders = {path.parent for path in sources(*PACKAGES)}
    assert [str(folder) for folder in sorted(folders) if not (ROOT / folder / "__init__.py").is_file()] == []


def test_files_stay_short() -> None:
    """No Python file is longer than 400 lines: one that is has two reasons to change."""
    lengths = {path: len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in sources(*PROJECT)}
    assert {str(path): lines for path, lines in lengths.items() if lines > LONGEST_FILE} == {}


def test_functions_stay_short() -> None:
    """No function of the packages is longer than 50 lines."""
    long = {
        f"{path}:{function.lineno} {function.name}": lines
        for path in sources(*PACKAGES)
        for function in functions(tree_of(path))
        if (lines := (function.end_lineno or function.lineno) - function.lineno + 1) > LONGEST_FUNCTION
    }
    assert long == {}


def test_only_the_command_line_starts_trio() -> None:
    """`trio.run` appears in planner/cli alone: a library runs inside its user's program."""
    found = [
        f"{path}:{node.lineno}"
        for path in sources(*PACKAGES)
        if path.parts[:2] != ("planner", "cli")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "trio.run"
    ]
    assert found == []


def test_test_folders_are_no_packages() -> None:
    """No `__init__.py` stands under tests/, where a package named runtime would hide the real one."""
    assert [str(path) for path in sources("tests") if path.name == "__init__.py"] == []
