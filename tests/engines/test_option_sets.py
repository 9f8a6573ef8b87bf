"""Option sets that lead kernels along other ways than the defaults: JIT or none, the same bytes, and in bounds."""

from __future__ import annotations

import json
from typing import Any

import pytest

import engines
from engines.kernel import JIT
from tests.engines.subprocesses import code
from tests.engines.trace import trace

SETS: list[tuple[str, dict[str, Any], int]] = [
    ("leduc_poker", {"players": 2}, 10),
    ("leduc_poker", {"players": 3}, 10),
    ("liars_dice", {"players": 2, "faces": 2}, 6),
    ("liars_dice", {"players": 3, "dice": 3, "faces": 5}, 3),
    ("goofspiel", {"players": 2, "hidden": True}, 2),
    ("goofspiel", {"players": 3, "cards": 5, "hidden": True, "prizes": "ascending", "returns": "point_difference"}, 3),
    ("goofspiel", {"players": 4, "cards": 4, "prizes": "descending"}, 3),
    ("pig", {"players": 2, "target": 9}, 4),
    ("pig", {"players": 4, "target": 12, "max_turns": 15, "utility": "win"}, 4),
    ("backgammon", {"scoring": "points"}, 2),
    ("backgammon", {"max_turns": 12}, 2),
    ("matrix", {"payoffs": [[3, -1, 4], [-2, 1, 0]]}, 3),
    ("conquest", {"players": 3, "factions": "mirror", "end": "last_standing", "max_rounds": 3}, 2),
]

TRACES = """
    import json
    import engines
    from tests.engines.trace import trace
    sets = json.loads('''SETS''')
    print(json.dumps([trace(engines.load(name, **options), games, 80) for name, options, games in sets]))
"""

BOUNDS = """
    import json
    import engines
    from engines.conformance import check
    for name, options, games in json.loads('''SETS'''):
        report = check(engines.load(name, **options), games=games, seed=9, rate=0.3)
        assert report.ok, str(report)
    print("in bounds")
"""


@pytest.mark.skipif(not JIT, reason="compares this process, compiled, with a plain one")
def test_the_same_bytes_with_and_without_the_jit() -> None:
    compiled = [trace(engines.load(name, **options), games, 80) for name, options, games in SETS]
    plain = json.loads(code(TRACES.replace("SETS", json.dumps(SETS)), NUMBA_DISABLE_JIT="1"))
    differing = [SETS[i][:2] for i, (one, two) in enumerate(zip(compiled, plain, strict=True)) if one != two]
    assert not differing


@pytest.mark.slow
def test_kernels_stay_in_bounds() -> None:
    """`pytest -m slow tests/engines/test_option_sets.py`: compiles every kernel once more."""
    assert code(BOUNDS.replace("SETS", json.dumps(SETS)), NUMBA_BOUNDSCHECK="1").strip() == "in bounds"
