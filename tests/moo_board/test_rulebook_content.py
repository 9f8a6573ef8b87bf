"""The content file: a wrong entry is named with its file, key and what was expected; own content changes the game."""

from pathlib import Path

import pytest
import yaml

import engines
from engines.errors import ContentError
from engines.moo_board import content


@pytest.fixture
def data():
    return yaml.safe_load(content.CONTENT_FILE.read_text())


def refused(data, tmp_path: Path) -> str:
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    with pytest.raises(ContentError) as error:
        content.read(path)
    assert str(path) in str(error.value)
    return str(error.value)


def test_the_standard_content_is_complete():
    read = content.read(content.CONTENT_FILE)
    assert len(read.cards) == 45 and sum(card.copies for card in read.cards.values()) == 90
    assert all(card.provenance for card in read.cards.values())


def test_unknown_key_names_the_nearest(data, tmp_path):
    data["cards"]["frigate"]["cots"] = {"food": 1}
    text = refused(data, tmp_path)
    assert "cards.frigate" in text and "'cots'" in text and "'cost'" in text


def test_wrong_value_names_card_key_and_expectation(data, tmp_path):
    data["cards"]["frigate"]["cost"] = {"fleet": "two"}
    text = refused(data, tmp_path)
    assert "cards.frigate: cost.fleet" in text and "integer" in text and "'two'" in text


def test_unknown_op_is_named(data, tmp_path):
    data["cards"]["frigate"]["effect"] = [{"op": "drow", "n": 1}]
    text = refused(data, tmp_path)
    assert "cards.frigate: effect.0" in text and "drow" in text and "draw" in text


def test_missing_key_is_named(data, tmp_path):
    del data["cards"]["frigate"]["color"]
    assert "cards.frigate: color: Field required" in refused(data, tmp_path)


def test_number_of_designs_is_fixed(data, tmp_path):
    del data["cards"]["frigate"]
    text = refused(data, tmp_path)
    assert "45" in text and "44" in text and "action space" in text


def test_too_many_copies(data, tmp_path):
    data["cards"]["frigate"]["copies"] = 4
    assert "92" in refused(data, tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"timing": "activation"}, "slot A"),
        ({"slot": "R", "timing": "always", "effect": [], "static": [{"mod": "extra_trade", "n": 1}]}, "after_attack"),
        ({"effect": []}, "needs an effect"),
        ({"effect": [{"op": "build"}]}, "may: true"),
        ({"vp": {"per": "red"}}, "end_of_game"),
    ],
)
def test_contradictions_are_refused(data, tmp_path, change, message):
    data["cards"]["frigate"].update(change)
    assert message in refused(data, tmp_path)


def test_too_many_nesting_cards(data, tmp_path):
    for name in ("weather_controller", "asteroid_mine"):
        data["cards"][name]["effect"] = [{"op": "activate_others", "n": 1}]
    assert "at most 9" in refused(data, tmp_path)


def test_a_file_that_is_no_yaml(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text("cards: [")
    with pytest.raises(ContentError, match="not a YAML file"):
        content.read(path)


@pytest.mark.slow
def test_own_content_changes_the_game(data, tmp_path):
    data["cards"]["fungal_farms"].update(copies=1, vp=9, effect=[{"op": "gain", "res": {"fleet": 3}}])
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    game = engines.load("moo_board", content=path, races="humans")
    assert game.content_hash != engines.load("moo_board").content_hash
    state = game.start()
    while not any(text.startswith("build") for text in map(game.action_text, state.legal_actions())):
        wanted = {"first 0", "draw fungal_farms", "no"} & set(map(game.action_text, state.legal_actions()))
        state.apply(wanted.pop() if wanted else state.legal_actions()[0])
    assert sum(n for total, n in game.conserved(state).items() if total.startswith("copies of")) == 89
    assert state.to_play == 0 and state.scores() == [10, 10]
    state.apply("build fungal_farms 0")
    assert state.fields["resources"][0].tolist() == [6, 4 + 3, 2] and state.scores() == [19, 10]
