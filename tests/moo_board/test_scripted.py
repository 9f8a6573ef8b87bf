"""The scripted player: legal everywhere, blind to what it cannot know, and much better than chance."""

from __future__ import annotations

import numpy as np
import pytest

import engines
from engines.contract import Game
from engines.moo_board.layout import NODES, NUM_ACTIONS
from engines.rng import below, generator

from .records import played


def play(game: Game, seed: int, scripted: set[int]) -> list[int]:
    """Scores of a game in which these seats are scripted and the others random."""
    state, rng = game.start(seed), generator(seed, "play")
    assert game.kernels.scripted is not None
    while not state.is_over:
        legal = state.legal_actions()
        if state.to_play in scripted:
            action = int(game.kernels.scripted(state.record, rng))
            assert action in legal
        else:
            action = legal[below(rng, len(legal))]
        state.apply(action)
    return state.scores()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_beats_random_play_in_every_seat(players: int) -> None:
    game = engines.load("moo_board", players=players)
    leads = []
    for block in range(8):
        for seat in range(players):
            scores = play(game, block, {seat})
            leads.append(scores[seat] - max(s for other, s in enumerate(scores) if other != seat))
    assert np.mean(np.array(leads) > 0) > 0.95
    assert np.mean(leads) > 20


@pytest.mark.parametrize("players", [2, 3, 4])
def test_never_illegal_and_scores_like_a_careful_player(players: int) -> None:
    game = engines.load("moo_board", players=players)
    scores = [score for seed in range(70) for score in play(game, seed, set(range(players)))]
    assert np.mean(scores) > 65


def test_legal_at_every_kind_of_decision() -> None:
    met = set()
    for players in (2, 3, 4):
        game = engines.load("moo_board", players=players, races="choose")
        assert game.kernels.scripted is not None
        for seed in range(30):
            for state in played(game, seed):
                if not state.is_over:
                    met.add(NODES[int(state.fields["node"])])
                    action = game.kernels.scripted(state.record, generator(seed))
                    assert action in state.legal_actions()
                    assert action < NUM_ACTIONS
    assert met == set(NODES[1:23])


def test_decides_by_what_the_mover_knows() -> None:
    for players in (2, 3, 4):
        game = engines.load("moo_board", players=players)
        assert game.kernels.scripted is not None
        for ply, state in enumerate(played(game, 40 + players, scripted=True)):
            if not state.is_over:
                world = state.determinize(state.to_play, ply)
                actions = [game.kernels.scripted(s.record, generator(ply)) for s in (state, world)]
                assert actions[0] == actions[1]
