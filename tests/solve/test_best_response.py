"""Values, best responses and exploitability: known numbers, and agreement between independent ways to get them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engines.errors import UsageError
from orion_ai.solve import graph_kernels as graphs
from orion_ai.solve.best_response import Judge, backward_induction
from orion_ai.solve.tree import Tree
from tests.solve.games import matrix, random_policy, tiny, tree

KUHN_EQUILIBRIA = (0.0, 0.1, 1 / 3)
"""How often seat 0 bets the jack: Kuhn's family has one parameter."""


def kuhn_equilibrium(alpha: float) -> dict[tuple[int, str], float]:
    """(seat, card and bets so far) -> probability of a bet (Kuhn 1950)."""
    return {
        (0, "jack"): alpha,
        (0, "queen"): 0.0,
        (0, "king"): 3 * alpha,
        (0, "jack pass bet"): 0.0,
        (0, "queen pass bet"): alpha + 1 / 3,
        (0, "king pass bet"): 1.0,
        (1, "jack pass"): 1 / 3,
        (1, "queen pass"): 0.0,
        (1, "king pass"): 1.0,
        (1, "jack bet"): 0.0,
        (1, "queen bet"): 1 / 3,
        (1, "king bet"): 1.0,
    }


def kuhn_policy(found: Tree, bets: dict[tuple[int, str], float]) -> np.ndarray:
    policy = np.zeros(found.slots)
    for state in range(found.states):
        position, seat = found.example(state), int(found.seat[state])
        cards, _, past = found.game.board(position, seat).partition(" | ")
        card = next(word for word in cards.split()[1:] if word != "?")
        name = f"{card} {past}".replace(" no bets yet", "")
        policy[found.slot[state]], policy[found.slot[state] + 1] = 1 - bets[seat, name], bets[seat, name]
    return policy


@pytest.mark.parametrize(
    ("name", "value", "nash_conv"), [("kuhn_poker", 0.125, 11 / 12), ("leduc_poker", -0.078125, 4.7472222222)]
)
def test_uniform_play(name: str, value: float, nash_conv: float) -> None:
    judge = Judge(tree(name))
    uniform = judge.tree.uniform()
    assert judge.values(uniform) == pytest.approx([value, -value], abs=1e-12)
    assert judge.nash_conv(uniform) == pytest.approx(nash_conv, abs=1e-9)
    assert judge.exploitability(uniform) == pytest.approx(nash_conv / 2, abs=1e-9)


@pytest.mark.parametrize("alpha", KUHN_EQUILIBRIA)
def test_kuhns_family_of_equilibria(alpha: float) -> None:
    judge = Judge(tree("kuhn_poker"))
    policy = kuhn_policy(judge.tree, kuhn_equilibrium(alpha))
    assert judge.values(policy) == pytest.approx([-1 / 18, 1 / 18])
    assert judge.nash_conv(policy) == pytest.approx(0, abs=1e-12)


def test_next_to_the_family_is_no_equilibrium() -> None:
    judge = Judge(tree("kuhn_poker"))
    for name in kuhn_equilibrium(0.1):
        bets = kuhn_equilibrium(0.1)
        bets[name] = bets[name] + 0.2 if bets[name] < 0.5 else bets[name] - 0.2
        assert judge.nash_conv(kuhn_policy(judge.tree, bets)) > 0.01, name


@pytest.mark.parametrize("players", [2, 3])
def test_values_are_those_of_the_nodes(players: int) -> None:
    """Summed over sequences, and passed up from node to node."""
    found = tree("kuhn_poker", players=players)
    policy = random_policy(found, players)
    values = np.zeros((found.nodes, players))
    graphs.back_up(graphs.graph_of(found), policy, graphs.NOBODY, values, policy.copy())
    assert Judge(found).values(policy) == pytest.approx(values[0], abs=1e-12)


@pytest.mark.parametrize(
    ("name", "options"), [("kuhn_poker", {"players": 3}), ("leduc_poker", {}), ("liars_dice", {"faces": 3})]
)
def test_a_best_response_gets_what_it_says_and_no_other_gets_more(name: str, options: dict[str, int]) -> None:
    judge = Judge(tree(name, **options))
    policy = random_policy(judge.tree, 1)
    for seat in range(judge.tree.players):
        value, answer = judge.best_response(policy, seat)
        assert judge.values(answer)[seat] == pytest.approx(value, abs=1e-12)
        own = np.repeat(judge.tree.seat == seat, judge.tree.widths)
        assert set(answer[own]) == {0.0, 1.0} and np.array_equal(answer[~own], policy[~own])
        for other in range(20):
            changed = np.where(own, random_policy(judge.tree, 100 + other), policy)
            assert judge.values(changed)[seat] <= value + 1e-12


def test_every_pure_answer_is_tried_in_vain() -> None:
    """The 64 pure strategies of a seat in Kuhn poker: the best of them is the best response."""
    judge = Judge(tree("kuhn_poker"))
    policy = random_policy(judge.tree, 3)
    for seat in range(2):
        slots = [int(judge.tree.slot[s]) for s in np.flatnonzero(judge.tree.seat == seat)]
        found = []
        for bits in itertools.product((0.0, 1.0), repeat=len(slots)):
            pure = policy.copy()
            for slot, bit in zip(slots, bits, strict=True):
                pure[slot], pure[slot + 1] = bit, 1 - bit
            found.append(judge.values(pure)[seat])
        assert judge.best_response(policy, seat)[0] == pytest.approx(max(found), abs=1e-12)


def test_measuring_leaves_nothing_behind() -> None:
    judge = Judge(tree("kuhn_poker"))
    one, two = random_policy(judge.tree, 1), random_policy(judge.tree, 2)
    first = judge.nash_conv(one)
    assert judge.nash_conv(two) != first
    assert judge.nash_conv(one) == first


def test_backward_induction_is_max_n() -> None:
    """Values of the trees are in the comments of tests/games/tree.py."""
    found = tiny("tree", 3, root=0)
    values, policy = backward_induction(found)
    assert values[0] == pytest.approx([0.4, 0.5, -0.9])
    assert Judge(found).values(policy) == pytest.approx(values[0])
    assert Judge(found).nash_conv(policy) == 0
    assert Judge(found).nash_conv(found.uniform()) > 0
    assert backward_induction(tiny("tree", 3, root=10))[0][0] == pytest.approx([0.3, -0.3, 0.0])


def test_tic_tac_toe() -> None:
    found = tree("tic_tac_toe")
    assert (found.nodes, found.states) == (5478, 4520)
    values, policy = backward_induction(found)
    assert values[0] == pytest.approx([0, 0])
    assert Judge(found).nash_conv(policy) == 0
    # Random play: X wins .5849206349, O .2880952381; a best response never loses to it, X wins all but a few games.
    assert Judge(found).values(found.uniform())[0] == pytest.approx(0.5849206349 - 0.2880952381, abs=1e-9)
    assert Judge(found).best_response(found.uniform(), 0)[0] > 0.99


def test_best_responses_in_a_graph_of_positions() -> None:
    found = tiny("full_tree", width=3)
    judge, policy = Judge(found), random_policy(found, 5)

    def best(node: int, seat: int, play: np.ndarray) -> float:
        edges = range(found.first[node], found.first[node] + found.width[node])
        if not edges:
            return float(found.payoff[found.index[node], seat])
        below = [best(int(found.child[e]), seat, play) for e in edges]
        slot = found.slot[found.index[node]]
        return max(below) if found.mover[node] == seat else float(np.dot(below, play[slot : slot + len(below)]))

    for seat in range(2):
        value, answer = judge.best_response(policy, seat)
        assert value == pytest.approx(best(0, seat, policy))
        assert judge.values(answer)[seat] == pytest.approx(value)
    values, perfect = backward_induction(found)
    assert [best(0, seat, perfect) for seat in range(2)] == pytest.approx(values[0])


def test_methods_refuse_games_of_the_other_kind() -> None:
    with pytest.raises(UsageError, match="kuhn_poker has secrets: use CFR"):
        backward_induction(tree("kuhn_poker"))
    with pytest.raises(UsageError, match="full_tree has none: use backward induction"):
        tiny("full_tree", width=3).require_histories("CFR")
    assert Judge(matrix("rps")).nash_conv(matrix("rps").uniform()) == pytest.approx(0, abs=1e-15)
