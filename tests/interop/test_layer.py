"""The layer itself: frameworks are imported in it alone, and a missing one is named with the command that brings it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import engines
from engines.contract import Kind
from orion_ai.interop.features import Features
from tests.interop.games import every, states

ROOT = Path(__file__).resolve().parents[2]
FRAMEWORKS = {"pyspiel", "open_spiel", "pettingzoo", "gymnasium"}


@pytest.mark.parametrize(
    ("module", "package", "blocked"),
    [
        ("openspiel", "open_spiel", "pyspiel"),
        ("openspiel_bots", "open_spiel", "open_spiel"),
        ("pettingzoo", "pettingzoo", "pettingzoo"),
        ("gymnasium", "gymnasium", "gymnasium"),
        ("speed", "open_spiel", "pyspiel"),
    ],
)
def test_a_missing_package_is_named_with_the_command_that_brings_it(module: str, package: str, blocked: str) -> None:
    code = f"""
import sys
sys.modules["{blocked}"] = None
from engines.errors import UsageError
try:
    import orion_ai.interop.{module}
except UsageError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.startswith(f"{package} is not installed"), done.stderr
    assert "pip install 'orion-ai[peers]'" in done.stdout and "pip install '.[peers]'" in done.stdout


def test_frameworks_are_imported_by_this_layer_alone() -> None:
    for path in [*(ROOT / "engines").rglob("*.py"), *(ROOT / "orion_ai").rglob("*.py")]:
        place = path.relative_to(ROOT).as_posix()
        if place.startswith(("orion_ai/interop/", "orion_ai/bench/peers/")):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            assert not FRAMEWORKS & {name.partition(".")[0] for name in names}, place


@pytest.mark.parametrize("name", engines.GAMES)
def test_features_are_the_observation_by_its_scales(name: str) -> None:
    game = every(name)[-1]
    features = Features(game)
    for number, state in enumerate(states(game, 1)):
        if number % 7:
            continue
        for seat in range(game.players):
            seen, row = state.observe(seat), features.of(state.record, seat)
            assert row.dtype == np.float32 and (features.low <= row).all() and (row <= features.high).all()
            named = features.named(row)
            for part in game.slices:
                plain = seen[part.start : part.start + part.size].reshape(part.shape)
                scale = part.scale if part.kind in (Kind.SCALAR, Kind.COUNT) else 1
                assert np.allclose(named[part.name] * scale, plain, rtol=1e-6)
