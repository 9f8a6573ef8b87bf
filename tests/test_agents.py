"""Agents: legal answers from worlds alone, the same in any batch; the register; what is refused."""

import numpy as np
import pytest

import engines
from engines.errors import UsageError
from engines.rng import mix
from orion_ai.agents import AgentConfig, Decisions, kinds, make_agent, register, sealed
from orion_ai.search import HashEvaluator, SearchConfig
from tests.games import load

KUHN = engines.load("kuhn_poker")
PIG = load("pig", target=12)
CONFIGS = [
    AgentConfig(kind="random"),
    AgentConfig(kind="scripted"),
    AgentConfig(kind="policy"),
    AgentConfig(kind="policy", temperature=1.0),
    AgentConfig(kind="search", search=SearchConfig(simulations=20)),
    AgentConfig(kind="search", search=SearchConfig(algorithm="gumbel", leaf="network", simulations=8)),
]


def positions(game, count):
    """Worlds with a decision, one from each of `count` games, and who is to move."""
    states = []
    for seed in range(count):
        state = game.start(seed)
        for _ in range(seed % 5):
            if not state.is_over:
                state.apply(state.legal_actions()[-1])
        states.append(state if not state.is_over else game.start(seed))
    return np.stack([s.record for s in states]), np.array([s.to_play for s in states]), states


@pytest.mark.parametrize("config", CONFIGS, ids=lambda c: f"{c.kind}-{c.temperature}-{c.search.algorithm}")
def test_agents_answer_legally_and_the_same_in_any_batch(config):
    worlds, seats, states = positions(PIG, 20)
    keys = np.arange(100, 120, dtype=np.uint64)
    before = worlds.copy()
    agent = make_agent(PIG, config, 8, HashEvaluator(PIG))
    decided = agent.decide(worlds, seats, keys)
    assert (worlds == before).all()
    assert decided.actions.dtype == np.int32
    assert all(int(a) in s.legal_actions() for a, s in zip(decided.actions, states, strict=True))
    for part in (slice(0, 3), slice(3, 11), slice(11, 20)):
        assert (agent.decide(worlds[part], seats[part], keys[part]).actions == decided.actions[part]).all()


def test_a_searching_agent_reports():
    worlds, seats, _ = positions(PIG, 4)
    agent = make_agent(PIG, AgentConfig(search=SearchConfig(simulations=9)), 4)
    decided = agent.decide(worlds, seats, np.arange(4, dtype=np.uint64))
    assert agent.name == "ismcts"
    assert decided.report is not None
    assert decided.report.simulations.tolist() == [9] * 4


def test_random_is_uniform_and_depends_on_the_key():
    state = KUHN.start(1)
    worlds = np.tile(state.record, (2000, 1))
    actions = make_agent(KUHN, AgentConfig(kind="random")).decide(worlds, np.zeros(2000), np.arange(2000)).actions
    assert 900 < actions.sum() < 1100


def test_a_policy_agent_follows_the_network():
    state = KUHN.start(1)
    evaluator = HashEvaluator(KUHN, 3)
    logits = evaluator.evaluate(state.observe(0)[None])[0][0]
    worlds, seats, keys = np.tile(state.record, (2000, 1)), np.zeros(2000, np.int64), np.arange(2000, dtype=np.uint64)
    greedy = make_agent(KUHN, AgentConfig(kind="policy"), evaluator=evaluator).decide(worlds, seats, keys)
    assert (greedy.actions == logits.argmax()).all()
    drawn = make_agent(KUHN, AgentConfig(kind="policy", temperature=1.0), evaluator=evaluator)
    share = np.exp(logits[1]) / np.exp(logits).sum()
    assert drawn.decide(worlds, seats, keys).actions.mean() == pytest.approx(share, abs=0.05)


def test_one_can_register_an_agent():
    class Last:
        def __init__(self, name):
            self.name = name

        def decide(self, worlds, seats, keys):
            return Decisions(np.ones(len(worlds), np.int32))

    if "last" not in kinds():
        register("last", lambda game, config, lanes, evaluator: Last(config.name))
    agent = make_agent(KUHN, AgentConfig("mine", "last"))
    assert agent.name == "mine"
    assert agent.decide(np.zeros((3, KUHN.record_size), np.uint8), [0] * 3, [0] * 3).actions.tolist() == [1, 1, 1]
    with pytest.raises(UsageError, match="already"):
        register("random", lambda *_: Last("x"))


@pytest.mark.parametrize(
    ("config", "named"),
    [
        (AgentConfig(kind="serch"), "Did you mean 'search'"),
        (AgentConfig(kind="scripted"), "kuhn_poker has no scripted policy"),
        (AgentConfig(kind="policy", name="net"), "'net' needs a network"),
        (AgentConfig(search=SearchConfig(leaf="network")), "there is no network"),
    ],
)
def test_what_cannot_be_made_is_refused(config, named):
    with pytest.raises(UsageError, match=named):
        make_agent(KUHN, config)
    with pytest.raises(UsageError, match="temperature"):
        make_agent(KUHN, AgentConfig(kind="policy", temperature=-1.0), evaluator=HashEvaluator(KUHN))


def test_sealed_keys_do_not_give_away_what_they_were_made_of() -> None:
    def unmix(z: int, b: int) -> int:
        """The a of mix(a, b) = z: SplitMix64's finaliser, undone step by step."""
        whole = (1 << 64) - 1
        for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
            undone = z
            for _ in range(64 // shift + 1):
                undone = z ^ (undone >> shift)
            z = undone * pow(factor, -1, 1 << 64) & whole
        return (z - (b + 1) * 0x9E3779B97F4A7C15) & whole

    keys = np.arange(1, 200, dtype=np.uint64) * np.uint64(0x1234567)
    assert [unmix(int(mix(key, np.uint64(1))), 1) for key in keys] == list(keys)  # what a player could do unsealed
    for key, seal in zip(keys, sealed(keys), strict=True):
        assert int(key) not in {unmix(int(seal), b) for b in range(4)}
    assert len(set(sealed(keys))) == len(keys)
