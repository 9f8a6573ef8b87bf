# mypy: ignore-errors
"""Who is ahead of whom, and what that is worth (rulebook: Winning the Game; ruling 39, section 3b)."""

from engines.kernel import kernel
from engines.standing import worth

from .layout import PHASE_DEAL
from .rules_cards import faction, owned_cost
from .rules_worlds import population, total_cost


@kernel
def left(s, p):
    """Population left of the Home World."""
    if int(s["fallen"][p]) > 0 or faction(s, p) < 0:
        return 0
    return population(s, p, 0) - int(s["damage"][p, 0])


@kernel
def sign(a, b):
    """1, 0 or -1 as a is above, equal to or below b."""
    return (1 if a > b else 0) - (1 if a < b else 0)


@kernel
def compared(s, a, b):
    """1 if seat a is ahead of seat b, -1 behind, 0 tied.

    The winner by another's fall comes first, the fallen last, later falls before earlier ones. The others by standing:
    share of the Home World's population left, then total cost, then printed cost of all cards owned.
    """
    won = int(s["winner"]) - 1
    if won in (a, b):
        return 1 if won == a else -1
    one, two = int(s["fallen"][a]), int(s["fallen"][b])
    if one > 0 or two > 0:
        return sign(one if one > 0 else 99, two if two > 0 else 99)
    if int(s["phase"]) == PHASE_DEAL:
        return 0
    ahead = sign(left(s, a) * population(s, b, 0), left(s, b) * population(s, a, 0))
    if ahead == 0:
        ahead = sign(total_cost(s, a), total_cost(s, b))
    if ahead == 0:
        ahead = sign(owned_cost(s, a), owned_cost(s, b))
    return ahead


@kernel
def utilities(s, out):
    """Write the utility of every seat: the mean over opponents of ahead or behind, or shares of the win."""
    players = int(s["players"])
    for seat in range(players):
        ahead, behind = 0, 0
        for other in range(players):
            order = compared(s, seat, other) if other != seat else 0
            ahead += 1 if order > 0 else 0
            behind += 1 if order < 0 else 0
        out[seat] = worth(int(s["utility"]), ahead, behind, players)
