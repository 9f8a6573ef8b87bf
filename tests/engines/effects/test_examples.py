"""The examples of docs/effects.md work as they stand there: a card in YAML alone, an op as a row and a branch."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import engines
from engines.conquest import ops as conquest
from engines.effects.ops import Word
from engines.errors import ContentError
from engines.moo_board import ops as moo_board
from tests.engines.subprocesses import ROOT

PAGE = (ROOT / "docs/effects.md").read_text()
DIFFS = re.findall(r"^```diff\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def patch(root: Path, diff: str) -> None:
    """Apply a diff whose hunks begin with @@; `--- PATH` names the file, `+++ OTHER` where it goes if elsewhere."""
    for part in re.split(r"^(?=--- )", diff, flags=re.MULTILINE)[1:]:
        head, *hunks = re.split(r"^@@\n", part, flags=re.MULTILINE)
        paths = re.findall(r"^(?:---|\+\+\+) (\S+)$", head, re.MULTILINE)
        text = (root / paths[0]).read_text()
        for hunk in hunks:
            lines = hunk.splitlines(keepends=True)
            old = "".join(line[1:] for line in lines if line[0] in " -")
            assert text.count(old) == 1, f"{paths[0]}: {text.count(old)} places for\n{old}"
            text = text.replace(old, "".join(line[1:] for line in lines if line[0] in " +"))
        (root / paths[-1]).write_text(text)


def patched(folder: Path, game: str, diff: str, *changes: tuple[str, str]) -> None:
    """The engines with the diff applied, beside the game's table for tests; `changes` are made in its content."""
    ignore = shutil.ignore_patterns("__pycache__")
    for part in ("engines", f"tests/{game}"):
        shutil.copytree(ROOT / part, folder / part, ignore=ignore)
    (folder / "tests/__init__.py").touch()
    patch(folder, diff)
    content = folder / f"engines/{game}/content/standard.yaml"
    text = content.read_text()
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    content.write_text(text)


def run(folder: Path, script: str) -> list[str]:
    """What a program says that imports the engines in `folder`, with the JIT off: other rules are other code."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", textwrap.dedent(script)]
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.split()


CARD = """
    from mine import game
    from engines.conquest import layout as at

    state = game.start()
    s, p, card = state.fields, 0, list(game.labels["design"]).index("humans_supply_convoy")
    while int(s["node"]) != at.NODE_MAIN:
        legal = state.legal_actions()
        state.apply(at.DONE if at.DONE in legal else legal[0])
    other = int(s["hand"][p].argmax())  # a card of the hand becomes the new one
    for pile in ("hand", "unseen"):
        s[pile][p, other] -= 1
        s[pile][p, card] += 1
    s["empire"][p, card] -= 1
    s["empire"][p, other] += 1
    game.check_state(state)
    before, hand = int(s["money"][at.GENERAL]), int(s["hand_size"][p])
    state.apply(at.PLAY + card)
    while state.is_chance:
        state.apply(state.legal_actions()[0])
    print(int(s["money"][at.GENERAL]) - before, int(s["hand_size"][p]) - hand)
"""


def test_a_new_card_in_yaml_alone(tmp_path: Path) -> None:
    patched(tmp_path, "conquest", DIFFS[0])
    (script,) = re.findall(r"^```python\n# mine\.py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "mine.py").write_text(script)
    assert run(tmp_path, CARD) == ["1", "1"], "1 Production; the card is played and two are drawn"


MEND = """
    from tests.conquest.conftest import Table

    table = Table()
    table.s["damage"][0, 0] = 5
    table.cards(0, hand=["joint_command"])
    table.main()
    table.act("play joint_command")
    print(int(table.s["damage"][0, 0]))
    table.planet(0, 1, "barren_rock")
    table.act("ability place 1")
    print(int(table.s["damage"][0, 0]), table.game.observation_size)
    table.check()
"""


def test_a_new_op_of_conquest_is_a_row_and_a_branch(tmp_path: Path) -> None:
    rock = "Barren Rock\n      front: {cost: 3, production: 1, population: 2, "
    changes = [
        ("[{op: cp, n: 2}, {op: draw, n: 1}]\n        text: Gain 2", "[{op: mend, n: 2}]\n        text: Gain 2"),
        (rock, rock + "ability: [{op: mend, n: 9}], "),
    ]
    patched(tmp_path, "conquest", DIFFS[1], *changes)
    size = engines.load("conquest").observation_size
    assert run(tmp_path, MEND) == ["3", "0", str(size + 1)], "one more op may be pending"


RALLY = """
    from tests.moo_board.conftest import Table

    for loyalty in (2, 8):
        table = Table()
        table.lay(systems={0: [["population_support_services"]]})
        table.stock(0, food=2)
        table.actions(1, 1)
        table.s["loyalty"][0] = loyalty
        table.act("source system 0")
        print(int(table.s["loyalty"][0]))
"""


def test_a_new_op_of_the_board_game_is_a_row_and_a_branch(tmp_path: Path) -> None:
    old = "pay: [{op: pay_res, res: {food: 2}}]\n    effect: [{op: loyalty, n: 3}]"
    patched(tmp_path, "moo_board", DIFFS[2], (old, old.replace("loyalty, n: 3", "rally, n: 6")))
    assert run(tmp_path, RALLY) == ["6", "8"]


def rows(group: dict[str, Word]) -> str:
    """The table of a group, as the page has it."""
    keys = {word.name: "".join(f" `{key}`," for key in word.keys).rstrip(",") for word in group.values()}
    return "".join(f"| `{word.name}` |{keys[word.name]} | {word.text} |\n" for word in group.values())


@pytest.mark.parametrize("words", [*conquest.OPS.words.values(), *moo_board.OPS.words.values()], ids=" ".join)
def test_the_page_lists_every_word_as_its_row_has_it(words: dict[str, Word]) -> None:
    assert f"|---|---|---|\n{rows(words)}\n" in PAGE


def test_the_page_names_the_error_that_comes(tmp_path: Path) -> None:
    from engines.conquest.content import read

    shutil.copytree(ROOT / "engines/conquest/content", tmp_path / "engines/conquest/content")
    patch(tmp_path, DIFFS[0].replace("{op: draw, n: 2}", "{op: drow, n: 2}"))
    (said,) = re.findall(r"^```text\n(.*?) \.\.\.\n```$", PAGE, re.MULTILINE)
    with pytest.raises(ContentError) as error:
        read(tmp_path / "mine.yaml")
    assert str(error.value).startswith(f"{tmp_path}/{said}")
