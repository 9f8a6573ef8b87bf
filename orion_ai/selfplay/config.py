"""What self-play can be configured to be."""

from __future__ import annotations

from dataclasses import dataclass

from engines.errors import UsageError

__all__ = ["SelfPlayConfig"]


@dataclass(frozen=True)
class SelfPlayConfig:
    """How games are played for training.

    Attributes:
        games: of one iteration; they are all played by the same weights.
        lanes: games side by side in one worker; the batch of an evaluation.
        workers: threads, each with its own lanes and a fixed share of the games.
        full_share: probability that a decision gets a full search and becomes a policy target; the others get a fast
            one that only moves the game on (playout cap randomisation: Wu 2019, "Accelerating Self-Play Learning in
            Go", section 3.1).
        fast_simulations: of a fast search; 0 = a sixth of the full one.
        opening: decisions of a game, from its start, that are drawn from the search's policy instead of being its
            best, so that games differ.
        opening_temperature: of those draws; above 1 flatter than the policy.
        scripted_games: the first games of a run, played by the game's scripted player instead; the network learns
            that player's choices before it goes on by itself (compare DAgger, Ross et al. 2011; here random
            moves lead away from the script's own path).
        scripted_noise: share of their decisions at which a random action is played; the target stays the script's.
    """

    games: int = 64
    lanes: int = 32
    workers: int = 1
    full_share: float = 0.25
    fast_simulations: int = 0
    opening: int = 8
    opening_temperature: float = 1.0
    scripted_games: int = 0
    scripted_noise: float = 0.15

    def validate(self) -> None:
        """Refuse what is out of range.

        Raises:
            UsageError: names the field, its value and what was expected.
        """
        for name in ("games", "lanes", "workers"):
            if getattr(self, name) < 1:
                raise UsageError(f"selfplay.{name} is {getattr(self, name)}: expected at least 1")
        if not 0 < self.full_share <= 1:
            raise UsageError(f"selfplay.full_share is {self.full_share}: expected more than 0 and at most 1")
        if self.scripted_games < 0:
            raise UsageError(f"selfplay.scripted_games is {self.scripted_games}: expected 0 or more")
        if not 0 <= self.scripted_noise <= 1:
            raise UsageError(f"selfplay.scripted_noise is {self.scripted_noise}: expected 0 to 1")
        if self.opening_temperature <= 0:
            raise UsageError(f"selfplay.opening_temperature is {self.opening_temperature}: expected more than 0")
