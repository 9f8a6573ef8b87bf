"""Master of Orion: Conquest for two to four players: build a deck, settle Planets, depopulate the other Home World."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game, Kernels, Options, Slice
from engines.errors import UsageError, choose_from, quoted
from engines.state import State as Position

from . import content

# isort: split
# Content first: a file of the user's own that breaks a rule is refused before any kernel is compiled.
from . import belief, checks, notation, observe, rules, rules_end, scripted
from .layout import CLASS_NAMES, END_RULES, FIELDS, NODES, NUM_ACTIONS, NUM_IDS, PHASES, TYPES, UTILITIES, State

WORDS = ("default", "dealt", "mirror")


@dataclass(frozen=True)
class ConquestOptions(Options):
    """Options of the game."""

    FREE = ("factions", "max_rounds")

    factions: Sequence[str] | str = "default"
    """"default" (those of the content file, by seat), "dealt" (different ones by chance), "mirror" (one by chance, for
    all), a faction (for all), or a list with a faction or "dealt" for each seat. The same faction may sit more than
    once if it is named."""
    end: str = "first_fall"
    """"first_fall": the first Home World that falls ends the game; "last_standing": its owner is out, play goes on."""
    max_rounds: int = content.MAX_ROUNDS
    """Complete rounds after which the game ends; then the standing decides: share of the Home World's population left,
    then total cost of Home World and Planets, then printed cost of all cards owned."""
    utility: str = "placement"
    """What `returns` measures with more than two seats: "placement" (mean over opponents of +1 ahead, -1 behind, 0
    tied) or "win" (the winners share what the others lose)."""

    def __post_init__(self) -> None:
        choose_from("utility of conquest", self.utility, UTILITIES)
        choose_from("end of conquest", self.end, END_RULES)
        rounds = self.max_rounds
        if not isinstance(rounds, int) or isinstance(rounds, bool) or not 1 <= rounds <= content.MAX_ROUNDS:
            raise UsageError(f"conquest: max_rounds={quoted(rounds)}, expected 1 to {content.MAX_ROUNDS}")
        if not isinstance(self.factions, str | list | tuple):
            raise UsageError(f"conquest: factions={quoted(self.factions)}, expected a word, or a list with one a seat")
        if isinstance(self.factions, str):
            choose_from("factions of conquest", self.factions, (*WORDS, *content.FACTION_IDS))
            return
        if len(self.factions) != self.players:
            raise UsageError(
                f"conquest: factions names {len(self.factions)}: expected one for each of {self.players} seats"
            )
        for faction in self.factions:
            choose_from("faction of conquest", faction, ("dealt", *content.FACTION_IDS))
        object.__setattr__(self, "factions", tuple(self.factions))

    def wishes(self) -> list[int]:
        """For every seat: 1 + faction, 0 dealt, -1 the one dealt to seat 0."""
        if self.factions == "mirror":
            return [0] + [-1] * (self.players - 1)
        names = list(self.factions) if not isinstance(self.factions, str) else [self.factions] * self.players
        if self.factions == "default":
            names = list(content.DEFAULT_FACTIONS[: self.players])
        return [0 if name == "dealt" else 1 + content.FACTION_IDS.index(name) for name in names]


class Conquest(Game):
    """See the module."""

    name = "conquest"
    title = "Master of Orion: Conquest"
    version = 1
    min_players, max_players = 2, 4
    dtype = State
    fields = FIELDS
    kernels = Kernels(
        rules.setup,
        rules.to_play,
        rules.legal,
        rules.weights,
        rules.apply,
        rules.returns,
        observe.observe,
        observe.info_key,
        belief.determinize,
        scripted.scripted,
    )
    num_actions, num_ids = NUM_ACTIONS, NUM_IDS
    # The main loop: 24 cards to play, 24 "or" abilities, 5 + 5 in the Empire Row, 12 Planets, 3 upgrades, 6 repairs,
    # 3 abilities, 5 cards of the Exploration Row to recycle, points to production, attack, done, 3 Bases to drop.
    max_legal = 24 + 24 + 10 + 12 + 3 + 6 + 3 + 5 + 1 + 1 + 1 + 3
    # 100 rounds of four turns; a turn has fewer than 400 decisions and 100 outcomes (each uses up a card, a unit of
    # production, a command point, a token, a world's ability or the attack, and every purchase loses production).
    max_length = 400 * 500
    num_streams = 10
    options_type = ConquestOptions
    options: ConquestOptions

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        return {
            "card": [f"card {t}" for t in range(TYPES)],
            "design": notation.DESIGN_IDS,
            "faction": content.FACTION_IDS,
            "face": content.FACE_IDS,
            "class": CLASS_NAMES,
            "world": notation.WORLD_TEXTS,
            "target": notation.TARGET_TEXTS,
            "money": notation.MONEY,
            "phase": PHASES,
            "node": NODES,
        }

    @property
    def content_hash(self) -> str:
        return content.CONTENT_HASH

    def encode_options(self) -> NDArray[np.int32]:
        options = self.options
        utility, end = UTILITIES.index(options.utility), END_RULES.index(options.end)
        return np.array([self.players, utility, end, options.max_rounds, *options.wishes()], np.int32)

    def observation(self) -> list[Slice]:
        return observe.slices(self.players)

    def action_text(self, action: int) -> str:
        return notation.ACTION_TEXTS[action]

    def describe(self, state: Position, action: int, seat: int) -> str:
        return notation.describe(state.fields, action, seat)

    def board(self, state: Position, seat: int | None = None) -> str:
        return notation.board(state.fields, self.players, seat)

    def scores(self, state: Position) -> list[int]:
        """Population left of every Home World."""
        return [int(rules_end.left(state.fields, seat)) for seat in range(self.players)]

    def check_state(self, state: Position) -> None:
        checks.check(state)

    def conserved(self, state: Position) -> Mapping[str, int]:
        """Exploration cards, wherever they lie; each seat's cards beside those of its faction, and beside its sizes."""
        s = state.fields
        totals = {"exploration cards": checks.exploration_cards(s)}
        for seat in range(self.players):
            have = int(checks.cards_of(s, seat).sum()) + int(s["scrapped"][seat])
            totals[f"cards of seat {seat} beside its faction's"] = have - checks.cards_due(s, seat)
            held = int(s["hand"][seat].sum() + s["deck"][seat].sum())
            totals[f"cards of seat {seat} beside the sizes"] = held - int(s["hand_size"][seat] + s["deck_size"][seat])
        return totals


GAME = Conquest
__all__ = ["GAME", "Conquest", "ConquestOptions"]
