"""A game enumerated: its sizes, its order, its payoffs, and what is refused."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import engines
from engines.contract import CHANCE, TERMINAL
from engines.errors import UsageError
from engines.rng import generator
from engines.state import State
from orion_ai.solve import walk
from orion_ai.solve.tree import enumerate_game
from orion_ai.solve.walk import TooLarge
from tests import games
from tests.solve.games import matrix, tiny, tree


@pytest.mark.parametrize(
    ("name", "options", "histories", "states", "ends"),
    [
        ("kuhn_poker", {"players": 2}, 58, 12, 30),
        ("kuhn_poker", {"players": 3}, 617, 48, 312),
        ("leduc_poker", {}, 9457, 936, 5520),
        ("liars_dice", {"faces": 4}, 8181, 1024, 4080),
    ],
)
def test_sizes_are_the_published_ones(
    name: str, options: dict[str, int], histories: int, states: int, ends: int
) -> None:
    found = tree(name, **options)
    assert (found.nodes, found.states, len(found.payoff)) == (histories, states, ends)
    assert found.ends is not None and len(found.ends.payoff) == ends


def test_nodes_say_what_the_rules_say() -> None:
    found = tree("kuhn_poker", players=3)
    for node in range(found.nodes):
        state = State.start(found.game)
        for action in found.history(node):
            state.apply(action)
        edges = range(found.first[node], found.first[node] + found.width[node])
        assert found.mover[node] == state.to_play
        assert [int(found.action[e]) for e in edges] == state.legal_actions()
        assert all(int(found.child[e]) > node for e in edges)
        if state.to_play == TERMINAL:
            paid = [u * found.game.stakes for u in state.returns()]
            assert found.payoff[found.index[node]].tolist() == pytest.approx(paid)
        elif state.to_play == CHANCE:
            assert [found.chance[e] for e in edges] == pytest.approx([1 / len(edges)] * len(edges))
        else:
            information = found.index[node]
            assert (found.seat[information], found.key[information]) == (state.to_play, state.info_key(state.to_play))


def test_payoffs_are_free_of_float32() -> None:
    """The stakes of Leduc poker are 13 chips, so its returns are multiples of 1/13, which float32 rounds."""
    assert np.unique(tree("leduc_poker").payoff).tolist() == [*range(-13, 0, 2), 0, *range(1, 14, 2)]


def test_ends_with_the_same_sequences_are_one() -> None:
    """Nobody sees the coin: its two sides are one end after each choice, worth what they are on average."""
    found = tiny("safe_or_guess", heads=7)
    assert found.ends is not None
    assert (len(found.payoff), len(found.ends.payoff)) == (6, 3)
    worth = {
        found.game.action_text(int(found.slot_action[s])): p
        for s, p in zip(found.ends.sequence[:, 0], found.ends.payoff[:, 0], strict=True)
    }
    assert worth == pytest.approx({"a0": 0.25, "a2": 0.4, "a3": -0.4})


def test_positions_are_met_once() -> None:
    found = tiny("full_tree", width=3)
    assert found.positions and found.ends is None
    assert (found.nodes, found.states) == (1 + 3 + 9 + 27 + 81, 1 + 3 + 9 + 27)
    shared = tiny("tree", 3, root=50)
    assert (shared.nodes, shared.states, shared.width[0]) == (3, 1, 3)  # two of the actions lead to one position


def test_a_draft_that_is_full_is_begun_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    large = tree("liars_dice", faces=3)
    monkeypatch.setattr(walk, "FIRST_DRAFT", 1)
    small = enumerate_game(engines.load("liars_dice", faces=3))
    assert all(np.array_equal(getattr(large, f), getattr(small, f)) for f in ("mover", "child", "key", "parent"))


def test_what_is_too_large_is_refused_with_numbers() -> None:
    with pytest.raises(TooLarge, match=r"too large.*more than 57 histories \(12 information.*limit=57.*players=2"):
        enumerate_game(engines.load("kuhn_poker"), limit=57)
    assert enumerate_game(engines.load("kuhn_poker"), limit=58).nodes == 58
    with pytest.raises(UsageError, match="limit is 0: expected 1 to 2,147,483,647"):
        enumerate_game(engines.load("kuhn_poker"), limit=0)


def test_a_game_is_walked_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a slice is, the tree is the same; between two slices the caller has its say (Ctrl-C)."""
    large, said = tree("liars_dice", faces=3), []
    monkeypatch.setattr(walk, "SLICE", 100)
    sliced = enumerate_game(engines.load("liars_dice", faces=3), limit=1500, watch=said.append)
    assert all(np.array_equal(getattr(large, f), getattr(sliced, f)) for f in ("mover", "child", "key", "parent"))
    assert len(said) > 10 and said[0] == "counting: 101 histories (51 information states), limit=1,500"

    def interrupt(text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        enumerate_game(engines.load("liars_dice", faces=3), watch=interrupt)


def test_a_game_that_is_far_too_large_is_refused_at_once() -> None:
    said: list[str] = []
    with pytest.raises(TooLarge, match=r"some 10\^\d+ histories or more, as 32 random games tell, limit=2,000,000"):
        enumerate_game(engines.load("liars_dice", dice=5), watch=said.append)
    assert len(said) < 10


@pytest.mark.parametrize(("name", "options"), [("leduc_poker", {}), ("liars_dice", {"faces": 4})])
def test_guesses_of_a_size_are_right_on_average(name: str, options: dict[str, int]) -> None:
    whole, game = tree(name, **options), engines.load(name, **options)
    scratch, rng = walk.kernels.draft(game, 1), generator("test", name)
    guesses = [walk.kernels.guess(game.table, scratch, game.encode_options(), rng) for _ in range(4000)]
    assert np.mean(guesses) == pytest.approx(whole.nodes, abs=4 * np.std(guesses) / np.sqrt(len(guesses)))


def test_a_game_at_its_limit_is_not_guessed_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "SLICE", 100)
    for limit in (9457, 5000):  # guesses of half the size and more are no reason to give up: it is counted
        said: list[str] = []
        with contextlib.suppress(TooLarge):
            enumerate_game(engines.load("leduc_poker"), limit=limit, watch=said.append)
        assert len(said) >= limit // 100


def test_positions_that_repeat_are_refused() -> None:
    with pytest.raises(UsageError, match="a position can come up again"):
        enumerate_game(games.load("pig"))


def test_a_seat_that_forgets_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The keys of pig are of positions: a seat back at 0 points does not remember that it has rolled."""
    game = games.load("pig")
    monkeypatch.setattr(type(game), "secrets", True)
    with pytest.raises(UsageError, match="forgets what the seat has done"):
        enumerate_game(game)


@pytest.mark.parametrize(
    ("policy", "why"),
    [([0.5] * 23, "a policy of shape"), ([0.4] * 24, "add up to 1"), ([1.5, -0.5] * 12, "add up to 1")],
)
def test_what_is_no_policy_is_refused(policy: list[float], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        tree("kuhn_poker").check_policy(np.array(policy))


def test_weights_become_a_policy() -> None:
    found = matrix("rps")
    assert found.normalized(np.array([1.0, 3.0, 0.0, 0.0, 0.0, 0.0])).tolist() == pytest.approx(
        [0.25, 0.75, 0, *[1 / 3] * 3]
    )
