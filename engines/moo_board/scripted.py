# mypy: ignore-errors
"""A player by hand-made weights: takes the action that looks best by what is public and in its own hand.

Everything is counted in hundredths of a point (see `appraisal`). `plan` is int64[9]: prices of a unit of food, fleet,
production as things stand, then what `survey` finds out; `hand` is int64[45, 4], a row a design held: design, worth of
building it (cost paid), worth of keeping it, discount.
"""

import numpy as np

from engines import contract as c
from engines.kernel import kernel
from engines.rng import below

from . import appraisal as a
from . import content as k
from . import layout as at
from .layout import State
from .rules import legal
from .rules_attack import attack_cost
from .rules_build import open_systems
from .rules_cards import discount_on, holds, item_at, mod_sum

CARD_WORTH, LEFT, ACTIONS, COVER, BEST, HELD = range(3, 9)
"""Places in `plan` after the prices: a card to be drawn, incomes to come, own actions to come (this one not counted),
least loss by covering a card, best building affordable now, cards in `hand`."""
DESIGN, VALUE, KEEP, DISCOUNT = range(4)
NEVER = -100_000


@kernel
def prepare(s, seat, plan):
    """Prices: what is left over at the end is worth nothing."""
    left = max(0, k.ROUNDS - max(1, int(s["round"])))
    actions = max(0, int(s["available"][seat]) - 1) + 4 * left
    plan[LEFT], plan[ACTIONS] = left, actions
    for r in range(3):
        plan[r] = a.PRICE[r] * min(actions, 6) * a.AT_HAND // 600
    held = int(s["hand_size"][seat])
    worth = 135 if held < 3 else 97 if held < 5 else 48 if held < 7 else 15
    plan[CARD_WORTH] = worth * min(actions, 4) // 4


@kernel
def cover_loss(s, seat, system, plan):
    """What covering the top card of a system loses."""
    item = item_at(s, seat, system)
    if item < 0:
        return 0
    rounds = plan[LEFT]
    if int(k.TIMING[item]) == k.ACTIVATION and int(s["cube"][seat, system]) == 0 and plan[ACTIONS] > 0:
        rounds += 1
    return a.LASTING[item] * rounds // 2


@kernel
def of_color(s, seat, color):
    """Own buildings of a colour, and points that own buildings give for one more of it."""
    count, per = 0, 0
    for system in range(at.SYSTEMS):
        for i in range(at.CARDS):
            card = int(s["systems"][seat, system, i])
            if card == 0:
                break
            if int(k.COLOR[card - 1]) == color:
                count += 1
            if int(k.POINTS_PER[card - 1]) == 1 + color:
                per += int(k.POINTS[card - 1])
    return count, per


@kernel
def survey(s, seat, plan, hand):
    """Weigh every card in hand."""
    prepare(s, seat, plan)
    plan[COVER] = NEVER
    bits = open_systems(s, seat)
    for system in range(at.SYSTEMS):
        if bits & (1 << system):
            plan[COVER] = max(plan[COVER], -cover_loss(s, seat, system, plan))
    n, last, count, per, discount = 0, -1, 0, 0, 0
    for design in range(at.DESIGNS):
        if not holds(s, seat, design):
            continue
        if int(k.COLOR[design]) != last:
            last = int(k.COLOR[design])
            count, per = of_color(s, seat, last)
            discount = discount_on(s, seat, last, True)
        value = a.DESIGN_WORTH[design, plan[LEFT]] + 100 * per + plan[COVER]
        if int(k.POINTS_PER[design]):
            own = int(k.POINTS_PER[design]) - 1
            counted = count if own == last else of_color(s, seat, own)[0]
            value += (
                100 * int(k.POINTS[design]) * (counted + (1 if own == last else 0) + plan[LEFT] * a.FOLLOWING // 100)
            )
        for r in range(3):
            value -= int(k.COST[design, r]) * plan[r]
        if int(k.TIMING[design]) == k.AFTER_BUILDING:
            value += max(0, effect_worth(s, seat, design, -1, plan))
        hand[n, DESIGN], hand[n, VALUE], hand[n, DISCOUNT] = design, value, discount
        n += 1
    plan[HELD] = n
    plan[BEST] = best_building(s, seat, plan, hand, 0, 0, 0, -1)
    for i in range(n):
        hand[i, KEEP] = plan[CARD_WORTH] // 3 + max(0, hand[i, VALUE]) * min(plan[ACTIONS], 8) * a.KEPT // 800


@kernel
def best_building(s, seat, plan, hand, food, fleet, production, without):
    """The best card of the hand that could be paid if the stock changed so; `without`: a design that is gone."""
    best = 0
    food += int(s["resources"][seat, 0])
    fleet += int(s["resources"][seat, 1])
    production += int(s["resources"][seat, 2])
    gate = int(s["loyalty"][seat]) >= k.LOYALTY_GATE
    for i in range(plan[HELD]):
        design = hand[i, DESIGN]
        if hand[i, VALUE] <= best or design == without or (int(k.NEEDS_LOYALTY[design]) and not gate):
            continue
        lack = max(0, int(k.COST[design, 0]) - food) + max(0, int(k.COST[design, 1]) - fleet)
        if lack + max(0, int(k.COST[design, 2]) - production) <= hand[i, DISCOUNT]:
            best = hand[i, VALUE]
    return best


@kernel
def change_worth(s, seat, plan, food, fleet, production):
    """A change of the stock by price; what exceeds the cap is lost, what cannot be paid is no choice."""
    total = 0
    for r in range(3):
        change = food if r == 0 else fleet if r == 1 else production
        have = int(s["resources"][seat, r])
        if have + change < 0:
            return NEVER
        total += (min(int(k.RESOURCE_CAP), have + change) - have) * plan[r]
    return total


@kernel
def gain_worth(s, seat, plan, hand, food, fleet, production, without):
    """As `change_worth`, and what it lets the next action build."""
    total = change_worth(s, seat, plan, food, fleet, production)
    if total > NEVER and plan[ACTIONS] > 0:
        cap = int(k.RESOURCE_CAP)
        food = min(food, cap - int(s["resources"][seat, 0]))
        fleet = min(fleet, cap - int(s["resources"][seat, 1]))
        production = min(production, cap - int(s["resources"][seat, 2]))
        total += (best_building(s, seat, plan, hand, food, fleet, production, without) - plan[BEST]) * 2 // 3
    return total


@kernel
def loyalty_worth(s, seat, change):
    """A change of loyalty, up to the most there can be."""
    have = int(s["loyalty"][seat])
    return (min(int(k.LOYALTY_MAX), have + change) - have) * a.LOYAL


@kernel
def effect_worth(s, seat, item, source, plan):
    """An item's effect, used once now; `source`: the system it lies in, -1: it would be built."""
    best = NEVER
    for way in range(a.WAYS[item]):
        if a.WAYS_BY_COVER[item]:
            covered = int(s["systems"][seat, source, 1]) if source >= 0 else 0
            if covered == 0 or int(k.COLOR[covered - 1]) != way:
                best = max(best, 0)
                continue
        changes = a.CHANGES[item, way]
        best = max(best, change_worth(s, seat, plan, int(changes[0]), int(changes[1]), int(changes[2])))
    return best + loyalty_worth(s, seat, a.LOYALTY[item]) + a.EXTRA[item]


@kernel
def build_worth(s, seat, plan, hand, build):
    """A BUILD id: the card's value with this system's loss instead of the least."""
    design, system = build // at.SYSTEMS, build % at.SYSTEMS
    value = -cover_loss(s, seat, system, plan) - plan[COVER]
    if system == at.FIFTH:
        value += plan[0]
    for i in range(plan[HELD]):
        if hand[i, DESIGN] == design:
            return value + hand[i, VALUE]
    return value


@kernel
def exploit_worth(s, seat, plan, hand, design):
    """Discard a card for resources or cards."""
    color = int(k.COLOR[design])
    gain = k.EXPLOIT_GAIN[color]
    worth = gain_worth(s, seat, plan, hand, int(gain[0]), int(gain[1]), int(gain[2]), design)
    worth += (int(k.EXPLOIT_DRAW[color, 0]) - int(k.EXPLOIT_DRAW[color, 1])) * plan[CARD_WORTH] * 5 // 4
    return worth - keep_worth(plan, hand, design)


@kernel
def keep_worth(plan, hand, design):
    """What a card in hand is worth if it stays there."""
    for i in range(plan[HELD]):
        if hand[i, DESIGN] == design:
            return hand[i, KEEP]
    return plan[CARD_WORTH]


@kernel
def least_kept(plan, hand, n):
    """What the n least cards in hand are worth together."""
    total, floor = 0, -1
    for _ in range(n):
        least = plan[CARD_WORTH] if plan[HELD] == 0 else -NEVER
        for i in range(plan[HELD]):
            if hand[i, KEEP] > floor:
                least = min(least, hand[i, KEEP])
        if least < -NEVER:
            floor = least
        total += floor
    return total


@kernel
def attack_worth(s, seat, target, plan):
    """Points and the target's loss, less the fleet, and what else triggers."""
    worth = (
        100 * int(k.ATTACK_VP) - a.EXPOSED + 100 // (int(s["players"]) - 1) - attack_cost(s, target) * plan[at.FLEET]
    )
    for source in range(at.ADVISOR + 1):
        item = item_at(s, seat, source)
        if item >= 0 and int(k.TIMING[item]) == k.AFTER_ATTACK:
            if int(k.SLOT[item]) == 0 or int(s["cube"][seat, source]) == 0:
                worth += effect_worth(s, seat, item, source, plan)
        item = item_at(s, target, source)
        if item >= 0 and int(k.TIMING[item]) == k.AFTER_ATTACKED:
            worth -= 100
    return worth


@kernel
def deal_worth(s, seat, plan, hand, advisor):
    """Another advisor for three cards."""
    old = item_at(s, seat, at.ADVISOR)
    lasting = a.LASTING[k.ITEM_ADVISOR + advisor] - (a.LASTING[old] if old >= 0 else 0)
    return lasting * plan[LEFT] - least_kept(plan, hand, int(k.DEAL_CARDS))


@kernel
def main_worth(s, seat, plan, hand, action):
    """A main action (those of effects too: build, trade, activate)."""
    if action < at.BUILD:
        return exploit_worth(s, seat, plan, hand, action - at.EXPLOIT)
    if action < at.EXPLORE:
        return build_worth(s, seat, plan, hand, action - at.BUILD)
    if action == at.EXPLORE:
        return (int(k.EXPLORE_CARDS) + mod_sum(s, seat, k.M_EXPLORE)) * plan[CARD_WORTH]
    if action == at.PROPAGANDA:
        return loyalty_worth(s, seat, int(k.PROPAGANDA_LOYALTY))
    if action < at.ATTACK:
        race = int(s["race"][seat]) - 1
        gives, gets = int(at.TRADE_GIVES[action - at.TRADE]), int(at.TRADE_GETS[action - at.TRADE])
        less, more = -int(k.TRADE_AMOUNT[race, gives]), int(k.TRADE_AMOUNT[race, gets])
        food = less if gives == 0 else more if gets == 0 else 0
        fleet = less if gives == 1 else more if gets == 1 else 0
        production = less if gives == 2 else more if gets == 2 else 0
        return gain_worth(s, seat, plan, hand, food, fleet, production, -1)
    if action < at.DEAL:
        return attack_worth(s, seat, (seat + 1 + action - at.ATTACK) % int(s["players"]), plan)
    if action < at.SOURCE:
        return deal_worth(s, seat, plan, hand, action - at.DEAL)
    return effect_worth(s, seat, item_at(s, seat, action - at.SOURCE), action - at.SOURCE, plan)


@kernel
def option_worth(s, node, seat, plan, hand, option):
    """A numbered choice inside an effect."""
    frame = int(s["depth"]) - 1
    row = k.PROGRAM[int(s["frame_pc"][frame])]
    if node == at.NODE_VICTIM:
        return -least_kept(plan, hand, int(row[1])) if option == 0 else loyalty_worth(s, seat, int(row[2]))
    if node == at.NODE_BONUS:
        row = k.BONUS[int(s["race"][seat]) - 1, int(s["frame_n"][frame]), option]
        return change_worth(s, seat, plan, int(row[1]), int(row[2]), int(row[3])) + int(row[0]) * plan[CARD_WORTH]
    if node == at.NODE_GAIN:
        first = 2 + 3 * option
        return gain_worth(s, seat, plan, hand, int(row[first]), int(row[first + 1]), int(row[first + 2]), -1)
    out, to = 1 + 3 * option, 4 - 3 * option
    food, fleet = int(row[to]) - int(row[out]), int(row[to + 1]) - int(row[out + 1])
    return gain_worth(s, seat, plan, hand, food, fleet, int(row[to + 2]) - int(row[out + 2]), -1)


@kernel
def system_gain(s, seat, system):
    """What the best card of a system would do at work, and what the top one does."""
    best = 0
    for i in range(at.CARDS):
        card = int(s["systems"][seat, system, i])
        if card:
            best = max(best, a.LASTING[card - 1])
    return best, a.LASTING[int(s["systems"][seat, system, 0]) - 1]


@kernel
def card_worth(s, node, seat, plan, hand, design):
    """A CARD id: put away the least, take the best, lay on top what works best."""
    if node == at.NODE_TAKE:
        return a.DESIGN_WORTH[design, plan[LEFT]]
    if node == at.NODE_REORDER_CARD:
        return a.LASTING[design]
    if node == at.NODE_MULLIGAN:
        return a.FAIR - keep_worth(plan, hand, design)
    return -keep_worth(plan, hand, design)


@kernel
def place_worth(s, node, seat, action):
    """A place, a seat or a race."""
    frame = int(s["depth"]) - 1
    if node in (at.NODE_BLOCK, at.NODE_BURY):
        other = int(s["frame_target"][frame]) - 1
        source = action - at.OPP_SLOT
        loss = a.LASTING[item_at(s, other, source)]
        if node == at.NODE_BURY:
            below_it = int(s["systems"][other, source, 1])
            loss = loss - a.LASTING[below_it - 1] if below_it else 0
        return loss
    if node == at.NODE_DISMISS:
        item = item_at(s, (seat + 1 + action - at.TARGET) % int(s["players"]), at.ADVISOR)
        return a.LASTING[item] if item >= 0 else 0
    if node == at.NODE_REORDER:
        best, now = system_gain(s, seat, action - at.OWN_SYSTEM)
        return best - now - 1
    race, worth = action - at.RACE, 0
    for r in range(3):
        worth += int(k.START[race, r]) * a.PRICE[r]
    return worth + a.LASTING[k.ITEM_RACE + race] * int(k.ROUNDS)


@kernel
def worth(s, node, seat, plan, hand, action):
    """Any decision; NO is worth nothing."""
    if action < at.CARD:
        return main_worth(s, seat, plan, hand, action)
    if action < at.OPTION:
        return card_worth(s, node, seat, plan, hand, action - at.CARD)
    if action < at.SAVE:
        return option_worth(s, node, seat, plan, hand, action - at.OPTION)
    if action < at.TARGET:
        return plan[action - at.SAVE]
    if action == at.NO:
        return 0
    if action == at.YES:
        source = int(s["frame_source"][int(s["depth"]) - 1])
        return effect_worth(s, seat, item_at(s, seat, source), source, plan)
    return place_worth(s, node, seat, action)


@kernel(c.SCRIPTED)
def scripted(state, rng):
    """The action that looks best; near ties are broken by the generator."""
    out = np.empty(512, np.int32)
    n = legal(state, out)
    if n == 1:
        return int(out[0])
    s = state.view(State)[0]
    seat, node = int(s["mover"]), int(s["node"])
    plan, hand = np.zeros(9, np.int64), np.empty((at.DESIGNS, 4), np.int64)
    survey(s, seat, plan, hand)
    best, choice = 2 * NEVER, int(out[0])
    for i in range(n):
        value = worth(s, node, seat, plan, hand, int(out[i])) + below(rng, 10)
        if value > best:
            best, choice = value, int(out[i])
    return choice
