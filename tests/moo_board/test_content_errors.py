"""Broken content files: every one is refused with file, entry, key and what was expected."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import engines
from engines.errors import ContentError, FileError, UsageError
from engines.kernel import cache_root
from engines.moo_board import content

STANDARD: dict[str, Any] = yaml.safe_load(content.CONTENT_FILE.read_text())
Data = dict[str, Any]


def refused(path: Path, text: str | bytes) -> str:
    """What is said of a file with this text; the file is named first."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ContentError) as error:
        content.read(path)
    assert str(error.value).startswith(str(path))
    return str(error.value).removeprefix(str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": file: Input should be a valid mapping"),
        ("- 1", "valid mapping"),
        ("hello", "found 'hello'"),
        ("cards: [", ", line 1, column 9: not a YAML file"),
        ("a:\n\t- b", ", line 2, column 1: not a YAML file"),
        (b"\xff\xfe\x00", "not a YAML file"),
        ("a: \0", "not a YAML file"),
        ("a: &a [1]\nb: *a", ", line 2, column 4: .*aliases"),
        ("a: &a\n- *a", "aliases"),
        ("[" * 5000, "nests too deeply"),
        ("cards: {}\ncards: {}", ", line 2, column 1: .*'cards' stands there twice"),
        ("? [a]\n: b", "unhashable"),
        ("!!python/object:os.system x", "python/object"),
        ("a: 1\n---\nb: 2", "another document"),
        ("rounds: " + "9" * 5000, "not a YAML file"),
        ("#" * 1_000_001, "has 1000001 bytes, expected at most 1000000"),
        ("card: {}", "unknown key 'card'. Did you mean 'cards'"),
    ],
)
def test_files_that_are_no_content(text: str | bytes, message: str, tmp_path: Path) -> None:
    import re

    assert re.search(message, refused(tmp_path / "own.yaml", text))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match=r"none\.yaml: cannot be read: No such file"):
        content.read(tmp_path / "none.yaml")
    with pytest.raises(FileError, match="does not exist or is no file"):
        engines.load("moo_board", content=tmp_path)
    with pytest.raises(UsageError, match="kuhn_poker has no content"):
        engines.load("kuhn_poker", content=tmp_path)
    with pytest.raises(UsageError, match="content=3, expected the path of a file"):
        engines.load("moo_board", content=3)  # type: ignore[arg-type]


def card(**changes: Any) -> Callable[[Data], Any]:
    return lambda data: data["cards"]["frigate"].update(changes)


def constants(**changes: Any) -> Callable[[Data], Any]:
    return lambda data: data["constants"].update(changes)


def entry(kind: str, name: str, **changes: Any) -> Callable[[Data], Any]:
    return lambda data: data[kind][name].update(changes)


def renamed(name: Any) -> Callable[[Data], Any]:
    def change(data: Data) -> None:
        data["cards"] = {(name if key == "frigate" else key): value for key, value in data["cards"].items()}

    return change


IF_RED = {"op": "if_working_color", "color": "red"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("cards"), "cards: Field required"),
        (lambda d: d.update(cards=[1]), "cards: Input should be a valid mapping"),
        (lambda d: d["cards"].update(frigate=None), "cards.frigate: Input should be a valid mapping"),
        (lambda d: d["cards"].update(extra=d["cards"]["frigate"]), "expected exactly 45 entries"),
        (lambda d: d.update(races=dict(reversed(d["races"].items()))), "the first must be humans"),
        (renamed("Frig Ate"), "cards.Frig Ate: "),
        (renamed(3), "cards.3: "),
        (card(copies=5), "cards.frigate: copies: Input should be less than or equal to 4, found 5"),
        (card(copies=True), "cards.frigate: copies: Input should be a valid integer, found True"),
        (card(copies="2"), "cards.frigate: copies: Input should be a valid integer, found '2'"),
        (card(copies=2.0), "copies: Input should be a valid integer, found 2.0"),
        (card(cost={"fleet": -1}), "cost.fleet: Input should be greater than or equal to 0, found -1"),
        (card(cost={"fleat": 1}), "cards.frigate: cost: unknown key 'fleat'. Did you mean 'fleet'?"),
        (card(cost=[1, 2, 3]), "cost: Input should be a valid mapping"),
        (card(color="rad"), "color: unknown color 'rad'. Did you mean 'red'?"),
        (card(vp=float("nan")), "found nan"),
        (card(name="x" * 500, text=3), "text: Input should be a valid string, found 3"),
        (card(timing="after_atack"), "unknown timing 'after_atack'. Did you mean 'after_attack'?"),
        (card(effect=[{"op": "drow", "n": 1}]), "effect.0: unknown op 'drow'. Did you mean 'draw'?"),
        (card(effect=[{"n": 1}]), "effect.0: key 'op' is missing"),
        (card(effect=[{"op": "draw"}]), "effect.0.draw.n: Field required"),
        (card(effect=[{"op": "draw", "n": 1, "m": 1}]), "effect.0.draw: unknown key 'm'"),
        (card(effect=["draw"]), "effect.0: "),
        (card(effect=[{"op": "draw", "n": n} for n in range(1, 8)]), "effect: List should have at most 6 items"),
        (card(timing="start_of_round", effect=[{"op": "opp_loyalty", "n": -1}]), "opp_loyalty needs timing after_att"),
        (card(effect=[IF_RED | {"then": [{"op": "build"}]}]), "build needs may: true"),
        (card(timing="activation", slot="A", effect=[IF_RED | {"then": [{"op": "block_slot"}]}]), "block_slot needs"),
        (card(effect=[IF_RED | {"then": [{"op": "gain_by_covered"}]}]), "gain_by_covered needs timing after_building"),
        (card(effect=[{"op": "store_cube"}]), "only an advisor can have store_cube"),
        (card(may=True, pay=[{"op": "pay_gold", "n": 1}]), "pay.0: unknown op 'pay_gold'. Did you mean 'pay_cards'?"),
        (card(may=True, pay=[{"op": "pay_vp", "n": 1}, {"op": "pay_vp", "n": 2}]), "pay: pay_vp stands there twice"),
        (card(timing="activation", slot="A", pay=[{"op": "pay_cube", "n": 1}]), "pay_cube is not possible"),
        (card(timing="none", effect=[], pay=[{"op": "pay_vp", "n": 1}]), "no effect to pay for"),
        (
            card(timing="always", effect=[], static=[{"mod": "explore_bonus", "n": n} for n in (1, 2)]),
            "static: explore_bonus stands there twice",
        ),
        (card(timing="always", effect=[], static=[{"mod": "explor", "n": 1}]), "Did you mean 'explore_bonus'?"),
        (entry("advisors", "kual", effect=[{"op": "gain_by_covered"}]), "covers no building"),
        (entry("advisors", "kual", effect=[{"op": "store_cube"}]), "store_cube needs slot R"),
        (entry("races", "darloks", start_of_round=[{"op": "bury_working"}]), "races.darloks: start_of_round: bury_wo"),
        (entry("races", "darloks", start_of_round=[{"op": "build"}]), "start_of_round: build needs may: true"),
        (
            entry("races", "darloks", may=True, start_of_round=[{"op": "build", "where": "this_system"}]),
            "a race board lies in no system",
        ),
        (entry("races", "darloks", static=[{"mod": "extra_system", "capacity": 4}]), "only an advisor"),
        (entry("races", "darloks", mobilization={"higher": {}}), "unknown key 'higher'. Did you mean 'high'?"),
        (constants(hand_size=3), "constants: unknown key 'hand_size'"),
        (constants(rounds=9), "constants: rounds: Input should be less than or equal to 8, found 9"),
        (constants(loyalty_start=10, loyalty_max=5), "loyalty_start: 10, expected at most loyalty_max, 5"),
        (constants(zones={"medium": 8, "high": 2}), "zones: medium is 8, expected at most high, 2"),
        (constants(attacks_per_opponent={2: 1}), "attacks_per_opponent (2, 3, 4)"),
    ],
)
def test_wrong_entries(change: Callable[[Data], Any], message: str, tmp_path: Path) -> None:
    data = copy.deepcopy(STANDARD)
    change(data)
    yaml.SafeDumper.ignore_aliases = lambda *_: True  # type: ignore[method-assign,assignment]
    assert message in refused(tmp_path / "own.yaml", yaml.safe_dump(data, sort_keys=False))


def test_a_wrong_file_is_refused_before_anything_is_compiled(tmp_path: Path) -> None:
    data = copy.deepcopy(STANDARD)
    data["constants"]["hand_size"] = 3
    path = tmp_path / "own.yaml"
    path.write_text(f"# {tmp_path}\n{yaml.safe_dump(data, sort_keys=False)}")  # a hash that was never met
    with pytest.raises(ContentError, match=r"unknown key 'hand_size'\. Did you mean 'hand_limit'"):
        engines.load("moo_board", content=path)
    alias = f"moo_board__{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    assert not list(cache_root().glob(f"*{alias}*"))


def test_a_card_may_cost_nothing_and_do_nothing(tmp_path: Path) -> None:
    data = copy.deepcopy(STANDARD)
    data["cards"]["frigate"].update(cost={}, timing="none", effect=[])
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    assert content.read(path).cards["frigate"].cost.units == [0, 0, 0]
