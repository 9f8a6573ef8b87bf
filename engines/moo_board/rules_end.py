# mypy: ignore-errors
"""Scores and standing (rulebook: End of Game and Victory)."""

from engines.kernel import kernel
from engines.standing import worth

from . import content as k
from .layout import CARDS, SYSTEMS


@kernel
def color_count(s, seat, color):
    """Cards of a colour that `seat` has built, working or not."""
    total = 0
    for system in range(SYSTEMS):
        for i in range(CARDS):
            card = int(s["systems"][seat, system, i])
            if card == 0:
                break
            if int(k.COLOR[card - 1]) == color:
                total += 1
    return total


@kernel
def score(s, seat):
    """Points as they stand: the track, loyalty, printed and counted points of every card built."""
    total = int(s["vp"][seat]) + int(s["loyalty"][seat])
    for system in range(SYSTEMS):
        for i in range(CARDS):
            card = int(s["systems"][seat, system, i])
            if card == 0:
                break
            per = int(k.POINTS_PER[card - 1])
            total += int(k.POINTS[card - 1]) * (color_count(s, seat, per - 1) if per else 1)
    return total


@kernel
def standing(s, seat):
    """One number that ranks seats: score, then loyalty, then resources (ruling 35)."""
    stock = int(s["resources"][seat, 0]) + int(s["resources"][seat, 1]) + int(s["resources"][seat, 2])
    return (score(s, seat) * 4096 + int(s["loyalty"][seat])) * 64 + stock


@kernel
def utilities(s, out):
    """Write the utility of every seat: the mean over opponents of ahead or behind, or shares of the win."""
    players = int(s["players"])
    for seat in range(players):
        own, ahead, behind = standing(s, seat), 0, 0
        for other in range(players):
            theirs = standing(s, other)
            if own > theirs:
                ahead += 1
            elif own < theirs:
                behind += 1
        out[seat] = worth(int(s["utility"]), ahead, behind, players)
