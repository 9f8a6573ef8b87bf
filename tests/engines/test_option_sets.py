"""Every game under options that lead its kernels along other ways: JIT or none, the same bytes, and in bounds."""

from __future__ import annotations

import json

import pytest

import engines
from engines.kernel import JIT
from engines.registry import GAMES
from tests.engines.games import is_long, option_sets
from tests.engines.subprocesses import code
from tests.engines.trace import trace

TRACES = """
    import json
    from tests.engines.test_option_sets import traces
    print(json.dumps(traces()))
"""

BOUNDS = """
    import engines
    from engines.conformance import check
    from engines.perft import perft
    from tests.engines.games import is_long, option_sets
    for name in NAMES:
        for options in option_sets(name):
            game = engines.load(name, **options)
            report = check(game, games=1 if is_long(game) else 5, seed=9, rate=0.01 if is_long(game) else 0.3)
            assert report.ok, str(report)
            perft(game.start(), 4, 10**6)
    print("in bounds")
"""


def traces() -> dict[str, str]:
    """A digest of what the kernels say, by game and options."""
    found = {}
    for name in GAMES:
        for options in option_sets(name):
            game = engines.load(name, **options)
            found[f"{name} {json.dumps(options)}"] = trace(game, 1 if is_long(game) else 3, 80)
    return found


@pytest.mark.skipif(not JIT, reason="compares this process, compiled, with a plain one")
def test_the_same_bytes_with_and_without_the_jit() -> None:
    compiled, plain = traces(), json.loads(code(TRACES, NUMBA_DISABLE_JIT="1"))
    assert compiled.keys() == plain.keys()
    assert not [key for key, digest in compiled.items() if plain[key] != digest]


@pytest.mark.slow
def test_kernels_stay_in_bounds() -> None:
    """`pytest -m slow tests/engines/test_option_sets.py`: compiles every kernel once more."""
    assert code(BOUNDS.replace("NAMES", repr(list(GAMES))), NUMBA_BOUNDSCHECK="1").strip() == "in bounds"
