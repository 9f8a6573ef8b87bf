"""What is refused in a `SearchConfig`: values out of range, settings that contradict each other, or change nothing."""

from __future__ import annotations

from engines.contract import Game
from engines.errors import UsageError, choose_from
from orion_ai.ranges import ABOVE_ZERO, check_ranges, refuse_idle
from orion_ai.search.config import (
    ALGORITHMS,
    ANSWERS,
    BACKUPS,
    GROW_FROM,
    LEAVES,
    MAGNETS,
    MAX_SIMULATIONS,
    NODES,
    OPPONENTS,
    PARTICLE_POLICIES,
    SIMULTANEOUS,
    TARGETS,
    VALUES,
    WORLDS,
    SearchConfig,
)
from orion_ai.search.secret import has_secret_choices

__all__ = ["ACTS_WITH", "validate"]


def validate(config: SearchConfig, game: Game, has_network: bool, has_opponent: bool = False) -> None:
    """See `SearchConfig.validate`."""
    for name, valid in _CHOICES.items():
        choose_from(f"search.{name}", getattr(config, name), valid)
    check_ranges("search", config, _RANGES)
    _check_parts(config, game, has_network)
    _check_opponent(config, has_opponent)
    _check_depths(config)
    _check_budget(config)
    refuse_idle("search", config, ACTS_WITH)
    _check_idle(config, game)
    if config.simultaneous != "none":
        _check_simultaneous(config, game)


def _check_opponent(config: SearchConfig, has_opponent: bool) -> None:
    if config.opponents == "agent" and not has_opponent:
        raise UsageError(
            "search.opponents is 'agent', but there is none to ask: name one, {agent: NAME, opponent: {agent: policy, "
            "checkpoint: PATH}}"
        )
    if has_opponent and config.opponents != "agent":
        raise UsageError(
            f"an opponent is given, but search.opponents is {config.opponents!r}, so nobody would ask it: expected "
            "'agent'"
        )


def _check_simultaneous(config: SearchConfig, game: Game) -> None:
    """What does not go together with a bandit for simultaneous choices."""
    what = f"search.simultaneous is {config.simultaneous!r}, but"
    if config.nodes == "observer":
        raise UsageError(
            f"{what} with search.nodes 'observer' an opponent's node knows what the searcher has chosen in secret: "
            "expected 'own' or 'public'"
        )
    if config.divided:
        raise UsageError(
            f"{what} with search.worlds {config.worlds!r} some of a seat's choices are made without a node, where none "
            "is noticed: expected 'private', 'public', 'particles' or 'oracle'"
        )
    if config.worlds == "weighted":
        raise UsageError(f"{what} search.worlds is 'weighted', whose weights a bandit does not know: use 'public'")
    if config.keep_tree:
        raise UsageError(f"{what} search.keep_tree keeps no strategies: expected false")
    if has_secret_choices(game) is False:  # not where it cannot be known
        raise UsageError(f"{what} every choice in {game.name} is seen at once, by somebody at least: expected 'none'")


def _check_parts(config: SearchConfig, game: Game, has_network: bool) -> None:
    if config.leaf == "network" and not has_network:
        raise UsageError("search.leaf is 'network', but there is no network: name a checkpoint or use 'random'")
    if config.algorithm == "gumbel" and config.leaf != "network":
        raise UsageError(
            f"search.algorithm is 'gumbel', which needs priors: search.leaf must be 'network', not {config.leaf!r}"
        )
    if config.algorithm == "gumbel" and config.worlds == "public":
        raise UsageError(
            "search.worlds is 'public', but a Gumbel root knows the seat's secrets: use 'private' or 'mix'"
        )
    if config.worlds == "weighted" and config.algorithm not in ("ismcts", "puct"):
        raise UsageError(
            f"search.worlds is 'weighted', but search.algorithm is {config.algorithm!r}: expected 'ismcts' or 'puct', "
            "or other worlds"
        )
    if config.algorithm == "oos" and not game.perfect_recall:
        raise UsageError(
            f"search.algorithm is 'oos', which follows the game from its start, but in {game.name} a seat's key "
            f"does not tell all that it did (no perfect recall): use 'regret_matching'"
        )
    if config.algorithm == "gt_cfr":
        _check_grown(config, game)
    if config.leaf == "scripted" and game.kernels.scripted is None:
        raise UsageError(f"search.leaf is 'scripted', but {game.name} has no scripted policy: use 'random'")
    if config.keep_tree and config.nodes in ("public", "observer"):
        raise UsageError(
            f"search.keep_tree is true, but search.nodes is {config.nodes!r}: such nodes are numbered from the root, "
            "so a later search meets none of them: use 'own'"
        )
    if config.keep_tree and config.fusion_depth:
        raise UsageError(
            f"search.keep_tree is true, but search.fusion_depth is {config.fusion_depth}: such nodes belong to a "
            "world of one decision's pool, so a later search meets none of them"
        )
    if config.keep_tree and config.algorithm == "ismcts" and config.leaf == "network":
        raise UsageError(
            "search.keep_tree is true, but search.algorithm 'ismcts' asks the network for a prior at the root alone, "
            "so a tree that is kept has none at its next one: use 'puct'"
        )
    if config.worlds == "oracle" and not config.allow_oracle:
        raise UsageError("search.worlds is 'oracle', which cheats: set search.allow_oracle to say that you mean it")
    if config.two_kinds and not 0 < config.mix_delta < 1:
        raise UsageError(
            f"search.mix_delta is {config.mix_delta}: {config.worlds!r} expects more than 0 and less than 1"
        )
    if config.two_kinds and config.opponents != "searched":
        raise UsageError(
            f"search.worlds is {config.worlds!r} for opponents' nodes, but search.opponents is {config.opponents!r}: "
            "they have none; use 'private'"
        )
    if config.opponents == "network" and config.leaf != "network":
        raise UsageError(
            f"search.opponents is 'network', but search.leaf is {config.leaf!r}: only a search with leaf 'network' "
            "asks one"
        )
    if config.worlds == "particles":
        _check_particles(config, game, has_network)
    if config.opponents == "scripted" and game.kernels.scripted is None:
        raise UsageError(f"search.opponents is 'scripted', but {game.name} has no scripted policy: use 'random'")


def _check_depths(config: SearchConfig) -> None:
    """What is a matter of how far down."""
    if config.fusion_depth and not config.world_pool:
        raise UsageError(
            f"search.fusion_depth is {config.fusion_depth}, but each simulation has a fresh world, which never comes "
            "back: set search.world_pool"
        )
    if config.tree_depth and config.fusion_depth >= config.tree_depth:
        raise UsageError(
            f"search.fusion_depth is {config.fusion_depth}, but with search.tree_depth {config.tree_depth} no node "
            "lies deeper: expected less"
        )
    idle = {"nodes": ("public", "observer"), "backup": ("paranoid",), "worlds": ("mix", "redeal", "weighted")}
    for name in idle if config.tree_depth == 1 else ():
        if getattr(config, name) in idle[name]:
            raise UsageError(
                f"search.{name} is {getattr(config, name)!r} for opponents' nodes, but with search.tree_depth 1 "
                "there are none"
            )
    if config.fusion_depth == 1 and config.nodes != "own":
        raise UsageError(
            f"search.nodes is {config.nodes!r}, but with search.fusion_depth 1 opponents' nodes are keyed by all "
            "that is known: expected 'own'"
        )
    if config.algorithm == "uniform" and (config.tree_depth != 1 or config.worlds not in ("private", "oracle")):
        raise UsageError(
            "search.algorithm is 'uniform', which has a root and no tree: search.tree_depth must be 1 and "
            "search.worlds 'private'"
        )
    if config.stop_early and not config.planned_simulations:
        raise UsageError(
            "search.stop_early is true, but nobody knows how many simulations are left: search.simulations must be set"
        )
    if config.stop_early and config.keep_tree:
        raise UsageError(
            "search.stop_early is true, but with search.keep_tree what is left out now is missing at the next decision"
        )
    if config.stop_early and config.temperature > 0:
        raise UsageError(
            f"search.stop_early is true, but with search.temperature {config.temperature:g} every visit "
            "changes the odds"
        )


def _check_grown(config: SearchConfig, game: Game) -> None:
    """What does not go together with a growing tree."""
    if config.worlds not in (known := ("private", "public", "oracle")):
        users = " or ".join(map(repr, known))
        raise UsageError(
            f"search.worlds is {config.worlds!r}, which search.algorithm 'gt_cfr' does not know: expected {users}"
        )
    if config.grow_from == "game" and not game.perfect_recall:
        raise UsageError(
            f"search.grow_from is 'game', but the information keys of {game.name} do not cover the past, so its "
            "decisions cannot be found from the start: expected 'belief' or 'auto'"
        )
    if config.grow_from == "game" and config.worlds != "private":
        raise UsageError(f"search.worlds is {config.worlds!r}, but no world is sampled with search.grow_from 'game'")


def _check_particles(config: SearchConfig, game: Game, has_network: bool) -> None:
    if config.particle_policy == "none":
        raise UsageError(
            "search.worlds is 'particles', which are weighed by how likely opponents were to act as they did: "
            "search.particle_policy must say by whose policy, 'uniform', 'scripted' or 'network'"
        )
    if config.particle_policy == "scripted" and game.kernels.scripted is None:
        raise UsageError(f"search.particle_policy is 'scripted', but {game.name} has no scripted policy")
    if config.particle_policy == "network" and not has_network:
        raise UsageError("search.particle_policy is 'network', but there is no network: name a checkpoint")


def _check_idle(config: SearchConfig, game: Game) -> None:
    """What could not change a search of this game, or beside another setting (beside a choice: `ACTS_WITH`)."""
    if config.exploration != SearchConfig.exploration and config.bandit == "none":
        raise UsageError(
            f"search.exploration is {config.exploration}, but search.algorithm is {config.algorithm!r} and only "
            "'regret_matching' and 'exp3' (as search.algorithm or search.simultaneous) would use it: expected its "
            f"default, {SearchConfig.exploration}"
        )
    for name in () if game.secrets else ("worlds", "world_pool", "fusion_depth", "grow_worlds"):
        value, default = getattr(config, name), getattr(SearchConfig, name)
        if value != default:
            raise UsageError(
                f"search.{name} is {value!r}, but nothing is hidden in {game.name}, so there is one world: "
                f"expected {default!r}"
            )
    for name, needed in {"oos_target": "oos_delta", "noise_total": "noise_share", "mmd_magnet": "mmd_alpha"}.items():
        value, default = getattr(config, name), getattr(SearchConfig, name)
        if value != default and not getattr(config, needed):
            raise UsageError(
                f"search.{name} is {value!r}, but with search.{needed} 0 nothing would use it: expected {default!r}"
            )
    if config.worlds == "oracle" and config.grow_worlds != SearchConfig.grow_worlds:
        raise UsageError(
            f"search.grow_worlds is {config.grow_worlds}, but with search.worlds 'oracle' there is one world: expected "
            f"its default, {SearchConfig.grow_worlds}"
        )
    if config.opponents != "searched" and config.values in ("one", "two"):
        raise UsageError(
            f"search.values is {config.values!r}, but with search.opponents {config.opponents!r} every leaf is the "
            "searcher's own, and one view is all: expected 'auto' or 'all'"
        )
    if config.mmd_magnet == "prior" and config.leaf != "network":
        raise UsageError(
            f"search.mmd_magnet is 'prior', but with search.leaf {config.leaf!r} the prior is uniform: use 'uniform'"
        )
    if config.backup == "paranoid" and game.players == 2 and config.leaf != "network":
        raise UsageError(
            f"search.backup is 'paranoid', but there are two seats in {game.name}: what one gains the other loses, as "
            "with 'maxn'"
        )
    if config.tree_depth == 1 and config.opponents == config.leaf != "network":
        raise UsageError(
            f"search.opponents is {config.opponents!r}, but with search.tree_depth 1 a playout follows, in which "
            "opponents play so anyway: use 'searched'"
        )
    if config.algorithm == "uniform" and config.temperature:
        raise UsageError(
            f"search.temperature is {config.temperature:g}, but the policy of search.algorithm 'uniform' is its best "
            "action alone: expected 0"
        )
    for name in ("max_nodes", "max_edges") if config.tree_depth == 1 else ():
        if getattr(config, name):
            raise UsageError(
                f"search.{name} is {getattr(config, name)}, but with search.tree_depth 1 there is one node"
            )


def _check_budget(config: SearchConfig) -> None:
    if config.algorithm == "gumbel" and (config.milliseconds or config.evaluations):
        raise UsageError("search.algorithm 'gumbel' needs search.simulations and no other budget, for its halving")
    planned = config.planned_simulations
    if config.two_kinds and planned and int(planned * config.mix_delta) < 1:
        raise UsageError(f"search.mix_delta is {config.mix_delta}: no private world among {planned} simulations")


_CHOICES = {
    "algorithm": ALGORITHMS,
    "worlds": WORLDS,
    "particle_policy": PARTICLE_POLICIES,
    "nodes": NODES,
    "opponents": OPPONENTS,
    "simultaneous": SIMULTANEOUS,
    "leaf": LEAVES,
    "values": VALUES,
    "backup": BACKUPS,
    "answer": ANSWERS,
    "mmd_magnet": MAGNETS,
    "oos_target": TARGETS,
    "grow_from": GROW_FROM,
}
_WALKERS = tuple(name for name in ALGORITHMS if name not in ("oos", "gt_cfr", "auto"))
"""Algorithms that walk from sampled worlds, choosing at each decision by whatever `opponents`, `nodes` etc. say."""
ACTS_WITH = [
    ("algorithm", (*_WALKERS, "gt_cfr"), ("worlds",)),
    ("algorithm", _WALKERS, ("opponents", "nodes", "backup", "world_pool", "fusion_depth", "tree_depth")),
    ("algorithm", tuple(name for name in ALGORITHMS if name != "auto"), ("temperature",)),
    ("algorithm", ("ismcts", "auto"), ("c_uct",)),
    ("algorithm", ("puct",), ("c_puct", "fpu", "noise_share", "noise_total")),
    ("algorithm", ("gumbel",), ("considered", "c_visit", "c_scale", "gumbel_scale", "q_shrink", "q_rescale")),
    ("algorithm", ("ismcts", "puct", "gumbel"), ("simultaneous",)),
    ("algorithm", ("oos",), ("oos_delta", "oos_target", "oos_exploration", "oos_baseline")),
    ("algorithm", ("gt_cfr",), ("grow_from", "grow_worlds")),
    ("algorithm", ("gt_cfr", "auto"), ("grow_explore", "sweep_nodes", "playouts")),
    ("algorithm", ("ismcts", "puct"), ("answer", "stop_early")),
    ("algorithm", ("ismcts", "puct", "auto"), ("keep_tree",)),
    ("answer", ("visits",), ("stop_early", "simultaneous")),
    ("answer", ("mmd",), ("mmd_step", "mmd_alpha", "mmd_magnet")),
    ("worlds", ("mix", "redeal", "weighted"), ("mix_delta",)),
    ("worlds", ("private", "public", "mix", "redeal"), ("world_pool",)),
    ("worlds", ("private", "public"), ("fusion_depth",)),
    ("worlds", ("oracle",), ("allow_oracle",)),
    ("worlds", ("particles",), ("particles", "particle_policy", "particle_share")),
    ("particle_policy", ("scripted", "network"), ("particle_epsilon",)),
    ("opponents", ("searched",), ("nodes", "backup", "simultaneous")),
    ("leaf", ("random", "scripted"), ("cutoff", "playouts")),
    ("leaf", ("network",), ("values", "evaluations", "cache")),
]
"""Options that only act with certain choices; see `refuse_idle`."""
_RANGES = {
    "mix_delta": (0.0, 1.0),
    "particles": (1, 2**20),
    "particle_epsilon": (0.0, 1.0),
    "particle_share": (0.0, 1.0),
    **dict.fromkeys(("world_pool", "fusion_depth", "tree_depth"), (0, 2**30)),
    "c_uct": (0.0, 1e6),
    "c_puct": (0.0, 1e6),
    "fpu": (0.0, 2.0),
    "considered": (1, 2**20),
    "c_visit": (0.0, 1e6),
    "c_scale": (0.0, 1e6),
    "gumbel_scale": (0.0, 1e6),
    "q_shrink": (0.0, 1e6),
    "exploration": (ABOVE_ZERO, 1.0),
    "oos_delta": (0.0, 0.99),
    "oos_exploration": (ABOVE_ZERO, 1.0),
    "oos_baseline": (0.0, 1.0),
    "mmd_step": (ABOVE_ZERO, 1e6),
    "mmd_alpha": (0.0, 1e6),
    "grow_worlds": (1, 2**16),
    "grow_explore": (0.0, 1.0),
    "sweep_nodes": (1.0, 1e9),
    "playouts": (1, 2**20),
    "cutoff": (0, 2**30),
    "simulations": (0, MAX_SIMULATIONS),
    "milliseconds": (0.0, 1e9),
    "evaluations": (0, 2**30),
    "noise_share": (0.0, 1.0),
    "noise_total": (1e-6, 1e6),
    "temperature": (0.0, 1e6),
    "cache": (0, 2**24),
    "max_nodes": (0, 2**28),
    "max_edges": (0, 2**30),
}
