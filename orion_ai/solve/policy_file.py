"""A policy as a file, and an agent that plays by one."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engines.contract import Game
from engines.errors import FileError, UsageError, quoted
from engines.files import read_json, write_json
from engines.rng import uniform
from orion_ai.identity import identity_of
from orion_ai.solve.tree import Tree

if TYPE_CHECKING:
    from orion_ai.agents import Decisions

__all__ = ["PolicyFileAgent", "read_policy", "write_policy"]

KIND, FORMAT = "orion policy", 1


def write_policy(path: Path, tree: Tree, policy: NDArray[np.float64], notes: Mapping[str, Any]) -> None:
    """Write a policy as JSON: for every information state its mover, key and what the mover sees, with probabilities.

    Args:
        path: the file.
        tree: the game.
        policy: float64[slots].
        notes: plain data about where it comes from, kept beside it.
    """
    policy = tree.check_policy(policy)
    states = []
    for state in range(tree.states):
        slots = range(tree.slot[state], tree.slot[state + 1])
        seat = int(tree.seat[state])
        texts = [tree.game.action_text(int(tree.slot_action[s])) for s in slots]
        states.append(
            {
                "seat": seat,
                "key": f"{int(tree.key[state]):016x}",
                "sees": tree.game.board(tree.example(state), seat),
                "policy": dict(zip(texts, policy[slots.start : slots.stop].tolist(), strict=True)),
            }
        )
    game = identity_of(tree.game).as_json()
    write_json(path, {"kind": KIND, "format": FORMAT, "game": game, "notes": dict(notes), "states": states})


def read_policy(path: Path, game: Game) -> dict[tuple[int, int], dict[int, float]]:
    """The policy in a file: (seat, info_key) -> action id -> probability.

    Raises:
        FileError: the file is missing, damaged, no policy, or for another game; names what is wrong.
    """
    data = read_json(path, "policy")
    if not isinstance(data, dict) or data.get("kind") != KIND or data.get("format") != FORMAT:
        raise FileError(f"{str(path)!r} is no policy: expected kind {KIND!r}, format {FORMAT}")
    if not isinstance(data.get("game"), dict) or not isinstance(data.get("states"), list):
        raise FileError(f"{str(path)!r} is damaged: expected 'game' and 'states'")
    identity_of(game).check(data["game"], str(path))
    found = {}
    for place, entry in enumerate(data["states"]):
        try:
            seat, key, shares = _entry(game, entry)
        except UsageError as error:
            raise FileError(f"{str(path)!r} is damaged at entry {place} of 'states': {error}") from None
        found[seat, key] = shares
    return found


def _entry(game: Game, entry: Any) -> tuple[int, int, dict[int, float]]:
    """Seat, key and policy of an entry.

    Raises:
        UsageError: says what is wrong with it.
    """
    if not isinstance(entry, dict) or not isinstance(entry.get("policy"), dict):
        raise UsageError(f"expected an object with 'seat', 'key' and 'policy', found {quoted(entry)}")
    seat, key, policy = entry.get("seat"), entry.get("key"), entry["policy"]
    if not isinstance(seat, int) or isinstance(seat, bool) or not 0 <= seat < game.players:
        raise UsageError(f"'seat' is {quoted(seat)}, expected 0 to {game.players - 1}")
    if not isinstance(key, str) or not re.fullmatch("[0-9a-f]{16}", key):
        raise UsageError(f"'key' is {quoted(key)}, expected 16 hexadecimal digits")
    shares = {game.parse(text): share for text, share in policy.items()}
    outcomes = [game.action_text(action) for action in shares if action >= game.num_actions]
    if outcomes:
        raise UsageError(f"{outcomes[0]!r} is an outcome of chance, expected decisions")
    if not all(isinstance(share, int | float) and 0 <= share <= 2 for share in shares.values()):
        raise UsageError(f"its policy is {quoted(policy)}, expected probabilities")
    if not math.isclose(sum(shares.values()), 1, abs_tol=1e-6):
        raise UsageError("its probabilities do not add up to 1")
    return seat, int(key, 16), shares


class PolicyFileAgent:
    """Plays by a policy file: an equilibrium as an opponent, for instance."""

    def __init__(self, game: Game, lanes: int, file: str) -> None:
        """`file` was written by `orion solve` for this game with these options; `lanes` does not matter."""
        self.name, self._game, self._policy = "policy file", game, read_policy(Path(file), game)

    def policies(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64]) -> NDArray[np.float64]:
        """float64[B, actions]: the probability of each action in B positions.

        Raises:
            UsageError: the file does not have one of the positions, or plays what is not legal there.
        """
        found = np.zeros((len(worlds), self._game.num_actions))
        out = np.empty(self._game.max_legal, np.int32)
        for row, (world, seat) in enumerate(zip(worlds, seats, strict=True)):
            key = int(self._game.kernels.info_key(world, int(seat)))
            if (int(seat), key) not in self._policy:
                raise UsageError(f"agent {self.name!r}: its file has no entry for seat {int(seat)} at key {key:016x}")
            legal = out[: self._game.kernels.legal(world, out)]
            for action, share in self._policy[int(seat), key].items():
                if share and action not in legal:
                    text = self._game.action_text(action)
                    raise UsageError(f"agent {self.name!r}: its file plays {text!r} at key {key:016x}: it is not legal")
                found[row, action] = share
        return found

    def decide(self, worlds: NDArray[np.uint8], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Decisions:
        """See `Agent.decide`."""
        bounds = self.policies(worlds, seats).cumsum(1)
        points = np.array([uniform(np.array([key, 0], np.uint64)) for key in keys]) * bounds[:, -1]
        from orion_ai.agents import Decisions  # who only writes a policy needs no search compiled

        return Decisions((bounds > points[:, None]).argmax(1).astype(np.int32))
