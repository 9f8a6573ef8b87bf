"""The scripted player: legal everywhere, blind to what it cannot know, and much better than chance."""

from __future__ import annotations

import pytest

import engines
from engines.conquest import layout as at
from engines.contract import Game
from engines.rng import below, generator
from engines.state import State


def play(game: Game, seed: int, scripted: set[int]) -> State:
    """A game in which these seats are scripted and the others random."""
    state, rng = game.start(seed), generator(seed, "play")
    assert game.kernels.scripted is not None
    while not state.is_over:
        legal = state.legal_actions()
        if state.to_play in scripted:
            action = int(game.kernels.scripted(state.record, rng))
            assert action in legal
            assert action == int(game.kernels.scripted(state.determinize(state.to_play, seed).record, rng))
        else:
            action = legal[below(rng, len(legal))]
        state.apply(action)
    return state


@pytest.mark.parametrize("players", [2, 3, 4])
def test_beats_random_play_in_every_seat(players: int) -> None:
    game = engines.load("conquest", players=players)
    results = [play(game, seed, {seat}).returns()[seat] for seed in range(3) for seat in range(players)]
    assert min(results) > -1 / 3 - 1e-6 and sum(results) / len(results) > 0.8


@pytest.mark.parametrize(("players", "end"), [(2, "first_fall"), (4, "last_standing")])
def test_games_of_scripted_players_mostly_end_by_a_fall(players: int, end: str) -> None:
    game = engines.load("conquest", players=players, end=end)
    nodes, falls = set(), 0
    for seed in range(4):
        state = play(game, seed, set(range(players)))
        falls += int((state.fields["fallen"] > 0).sum()) == (players - 1 if end == "last_standing" else 1)
        again = game.start()
        for action in state.history or ():
            nodes.add(at.NODES[int(again.fields["node"])])
            again.apply(action)
    assert falls >= 3
    assert {"explore", "main", "token", "fleet", "defend", "own_damage", "draw", "refill", "top"} <= nodes
