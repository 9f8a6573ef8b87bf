"""Hidden information: what each seat sees at every decision, what worlds keep, and how frequent they are."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

import engines
from engines.conquest import layout as at
from engines.contract import PUBLIC, Game
from engines.kernel import JIT
from engines.rng import generator
from engines.state import State


def decisions(game: Game, seed: int, most: int = 400) -> Any:
    """States of a random game at its first decisions."""
    state, rng = game.start(seed), random.Random(seed)
    for _ in range(most):
        if state.is_over:
            return
        yield state
        state.apply(rng.choice(state.legal_actions()))


@pytest.mark.parametrize(("players", "options"), [(2, {}), (3, {"factions": "darloks"}), (4, {"end": "last_standing"})])
def test_no_seat_can_tell_a_world_from_the_truth_at_any_decision(players: int, options: dict[str, Any]) -> None:
    game = engines.load("conquest", players=players, max_rounds=15, **options)
    for ply, state in enumerate(decisions(game, players, 240 // players)):
        for seat in range(PUBLIC, players):
            world = state.determinize(seat, ply)
            assert world.view(seat) == state.view(seat)
            assert world.info_key(seat) == state.info_key(seat)
            assert game.board(world, seat) == game.board(state, seat)
            if seat >= 0:
                assert np.array_equal(world.observe(seat), state.observe(seat))
                assert seat != state.to_play or world.legal_actions() == state.legal_actions()
            assert dict(game.conserved(world)) == dict(game.conserved(state))


def test_a_view_holds_the_own_hand_and_nobodys_deck() -> None:
    game = engines.load("conquest")
    for state in itertools.islice(decisions(game, 5), 0, 200, 10):
        for seat in range(2):
            known = json.loads(json.dumps(state.view(seat)))["state"]
            own = {f"card {t}": int(n) for t, n in enumerate(state.fields["hand"][seat]) if n}
            assert known["hand"] == own and "deck" not in known
        assert state.view(PUBLIC)["state"]["hand"] is None


def test_worlds_keep_all_that_is_known_of_a_hand() -> None:
    game = engines.load("conquest", factions=["darloks", "psilons"])
    met = 0
    for seed in range(6):
        for ply, state in enumerate(decisions(game, seed)):
            for seat in range(PUBLIC, 2):
                s = state.determinize(seat, ply).fields
                met += int(s["known"].sum() > 0)
                for p in range(2):
                    assert (s["hand"][p] >= s["known"][p]).all() and (s["deck"][p] >= 0).all()
                    assert int(s["hand"][p].sum()) == int(s["hand_size"][p])
                    assert int(s["deck"][p].sum()) == int(s["deck_size"][p])
    assert met > 100


def test_an_emptied_deck_makes_the_hand_known(table: Any) -> None:
    t = table()
    t.cards(0, deck=["scout"])
    t.cards(1, hand=["scout", "space_factory"], deck=["patrol_frigate"])
    assert not t.s["known"][1].any()
    worlds = {bytes(t.state.determinize(0, seed).fields["hand"][1]) for seed in range(40)}
    assert len(worlds) == 3, "two of three cards"
    t.s["frame_pc"][0] = 0
    from engines.conquest.rules_cards import draw_type

    draw_type(t.s, 1, t.type_of(1, "patrol_frigate"))
    assert sorted(t.pile(1, "known")) == sorted(t.pile(1, "hand"))
    assert len({bytes(t.state.determinize(0, seed).fields["hand"][1]) for seed in range(20)}) == 1


def test_a_known_card_leaves_the_hand_first(table: Any) -> None:
    t = table()
    hand = ["patrol_frigate", "patrol_frigate", "scout"]
    t.cards(0, hand=hand, deck=["scout"], known=["patrol_frigate"])
    t.main()
    t.act("play patrol_frigate")
    assert t.pile(0, "known") == []


@pytest.mark.skipif(not JIT, reason="thousands of worlds: for compiled kernels")
@pytest.mark.parametrize("seat", [PUBLIC, 0])
def test_hands_are_as_frequent_as_counting_says(table: Any, seat: int) -> None:
    t = table()
    t.cards(0, hand=["scout"], deck=["space_factory"])
    hand = ["patrol_frigate", "scout", "space_factory"]
    t.cards(1, hand=hand, deck=["scout", "space_factory", "space_factory"], known=["patrol_frigate"])
    pool = ["scout", "scout", "space_factory", "space_factory", "space_factory"]
    exact = Counter(tuple(sorted(pair)) for pair in itertools.combinations(pool, 2))
    found: Counter[tuple[str, ...]] = Counter()
    rng, draws = generator("worlds", seat + 1), 4000
    for _ in range(draws):
        world, weight = t.state.sample_world(seat, rng)
        assert weight == 0.0
        names = [t.name_of(1, i) for i, n in enumerate(world.fields["hand"][1]) for _ in range(int(n))]
        names.remove("patrol_frigate")
        found[tuple(sorted(names))] += 1
    assert found.keys() == exact.keys()
    expected = [draws * exact[key] / exact.total() for key in exact]
    assert chisquare([found[key] for key in exact], expected).pvalue > 1e-4


def test_exhaustive_beliefs_of_a_short_opening() -> None:
    """Every draw of the first turn by its probability: the worlds of the other seat have just these frequencies."""
    game = engines.load("conquest", factions="humans")
    state = game.start()
    while state.to_play == -1 and int(state.fields["node"]) != at.NODE_DRAW:
        state.apply("first 0" if state.legal_actions()[0] == at.FIRST else state.legal_actions()[0])
    start = state
    hands: Counter[tuple[int, ...]] = Counter()

    def deal(position: State, weight: float) -> None:
        if int(position.fields["mover"]) != 0:
            hands[tuple(position.fields["hand"][0].tolist())] += weight  # type: ignore[assignment]
            return
        _, odds = position.chance()
        for action, n in odds:
            after = position.clone()
            after.apply(action)
            deal(after, weight * n / sum(m for _, m in odds))

    deal(start, 1.0)
    assert sum(hands.values()) == pytest.approx(1.0)
    while state.is_chance:
        state.apply(state.legal_actions()[0])
    found: Counter[tuple[int, ...]] = Counter()
    rng, draws = generator("opening"), 3000
    for _ in range(draws):
        found[tuple(state.sample_world(1, rng)[0].fields["hand"][0].tolist())] += 1
    assert found.keys() <= hands.keys()
    common = [hand for hand in hands if hands[hand] * draws > 5]
    rest = draws - sum(found[hand] for hand in common)
    expected = [hands[hand] * draws for hand in common]
    left = draws - sum(expected)
    observed = [found[hand] for hand in common] + ([rest] if left > 1 else [])
    assert chisquare(observed, expected + ([left] if left > 1 else [])).pvalue > 1e-4


def test_a_draw_is_told_to_its_seat_alone() -> None:
    game = engines.load("conquest")
    state = game.start()
    while int(state.fields["node"]) != at.NODE_DRAW:
        state.apply(state.legal_actions()[0])
    mover = int(state.fields["mover"])
    action = state.legal_actions()[0]
    own, other = state.notation(action, mover), state.notation(action, 1 - mover)
    assert "draws a card" in other == state.notation(action, PUBLIC) or other.endswith("draws a card")
    assert own != other and "draws" in own
