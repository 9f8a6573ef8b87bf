"""Perft: exact counts of the histories below a position, chance spelled out: the cheapest proof that no rule moved.

A leaf is a history of the given number of steps, or one that ended before. Beside the number of leaves stands how many
of them ended, and a digest: the sum (modulo 2**64) of hashes of all leaf records, so that a changed byte shows where a
count does not. Golden counts of seeded positions are kept for every game.

    python -m engines.perft GAME [--players N] [--seed N] [--ply N] [--depth N]    divide: counts by first step
    python -m engines.perft [GAME] --all [--folder F]                              write the golden files anew
"""
# mypy: disable-error-code="untyped-decorator,no-any-return"

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

import engines
from engines import contract as c
from engines.contract import CHANCE, Game
from engines.errors import UsageError
from engines.files import golden_folder, write_text
from engines.kernel import kernel
from engines.registry import GAMES, game_type
from engines.rng import below, generator, mix
from engines.state import State

__all__ = ["Count", "divide", "golden", "perft", "position", "write_golden"]

GOLDEN = Path("tests/golden/perft")
"""Where golden files are written if nothing else is said: their folder in a checkout, seen from its top."""
PLIES = (0, 3, 7, 20, 60, 150)
"""Where in a seeded random game the golden positions lie (those that the game reaches)."""
GOLDEN_LEAVES = 20_000
"""A golden position is counted to the greatest depth with at most so many leaves."""
MOST_LEAVES = 50_000_000
"""A count is given up beyond so many leaves."""

_SEED = np.uint64(0xC0FFEE)


@dataclass(frozen=True)
class Count:
    """What perft counts below a position."""

    leaves: int
    ended: int
    """How many leaves are finished games."""
    digest: str
    """Sixteen hex digits: the sum of hashes of the leaf records."""

    def __str__(self) -> str:
        return f"{self.leaves} leaves, {self.ended} ended, digest {self.digest}"


@kernel
def _hashed(record: NDArray[np.uint8]) -> np.uint64:
    """Hash of all bytes of a record, eight at a time (fewer at the end)."""
    h, part, filled = _SEED, np.uint64(0), 0
    for i in range(record.shape[0]):
        part = (part << np.uint64(8)) | np.uint64(record[i])
        filled += 1
        if filled == 8:
            h, part, filled = mix(h, part), np.uint64(0), 0
    return mix(h, part)


_TABLE = types.int64[::1]
_COUNT = types.int64(
    _TABLE, types.uint8[:, ::1], types.int32[:, ::1], types.int64[:, ::1], types.uint64[::1], types.int64
)


@kernel(_COUNT)
def _count(
    table: Any,
    records: NDArray[np.uint8],
    ids: NDArray[np.int32],
    places: NDArray[np.int64],
    digest: NDArray[np.uint64],
    most: int,
) -> int:
    """Count the leaves below `records[0]`, depth-first without recursion; -1 if there are more than `most`.

    Args:
        table: the game's table of kernels.
        records: uint8[depth + 1, record], one state a level; the first is the root.
        ids: int32[depth + 1, max_legal], the legal ids of each level.
        places: int64[depth + 1, 2], how many ids a level has, and which is next.
        digest: uint64[2], gets the number of finished leaves and the sum of hashes.
        most: when to give up.
    """
    depth, size = records.shape[0] - 1, records.shape[1]
    leaves, level = 0, 0
    digest[0], digest[1] = np.uint64(0), np.uint64(0)
    places[0, 1] = -1
    while level >= 0:
        if places[level, 1] < 0:  # just arrived
            over = c.call_to_play(table[c.T_TO_PLAY], (records[level],)) == c.TERMINAL
            if over or level == depth:
                leaves += 1
                digest[0] += np.uint64(1 if over else 0)
                digest[1] += _hashed(records[level])
                if leaves > most:
                    return -1
                level -= 1
                continue
            places[level, 0] = c.call_legal(table[c.T_LEGAL], (records[level], ids[level]))
            places[level, 1] = 0
        if places[level, 1] == places[level, 0]:
            level -= 1
            continue
        action = ids[level, places[level, 1]]
        places[level, 1] += 1
        for i in range(size):
            records[level + 1, i] = records[level, i]
        c.call_apply(table[c.T_APPLY], (records[level + 1], np.int64(action)))
        level += 1
        places[level, 1] = -1
    return leaves


def perft(state: State, depth: int, most: int = MOST_LEAVES) -> Count | None:
    """Count the histories of `depth` steps from `state`; None if there are more than `most`."""
    if depth < 0:
        raise UsageError(f"perft: depth is {depth}, expected 0 or more")
    game = state.game
    records = np.zeros((depth + 1, game.record_size), np.uint8)
    records[0] = state.record
    digest = np.zeros(2, np.uint64)
    ids, places = np.zeros((depth + 1, game.max_legal), np.int32), np.zeros((depth + 1, 2), np.int64)
    leaves = int(_count(game.table, records, ids, places, digest, most))
    return None if leaves < 0 else Count(leaves, int(digest[0]), f"{int(digest[1]):016x}")


def divide(state: State, depth: int) -> dict[str, Count]:
    """Perft of `depth` by the first step: the count below each, by the step's text. Finds which step went wrong."""
    counts = {}
    for action in state.legal_actions() if depth > 0 else ():
        after = state.clone()
        after.apply(action)
        count = perft(after, depth - 1)
        if count is None:
            raise UsageError(f"perft: more than {MOST_LEAVES} leaves; choose a smaller depth")
        counts[state.game.action_text(action)] = count
    return counts


def position(game: Game, seed: int, ply: int) -> State | None:
    """The state after `ply` random steps (decisions and outcomes alike) of a seeded game; None if it ends before."""
    state, rng = game.start(), generator("perft", game.name, game.players, seed)
    for _ in range(ply):
        outcomes = [o for o, w in state.chance()[1] for _ in range(w)] if state.to_play == CHANCE else []
        legal = outcomes or state.legal_actions()
        if not legal:
            return None
        state.apply(legal[below(rng, len(legal))])
    return None if state.is_over else state


def golden(game: Game, seed: int = 1) -> list[dict[str, Any]]:
    """Counts of seeded positions of `game`, each as deep as `GOLDEN_LEAVES` allows: what a golden file holds."""
    found = []
    for ply in PLIES:
        state = position(game, seed, ply)
        if state is None:
            break
        depth, count = 0, perft(state, 0)
        while (deeper := perft(state, depth + 1, GOLDEN_LEAVES)) is not None and deeper != count:
            depth, count = depth + 1, deeper
        assert count is not None
        by_step = {text: [c.leaves, c.ended, c.digest] for text, c in divide(state, depth).items()}
        found.append(
            {
                "players": game.players,
                "seed": seed,
                "ply": ply,
                "depth": depth,
                "leaves": count.leaves,
                "ended": count.ended,
                "digest": count.digest,
                "divide": by_step,
            }
        )
    return found


def write_golden(name: str, folder: Path) -> Path:
    """Count the golden positions of game `name` for every number of players; returns the file written in `folder`."""
    path = golden_folder(folder) / f"{name}.json"
    kind = game_type(name)
    rows = [row for p in range(kind.min_players, kind.max_players + 1) for row in golden(engines.load(name, players=p))]
    # One position a line, so that a difference shows which positions moved.
    text = "[\n" + ",\n".join(json.dumps({"version": kind.version, **row}) for row in rows) + "\n]\n"
    write_text(path, text)
    return path


def main(arguments: list[str] | None = None) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(prog="python -m engines.perft", description="Count histories, by first step.")
    parser.add_argument("game", nargs="?", help="name of the game")
    parser.add_argument("--players", type=int, help="seats (default: the fewest)")
    parser.add_argument("--seed", type=int, default=1, help="names the random game (default: %(default)s)")
    parser.add_argument("--ply", type=int, default=0, help="random steps before the position (default: %(default)s)")
    parser.add_argument("--depth", type=int, default=2, help="steps counted (default: %(default)s)")
    parser.add_argument("--all", action="store_true", help="write the golden files of all games (or of the one named)")
    parser.add_argument("--folder", type=Path, default=GOLDEN, help="where they are written (default: %(default)s)")
    given = parser.parse_args(arguments)
    try:
        if given.all:
            for name in [given.game] if given.game else GAMES:
                print(write_golden(name, given.folder))
            return 0
        if not given.game:
            raise UsageError(f"name a game ({', '.join(GAMES)}) or give --all")
        game = engines.load(given.game, **({"players": given.players} if given.players else {}))
        state = position(game, given.seed, given.ply)
        if state is None:
            raise UsageError(f"the game of seed {given.seed} ends before ply {given.ply}")
        for text, count in divide(state, given.depth).items():
            print(f"{text}: {count}")
        print(f"total: {perft(state, given.depth)}")
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
