"""Beliefs that are carried through a game.

1 In small games they are what Bayes' rule gives over all histories, whatever the opponent's policy; under the uniform
policy that is what `determinize` samples. 2 Particles of every game always agree with what the seat knows and stand at
its decision. 3 States that look alike to a seat give it the same belief, to the bit; so do the same
keys. 4 Few particles are resampled without bias, lost ones replaced. 5 An event that tells nothing, and one with too
many alternatives, cost no more than they may. 6 What makes no sense is refused by name.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import engines
from engines.contract import Game
from engines.errors import UsageError
from engines.rng import generator
from engines.state import State
from orion_ai.agents import AgentConfig, FollowingAgent, make_agent
from orion_ai.search import HashEvaluator, Search, SearchConfig
from orion_ai.search.particle_kernels import renew_particles
from orion_ai.search.particles import Belief, ParticleFilter
from orion_ai.search.trace import trace
from orion_ai.trails import new_number, trail_of

KUHN = engines.load("kuhn_poker")
LEDUC = engines.load("leduc_poker")
DICE = engines.load("liars_dice")
BIDS = engines.load("goofspiel", hidden=True, cards=4)
PHANTOM = engines.load("phantom_tic_tac_toe")
JACK, QUEEN, KING = 2, 3, 4
PASS, BET = 0, 1
KEY = np.uint64(77)
Policy = Callable[[State, list[int]], Any]
"""From a state and what is legal in it to the mover's probabilities."""


def config(policy: str = "uniform", **changes: Any) -> SearchConfig:
    return SearchConfig(worlds="particles", particle_policy=policy, simulations=20, **changes)


def believed(game: Game, history: list[int], seat: int, made: ParticleFilter, key: np.uint64 = KEY) -> Belief:
    """What `seat` believes after these steps."""
    trail = trail_of(game, history, seat, key, new_number())
    belief = made.begin(seat, trail.key)
    for world in trail.worlds:
        made.follow(belief, world)
    return belief


def distribution(belief: Belief) -> dict[bytes, float]:
    """How likely the belief takes each record to be."""
    found: Counter[bytes] = Counter()
    for record, weight in zip(belief.records, belief.weights, strict=True):
        found[record.tobytes()] += weight
    return {record: share for record, share in found.items() if share > 0}


def trail_keys(game: Game, history: list[int], seat: int) -> list[int]:
    """The seat's information keys on the way, changes only."""
    state = game.start()
    keys = [state.info_key(seat)]
    for action in history:
        state.apply(action)
        key = state.info_key(seat)
        if keys[-1] != key:
            keys.append(key)
    return keys


def by_bayes(game: Game, history: list[int], seat: int, policy: Policy) -> dict[bytes, float]:
    """The same by Bayes' rule over all histories in which the seat has just learned the same."""
    wanted, found = trail_keys(game, history, seat), Counter[bytes]()

    def walk(state: State, past: list[int], mass: float) -> None:
        seen = trail_keys(game, past, seat)
        if seen != wanted[: len(seen)]:
            return
        if seen == wanted:
            found[state.record.tobytes()] += mass
            return
        legal = state.legal_actions()
        if state.is_chance:
            odds = [weight for _, weight in state.chance()[1]]
        else:
            odds = np.ones(len(legal)) if state.to_play == seat else policy(state, legal)
        for action, share in zip(legal, np.array(odds) / np.sum(odds), strict=True):
            after = state.clone()
            after.apply(action)
            walk(after, [*past, action], mass * share)

    walk(game.start(), [], 1.0)
    total = sum(found.values())
    return {record: mass / total for record, mass in found.items() if mass > 0}


def uniform(state: State, legal: list[int]) -> Any:
    return np.ones(len(legal))


def mixed_with_uniform(policy: Policy, epsilon: float) -> Policy:
    def mixed(state: State, legal: list[int]) -> Any:
        odds = np.asarray(policy(state, legal), np.float64)
        return (1 - epsilon) * odds / odds.sum() + epsilon / len(legal)

    return mixed


def network(evaluator: Any) -> Policy:
    def odds(state: State, legal: list[int]) -> Any:
        logits = evaluator.evaluate(state.observe(state.to_play)[None])[0][0][legal].astype(np.float64)
        return np.exp(logits - logits.max())

    return odds


def scripted(state: State, legal: list[int]) -> Any:
    """The scripted policy of a game that draws no dice in it."""
    action = state.game.kernels.scripted(state.record.copy(), np.zeros(2, np.uint64))
    return [float(a == action) for a in legal]


class NeverBluffs:
    """A network of Kuhn poker that bets with the king for sure, and with nothing else."""

    def evaluate(self, observations: Any) -> Any:
        logits = np.zeros((len(observations), 2), np.float32)
        logits[:, BET] = np.where(observations[:, KUHN.players] == KING - JACK + 1, 50.0, -50.0)
        return logits, np.zeros((len(observations), 2), np.float32)


def distance(one: dict[bytes, float], other: dict[bytes, float]) -> float:
    """Total variation."""
    return 0.5 * sum(abs(one.get(k, 0.0) - other.get(k, 0.0)) for k in {*one, *other})


def some_history(game: Game, seed: int, steps: int) -> list[int]:
    """The steps of a game played at random."""
    state, rng = game.start(seed), np.random.default_rng(seed)
    while not state.is_over and len(state.history or []) < steps:
        state.apply(int(rng.choice(state.legal_actions())))
    return list(state.history or [])[:steps]


CASES = [
    (KUHN, "uniform", None, uniform, 5),
    (KUHN, "network", HashEvaluator(KUHN), network(HashEvaluator(KUHN)), 5),
    (LEDUC, "uniform", None, uniform, 7),
    (LEDUC, "network", HashEvaluator(LEDUC), network(HashEvaluator(LEDUC)), 7),
    (LEDUC, "scripted", None, scripted, 7),
    (DICE, "network", HashEvaluator(DICE), network(HashEvaluator(DICE)), 5),
    (BIDS, "uniform", None, uniform, 8),
    (BIDS, "scripted", None, scripted, 8),
    (PHANTOM, "network", HashEvaluator(PHANTOM), network(HashEvaluator(PHANTOM)), 4),
]


@pytest.mark.parametrize(("game", "policy", "evaluator", "model", "steps"), CASES)
def test_beliefs_are_those_of_bayes(game: Game, policy: str, evaluator: Any, model: Policy, steps: int) -> None:
    epsilon = 0.0 if policy == "uniform" else 0.1
    noise = {"particle_epsilon": epsilon} if epsilon else {}
    settings = config(policy, particles=8000, particle_share=0.0, **noise)  # newcomers would know nothing of the past
    made = ParticleFilter(game, settings, evaluator)
    for seed in range(2):
        history = some_history(game, seed, steps)
        for seat in range(2):
            exact = by_bayes(game, history, seat, mixed_with_uniform(model, epsilon))
            belief = believed(game, history, seat, made)
            found, fewest = distribution(belief), min(belief.least, made.count / 2)
            expected = math.sqrt(len(exact) / (2 * math.pi * fewest))  # of a sample, where all are alike
            assert distance(found, exact) < 0.01 + 2 * expected


@pytest.mark.parametrize(("game", "steps"), [(KUHN, 3), (LEDUC, 6), (DICE, 4)])
def test_under_the_uniform_policy_beliefs_are_what_determinize_samples(game: Game, steps: int) -> None:
    history = some_history(game, 5, steps)
    state, rng = game.start(), generator(3)
    for action in history:
        state.apply(action)
    drawn = [state.sample_world(0, rng)[0].record.tobytes() for _ in range(8000)]
    sampled = {record: count / 8000 for record, count in Counter(drawn).items()}
    carried = believed(game, history, 0, ParticleFilter(game, config(particles=8000)))
    assert distance(distribution(carried), sampled) < 0.04


def test_one_who_never_bluffs_has_the_king() -> None:
    """Seat 0 bets; whoever holds the queen and knows that only a king bets knows the king. What could have been done
    earlier, and was not, is evidence: after a pass it is the jack."""
    made = ParticleFilter(KUHN, config("network", particles=4000, particle_epsilon=0.02), NeverBluffs())
    for action, card, exact in ((BET, 3, 0.99 / (0.99 + 0.01)), (PASS, 1, 0.99 / (0.99 + 0.01))):
        belief = believed(KUHN, [KING, QUEEN, action], 1, made)
        holds = belief.records.view(KUHN.dtype)["card"][:, 0, 0] == card
        assert belief.weights[holds].sum() == pytest.approx(exact, abs=0.01)


def test_a_search_with_such_a_belief_folds_where_one_without_calls() -> None:
    """The non-locality of hidden information: nothing below the call tells it from one against a bluffer."""
    state = KUHN.start()
    for action in (KING, QUEEN, BET):
        state.apply(action)
    calls = {}
    for name in ("private", "particles"):
        settings = SearchConfig(simulations=400)
        if name == "particles":
            settings = SearchConfig(worlds=name, particle_policy="network", simulations=400, particles=400)
        agent = make_agent(KUHN, AgentConfig(search=settings), 1, NeverBluffs())
        world, keys = state.record[None], np.array([3], np.uint64)
        if isinstance(agent, FollowingAgent):
            trail = trail_of(KUHN, state.history or [], 1, KEY, new_number())
            report = agent.decide_after([trail], world, np.array([1]), keys).report
        else:
            report = agent.decide(world, np.array([1]), keys).report
        assert report is not None
        calls[name] = float(report.q[0, BET])
    assert calls["private"] == pytest.approx(0.0, abs=0.15)  # jack and king alike: +1 and -1
    assert calls["particles"] == pytest.approx(-0.95, abs=0.07)


class Counting(HashEvaluator):
    """Counts the rows that it answers."""

    rows = 0

    def evaluate(self, observations: Any) -> Any:
        self.rows += len(observations)
        return super().evaluate(observations)


def test_rows_that_particles_ask_of_the_network_count() -> None:
    """In the report and in the budget, whether leaves ask it too or not; at each decision those since the last."""
    for more in ({"leaf": "random"}, {"algorithm": "puct", "leaf": "network", "evaluations": 40, "simulations": 500}):
        network = Counting(LEDUC)
        search = Search(
            LEDUC, SearchConfig(worlds="particles", particle_policy="network", particles=20, **more), network
        )
        agent, state, number = FollowingAgent(search), LEDUC.start(3), new_number()
        seat, told, asked = state.to_play, 0, 0
        while not state.is_over and asked < 3:
            if state.is_chance:
                state.apply(state.chance()[1][0][0])
            elif state.to_play != seat:
                state.apply(LEDUC.parse("call"))
            else:
                trail = trail_of(LEDUC, state.history or [], seat, KEY, number)
                report = agent.search_after([trail], state.record[None], np.array([seat]), np.array([3], np.uint64))
                assert report.evaluations[0] == network.rows - told
                if "evaluations" in more:  # used up by leaves, or by particles alone
                    assert report.evaluations[0] >= 40
                    assert report.evaluations[0] <= 42 or report.simulations[0] == 0
                told, asked = network.rows, asked + 1
                state.apply(LEDUC.parse("call"))
        assert asked == 2 and told > 0


GAMES = [name for name in engines.GAMES if engines.registry.game_type(name).secrets]


def moments(game: Game, seed: int, most: int) -> Iterator[State]:
    """The states of a game played at random, after each step."""
    state, rng = game.start(), np.random.default_rng(seed)
    for _ in range(most):
        if state.is_over:
            return
        ids = state.legal_actions()
        odds = np.array([w for _, w in state.chance()[1]] if state.is_chance else np.ones(len(ids)), np.float64)
        state.apply(int(rng.choice(ids, p=odds / odds.sum())))
        yield state


@pytest.mark.parametrize("name", GAMES)
def test_particles_agree_with_what_the_seat_knows(name: str) -> None:
    game = engines.load(name)
    policy = "uniform" if game.kernels.scripted is None else "scripted"
    made = ParticleFilter(game, config(policy, particles=24))
    for seed in range(2):
        beliefs = {seat: made.begin(seat, KEY) for seat in range(game.players)}
        for state in moments(game, seed, 150):
            for seat, belief in beliefs.items():
                if state.info_key(seat) == belief.known:
                    continue
                made.follow(belief, state.determinize(seat, 1).record)
            if state.to_play >= 0:
                check(game, made, state, beliefs[state.to_play])


def check(game: Game, made: ParticleFilter, state: State, belief: Belief) -> None:
    """The mover's particles stand at its decision, and are what it knows."""
    made.settle(belief, state.determinize(belief.seat, 2).record)
    legal = state.legal_actions()
    for record in belief.records[belief.weights > 0]:
        assert game.kernels.info_key(record, belief.seat) == state.info_key(belief.seat)
        assert State(game, record).legal_actions() == legal
    assert belief.weights.sum() == pytest.approx(1)
    assert 0 <= belief.effective <= made.count + 1e-6


@pytest.mark.parametrize(
    ("name", "options"),
    [("kuhn_poker", {}), ("phantom_tic_tac_toe", {}), ("liars_dice", {}), ("goofspiel", {"hidden": True, "cards": 6})],
)
def test_what_looks_alike_is_believed_alike(name: str, options: dict[str, Any]) -> None:
    """Every history in which the seat was told the same leads to the same bytes, whatever is hidden from it."""
    game = engines.load(name, players=2, **options)
    made = ParticleFilter(game, config(particles=16))
    history = some_history(game, 3, 7)
    mine = believed(game, history, 0, made)
    others = 0
    for other in look_alikes(game, history, 0):
        same = believed(game, other, 0, made)
        np.testing.assert_array_equal(mine.records, same.records)
        np.testing.assert_array_equal(mine.weights, same.weights)
        others += other != history
    assert others > 0


def look_alikes(game: Game, history: list[int], seat: int, most: int = 12) -> list[list[int]]:
    """Histories in which `seat` is told the same, found by following `history` with other hidden events."""
    wanted, found = trail_keys(game, history, seat), []

    def walk(state: State, past: list[int]) -> None:
        seen = trail_keys(game, past, seat)
        if len(found) >= most or seen != wanted[: len(seen)] or len(past) > len(history) + 3:
            return
        if seen == wanted:
            found.append(past)
            return
        for action in reversed(state.legal_actions()):
            after = state.clone()
            after.apply(action)
            walk(after, [*past, action])

    walk(game.start(), [])
    return found


def test_the_key_decides_all_randomness() -> None:
    made, again = (ParticleFilter(LEDUC, config(particles=50)) for _ in range(2))
    history = some_history(LEDUC, 1, 7)
    one = believed(LEDUC, history, 0, made)
    believed(LEDUC, history, 1, again, np.uint64(5))
    other = believed(LEDUC, history, 0, again)
    np.testing.assert_array_equal(one.records, other.records)
    np.testing.assert_array_equal(one.weights, other.weights)
    assert (believed(LEDUC, history, 0, made, np.uint64(78)).records != one.records).any()


def test_who_is_interrupted_midway_leaves_a_belief_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """A time limit may strike between moving the particles and weighing them; then the same is told again."""
    game = engines.load("leduc_poker")
    made = ParticleFilter(game, config())
    history = some_history(game, 3, 6)
    belief, undisturbed = (believed(game, history[:-1], 0, made) for _ in range(2))
    world = game.start()
    for action in history:
        world.apply(action)

    def interrupted(*_: Any) -> float:
        raise TimeoutError

    with monkeypatch.context() as patch:
        patch.setattr(made, "_renew", interrupted)
        with pytest.raises(TimeoutError):
            made.follow(belief, world.record)
    assert distribution(belief) == distribution(undisturbed) and belief.told == undisturbed.told
    for each in (belief, undisturbed):
        made.follow(each, world.record)
    assert distribution(belief) == distribution(undisturbed)


def renewed(weights: list[float], share: float) -> tuple[Any, Any, Any]:
    """Records (numbered by the first byte), weights and figures of a belief of Kuhn poker, renewed."""
    state = KUHN.start()
    for action in (KING, QUEEN):
        state.apply(action)
    records = np.tile(state.record, (len(weights), 1))
    records.view(KUHN.dtype)["card"][:, 0, 1] = np.arange(len(weights))
    spare, out, mass = np.zeros_like(records), np.zeros(3), np.array(weights)
    renew_particles(KUHN.table, records, spare, mass, state.record, 0, share, KEY, out)
    return records.view(KUHN.dtype)["card"][:, 0, 1], mass, out


def test_resampling_gives_each_its_share() -> None:
    weights = [8.0, 1.0, 1.0, 0.1, 0.1, 0.1, 0.1, 0.1]
    came, mass, out = renewed(weights, 0.0)
    total = sum(weights)
    for number, weight in enumerate(weights):
        assert math.floor(8 * weight / total) <= (came == number).sum() <= math.ceil(8 * weight / total)
    assert mass.tolist() == [1 / 8] * 8
    assert out[0] == pytest.approx(total**2 / sum(w * w for w in weights))
    kept, mass, _ = renewed([1.0, 1.2, 0.9, 1.1], 0.0)  # carried by all: left as they are
    assert kept.tolist() == [0, 1, 2, 3]
    assert mass == pytest.approx(np.array([1.0, 1.2, 0.9, 1.1]) / 4.2)


def test_lost_particles_are_replaced_when_few_are_left() -> None:
    came, mass, out = renewed([0.0] * 7 + [3.0], 0.25)  # one of eight is left, fewer than a quarter
    assert came[7] == 7 and mass == pytest.approx(np.full(8, 1 / 8))
    assert set(came[:7].tolist()) <= {1, 2}  # the jack and the king in other hands, 1 + rank
    assert out[1] == 7
    _, mass, out = renewed([0.0] * 5 + [1.0] * 3, 0.25)  # three are enough
    assert out[1] == 0 and (mass == 1 / 8).all()
    _, _, out = renewed([0.0] * 8, 0.0)  # none is never enough
    assert out.tolist() == [0, 8, 8]


def test_of_too_many_events_a_random_choice_stands_for_all() -> None:
    """Six cards are dealt and three things can be done, but only two are tried: beliefs stay right on average."""
    history = some_history(LEDUC, 2, 6)
    exact = by_bayes(LEDUC, history, 0, uniform)
    made = ParticleFilter(LEDUC, config(particles=16_000), most=2)
    belief = believed(LEDUC, history, 0, made)
    assert belief.newcomers == 0 or belief.least < 1600
    assert distance(distribution(belief), exact) < 0.08


def test_too_many_silent_events_lose_a_particle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 0 does not see how often seat 1 runs into its marks: with room for one event only, it never did."""
    monkeypatch.setattr("orion_ai.search.particles.MOST_SILENT", 1)
    belief = believed(PHANTOM, [0, 1], 0, ParticleFilter(PHANTOM, config(particles=400)))
    assert belief.newcomers == 0
    tries = belief.records[belief.weights > 0].view(PHANTOM.dtype)["tries"][:, 0, 1]
    assert (tries[:, 1] == 0).all()
    monkeypatch.undo()
    belief = believed(PHANTOM, [0, 1], 0, ParticleFilter(PHANTOM, config(particles=400)))
    assert (belief.records.view(PHANTOM.dtype)["tries"][:, 0, 1, 1] > 0).any()


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({}, "must say by whose policy"),
        ({"particle_policy": "network"}, "there is no network"),
        ({"particle_policy": "scripted"}, "kuhn_poker has no scripted policy"),
        ({"particle_policy": "unifrom"}, "Did you mean 'uniform'"),
        ({"particle_policy": "uniform", "particle_epsilon": 0.1}, "particle_epsilon is 0.1, but"),
        ({"particle_policy": "uniform", "particles": 0}, "particles is 0: expected 1 to"),
        ({"particle_policy": "uniform", "particle_share": 1.5}, "particle_share is 1.5: expected 0 to 1"),
        ({"worlds": "private", "particles": 100}, "particles is 100, but search.worlds is 'private'"),
        ({"worlds": "private", "particle_policy": "uniform"}, "particle_policy is uniform, but"),
    ],
)
def test_what_makes_no_sense_is_refused(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        Search(KUHN, SearchConfig(**{"worlds": "particles", **changes}))


def test_particles_need_something_to_hide_and_beliefs_need_particles() -> None:
    with pytest.raises(UsageError, match="nothing is hidden in pig"):
        Search(engines.load("pig"), config())
    state = KUHN.start(1)
    private = Search(KUHN, SearchConfig(simulations=5))
    search = Search(KUHN, config())
    assert search.filter is not None
    belief = search.filter.begin_at(state.record, 0, KEY)
    with pytest.raises(UsageError, match="not 'particles'"):
        private.run(state.record[None], [0], [1], beliefs=[belief])
    with pytest.raises(UsageError, match="2 beliefs: expected one of each of 1 positions"):
        search.run(state.record[None], [0], [1], beliefs=[belief] * 2)


def test_a_search_draws_each_particle_by_its_weight() -> None:
    """In any number of simulations, and of a past that is not known too."""
    state = KUHN.start()
    for action in (KING, QUEEN):
        state.apply(action)
    search = Search(KUHN, config())
    assert search.filter is not None
    belief = search.filter.begin_at(state.record, 0, KEY)
    jacks = belief.records.view(KUHN.dtype)["card"][:, 0, 1] == 1
    belief.weights[:] = np.where(jacks, 0.9 / jacks.sum(), 0.1 / (~jacks).sum())
    for simulations in (100, 1000):
        watched = trace(
            Search(KUHN, dataclasses.replace(config(), simulations=simulations)), state.record, 0, 5, [belief]
        )
        share = (watched.worlds.view(KUHN.dtype)["card"][:, 0, 1] == 1).mean()
        assert share == pytest.approx(0.9, abs=0.03)
    assert search.run(state.record[None], [0], [5]).effective[0] == 200
