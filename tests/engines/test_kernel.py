"""The compilation policy: fingerprints follow every source, broken or unwritable caches are no obstacle."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest

from engines.kernel import KEPT_DIRECTORIES, cache_root, fingerprint, prune
from tests.engines.subprocesses import python

CORE = """
    from numba import types
    from engines.kernel import kernel
    from engines.tiny.table import FACTOR

    @kernel
    def scaled(x):
        return x * FACTOR
"""
RULES = """
    from numba import types
    from engines.kernel import kernel
    from engines.tiny.core import scaled

    @kernel(types.int64(types.int64))
    def answer(x):
        return scaled(x) + 1
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A package of ours in a folder of its own: the kernel module, and three modules that depend on each other."""
    real = Path(__file__).resolve().parents[2] / "engines"
    engines = tmp_path / "engines"
    (engines / "tiny" / "content").mkdir(parents=True)
    (engines / "__init__.py").write_text("")
    (engines / "kernel.py").write_text((real / "kernel.py").read_text())
    for name, text in {"__init__": "", "table": "FACTOR = 2", "core": CORE, "rules": RULES, "other": "X = 1"}.items():
        (engines / "tiny" / f"{name}.py").write_text(textwrap.dedent(text))
    (engines / "tiny" / "content" / "cards.yaml").write_text("cards: 3\n")
    return tmp_path


def run(tree: Path, code: str, cache: Path | None = None, **environment: str) -> str:
    """What a fresh process prints that sees this tree alone."""
    environment = {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    result = python("-P", "-c", code, ORION_CACHE_DIR=str(cache or tree / "cache"), **environment)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def answer(tree: Path, cache: Path | None = None, **environment: str) -> int:
    """`answer(5)`, computed by a fresh process."""
    return int(run(tree, "from engines.tiny.rules import answer; print(answer(5))", cache, **environment))


def name(tree: Path, **environment: str) -> str:
    """The fingerprint of the kernel module."""
    code = "from engines.kernel import fingerprint; print(fingerprint('engines.tiny.rules'))"
    return run(tree, code, **environment)


def files(folder: Path, ending: str) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob(f"*{ending}")}


def test_an_edit_in_another_module_is_noticed(tree: Path) -> None:
    assert answer(tree) == 11
    (tree / "engines" / "tiny" / "table.py").write_text("FACTOR = 3")
    assert answer(tree) == 16
    (tree / "engines" / "tiny" / "table.py").write_text("FACTOR = 2")
    assert answer(tree) == 11


def test_what_changes_a_fingerprint_and_what_does_not(tree: Path) -> None:
    tiny, first = tree / "engines" / "tiny", name(tree)
    (tiny / "other.py").write_text("X = 2")
    assert name(tree) == first, "a module that the kernels do not import"
    (tree / "engines" / "__init__.py").write_text("VERSION = 2")
    (tiny / "__init__.py").write_text("from engines.tiny import other")
    assert name(tree) == first, "packages on the way to a module"
    (tiny / "content" / "cards.yaml").write_text("cards: 4\n")
    content = name(tree)
    (tiny / "core.py").write_text((tiny / "core.py").read_text() + "\n# a comment\n")
    edited = name(tree)
    flags = {name(tree, NUMBA_BOUNDSCHECK="1"), name(tree, NUMBA_OPT="1")}
    assert len({first, content, edited} | flags) == 5


def test_a_warm_start_compiles_nothing(tree: Path) -> None:
    cache = tree / "cache"
    answer(tree)
    before = files(cache, ".nbc")
    assert before
    answer(tree)
    assert files(cache, ".nbc") == before


@pytest.mark.parametrize(("ending", "garbage"), [(".nbi", b"garbage"), (".nbi", None), (".nbc", b"")])
def test_a_damaged_cache_is_rebuilt(tree: Path, ending: str, garbage: bytes | None) -> None:
    cache = tree / "cache"
    answer(tree)
    damaged = files(cache, ending)
    assert damaged
    for path in damaged:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2] if garbage is None else garbage)
    assert answer(tree) == 11
    # It was mended, not only survived: the next process finds every file whole and writes none.
    mended = files(cache, ".nbi") | files(cache, ".nbc")
    assert answer(tree) == 11
    assert files(cache, ".nbi") | files(cache, ".nbc") == mended


def test_a_cache_of_a_callee_that_is_damaged_is_rebuilt(tree: Path) -> None:
    """The caller must be compiled anew, and its callee in another module is read from a broken cache."""
    cache = tree / "cache"
    answer(tree)
    for path in (cache / "engines.tiny.core").rglob("*.nb?"):
        path.write_bytes(b"garbage")
    for path in (cache / "engines.tiny.rules").rglob("*.nb?"):
        path.unlink()
    assert answer(tree) == 11


def test_a_cache_that_cannot_be_written_is_replaced(tree: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the cache should be")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    assert answer(tree, blocked / "cache", TMPDIR=str(temporary)) == 11
    assert files(temporary, ".nbc"), "kernels are kept in the temporary folder instead"


def test_prune_keeps_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORION_CACHE_DIR", str(tmp_path / "cache"))
    assert prune() == 0, "no cache yet"
    for age in range(KEPT_DIRECTORIES + 3):
        folder = tmp_path / "cache" / "engines.tiny.rules" / f"{age:012x}"
        folder.mkdir(parents=True)
        (folder / "kernel.nbc").write_bytes(b"x")
        os.utime(folder, (1_000_000 - age, 1_000_000 - age))
    (tmp_path / "cache" / "engines.other" / "0").mkdir(parents=True)
    assert prune() == 3
    kept = sorted(path.name for path in (tmp_path / "cache" / "engines.tiny.rules").iterdir())
    assert kept == [f"{age:012x}" for age in range(KEPT_DIRECTORIES)]
    assert (tmp_path / "cache" / "engines.other" / "0").is_dir()


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ORION_CACHE_DIR", str(tmp_path / "own"))
    assert cache_root() == tmp_path / "own"
    monkeypatch.delenv("ORION_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_root() == tmp_path / "xdg" / "orion" / "kernels"


def test_modules_of_one_game_do_not_share_a_fingerprint_with_another() -> None:
    assert fingerprint("engines.kuhn_poker.rules") != fingerprint("tests.engines.duel.rules")
