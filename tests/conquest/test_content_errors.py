"""Broken content files: every one is refused with file, entry, key and what was expected; a sound one plays."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import engines
from engines.conquest import content
from engines.errors import ContentError, UsageError
from engines.kernel import cache_root
from tests.engines.subprocesses import code

STANDARD: dict[str, Any] = yaml.safe_load(content.CONTENT_FILE.read_text())
Data = dict[str, Any]
Change = Callable[[Data], Any]


def written(path: Path, change: Change) -> Path:
    """The standard content, changed, as a file."""
    data = copy.deepcopy(STANDARD)
    change(data)
    yaml.SafeDumper.ignore_aliases = lambda *_: True  # type: ignore[method-assign,assignment]
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    return path


def refused(path: Path, change: Change) -> str:
    """What is said of the changed content; the file is named first."""
    with pytest.raises(ContentError) as error:
        content.read(written(path, change))
    assert str(error.value).startswith(str(path))
    return str(error.value).removeprefix(str(path))


def card(name: str, **changes: Any) -> Change:
    def change(data: Data) -> None:
        faction = data["factions"]["humans"]
        pile = "starting" if name in faction["starting"] else "empire"
        for key, value in changes.items():
            faction[pile][name].pop(key, None)
            if value is not None:
                faction[pile][name][key] = value

    return change


def explore(kind: str, name: str, **changes: Any) -> Change:
    return lambda data: data["exploration"][kind][name].update(changes)


def side(name: str, which: str, **changes: Any) -> Change:
    return lambda data: data["exploration"]["planets"][name][which].update(changes)


def constants(**changes: Any) -> Change:
    return lambda data: data["constants"].update(changes)


FRIGATE, SCOUT = "humans_escort_frigate", "humans_scout"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("factions"), "factions: Field required"),
        (lambda d: d.update(card={}), "unknown key 'card'"),
        (
            card(FRIGATE, cost=0),
            "empire.humans_escort_frigate.cost: 0, but a card of the Empire Deck must cost something",
        ),
        (card(FRIGATE, cost=None), "must cost something"),
        (card(FRIGATE, cost="2"), "cost: Input should be a valid integer, found '2'"),
        (card(FRIGATE, costs=2), "unknown key 'costs'. Did you mean 'cost'?"),
        (card(FRIGATE, ship_class=None), "ship_class: a ship needs one"),
        (card(FRIGATE, ship_class="Frigat"), "unknown ship_class 'Frigat'. Did you mean 'Frigate'?"),
        (card("humans_star_base", ship_class="Frigate"), "ship_class: a ship needs one, no other card has one"),
        (card("humans_star_base", population=None), "population: a base needs one"),
        (card("humans_star_base", attack=1), "attack: only a ship has one"),
        (card("humans_star_base", mods={"unblockable": 1}), "mods.unblockable: only a ship has it"),
        (card(FRIGATE, mods={"intercept": 1}), "mods.intercept: only a base has it"),
        (card(FRIGATE, mods={"interzept": 1}), "unknown key 'interzept'. Did you mean 'intercept'?"),
        (card(FRIGATE, ability=[{"op": "drow", "n": 1}]), "unknown op 'drow'. Did you mean 'draw'?"),
        (card(FRIGATE, ability=[{"op": "draw", "n": 0}]), "greater than or equal to 1, found 0"),
        (card(FRIGATE, ability=[{"op": "explore"}]), "only a scout has explore"),
        (card(FRIGATE, ability=[{"op": "fleet_bonus"}]), "unknown op 'fleet_bonus'. Valid: production, cp, draw,"),
        (side("barren_rock", "front", ability=[{"op": "explore"}]), "unknown op 'explore'. Valid: production, cp,"),
        (card(FRIGATE, formation={"requires": ["Titan", "Titan"], "attack": 1}), "a class stands there twice"),
        (card(SCOUT, ability=None), "a scout has exactly one effect, explore"),
        (card(SCOUT, kind=None), "kind: a support card needs one"),
        (card(SCOUT, copies=3), "starting: the copies sum to 11, expected 10"),
        (card("humans_space_factory", production=None), "production: factories and colonies have one"),
        (card("humans_joint_command", ability=None), "a tech needs an ability or attach"),
        (card("humans_trade_charter", attach={"target": "any"}), "attach: expected production, population or shield"),
        (card("humans_trade_charter", attach={"target": "moon", "shield": 1}), "unknown target 'moon'"),
        (card("humans_joint_command", attach={"target": "any", "shield": 1}), "a tech that is attached has no ability"),
        (card(FRIGATE, copies=9), "empire: the copies sum to 35, expected 5 to 30"),
        (lambda d: d["factions"].pop("psilons"), "expected exactly 4"),
        (constants(default_factions=["humans", "darloks", "psilons", "klackons"]), "unknown faction"),
        (constants(max_rounds=101), "max_rounds: Input should be less than or equal to 100, found 101"),
        (constants(exploration_row=4), "with four players more than 5 cards would lie there"),
        (constants(command_points=[0, 0, 2, 1, 4, 6, 8]), "numbers that do not fall"),
        (constants(home_world_start={2: "front"}), "expected an entry for 2, 3 and 4 players"),
        (side("barren_rock", "front", cost=0), "greater than or equal to 1, found 0"),
        (side("barren_rock", "front", production=3), "a Planet that costs 3 gives 3 back at once"),
        (side("barren_rock", "back", population=1), "back.population: 1, expected at least the front's"),
        (side("barren_rock", "front", ability=[{"op": "fleet_bonus"}, {"op": "cp"}]), "fleet_bonus stands alone"),
        (explore("hazards", "antaran_raiders", roving=False), "need roving: true"),
        (explore("hazards", "space_amoeba", roving=True), "a roving hazard has none"),
        (explore("hazards", "space_amoeba", planet_back=None), "expected exactly 5 with a planet_back, found 4"),
        (
            explore("hazards", "space_amoeba", instant=[{"op": "highest_dammage", "n": 1}]),
            "unknown op 'highest_dammage'",
        ),
        (explore("events", "plague", instant=[]), "at least 1 item"),
        (explore("events", "plague", copies=2), "78 cards with all decks, expected at most 76"),
        (lambda d: d["exploration"]["events"].pop("plague"), "events: expected exactly 6"),
        (lambda d: d["factions"]["humans"]["empire"].update({"Big Ship": {}}), "factions.humans.empire.Big Ship"),
    ],
)
def test_wrong_entries(change: Change, message: str, tmp_path: Path) -> None:
    assert message in refused(tmp_path / "own.yaml", change)


@pytest.mark.parametrize(
    "text", ["", "- 1", "constants: [", "a: &a [1]\nb: *a", "constants: {}\nconstants: {}", "a: \0"]
)
def test_files_that_are_no_content(text: str, tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(text)
    with pytest.raises(ContentError) as error:
        content.read(path)
    assert str(error.value).startswith(str(path))


def test_a_wrong_file_is_refused_before_anything_is_compiled(tmp_path: Path) -> None:
    path = written(tmp_path / "own.yaml", constants(hands=5))
    path.write_text(f"# {tmp_path}\n{path.read_text()}")  # a hash that was never met
    with pytest.raises(ContentError, match=r"unknown key 'hands'\. Did you mean 'hand'"):
        engines.load("conquest", content=path)
    alias = f"conquest__{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    assert not list(cache_root().glob(f"*{alias}*"))


def test_the_standard_content_is_that_of_the_factions_and_decks() -> None:
    assert content.TOTAL.tolist() == [40] * 4 and int(content.FACE_COPIES.sum()) == 38
    assert max(len(ids) for ids in content.CARD_IDS) == 21
    assert all(entry["provenance"] for entry in STANDARD["exploration"]["planets"].values())
    for faction in STANDARD["factions"].values():
        assert all(entry["provenance"] for pile in ("starting", "empire") for entry in faction[pile].values())


OWN = """
    import random
    import engines
    own, standard = engines.load("conquest", content={path!r}), engines.load("conquest")
    assert own.content_hash != standard.content_hash
    state, rng = own.start(1), random.Random(1)
    totals = dict(own.conserved(state))
    for _ in range(120):
        view = state.view(0)
        assert own.from_view(view).determinize(0, 1) == state.determinize(0, 1)
        state.apply(rng.choice(state.legal_actions()))
    assert dict(own.conserved(state)) == totals
    try:
        standard.from_view(view)
    except engines.UsageError as error:
        print(error)
"""


def test_a_content_file_of_ones_own_plays_and_its_views_are_no_others(tmp_path: Path) -> None:
    """With the JIT off: a file of one's own is code of its own to compile."""
    path = written(tmp_path / "own.yaml", card(FRIGATE, attack=3, ability=[{"op": "token", "n": 1}]))
    said = code(OWN.format(path=str(path)), NUMBA_DISABLE_JIT="1")
    assert "view: content is" in said


def test_views_of_other_content_are_refused() -> None:
    game = engines.load("conquest")
    view = game.start(1).view(0) | {"content": "0123456789ab"}
    with pytest.raises(UsageError, match="content is '0123456789ab', but this game has"):
        game.from_view(view)
