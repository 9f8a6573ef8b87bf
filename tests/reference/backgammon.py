"""Backgammon once more, slowly and from the rulebook: whole turns are listed, and the rules choose among them.

A board is a pair of tuples (checkers of the mover on 0 to 25, of the other seat on 0 to 25), each in its own count: 0
borne off, 25 the bar. A play is a tuple of (from, to). Nothing here looks a move ahead or knows sets of points: every
way to play the dice in every order is tried, those that leave out a die that could have been played are struck out, and
of single dice the smaller.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

Board = tuple[tuple[int, ...], tuple[int, ...]]
Play = tuple[tuple[int, int], ...]

START = (0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)
BAR, OFF = 25, 0


def may_move(board: Board, start: int, die: int) -> bool:
    """Whether the rules let the mover's checker on `start` go `die` points."""
    own, other = board
    if own[start] == 0 or (own[BAR] > 0 and start != BAR):
        return False
    end = start - die
    if end > 0:
        return other[25 - end] <= 1
    if any(own[7:]):
        return False
    return end == 0 or not any(own[start + 1 : 7])


def moved(board: Board, start: int, die: int) -> Board:
    own, other = list(board[0]), list(board[1])
    end = max(start - die, OFF)
    own[start] -= 1
    own[end] += 1
    if end > 0 and other[25 - end] == 1:
        other[25 - end] -= 1
        other[BAR] += 1
    return tuple(own), tuple(other)


def sequences(board: Board, dice: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Play, Board]]:
    """Every way to play some of `dice` in their order until none of them is left or the next cannot be played."""
    ended = True
    for start in range(BAR, 0, -1) if dice else ():
        if may_move(board, start, dice[0]):
            ended = False
            step = (start, max(start - dice[0], OFF))
            for used, play, after in sequences(moved(board, start, dice[0]), dice[1:]):
                yield (dice[0], *used), (step, *play), after
    if ended:
        yield (), (), board


def plays(board: Board, dice: tuple[int, ...]) -> dict[Play, Board]:
    """All legal plays of a roll (four dice for a double), with the boards that they lead to; {(): board} for none."""
    found = [way for order in set(permutations(dice)) for way in sequences(board, order)]
    most = max(len(used) for used, _, _ in found)
    found = [way for way in found if len(way[0]) == most]
    if most == 1:
        larger = max(used for used, _, _ in found)
        found = [way for way in found if way[0] == larger]
    return {play: after for _, play, after in found}


def points(loser: tuple[int, ...]) -> int:
    """What the game is worth, by the loser's checkers."""
    if loser[OFF] > 0:
        return 1
    return 3 if any(loser[19:]) else 2
