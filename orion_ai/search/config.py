"""Every choice of a search, as one flat value: comparing algorithms is comparing `SearchConfig`s."""

from __future__ import annotations

from dataclasses import dataclass

from engines.contract import Game
from engines.errors import UsageError, choose_from
from orion_ai.ranges import check_ranges, refuse_idle

__all__ = [
    "ALGORITHMS",
    "BACKUPS",
    "GROW_FROM",
    "LEAVES",
    "MAX_SIMULATIONS",
    "NODES",
    "OPPONENTS",
    "VALUES",
    "WORLDS",
    "SearchConfig",
]

ALGORITHMS = ("ismcts", "puct", "gumbel", "uniform", "gt_cfr")
WORLDS = ("private", "public", "mix", "oracle", "redeal")
NODES = ("own", "public", "observer")
LEAVES = ("random", "scripted", "network")
OPPONENTS = (*LEAVES, "searched")
VALUES = ("auto", "one", "two", "all")
BACKUPS = ("maxn", "paranoid")
GROW_FROM = ("auto", "game", "belief")

MAX_SIMULATIONS = 2**23
"""Visits are kept as float32, which counts exactly up to 2**24."""

DEFAULT_SIMULATIONS = 100
"""Simulations of a decision that nothing else bounds."""

GROWN_NODES, MOST_GROWN_NODES = 32, 2**17
"""`gt_cfr`: nodes of a lane for each simulation, and at most."""

TIMED_NODES = 2**16
"""Nodes of a lane where the budget does not bound them (milliseconds, evaluations)."""


@dataclass(frozen=True)
class SearchConfig:
    """One search algorithm: a point in the space of choices. `validate` says what does not go together."""

    algorithm: str = "ismcts"
    """How actions are selected. `ismcts`: UCB with availability counts (Cowling, Powley and Whitehouse 2012,
    "Information Set Monte Carlo Tree Search", section IV). `puct`: PUCT with the network's prior (Silver et al. 2018,
    "A general reinforcement learning algorithm ...", methods). `gumbel`: Gumbel with sequential halving at the root,
    the improved policy matched deterministically below (Danihelka et al. 2022, "Policy improvement by planning with
    Gumbel"). `uniform`: the root's actions in turn, those of one round in the same worlds and with the same chance; the
    answer is the one of greatest mean value (needs `tree_depth=1`). `gt_cfr`: counterfactual regret minimisation on one
    growing tree of histories (Schmid et al. 2023, "Student of Games", GT-CFR), see `orion_ai.search.gt_cfr`."""

    worlds: str = "private"
    """What each simulation's world keeps fixed. `private`: all that the searcher knows. `public`: only what everybody
    knows, so that opponents are not modelled as if they knew the searcher's secrets; the answer is read from the node
    of the true information. `mix`: private worlds update the searcher's nodes, public ones the opponents' (in those
    the searcher plays by the policy of the leaf). `redeal`: as `mix`, but the worlds that update an opponent's nodes
    (one opponent's in turn) keep the searcher's secrets until that opponent is to choose, and are then dealt anew from
    its view (after Goodman 2019, "Re-determinizing MCTS in Hanabi"). `oracle`: the record as it is handed in; with the
    true record this cheats (for upper bounds and tests; see `allow_oracle`)."""
    mix_delta: float = 0.5
    """Share of private worlds under `mix`, under `redeal` of those left whole; spread evenly over the simulations."""
    allow_oracle: bool = False
    """Must be set for `worlds=oracle`, so that no search cheats by accident."""

    world_pool: int = 0
    """Worlds drawn for a decision and used in turn, whose chance stays sampled; 0 = a fresh one each simulation. Few
    worlds are overfitted to."""
    fusion_depth: int = 0
    """Decisions with a node that a simulation makes as in a game with secrets; those beyond are keyed by the world of
    the pool and by what all seats know in it, as if nothing were hidden. 1: perfect information Monte Carlo (PIMC);
    2 and more: EPIMC (Arjonilla, Saffidine and Cazenave 2024, "Perfect information Monte Carlo with postponing
    reasoning"), in which no strategies are fused so far down. 0 = all of them."""

    opponents: str = "searched"
    """Who plays opponents in the tree. `searched`: they have nodes. Else they have none and play by the `network`'s
    policy, the game's `scripted` one, or at `random`."""
    nodes: str = "own"
    """Whose knowledge keys an opponent's node. `own`: the opponent's. `public`: what everybody knows, pooled over
    hands. `observer`: what the searcher knows."""
    tree_depth: int = 0
    """Most decisions with a node in a simulation; what lies deeper is valued like a leaf. 1: flat Monte Carlo, or with
    `leaf=network` the value of each action one ply ahead. 0 = no bound."""

    c_uct: float = 1.4
    """Exploration constant of UCB for utilities in [-1, 1]; smaller is greedier. Twice what it would be for rewards in
    [0, 1] (0.7 in Cowling, Powley and Whitehouse 2012)."""
    c_puct: float = 1.25
    """Exploration constant of PUCT (Silver et al. 2018)."""
    fpu: float = 0.2
    """First play urgency: an unvisited action is worth the node's value less this (KataGo uses about 0.2)."""
    considered: int = 16
    """Gumbel: how many root actions enter the halving at most (m in section 3 of the paper)."""
    c_visit: float = 50.0
    """Gumbel: sigma(q) = (c_visit + greatest visit count) * c_scale * q (paper, equation 8)."""
    c_scale: float = 0.5
    """Gumbel: see `c_visit`. q is taken on the scale [0, 1] of the game's fixed utility range."""
    gumbel_scale: float = 1.0
    """Gumbel: factor on the root's Gumbel noise; 0 makes the choice deterministic (perfect information only)."""
    q_shrink: float = 0.0
    """Gumbel: visits' worth of the mixed value that a visited action's q is shrunk with, against noisy worlds."""
    q_rescale: bool = False
    """Gumbel: stretch a node's q to [0, 1] by its own least and greatest. Off: the game's fixed range, so that noise
    among nearly equal values stays small."""

    grow_from: str = "auto"
    """GT-CFR: where the tree starts. `game`: at the start of the game; the searcher's beliefs then come out of the
    search. If half of the budget does not meet the present decision, or leaves most games unfinished, the search goes
    on as with `belief`. `belief`: at up to `grow_worlds` sampled worlds of the present. `auto`: `game` where `info_key`
    covers the whole past (`perfect_recall`), else `belief`."""
    grow_worlds: int = 32
    """GT-CFR: most different worlds at the root of a tree that starts from beliefs."""
    grow_explore: float = 0.5
    """GT-CFR: share of the prior in what the growth of the tree follows; the rest is the current policy."""
    sweep_nodes: float = 300.0
    """GT-CFR: histories that sweeps visit for each simulation: one sweep visits all of the tree, so it is due
    whenever enough has been saved up."""
    playouts: int = 16
    """GT-CFR: playouts whose mean values a leaf."""

    leaf: str = "random"
    """How a new node is valued: by a `random` or `scripted` playout, or by the `network`."""
    cutoff: int = 0
    """Decisions after which a playout is cut and valued by the present standing; 0 = played to the end."""
    values: str = "auto"
    """Observations that value a leaf. `one`: the mover's. `two`: the mover's, and the searcher's for its own entry (a
    mover cannot see what the searcher chose in secret). `all`: each seat's for its own entry. `auto`: `two` in a game
    with secrets, else `one`."""
    backup: str = "maxn"
    """`maxn`: every seat maximises its own entry (Luckhardt and Irani 1986). `paranoid`: opponents minimise the
    searcher's (Sturtevant and Korf 2000)."""

    simulations: int = 0
    """Simulations a decision; 0 = as many as another budget allows, 100 if there is none."""
    milliseconds: float = 0.0
    """Wall-clock budget of one call, for all lanes together; 0 = none. Results then depend on the machine."""
    evaluations: int = 0
    """Network evaluations (batch rows) a decision; 0 = none. Without `simulations` a decision has at most 16
    simulations for each (those that reach the end of the game need none)."""

    noise_share: float = 0.0
    """PUCT: share of Dirichlet noise in the root's prior (Silver et al. 2017 use 0.25 in self-play); 0 = none."""
    noise_total: float = 10.83
    """PUCT: the Dirichlet parameters' sum; each legal action has noise_total / number of them (KataGo, section 3)."""
    stop_early: bool = False
    """UCB and PUCT: end a search whose most visited action can no longer be caught. The same action is played, and
    visits, policy and values are those of a shorter search. Without effect where worlds carry weights."""
    temperature: float = 0.0
    """0: the action the algorithm likes best. Else actions are drawn from the policy to the power 1 / temperature."""

    cache: int = 0
    """The network's answers to so many observations are kept for the lifetime of a `Search`; 0 = none. Trees are the
    same (up to rounding, where an answer depends on the batch)."""
    max_nodes: int = 0
    """Nodes of a lane; 0 = as many as the budget can need. A full lane goes on searching without new nodes."""
    max_edges: int = 0
    """Edges of a lane; 0 = 32 a node (UCB: two a simulation; GT-CFR: four a node)."""

    def __post_init__(self) -> None:
        """Read the settings of earlier versions: `nodes="none"` left opponents to the policy of the leaf."""
        if self.nodes == "none":
            object.__setattr__(self, "nodes", "own")
            object.__setattr__(self, "opponents", self.leaf)

    @property
    def divided(self) -> bool:
        """Whether some simulations update the searcher's nodes and the others opponents'."""
        return self.worlds in ("mix", "redeal")

    @property
    def planned_simulations(self) -> int:
        """`simulations`, with its default decided: 0 where another budget bounds a decision alone."""
        return self.simulations or (0 if self.milliseconds or self.evaluations else DEFAULT_SIMULATIONS)

    @property
    def node_pool(self) -> int:
        """Nodes to allocate for a lane."""
        if self.algorithm == "gt_cfr" and not self.max_nodes:
            return min(GROWN_NODES * (self.planned_simulations or self.evaluations) or TIMED_NODES, MOST_GROWN_NODES)
        return self.max_nodes or (self.planned_simulations or self.evaluations or TIMED_NODES) + 1

    @property
    def most_simulations(self) -> int:
        """Simulations of a lane that no budget of a call may exceed."""
        return self.planned_simulations or (self.evaluations and 16 * self.evaluations) or MAX_SIMULATIONS

    def edge_pool(self, max_legal: int) -> int:
        """Edges to allocate for a lane; the root's always fit."""
        if self.max_edges:
            return self.max_edges + max_legal + (self.grow_worlds if self.algorithm == "gt_cfr" else 0)
        if self.algorithm == "ismcts":  # a simulation adds an edge at each old node where it tries something new
            return 2 * (self.planned_simulations or TIMED_NODES) + max_legal
        if self.algorithm == "gt_cfr":
            return 4 * self.node_pool + max_legal + self.grow_worlds
        return self.node_pool * min(32, max_legal) + max_legal

    def grows_from_start(self, game: Game) -> bool:
        """`grow_from`, decided for `game`: whether its tree starts at the start of the game."""
        return self.grow_from == "game" or (self.grow_from == "auto" and game.perfect_recall)

    def value_rows(self, game: Game) -> str:
        """`values`, with `auto` decided for `game`."""
        if self.values != "auto":
            return self.values
        return "two" if game.secrets else "one"

    def leaf_rows(self, game: Game) -> int:
        """Observations that value a leaf of `game`: rows of the network's batch for each lane."""
        return {"one": 1, "two": 2, "all": game.players}[self.value_rows(game)]

    def validate(self, game: Game, has_network: bool) -> None:
        """Refuse what is out of range or contradicts itself.

        Args:
            game: what will be searched.
            has_network: whether an evaluator will be at hand.

        Raises:
            UsageError: names the field, its value and what was expected.
        """
        for name, valid in _CHOICES.items():
            choose_from(f"search.{name}", getattr(self, name), valid)
        check_ranges("search", self, _RANGES)
        self._validate_parts(game, has_network)
        self._validate_depths()
        self._validate_budget()
        refuse_idle("search", self, _ACTS_WITH)

    def _validate_parts(self, game: Game, has_network: bool) -> None:
        if self.leaf == "network" and not has_network:
            raise UsageError("search.leaf is 'network', but there is no network: name a checkpoint or use 'random'")
        if self.algorithm == "gumbel" and self.leaf != "network":
            raise UsageError(
                f"search.algorithm is 'gumbel', which needs priors: search.leaf must be 'network', not {self.leaf!r}"
            )
        if self.algorithm == "gumbel" and self.worlds == "public":
            raise UsageError(
                "search.worlds is 'public', but a Gumbel root knows the seat's secrets: use 'private' or 'mix'"
            )
        if self.algorithm == "gt_cfr":
            self._validate_grown(game)
        if self.leaf == "scripted" and game.kernels.scripted is None:
            raise UsageError(f"search.leaf is 'scripted', but {game.name} has no scripted policy: use 'random'")
        if self.worlds == "oracle" and not self.allow_oracle:
            raise UsageError("search.worlds is 'oracle', which cheats: set search.allow_oracle to say that you mean it")
        if self.divided and not 0 < self.mix_delta < 1:
            raise UsageError(
                f"search.mix_delta is {self.mix_delta}: {self.worlds!r} expects more than 0 and less than 1"
            )
        if self.worlds == "redeal" and self.opponents != "searched":
            raise UsageError(
                f"search.worlds is 'redeal' for opponents' nodes, but search.opponents is {self.opponents!r}: "
                "they have none; use 'private'"
            )
        if self.opponents == "network" and self.leaf != "network":
            raise UsageError(
                f"search.opponents is 'network', but search.leaf is {self.leaf!r}: only a search with leaf 'network' "
                "asks one"
            )
        if self.opponents == "scripted" and game.kernels.scripted is None:
            raise UsageError(f"search.opponents is 'scripted', but {game.name} has no scripted policy: use 'random'")

    def _validate_depths(self) -> None:
        """What is a matter of how far down."""
        if self.fusion_depth and not self.world_pool:
            raise UsageError(
                f"search.fusion_depth is {self.fusion_depth}, but each simulation has a fresh world, which never comes "
                "back: set search.world_pool"
            )
        if self.tree_depth and self.fusion_depth >= self.tree_depth:
            raise UsageError(
                f"search.fusion_depth is {self.fusion_depth}, but with search.tree_depth {self.tree_depth} no node "
                "lies deeper: expected less"
            )
        idle = {"nodes": ("public", "observer"), "backup": ("paranoid",), "worlds": ("mix", "redeal")}
        for name in idle if self.tree_depth == 1 else ():
            if getattr(self, name) in idle[name]:
                raise UsageError(
                    f"search.{name} is {getattr(self, name)!r} for opponents' nodes, but with search.tree_depth 1 "
                    "there are none"
                )
        if self.fusion_depth == 1 and self.nodes != "own":
            raise UsageError(
                f"search.nodes is {self.nodes!r}, but with search.fusion_depth 1 opponents' nodes are keyed by all "
                "that is known: expected 'own'"
            )
        if self.algorithm == "uniform" and (self.tree_depth != 1 or self.worlds not in ("private", "oracle")):
            raise UsageError(
                "search.algorithm is 'uniform', which has a root and no tree: search.tree_depth must be 1 and "
                "search.worlds 'private'"
            )
        if self.stop_early and self.temperature > 0:
            raise UsageError(
                f"search.stop_early is true, but with search.temperature {self.temperature:g} every visit "
                "changes the odds"
            )

    def _validate_grown(self, game: Game) -> None:
        """What does not go together with a growing tree."""
        for name, known in _GROWN.items():
            if getattr(self, name) not in known:
                users = " or ".join(repr(value) for value in known)
                raise UsageError(
                    f"search.{name} is {getattr(self, name)!r}, which search.algorithm 'gt_cfr' does not know: "
                    f"expected {users}"
                )
        if self.leaf == "network" and self.playouts != SearchConfig.playouts:
            raise UsageError(
                f"search.playouts is {self.playouts}, but search.leaf is 'network' and only 'random' and 'scripted' "
                f"would use it: expected its default, {SearchConfig.playouts}"
            )
        if self.grow_from == "game" and not game.perfect_recall:
            raise UsageError(
                f"search.grow_from is 'game', but the information keys of {game.name} do not cover the past, so its "
                "decisions cannot be found from the start: expected 'belief' or 'auto'"
            )
        if self.grow_from == "game" and self.worlds != "private":
            raise UsageError(f"search.worlds is {self.worlds!r}, but no world is sampled with search.grow_from 'game'")

    def _validate_budget(self) -> None:
        if self.algorithm == "gumbel" and (self.milliseconds or self.evaluations):
            raise UsageError("search.algorithm 'gumbel' needs search.simulations and no other budget, for its halving")
        planned = self.planned_simulations
        if self.divided and planned and int(planned * self.mix_delta) < 1:
            raise UsageError(f"search.mix_delta is {self.mix_delta}: no private world among {planned} simulations")


_CHOICES = {
    "algorithm": ALGORITHMS,
    "worlds": WORLDS,
    "nodes": NODES,
    "opponents": OPPONENTS,
    "leaf": LEAVES,
    "values": VALUES,
    "backup": BACKUPS,
    "grow_from": GROW_FROM,
}
_ACTS_WITH = {
    "mix_delta": ("worlds", ("mix", "redeal")),
    "world_pool": ("worlds", ("private", "public", "mix", "redeal")),
    "fusion_depth": ("worlds", ("private", "public")),
    "nodes": ("opponents", ("searched",)),
    "backup": ("opponents", ("searched",)),
    "stop_early": ("algorithm", ("ismcts", "puct")),
    "allow_oracle": ("worlds", ("oracle",)),
    "c_uct": ("algorithm", ("ismcts",)),
    **dict.fromkeys(("c_puct", "fpu", "noise_share", "noise_total"), ("algorithm", ("puct",))),
    **dict.fromkeys(
        ("considered", "c_visit", "c_scale", "gumbel_scale", "q_shrink", "q_rescale"), ("algorithm", ("gumbel",))
    ),
    **dict.fromkeys(
        ("grow_from", "grow_worlds", "grow_explore", "sweep_nodes", "playouts"), ("algorithm", ("gt_cfr",))
    ),
    "cutoff": ("leaf", ("random", "scripted")),
    **dict.fromkeys(("values", "evaluations", "cache"), ("leaf", ("network",))),
}
"""Options that only act with certain choices; see `refuse_idle`."""
_GROWN = {
    "worlds": ("private", "public", "oracle"),
    "nodes": ("own",),
    "backup": ("maxn",),
    "opponents": ("searched",),
    **dict.fromkeys(("world_pool", "fusion_depth", "tree_depth"), (0,)),
}
"""What `gt_cfr` knows of the options that every search has."""
_RANGES = {
    "mix_delta": (0.0, 1.0),
    **dict.fromkeys(("world_pool", "fusion_depth", "tree_depth"), (0, 2**30)),
    "c_uct": (0.0, 1e6),
    "c_puct": (0.0, 1e6),
    "fpu": (0.0, 2.0),
    "considered": (1, 2**20),
    "c_visit": (0.0, 1e6),
    "c_scale": (0.0, 1e6),
    "gumbel_scale": (0.0, 1e6),
    "q_shrink": (0.0, 1e6),
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
