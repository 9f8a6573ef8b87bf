"""Whole games: they end, cards and cubes are conserved, the record agrees with itself, logs hide what is hidden."""

import random

import pytest

import engines
from engines.contract import PUBLIC
from engines.moo_board.layout import DRAW, FIRST, NUM_ACTIONS

from .conftest import Table


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("races", ["dealt", "choose"])
def test_random_games_end_and_conserve(players, races):
    game = engines.load("moo_board", players=players, races=races)
    table = Table.__new__(Table)
    table.game = game
    for seed in range(6):
        rnd = random.Random(seed)
        table.state = state = game.start(seed)
        table.s = state.fields
        totals = dict(game.conserved(state))
        assert totals["cards"] == 90 and totals["advisors"] == 8
        while not state.is_over:
            actions = state.legal_actions()
            assert actions == sorted(set(actions)) and actions[-1] < NUM_ACTIONS and len(actions) <= game.max_legal
            state._step(rnd.choice(actions))
            assert dict(game.conserved(state)) == totals
            state._play_chance()
            if rnd.random() < 0.1:
                table.check()
        assert int(state.fields["round"]) <= 8
        assert state.history is not None and len(state.history) < 600
        assert sum(state.returns()) == pytest.approx(0, abs=1e-6)


def test_no_bytes_are_left_behind_when_nothing_is_pending():
    game = engines.load("moo_board", players=3)
    state, rnd = game.start(3), random.Random(3)
    while not state.is_over:
        s = state.fields
        if s["depth"] == 0 and s["design"] == 0:
            for field in ("frame_pc", "frame_seat", "frame_source", "frame_target", "frame_n", "cost", "placed"):
                assert not s[field].any(), field
            for field in ("place", "discount", "save_from", "used_sources", "draws"):
                assert int(s[field]) == 0, field
            assert not s["gray"].any() and not s["drawn"].any()
        state.apply(rnd.choice(state.legal_actions()))


def test_texts_of_actions_are_unique_and_parsed_back():
    game = engines.load("moo_board", players=2)
    texts = [game.action_text(a) for a in range(game.num_ids)]
    used = [t for t in texts if t]
    assert len(set(used)) == len(used) == 370 + 64
    assert all(game.parse(t) == a for a, t in enumerate(texts) if t)
    assert [texts[i] for i in (0, 47, 270, 273, 278, 289, 295, 341, 355, 362)] == [
        *("exploit hydroponic_farm", "build hydroponic_farm 2", "explore", "trade food production", "attack +1"),
        *("source system 0", "source board", "option 0", "opponent advisor", "no"),
    ]


def test_log_lines_hide_drawn_cards_from_others():
    game = engines.load("moo_board", players=2)
    state = game.start()
    while state.is_chance and not DRAW <= state.legal_actions()[0] < FIRST:
        state.apply(state.legal_actions()[0])
    drawer = int(state.fields["mover"])
    for outcome in state.legal_actions():
        assert state.notation(outcome, 1 - drawer) == state.notation(outcome, PUBLIC) == f"seat {drawer} draws a card"
    assert len({state.notation(o, drawer) for o in state.legal_actions()}) == 45


def test_every_action_of_a_game_has_a_log_line():
    game = engines.load("moo_board", players=3)
    for seed in range(4):
        state, rnd = game.start(seed), random.Random(seed)
        while not state.is_over:
            action = rnd.choice(state.legal_actions())
            line = state.notation(action)
            assert line.startswith(f"seat {state.to_play}: ") and "None" not in line
            state.apply(action)


def test_board_shows_a_hand_to_its_seat_only(table):
    t = table()
    t.lay(hands={0: ["capitol"], 1: ["titan"]}, systems={0: [["biospheres", "frigate"]]}, pile=["cruiser"])
    t.s["cube"][0, 0] = 1
    for seat, shown, hidden in ((0, "Capitol", "Titan"), (1, "Titan", "Capitol"), (PUBLIC, "Cruiser", "Titan")):
        text = t.game.board(t.state, seat)
        assert shown in text and hidden not in text
        assert "system 0: Biospheres* / Frigate" in text
    assert "Titan" in str(t.state) and "Capitol" in str(t.state)


def test_chance_streams_belong_to_the_drawing_seat():
    game = engines.load("moo_board", players=4, races="dealt")
    state, rnd, seen = game.start(), random.Random(1), set()
    for _ in range(400):
        if state.is_chance:
            stream, pairs = state.chance()
            drawing = DRAW <= pairs[0][0] < FIRST
            assert stream == (1 + int(state.fields["mover"]) if drawing else 0)
            seen.add(stream)
            state.apply(rnd.choice([o for o, _ in pairs]))
        else:
            state.apply(rnd.choice(state.legal_actions()))
        if state.is_over:
            break
    assert seen == set(range(game.num_streams))
