"""Master of Orion: The Board Game for two to four players: build systems, attack, score after eight rounds."""

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
from . import belief, checks, notation, observe, rules, rules_cards, rules_end, scripted
from .layout import FIELDS, NODES, NUM_ACTIONS, NUM_IDS, PHASE_ASIDE, PHASES, RACE_MODES, SLOTS, UTILITIES, State

VARIANTS = ("standard", "tutorial")


@dataclass(frozen=True)
class MooBoardOptions(Options):
    """Options of the game."""

    FREE = ("races",)

    utility: str = "placement"
    """What `returns` measures with more than two seats: "placement" (mean over opponents of +1 ahead, -1 behind, 0
    tied) or "win" (the winners share what the others lose)."""
    races: Sequence[str] | str = "dealt"
    """A race, "choose" or "dealt" for every seat, or one word for all of them."""
    variant: str = "standard"
    """"tutorial": all play Humans, without advisors (rulebook: Tutorial Mode)."""
    advisors: bool = True
    """Whether advisors are in the game."""

    def __post_init__(self) -> None:
        choose_from("utility of moo_board", self.utility, UTILITIES)
        choose_from("variant of moo_board", self.variant, VARIANTS)
        if not isinstance(self.advisors, bool):
            raise UsageError(f"moo_board: advisors={quoted(self.advisors)}, expected true or false")
        if not isinstance(self.races, str | list | tuple):
            raise UsageError(f"moo_board: races={quoted(self.races)}, expected a race or a list of one for each seat")
        races = (self.races,) * self.players if isinstance(self.races, str) else tuple(self.races)
        if len(races) != self.players:
            raise UsageError(f"moo_board: races has {len(races)} entries, expected one for each of {self.players}")
        for race in races:
            choose_from("race of moo_board", race, ("choose", "dealt", *content.RACE_IDS))
        if self.variant == "tutorial":
            if any(race not in ("dealt", "humans") for race in races):
                raise UsageError(f"moo_board: races={list(races)}, but in the tutorial all play humans")
            races = ("humans",) * self.players
            object.__setattr__(self, "advisors", False)
        given = [race for race in races if race not in ("choose", "dealt", "humans")]
        for race in given:
            if given.count(race) > 1:
                raise UsageError(f"moo_board: races names {race!r} twice: there is one board of each, humans excepted")
        object.__setattr__(self, "races", races)


class MooBoard(Game):
    """See the module."""

    name = "moo_board"
    title = "Master of Orion: The Board Game"
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
    # A main action: 45 exploits, 45 designs in 5 systems, explore, propaganda, 6 trades, 3 attacks, 6 activations; who
    # has a fifth system cannot Deal (8 against its 45 builds).
    max_legal = 45 + 225 + 2 + 6 + 3 + 6
    # At most 40 P + 18 main actions, and none leads to more than some sixty decisions and draws.
    max_length = 12_000
    num_streams = 5
    options_type = MooBoardOptions
    options: MooBoardOptions

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        return {
            "design": content.DESIGN_IDS,
            "advisor": content.ADVISOR_IDS,
            "race": content.RACE_IDS,
            "resource": notation.RESOURCES,
            "slot": notation.SOURCE_IDS[:SLOTS],
            "race_mode": RACE_MODES,
            "phase": PHASES,
            "node": NODES,
        }

    @property
    def content_hash(self) -> str:
        return content.CONTENT_HASH

    def encode_options(self) -> NDArray[np.int32]:
        wishes = {"choose": -1, "dealt": 0, **{race: 1 + i for i, race in enumerate(content.RACE_IDS)}}
        utility = UTILITIES.index(self.options.utility)
        seats = [wishes[race] for race in self.options.races]
        return np.array([self.players, utility, int(self.options.advisors), *seats], np.int32)

    def observation(self) -> list[Slice]:
        return observe.slices(self.players)

    def action_text(self, action: int) -> str:
        return notation.ACTION_TEXTS[action]

    def describe(self, state: Position, action: int, seat: int) -> str:
        return notation.describe(state.fields, self.players, action, seat)

    def board(self, state: Position, seat: int | None = None) -> str:
        return notation.board(state.fields, self.players, self.scores(state), seat)

    def scores(self, state: Position) -> list[int]:
        return [int(rules_end.score(state.fields, seat)) for seat in range(self.players)]

    def check_state(self, state: Position) -> None:
        checks.check(state)

    def conserved(self, state: Position) -> Mapping[str, int]:
        """Copies of every design, wherever they lie; all advisors; each seat's cubes, in use and left."""
        s = state.fields
        lying = np.concatenate([s["discard"], s["systems"].reshape(-1), [s["design"]]])
        copies = np.bincount(lying, minlength=len(content.DESIGN_IDS) + 1)[1:]
        copies = copies + s["deck"] + s["known"].sum(0) + (s["hand"] > 0).sum((0, 2))
        phase, aside = int(s["phase"]), content.ADVISORS_ASIDE * self.options.advisors
        if phase <= PHASE_ASIDE:
            aside = int(s["cursor"]) if phase == PHASE_ASIDE else 0
        totals = {f"copies of {design}": int(n) for design, n in zip(content.DESIGN_IDS, copies, strict=True)}
        totals["cards"] = int(copies.sum())
        totals["advisors"] = int(s["table"].sum()) + int(np.count_nonzero(s["advisor"])) + aside
        held = s["known"].sum(1) + (s["hand"] > 0).sum((1, 2))
        for seat in range(self.players):
            left = int(rules_cards.reserve(s, seat))
            totals[f"cubes of seat {seat}"] = content.RESERVE - left + max(left, 0)
            totals[f"cards of seat {seat} beside its hand's size"] = int(held[seat]) - int(s["hand_size"][seat])
        return totals


GAME = MooBoard
__all__ = ["GAME", "MooBoard", "MooBoardOptions"]
