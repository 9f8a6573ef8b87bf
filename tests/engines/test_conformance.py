"""The suite passes on sound games, says exactly what is wrong with others, and has no check that cannot fail."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Hashable

import numpy as np
import pytest
from numpy.typing import NDArray

from engines.conformance import CHECKS, check
from engines.conformance_exact import chi_square_z
from engines.contract import PUBLIC, Game, Symmetry
from engines.mutations import Mutant, mutations
from engines.rng import Dealer, generator
from engines.state import State
from tests.engines.duel.layout import COPIES, RANKS
from tests.engines.games import counts, every_shipped, make, small

OPTIONAL = {"scripted", "images"}
"""Run where a game has a scripted policy (moo_board), or symmetries (connect_four)."""
NOT_FOR_DUEL = {"recall", "posterior", *OPTIONAL}
Swap = Callable[[NDArray[np.int64]], NDArray[np.int64]]


@small
def test_small_games_pass_every_check(name: str, players: int) -> None:
    report = check(make(name, players), games=40, rate=1.0)
    assert report.ok, str(report)
    idle = {check_name for check_name in CHECKS if not report.runs[check_name]}
    assert idle <= (NOT_FOR_DUEL if name == "duel" else OPTIONAL)


@every_shipped
def test_shipped_games_pass(name: str) -> None:
    for players in counts(name):
        rate = min(1.0, max(0.05, 10 / make(name, players).max_length))
        report = check(make(name, players), games=3, seed=3, budget_seconds=10, rate=rate)
        assert report.ok, str(report)
        assert report.steps > 0 and report.probes > 0
        assert (report.runs["scripted"] > 0) == (make(name, players).kernels.scripted is not None)
        assert (report.runs["images"] > 0) == (len(make(name, players).symmetries()) > 0)


def test_a_report_is_a_table_of_all_checks_and_the_same_for_the_same_seed() -> None:
    one, two, other = (check(make("duel", 2), games=5, seed=seed) for seed in (4, 4, 5))
    assert (one.runs, one.steps) == (two.runs, two.steps)
    assert one.runs != other.runs
    text = str(one)
    assert all(f"\n{name} " in text for name in CHECKS)
    assert "FAILED" not in text


def test_the_time_budget_ends_a_run() -> None:
    report = check(make("duel", 3), games=100_000, budget_seconds=0.3)
    assert 0 < report.games < 100_000
    assert report.seconds < 5


def broken(game: Game, name: str) -> Game:
    mutant = Mutant(game)
    mutation = next(m for m in mutations(game) if m.name == name)
    assert mutation.apply(mutant)
    return mutant.game


def test_a_failure_tells_how_to_see_it_again() -> None:
    game = broken(make("duel", 2), "shown:hand")
    failure = check(game, games=10, stop=["world_observation"]).failures["world_observation"]
    assert failure.seat is not None and failure.ply == len(failure.actions) > 0
    state = game.start()
    for action in failure.actions:
        state.apply(action)
    seen = {state.determinize(failure.seat, seed).observe(failure.seat).tobytes() for seed in range(50)}
    assert len(seen) > 1, "the observation shows what is hidden at the reported state"
    text = str(failure)
    assert f"seat {failure.seat}" in text and failure.actions[-1] in text and f"ply {failure.ply}" in text


def message(game: Game, name: str, wanted: str) -> str:
    """How `wanted` fails on the game broken by `name`; the run ends there, as damaged records harm compiled code."""
    return check(broken(game, name), games=20, rate=1.0, stop=[wanted]).failures[wanted].message


def test_what_differs_is_named_by_field() -> None:
    assert "pending" in message(make("duel", 3), "kept:pending", "world_bytes")
    assert "hand" in message(make("duel", 3), "wrong_seat", "world_facts")
    assert "slice peeked" in message(make("duel", 3), "unwritten", "observation")
    assert "observe wrote to: card" in message(make("kuhn_poker", 2), "reader_writes", "reading")


@pytest.mark.parametrize(
    ("places", "actions", "fault"),
    [
        (lambda p: p[1:], lambda a: a, "places is no permutation of 240 numbers"),
        (lambda p: p, lambda a: a * 0, "actions is no permutation of 7 numbers"),
        (lambda p: np.arange(len(p)), lambda a: np.arange(len(a)), "it is the game itself"),
        (lambda p: np.arange(len(p)), lambda a: a, "image 1: entries"),
        (lambda p: p, lambda a: np.arange(len(a)), "image 1: entries"),
    ],
)
def test_a_wrong_symmetry_is_told_from_a_right_one(places: Swap, actions: Swap, fault: str) -> None:
    game = make("connect_four", 2)
    (right,) = game.symmetries()
    wrong = Symmetry(places(right.places), actions(right.actions))
    mutant = Mutant(game)
    mutant.put_method(symmetries=lambda: [wrong])
    assert fault in check(mutant.game, games=2, rate=0.0).failures["images"].message


def test_every_check_can_fail() -> None:
    failing: set[str] = set()
    for game in (make("kuhn_poker", 2), make("duel", 3)):
        for mutation in mutations(game):
            mutant = Mutant(game)
            if mutation.apply(mutant):
                failing |= set(check(mutant.game, games=20, stop=mutation.caught_by).failures)
    # Those that another check is always quicker to see:
    assert message(make("kuhn_poker", 2), "start_varies", "replay")
    assert message(make("kuhn_poker", 2), "key_amnesia", "recall")
    assert message(make("kuhn_poker", 3), "own_resampled", "world_facts")
    assert message(make("duel", 3), "keyed:hand", "step_keys")
    failing |= {"replay", "recall", "world_facts", "step_keys"}
    assert set(CHECKS) - failing == {"no_future"}, "the next test is about that one"


def test_a_copy_with_a_dealer_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def sample_world(self: State, seat: int, rng: NDArray[np.uint64]) -> tuple[State, float]:
        world = State(self.game, self.record.copy(), Dealer(1, self.game.num_streams))
        return world, float(self.game.kernels.determinize(world.record, seat, rng))

    monkeypatch.setattr(State, "sample_world", sample_world)
    assert "no_future" in check(make("kuhn_poker", 2), games=1).failures


Exactly = tuple[Callable[[State], Hashable], dict[Hashable, float]]


def opponents_hand(state: State, seat: int, copies: int = COPIES) -> Exactly | None:
    """Exact distribution of the other seat's hand in a duel of two, by dealing every ordered hand there could be."""
    s = state.fields
    unseen = [copies - int(s["played"][r]) - int(s["hand"][seat, r]) for r in range(RANKS)]
    other = 1 - seat
    cards = [rank for rank in range(RANKS) for _ in range(unseen[rank])]
    hands = Counter(tuple(sorted(hand)) for hand in itertools.permutations(cards, int(s["held"][other])))
    total = sum(hands.values())

    def feature(world: State) -> Hashable:
        hand = world.fields["hand"][other]
        return tuple(rank for rank in range(RANKS) for _ in range(int(hand[rank])))

    return feature, {hand: n / total for hand, n in hands.items()}


def test_an_exact_distribution_from_the_caller_is_compared() -> None:
    assert check(make("duel", 2), games=2, rate=0.5, exact=opponents_hand).runs["posterior"] > 4
    assert check(make("duel", 2), games=2, rate=0.5, exact=opponents_hand).ok

    def one_card_too_many(state: State, seat: int) -> Exactly | None:
        return opponents_hand(state, seat, COPIES + 1)

    assert "posterior" in check(make("duel", 2), games=4, rate=0.5, exact=one_card_too_many).failures


def test_chi_square_deviate() -> None:
    # 60 throws of a die, 5 8 9 8 10 20: chi-square is 13.4 with 5 degrees of freedom, p = 0.0199, deviate 2.06.
    observed = dict(enumerate(np.array([5, 8, 9, 8, 10, 20]) / 60))
    assert chi_square_z(observed, dict.fromkeys(range(6), 1 / 6), 60) == pytest.approx(2.06, abs=0.02)
    rng, exact = np.random.default_rng(1), {0: 0.5, 1: 0.3, 2: 0.19, 3: 0.01}
    deviates = []
    for _ in range(400):
        draws = np.bincount(rng.choice(4, 2000, p=list(exact.values())), minlength=4) / 2000
        deviates.append(chi_square_z(dict(enumerate(draws)), exact, 2000))
    assert abs(np.mean(deviates)) < 0.2 and 0.85 < np.std(deviates) < 1.15
    assert chi_square_z({0: 0.6, 1: 0.2, 2: 0.19, 3: 0.01}, exact, 2000) > 5


@every_shipped
def test_public_worlds_keep_the_public_key(name: str) -> None:
    state = make(name, 2).start(seed=1)
    world, weight = state.sample_world(PUBLIC, generator(5))
    assert np.isfinite(weight)
    assert state.info_key(PUBLIC) == world.info_key(PUBLIC)
