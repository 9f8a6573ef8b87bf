"""What self-play can be configured to be."""

from __future__ import annotations

from dataclasses import dataclass

from orion_ai.ranges import ABOVE_ZERO, ANY, check_ranges, refuse_unused

__all__ = ["SelfPlayConfig"]


@dataclass(frozen=True)
class SelfPlayConfig:
    """How games are played for training.

    Attributes:
        games: of one iteration; they are all played by the same weights.
        lanes: games side by side in one worker; the batch of an evaluation.
        workers: threads, each with its own lanes and a fixed share of the games.
        full_share: probability that a decision becomes a policy target. In searched games it gets a full search then;
            the others get a fast one, without Dirichlet noise, that only moves the game on (playout cap randomisation:
            Wu 2019, "Accelerating Self-Play Learning in Go", section 3.1).
        fast_simulations: of a fast search; 0 = a sixth of the full one.
        opening: decisions of a searched game, from its start, that are drawn from the search's policy instead of
            being its best, so that games differ.
        opening_temperature: of those draws; above 1 flatter than the policy.
        random_start: half of the games that the script does not play, by chance, begin with 1 to so many random
            decisions (each number alike), which are not learned from: so the network also learns positions that it
            would never play into. 0 = none do.
        scripted_games: the first games of a run, played by the game's scripted player instead; the network learns
            that player's choices before it goes on by itself (compare DAgger, Ross et al. 2011; here random
            moves lead away from the script's own path).
        scripted_noise: share of their decisions at which a random action is played; the target stays the script's.
        sampled_games: games, after the scripted ones, in which every action is drawn from the network's policy, without
            a search; what is learned is how they ended (see `orion_ai.selfplay.outcomes`).
        sampled_step: share by which an advantage of 1 (in utility) moves their targets towards the action that was
            drawn; whatever the advantage, at most all the way there, or as far back.
        sampled_trace: lambda of their returns, from one recorded decision of a game to the next, whoever's it is.
        sampled_script: probability that one seat of such a game, each alike, is played by the game's scripted player;
            its decisions teach values alone.
    """

    games: int = 64
    lanes: int = 32
    workers: int = 1
    full_share: float = 0.25
    fast_simulations: int = 0
    opening: int = 8
    opening_temperature: float = 1.0
    random_start: int = 0
    scripted_games: int = 0
    scripted_noise: float = 0.15
    sampled_games: int = 0
    sampled_step: float = 4.0
    sampled_trace: float = 0.98
    sampled_script: float = 0.0

    def __post_init__(self) -> None:
        ranges = {
            **dict.fromkeys(("games", "lanes", "workers"), (1, ANY)),
            **dict.fromkeys(
                ("fast_simulations", "opening", "random_start", "scripted_games", "sampled_games"), (0, ANY)
            ),
            "full_share": (ABOVE_ZERO, 1),
            "opening_temperature": (ABOVE_ZERO, ANY),
            **dict.fromkeys(("scripted_noise", "sampled_trace", "sampled_script"), (0, 1)),
            "sampled_step": (ABOVE_ZERO, 1e6),
        }
        check_ranges("selfplay", self, ranges)
        refuse_unused("selfplay", self, "scripted_games", ("scripted_noise",))
        refuse_unused("selfplay", self, "sampled_games", ("sampled_step", "sampled_trace", "sampled_script"))

    def phase(self, number: int) -> str:
        """How game `number` of a run is played: "scripted", "sampled" or "searched"."""
        if number < self.scripted_games:
            return "scripted"
        return "sampled" if number < self.scripted_games + self.sampled_games else "searched"
