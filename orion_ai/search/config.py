"""Every choice of a search, as one flat value: comparing algorithms is comparing `SearchConfig`s."""

from __future__ import annotations

from dataclasses import dataclass

from engines.contract import Game

__all__ = [
    "ALGORITHMS",
    "ANSWERS",
    "BACKUPS",
    "BANDITS",
    "GROW_FROM",
    "LEAVES",
    "MAX_SIMULATIONS",
    "NODES",
    "OPPONENTS",
    "PARTICLE_POLICIES",
    "SIMULTANEOUS",
    "VALUES",
    "WORLDS",
    "SearchConfig",
]

ALGORITHMS = ("ismcts", "puct", "gumbel", "uniform", "regret_matching", "exp3", "oos", "gt_cfr", "auto")
BANDITS = ("regret_matching", "exp3", "oos")
"""Algorithms that draw their actions from a strategy that they learn, and answer with its average."""
WORLDS = ("private", "public", "mix", "oracle", "redeal", "particles", "weighted")
NODES = ("own", "public", "observer")
PARTICLE_POLICIES = ("none", "uniform", "scripted", "network")
LEAVES = ("random", "scripted", "network")
OPPONENTS = (*LEAVES, "searched", "agent")
SIMULTANEOUS = ("none", "regret_matching", "exp3")
VALUES = ("auto", "one", "two", "all")
BACKUPS = ("maxn", "paranoid")
ANSWERS = ("visits", "mmd")
MAGNETS = ("prior", "uniform")
TARGETS = ("private", "public")
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
    answer is the one of greatest mean value (needs `tree_depth=1`).
    `regret_matching` and `exp3`: a bandit against adversaries at every node, for simultaneous and hidden
    choices; the answer is the average strategy (Lisy, Kovarik, Lanctot and Bosansky 2013, "Convergence of Monte Carlo
    tree search in simultaneous move games"). `oos`: online outcome sampling, from the game's start (Lisy, Lanctot and
    Bowling 2015, "Online Monte Carlo counterfactual regret minimization for search in imperfect information games"),
    with baselines (Schmid et al. 2019, "Variance reduction in Monte Carlo counterfactual regret minimization").
    `gt_cfr`: counterfactual regret minimisation on one growing tree of histories (Schmid et al. 2023, "Student of
    Games", GT-CFR), see `orion_ai.search.gt_cfr`. `auto`: `gt_cfr` in a game small enough to be grown from its start,
    drawing actions from the mixture that it finds; `ismcts` in others, playing the action of most visits (see
    `orion_ai.search.make.decide`)."""

    worlds: str = "private"
    """What each simulation's world keeps fixed. `private`: all that the searcher knows. `public`: only what everybody
    knows, so that opponents are not modelled as if they knew the searcher's secrets; the answer is read from the node
    of the true information. `mix`: private worlds update the searcher's nodes, public ones the opponents' (in those
    the searcher plays by the policy of the leaf). `redeal`: as `mix`, but the worlds that update an opponent's nodes
    (one opponent's in turn) keep the searcher's secrets until that opponent is to choose, and are then dealt anew from
    its view (after Goodman 2019, "Re-determinizing MCTS in Hanabi"). `oracle`: the record as it is handed in; with the
    true record this cheats (for upper bounds and tests; see `allow_oracle`). `particles`: a belief that is carried
    through the game, its worlds weighed by how likely opponents were to act as they did (see `ParticleFilter`).
    `weighted`: private and public worlds, which update all nodes; opponents' nodes with importance weights that make
    the worlds they learn from those of `public` (see `orion_ai.search.worlds.outweigh`)."""
    mix_delta: float = 0.5
    """Share of private worlds under `mix` and `weighted`, under `redeal` of those left whole; spread evenly over the
    simulations."""
    allow_oracle: bool = False
    """Must be set for `worlds=oracle`, so that no search cheats by accident."""
    particles: int = 200
    """Particles of a belief."""
    particle_policy: str = "none"
    """By whose policy particles weigh what opponents did: any action alike (`uniform`), the game's `scripted` policy,
    or the `network`'s. There is no default: a wrong one is worse than none."""
    particle_epsilon: float = 0.05
    """Share of the uniform policy in it, against beliefs that an unlikely action would rule out."""
    particle_share: float = 0.1
    """When fewer than this share of the particles still agrees with what the seat has seen, `determinize` sends others
    in the place of those that were lost."""

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
    policy, the game's `scripted` one, at `random`, or as another `agent` does, which is handed over beside the config
    (see `Search`)."""
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

    simultaneous: str = "none"
    """A bandit for simultaneous choices alone: `regret_matching` or `exp3` decides where nobody else learns at once
    what is chosen, and for the seat that chooses next, `algorithm` everywhere else. At a root of that kind the answer
    is the average strategy, and the action is drawn from it (`temperature` 0 is taken for 1 there)."""
    exploration: float = 0.2
    """Regret matching and Exp3: share of choices that are made uniformly, so that every action goes on being tried."""

    oos_delta: float = 0.5
    """OOS: share of simulations that are aimed at where the game stands."""
    oos_target: str = "private"
    """OOS: what aimed simulations keep to. `private`: all that the searcher knows; `public`: what everybody knows."""
    oos_exploration: float = 0.4
    """OOS: share of choices that are made uniformly (epsilon in the paper)."""
    oos_baseline: float = 0.05
    """OOS: least share of the newest value in the mean values that serve as baselines; 0 = no baselines."""

    answer: str = "visits"
    """How the policy is read off the root. `visits`: their shares. `mmd`: one step of magnetic mirror descent from the
    prior by the root's values (Sokota et al. 2023, "A unified approach to reinforcement learning, quantal response
    equilibria, and two-player zero-sum games", equation 9)."""
    mmd_step: float = 5.0
    """`answer=mmd`: eta in policy ~ (prior exp(eta q) magnet^(eta alpha))^(1 / (1 + eta alpha)), q in [-1, 1]."""
    mmd_alpha: float = 0.05
    """`answer=mmd`: alpha, the pull of the magnet."""
    mmd_magnet: str = "uniform"
    """`answer=mmd`: the magnet, `uniform` or the `prior`."""
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
    """Network evaluations (batch rows) a decision, those of particles included; 0 = none. Without `simulations` a
    decision has at most 16 simulations for each (those that reach the end of the game need none)."""

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
    keep_tree: bool = False
    """Keep one tree of a seat for the whole game: later searches add to the statistics of the information sets that
    earlier ones met. For agents that follow games."""
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
    def two_kinds(self) -> bool:
        """Whether `mix_delta` says how many worlds are of one kind; the others are of another."""
        return self.divided or self.worlds == "weighted"

    @property
    def bandit(self) -> str:
        """The bandit that decides at nodes, everywhere or where choices are simultaneous; "none" if there is none."""
        return self.algorithm if self.algorithm in ("regret_matching", "exp3") else self.simultaneous

    @property
    def remembers(self) -> bool:
        """Whether something is kept from one decision of a game to the next."""
        return self.worlds == "particles" or self.keep_tree

    @property
    def asks_network(self) -> bool:
        """Whether a network is needed: for leaves, or for the policy of particles."""
        return self.leaf == "network" or self.particle_policy == "network"

    @property
    def planned_simulations(self) -> int:
        """`simulations`, with its default decided: 0 where another budget bounds a decision alone."""
        return self.simulations or (0 if self.milliseconds or self.evaluations else DEFAULT_SIMULATIONS)

    @property
    def node_pool(self) -> int:
        """Nodes to allocate for a lane."""
        if self.algorithm == "gt_cfr" and not self.max_nodes:
            return min(GROWN_NODES * (self.planned_simulations or self.evaluations) or TIMED_NODES, MOST_GROWN_NODES)
        new = (self.planned_simulations or self.evaluations or TIMED_NODES) + 1
        return self.max_nodes or (2 * new if self.keep_tree else new)

    @property
    def most_simulations(self) -> int:
        """Simulations of a lane that no budget of a call may exceed."""
        return self.planned_simulations or (self.evaluations and 16 * self.evaluations) or MAX_SIMULATIONS

    def edge_pool(self, max_legal: int) -> int:
        """Edges to allocate for a lane; the root's always fit."""
        if self.max_edges:
            return self.max_edges + max_legal + (self.grow_worlds if self.algorithm == "gt_cfr" else 0)
        # Under UCB a simulation adds an edge at each old node where it tries something new.
        if self.algorithm == "ismcts" and self.simultaneous == "none":
            new = 2 * (self.planned_simulations or TIMED_NODES) + max_legal
            return 2 * new if self.keep_tree else new
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

    def lane_rows(self, game: Game) -> int:
        """Most observations of `game` that a lane asks a network for at once.

        They are those of one leaf, or under `gt_cfr` of as many leaves as a position has actions.
        """
        return self.leaf_rows(game) * (game.max_legal if self.algorithm == "gt_cfr" else 1)

    def validate(self, game: Game, has_network: bool, has_opponent: bool = False) -> None:
        """Refuse what is out of range or contradicts itself.

        Args:
            game: what will be searched.
            has_network: whether an evaluator will be at hand.
            has_opponent: whether an agent will, for `opponents="agent"`.

        Raises:
            UsageError: names the field, its value and what was expected.
        """
        from orion_ai.search.validation import validate  # which reads the choices above

        validate(self, game, has_network, has_opponent)
