"""`orion new-game` writes a game that keeps every promise before a line of it is changed; all its files or none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import engines
from engines import kernel
from engines.errors import FileError, UsageError
from orion_ai import new_game
from orion_ai.cli import main
from orion_ai.new_game import NewGame, make

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("engines", "orion_ai", "configs", "docs", "tests", "pyproject.toml", "README.md", "CONTRIBUTING.md")
NO_JIT = {"NUMBA_DISABLE_JIT": "1"}


def files(name: str) -> set[str]:
    """What a new game consists of."""
    modules = {f"engines/{name}/{module}.py" for module in ("__init__", "layout", "rules", "belief", "observe")}
    tests = {f"tests/{name}/{module}.py" for module in ("__init__", "test_rules", "test_reference")}
    return modules | tests | {f"configs/game/{name}.yaml", f"docs/games/{name}.md"}


def texts(folder: Path) -> dict[str, str]:
    """Every file below `folder` but caches, by its path."""
    found = (p for p in folder.rglob("*") if p.is_file() and "cache" not in str(p.relative_to(folder)))
    return {p.relative_to(folder).as_posix(): p.read_text(errors="replace") for p in found}


def run(folder: Path, *words: str, **environment: str) -> str:
    """Run Python in `folder` with these variables added; it must succeed. Returns what it printed."""
    result = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that look at files alone need not load the game."""
    keys = ("version", "state", "decisions", "ids", "legal", "observation", "streams", "recall")
    monkeypatch.setattr(new_game, "_figures", lambda name, folder: dict.fromkeys(keys, "1"))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that is taken for a checkout."""
    shutil.copytree(ROOT / "engines", tmp_path / "engines", ignore=lambda _, names: [n for n in names if "." not in n])
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


# A game of one's own, beside an Orion that is installed


@pytest.fixture
def kernels_removed() -> Iterator[None]:
    yield
    for folder in kernel.cache_root().glob("engines.walked_game*"):
        shutil.rmtree(folder)


WALK = """
from orion_ai.cli import main
for words in (
    "games walked_game", "check walked_game games=5 mutations=true", "check players=3 game=walked_game games=5",
    "arena walked_game agents=[ismcts,random] budget.simulations=8 blocks=2 processes=2 output=match", "replay match",
    "train experiment=smoke game=walked_game search.simulations=4 selfplay.games=8 evaluation.final_blocks=1",
):
    assert main(words.split()) == 0, words
"""


def test_a_new_game_is_checked_played_and_learned_by_its_folder(tmp_path: Path, kernels_removed: None) -> None:
    assert main(["new-game", "walked_game", f"folder={tmp_path}"]) == 0
    assert set(texts(tmp_path)) == files("walked_game")
    environment = {"ORION_GAMES": str(tmp_path), "PYTHONPATH": str(ROOT)}
    said = run(tmp_path, "-c", WALK, **environment)
    assert "walked_game, 3 players" in said and "FAILED" not in said and "over: points" in said
    said = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/walked_game", **environment)
    assert "13 passed" in said


@pytest.mark.parametrize(
    ("folders", "message"),
    [
        (("nowhere",), "'{0}/nowhere' has no folder 'engines'"),
        (("own",), "'{0}/own/engines/pig' has the name of another game or module: rename it"),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused(folders: tuple[str, ...], message: str, tmp_path: Path) -> None:
    (tmp_path / "own/engines/pig").mkdir(parents=True)
    (tmp_path / "own/engines/pig/__init__.py").touch()
    named = os.pathsep.join(str(tmp_path / folder) for folder in folders)
    environment = {**os.environ, **NO_JIT, "ORION_GAMES": named}
    words = [sys.executable, "-m", "orion_ai.cli", "games"]
    result = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "ORION_GAMES: " in result.stderr and message.format(tmp_path) in result.stderr


OWN_GAMES = {
    "empty": ("", "empty/__init__.py' defines no GAME", 2),
    "broken": ("def (", "a fault of a game in '{0}' (SyntaxError)", 1),
    "raising": ("1 / 0", "a fault of a game in '{0}' (ZeroDivisionError)", 1),
}


@pytest.mark.parametrize("name", OWN_GAMES)
def test_a_mistake_in_a_game_of_ones_own_is_told_as_such(name: str, tmp_path: Path) -> None:
    """Its folder is named twice, as a shell's profile that is read twice does it."""
    source, message, code = OWN_GAMES[name]
    (tmp_path / "engines" / name).mkdir(parents=True)
    (tmp_path / "engines" / name / "__init__.py").write_text(source)
    environment = {**os.environ, **NO_JIT, "ORION_GAMES": f"{tmp_path}{os.pathsep}{tmp_path}"}
    for words, said, rc in (
        (["games", name], message.format(tmp_path), code),
        (["check", name], f"game '{name}' has no settings: expected a file 'configs/game/{name}.yaml'", 2),
    ):
        command = [sys.executable, "-m", "orion_ai.cli", *words]
        result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert result.returncode == rc and said in result.stderr, result.stderr


def test_a_name_is_refused_before_a_folder_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new-game"]) == 2
    assert "name is missing" in capsys.readouterr().err


# A game of Orion's, in a checkout


def copy(folder: Path) -> Path:
    """A copy of this checkout."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*_cache"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def walk(folder: Path, **environment: str) -> None:
    """Make a game in a copy of this checkout: a folder, a line, a YAML file, its tests and page, and nothing else."""
    before = texts(folder)
    said = run(folder / "docs", "-m", "orion_ai.cli", "new-game", "high_card", "players=3", **environment)
    assert f"registered: {folder}/engines/registry.py" in said and "note:" not in said
    after = texts(folder)
    assert {name for name in after if name not in before} == files("high_card")
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"engines/registry.py"}
    old, new = (text["engines/registry.py"].splitlines() for text in (before, after))
    assert [line for line in new if line not in old] == ['    "high_card": "engines.high_card",']
    assert [line for line in new if line in old] == old


def test_in_a_checkout_a_game_is_a_folder_a_line_and_a_yaml_file(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    environment = {**NO_JIT, "PYTHONPATH": str(folder)}
    walk(folder, **environment)
    said = run(folder, "-m", "orion_ai.cli", "check", "high_card", "players=3", "games=3", **environment)
    assert "high_card, 3 players" in said
    run(folder, "-m", "ruff", "check", *files("high_card") - {"configs/game/high_card.yaml", "docs/games/high_card.md"})


@pytest.mark.slow
def test_the_recipe_from_end_to_end(tmp_path: Path) -> None:
    """`pytest -m slow tests/commands/test_new_game.py`: compiles the search once more, and learns the new game."""
    folder = copy(tmp_path)
    environment = {"PYTHONPATH": str(folder)}
    walk(folder, **environment)
    orion = ("-m", "orion_ai.cli")
    run(folder, *orion, "check", "high_card", "mutations=true", **environment)
    run(folder, *orion, "arena", "game=high_card", "agents=[ismcts,random]", "blocks=5", **environment)
    run(folder, *orion, "train", "experiment=smoke", "game=high_card", **environment)
    run(folder, "-m", "engines.perft", "high_card", "--all", **environment)
    run(folder, "-m", "engines.playthrough", "high_card", "--write", **environment)
    run(folder, *orion, "bench", "signature", "games=[high_card]", "write=true", **environment)
    run(folder, "-m", "mypy", "engines/high_card", **environment)
    run(folder, "-m", "ruff", "format", "--check", "engines/high_card", "tests/high_card", **environment)
    suites = ("tests/high_card", "tests/engines", "tests/architecture", "tests/test_docs.py", "tests/interop")
    run(folder, "-m", "pytest", "-q", *suites, "-k", "high_card or architecture or index", **environment)


@pytest.mark.parametrize(
    "game", [NewGame("a", "A", 2), NewGame("a_name_as_long_as_a_name_may_b", "W" * 40, 6)], ids=["short", "long"]
)
def test_names_of_any_length_keep_the_style(game: NewGame, checkout: Path, figures: None) -> None:
    make(game, checkout)
    ruff = [sys.executable, "-m", "ruff"]
    for words in (["check"], ["format", "--check"]):
        result = subprocess.run([*ruff, *words, "."], cwd=checkout, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout
    for name, text in texts(checkout).items():
        assert game.name not in name or not any(word in text for word in ("Template", "template")), name


def test_a_title_is_taken_as_it_is(checkout: Path, figures: None) -> None:
    make(NewGame("mini", "Template: a game", 5), checkout)
    written = texts(checkout)
    assert '    title = "Template: a game"\n' in written["engines/mini/__init__.py"]
    assert "MAX_PLAYERS = 5\n" in written["engines/mini/layout.py"]
    assert written["configs/game/mini.yaml"].startswith("# Template: a game. players: 2 to 5.\nname: mini\n")
    assert NewGame("high_card").title == "High card"


# Mistakes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name is missing"),
        (("Mini",), "name is 'Mini': expected small letters, digits and underscores, a letter first, 30 at most. "),
        (("high-card",), "Did you mean 'high_card'?"),
        (("2048",), "name is '2048': expected small letters"),
        (("x" * 31,), "30 at most"),
        (("null",), "name is 'null': settings files read that as None"),
        (("true",), "name is 'true': settings files read that as True"),
        (("yes",), "name is 'yes': settings files read that as True"),
        (("off",), "name is 'off': settings files read that as False"),
        (("1",), "name is '1': expected small letters"),
        (("lambda",), "that is a word of the Python language"),
        (("match",), "that is a word of the Python language"),
        (("pig",), "there is a game of that name"),
        (("template",), "it would hide the Python module 'engines.template'"),
        (("kernel",), "it would hide the Python module 'engines.kernel'"),
        (("random",), "it would hide the Python module 'random'"),
        (("numpy",), "it would hide the Python module 'numpy'"),
        (("slice",), "its class would hide 'Slice', which the game's files need"),
        (("usage_error",), "its class would hide 'UsageError'"),
        (("mini", "players=1"), "players is 1: expected 2 to 6"),
        (("mini", "players=many"), "'players=many': expected a whole number"),
        (("mini", "title='\"A \\\\ B\"'"), "expected letters, digits, spaces"),
        (("mini", "other"), "cannot understand 'other'"),
        (("mini", "foldr=x"), "unknown key 'foldr'. Did you mean 'folder'?"),
        (("mini", "game=pig"), "unknown key 'game'"),
    ],
)
def test_mistakes_are_refused(
    words: tuple[str, ...],
    message: str,
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(checkout)
    before = texts(checkout)
    assert main(["new-game", *words]) == 2
    assert message in capsys.readouterr().err
    assert texts(checkout) == before


def test_outside_a_checkout_a_folder_must_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new-game", "mini"]) == 2
    assert "here is no checkout of Orion: name a folder for games of your own, folder=DIR" in capsys.readouterr().err
    assert not texts(tmp_path)


@pytest.mark.parametrize(
    ("there", "error", "message"),
    [
        ({"tests/mini/test_old.py": ""}, UsageError, "tests/mini' is there already: nothing is overwritten"),
        ({"docs/games/mini.md": "kept"}, UsageError, "docs/games/mini.md' is there already"),
        ({"docs": "a file"}, FileError, "cannot write '.*docs"),
        ({"engines/registry.py": "GAMES = {}\n"}, UsageError, "has no table GAMES of one game a line"),
    ],
)
def test_nothing_is_half_written(
    there: Mapping[str, str], error: type[Exception], message: str, checkout: Path, figures: None
) -> None:
    for name, text in there.items():
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text(text)
    before, folders = texts(checkout), sorted(p for p in checkout.rglob("*") if p.is_dir())
    with pytest.raises(error, match=message):
        make(NewGame("mini"), checkout)
    assert texts(checkout) == before and sorted(p for p in checkout.rglob("*") if p.is_dir()) == folders


def test_an_interrupted_one_leaves_nothing(tmp_path: Path, figures: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Path, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        make(NewGame("mini"), tmp_path / "new" / "folder")
    assert not list(tmp_path.iterdir())


def test_a_package_of_that_name_is_no_folder_for_games(tmp_path: Path) -> None:
    (tmp_path / "engines").mkdir()
    (tmp_path / "engines" / "__init__.py").touch()
    with pytest.raises(UsageError, match="has a package 'engines' and is no checkout"):
        make(NewGame("mini"), tmp_path)


def test_the_games_that_ship_are_those_of_the_table() -> None:
    """No game is forgotten, and the template is none."""
    folders = {p.parent.name for p in (ROOT / "engines").glob("*/rules.py")}
    assert folders - {"template"} == set(engines.GAMES)
