"""The house itself: import contracts, one compilation policy, sizes, and an engine layer that stands alone."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from engines.registry import GAMES

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(p for package in ("engines", "orion_ai") for p in (ROOT / package).rglob("*.py"))
DISPATCHERS = {"apply", "legal", "main"}
"""Functions that may be longer than the limit: one dispatcher a game."""


def run_python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments, "-c", textwrap.dedent(code)], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_import_contracts() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([linter], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_game_plays_without_torch_ray_and_hydra() -> None:
    result = run_python(
        """
        import sys
        for name in ("torch", "ray", "hydra", "omegaconf"):
            sys.modules[name] = None  # importing it now raises
        import engines
        for name in ("kuhn_poker", "moo_board"):
            state = engines.load(name).start(seed=1)
            while not state.is_over:
                state.apply(state.legal_actions()[0])
            print(name, sum(state.returns()))
        """
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["kuhn_poker", "0.0", "moo_board", "0.0"]


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@functools.cache
def imported(path: Path) -> set[str]:
    """Every module that the module at `path` names in an import, wherever in it."""
    package = path.relative_to(ROOT).parent.parts
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *filter(None, [node.module])])
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return found


@pytest.mark.parametrize("game", [*GAMES.values(), "engines.template"])
def test_nothing_in_engines_and_no_search_imports_a_game(game: str) -> None:
    """So games know nothing of each other. They are found in the registry: a new one need not be named here."""
    own = ROOT.joinpath(*game.split("."))
    others = [p for p in SOURCES if p.is_relative_to(ROOT / "engines") and not p.is_relative_to(own)]
    others += [p for p in SOURCES if p.is_relative_to(ROOT / "orion_ai" / "search")]
    guilty = [p for p in others if any(name == game or name.startswith(f"{game}.") for name in imported(p))]
    assert others and not guilty
    assert any(name.startswith(f"{game}.") for name in imported(own / "__init__.py"))  # an import would be noticed


def test_ray_is_imported_in_one_package() -> None:
    callers = [p for p in SOURCES if re.search(r"^\s*(import|from) ray\b", p.read_text(), re.MULTILINE)]
    assert {p.parent.relative_to(ROOT).as_posix() for p in callers} == {"orion_ai/distributed"}


def test_numba_is_called_in_one_place() -> None:
    callers = [p for p in SOURCES if re.search(r"\bnjit\b|numba\.jit\b|jitclass", p.read_text())]
    assert [p.relative_to(ROOT).as_posix() for p in callers] == ["engines/kernel.py"]


def test_no_pickle_is_loaded() -> None:
    pattern = r"\bimport pickle\b|pickle\.load|allow_pickle=True|weights_only=False|(?<!safetensors\.)torch\.load\("
    assert not [p for p in SOURCES if re.search(pattern, p.read_text())]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_module_size_and_name(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 600
    assert path.stem not in ("utils", "helpers", "common")


def test_functions_are_short() -> None:
    long = []
    for path in SOURCES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                docstring = ast.get_docstring(node, clean=False) or ""
                lines = (node.end_lineno or 0) - node.lineno + 1 - len(docstring.splitlines())
                if lines > 60 and node.name not in DISPATCHERS:
                    long.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name} ({lines} lines)")
    assert not long, "\n".join(long)


def test_every_public_function_has_a_docstring_of_its_own() -> None:
    missing = []
    for path in SOURCES:
        if ast.get_docstring(parsed(path)) is None:
            missing.append(str(path.relative_to(ROOT)))
    assert not missing, "\n".join(missing)
