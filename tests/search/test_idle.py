"""No setting is accepted that changes nothing: changed alone, each changes a search, or is refused.

Every field of `SearchConfig` is set to other values on top of many configs, in small games with secrets and without. A
setting that at least one game takes must show in what is answered in one of them.
"""

import dataclasses
import itertools

import numpy as np
import pytest

import engines
from engines.errors import UsageError
from orion_ai.search import HashEvaluator, SearchConfig, make_search
from orion_ai.search.config import ALGORITHMS
from orion_ai.search.validation import _CHOICES, _RANGES

SEARCHES = [algorithm for algorithm in ALGORITHMS if algorithm != "auto"]
"""`auto` is one of the others, and leaves out on purpose what that one does not use."""
LANES = 4
ANSWER = ("action", "policy", "value", "visits", "q", "availability", "simulations", "nodes", "refused", "evaluations")
ELSEWHERE = {
    "allow_oracle": "it is asked for beside worlds=oracle",
    "cache": "the same answers, sooner (test_cache.py)",
    "keep_tree": "at later decisions (test_kept.py)",
    "milliseconds": "what the clock says",
    "particles": "beliefs of games that are followed (test_particles.py)",
    "particle_policy": "as `particles`",
    "particle_epsilon": "as `particles`",
    "particle_share": "as `particles`",
}
"""Fields that act otherwise than on one search of one position, and how."""
LATER = {("oracle", "public")}
"""(worlds, nodes) that act in games alone where chance deals secretly later on: in one world all else tells as much."""
MEANT = {"values": lambda c, game: c.value_rows(game), "grow_from": lambda c, game: c.grows_from_start(game)}
"""Fields whose default is decided for each game: another way to say the same is fine."""
BASES = [
    {},
    {"answer": "mmd"},
    {"answer": "mmd", "mmd_alpha": 0.0},
    {"noise_share": 0.5},
    {"worlds": "mix"},
    {"worlds": "redeal"},
    {"worlds": "public"},
    {"worlds": "weighted"},
    {"worlds": "oracle", "allow_oracle": True},
    {"world_pool": 4},
    {"world_pool": 4, "fusion_depth": 1},
    {"tree_depth": 1},
    {"opponents": "random"},
    {"grow_from": "belief"},
    {"oos_delta": 0.0},
    {"temperature": 1.0},
]


@pytest.fixture(scope="module")
def places():
    """Positions of games with secrets, and of games without."""
    found = {True: [], False: []}
    for name, options in (
        ("leduc_poker", {}),
        ("liars_dice", {"faces": 3}),
        ("matrix", {"payoffs": "biased_rps"}),
        ("tic_tac_toe", {}),
        ("pig", {"target": 20}),
    ):
        game = engines.load(name, **options)
        state = game.start(3)
        for decisions in range(2):
            while len(state.legal_actions()) == 1:
                state.apply(state.legal_actions()[0])
            found[game.secrets].append((game, state.clone()))
            state.apply(state.legal_actions()[decisions])
    return found


def answers(game, state, config):
    """All that a search says, as bytes; None where the config is refused."""
    try:
        search = make_search(game, config, HashEvaluator(game), LANES)
    except UsageError:
        return None
    worlds, seats = np.tile(state.record, (LANES, 1)), np.full(LANES, state.to_play)
    report = search.run(worlds, seats, np.arange(LANES, dtype=np.uint64))
    return b"".join(getattr(report, field).tobytes() for field in ANSWER)


def others(name, default):
    """Other values of a field."""
    if isinstance(default, bool):
        return [not default]
    if name in _CHOICES:
        return [choice for choice in _CHOICES[name] if choice != default]
    low, high = _RANGES[name]
    if isinstance(default, int):
        return [default // 8] if default >= 8 else [1, 2]
    return [x for x in ((default / 4, default * 4) if default else (0.5, 100.0)) if low <= x <= high]


def shows(plain, base, name, value):
    """For every position that takes the setting, whether it shows there."""
    config, meant = SearchConfig(**{**base, name: value}), MEANT.get(name)
    found = []
    for game, state, before in plain:
        if meant is None or meant(config, game) != meant(SearchConfig(**base), game):
            after = answers(game, state, config)
            found += [] if after is None else [after != before]
    return found


def idle(places, base):
    """The settings that some position takes and none shows: of choices each, of numbers all that are tried together."""
    found = []
    for secrets, there in places.items():
        plain = [(game, state, answers(game, state, SearchConfig(**base))) for game, state in there]
        plain = [place for place in plain if place[2] is not None]
        for field in dataclasses.fields(SearchConfig) if plain else ():
            name = field.name
            # Pooled nodes are told apart by their depth as well, which shows where ways of different length meet.
            if name in base or name in ELSEWHERE or (name == "nodes" and not secrets):
                continue
            tried = [value for value in others(name, field.default) if (base.get("worlds"), value) not in LATER]
            each = {value: shows(plain, base, name, value) for value in tried}
            if name not in _CHOICES:
                each = {"/".join(map(str, each)): list(itertools.chain(*each.values()))}
            silent = [value for value, seen in each.items() if seen and not any(seen)]
            found += [f"{'secrets' if secrets else 'no secrets'}, {base}: {name}={value}" for value in silent]
    return found


@pytest.mark.parametrize("algorithm", SEARCHES)
def test_a_setting_acts_or_is_refused(algorithm, places):
    depth = {"tree_depth": 1} if algorithm == "uniform" else {}
    leaf = "network" if algorithm == "gumbel" else "random"
    assert idle(places, {"algorithm": algorithm, "leaf": leaf, "simulations": 60, **depth}) == []


@pytest.mark.slow
@pytest.mark.parametrize("leaf", ["random", "network"])
@pytest.mark.parametrize("algorithm", SEARCHES)
def test_so_it_is_beside_every_other_choice(algorithm, leaf, places):
    """pytest -m slow tests/search/test_idle.py"""
    depth = {"tree_depth": 1} if algorithm == "uniform" else {}
    bases = [{"algorithm": algorithm, "leaf": leaf, "simulations": 60, **depth, **more} for more in BASES]
    assert [found for base in bases for found in idle(places, base)] == []


@pytest.mark.parametrize(
    ("choices", "game", "named"),
    [
        ({"worlds": "mix"}, "pig", "search.worlds is 'mix', but nothing is hidden in pig"),
        ({"worlds": "public"}, "pig", "search.worlds is 'public', but nothing is hidden in pig"),
        ({"world_pool": 20}, "tic_tac_toe", "search.world_pool is 20, but nothing is hidden in tic_tac_toe"),
        ({"algorithm": "gt_cfr", "grow_worlds": 4}, "pig", "search.grow_worlds is 4, but nothing is hidden"),
        ({"algorithm": "oos", "oos_delta": 0.0, "oos_target": "public"}, "kuhn_poker", "search.oos_target is 'public'"),
        (
            {"algorithm": "puct", "noise_total": 5.0},
            "kuhn_poker",
            "search.noise_total is 5.0, but with .*noise_share 0",
        ),
        (
            {"answer": "mmd", "mmd_alpha": 0.0, "mmd_magnet": "prior", "leaf": "network"},
            "kuhn_poker",
            "search.mmd_magnet is 'prior', but with search.mmd_alpha 0",
        ),
        ({"answer": "mmd", "mmd_magnet": "prior"}, "kuhn_poker", "with search.leaf 'random' the prior is uniform"),
        ({"backup": "paranoid"}, "kuhn_poker", "there are two seats"),
        ({"tree_depth": 1, "opponents": "random"}, "kuhn_poker", "opponents play so anyway"),
        ({"tree_depth": 1, "max_nodes": 5}, "kuhn_poker", "there is one node"),
        ({"algorithm": "uniform", "tree_depth": 1, "temperature": 1.0}, "kuhn_poker", "its best action alone"),
        (
            {"algorithm": "gt_cfr", "worlds": "oracle", "allow_oracle": True, "grow_worlds": 4},
            "leduc_poker",
            "search.grow_worlds is 4, but with search.worlds 'oracle' there is one world",
        ),
        (
            {"algorithm": "puct", "leaf": "network", "opponents": "random", "values": "one"},
            "leduc_poker",
            "search.values is 'one', but with search.opponents 'random' every leaf is the searcher's own",
        ),
        ({"worlds": "mix", "opponents": "random"}, "kuhn_poker", "search.worlds is 'mix' for opponents' nodes, but"),
    ],
)
def test_what_changes_nothing_is_refused_by_name(choices, game, named):
    with pytest.raises(UsageError, match=named):
        SearchConfig(**choices).validate(engines.load(game), has_network=True)
