"""Master of Orion: The Board Game, effects of cards and boards (rulebook: Other Rules, Build, Activate).

A piece of play is a generator: it yields a `Question` and is sent the id of the answer. So an effect that asks, draws
or builds in the middle reads from top to bottom, and a nested effect is finished before the outer one goes on.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar

from .moo_board_table import (
    ADVISOR_SOURCE,
    ALLUVIA_SYSTEM,
    BUILD,
    CARD,
    DRAW,
    NO,
    OPEN,
    OPP_SLOT,
    OPTION,
    OWN_SYSTEM,
    PLACES,
    RESOURCES,
    SAVE,
    SOURCE,
    TARGET,
    YES,
    Advisor,
    Card,
    Face,
    Seat,
    Table,
)

Ability = dict[str, Any]  # anything with "may", "pay" and "effect": a card, an advisor, an entry of a race board
Op = dict[str, Any]


@dataclass
class Question:
    """A node of the game: a decision of a seat, or an event of chance if it has weights."""

    kind: str
    seat: int
    options: list[int]
    weights: list[int] | None = None


T = TypeVar("T")
Play = Generator[Question, int, T]


@dataclass
class Context:
    """Who applies an effect, from which card, whether parts of it may be declined, and whom an attack hit."""

    seat: Seat
    card: Card | Advisor | None = None
    may: bool = False
    attacked: Seat | None = None


# --- Cards in and out of the hand ---


def draw(table: Table, seat: Seat, n: int) -> Play[list[Card]]:
    """Draw up to n cards, one event of chance each; what the deck cannot give is lost."""
    drawn: list[Card] = []
    for _ in range(n):
        if not table.deck_ready():
            break
        copies = [sum(card.index == design for card in table.deck) for design in range(len(table.content["cards"]))]
        options = [DRAW + design for design, count in enumerate(copies) if count]
        answer = yield Question("DRAW", seat.place, options, [count for count in copies if count])
        card = next(card for card in table.deck if card.index == answer - DRAW)
        table.deck.remove(card)
        card.number = table.deck_number
        seat.hand.append(card)
        drawn.append(card)
    return drawn


def discard(table: Table, seat: Seat, n: int) -> Play[None]:
    """Discard n cards of own choice, one by one (rulebook: Discarding Cards)."""
    for _ in range(min(n, len(seat.hand))):
        answer = yield Question("DISCARD", seat.place, [CARD + design for design in seat.designs()])
        table.throw(seat, seat.hand_card(answer - CARD))


def take_discard(table: Table, ctx: Context, op: Op) -> Play[None]:
    """Take one of the top cards of the discard pile; of equal cards the topmost (rulebook: Data Center, Darloks)."""
    reach = table.discard if op["depth"] is None else table.discard[-op["depth"] :]
    if not reach:
        return
    answer = yield Question("TAKE", ctx.seat.place, sorted({CARD + card.index for card in reach}))
    card = next(card for card in reversed(reach) if card.index == answer - CARD)
    table.discard.remove(card)
    card.number = OPEN
    ctx.seat.hand.append(card)


# --- Build ---


def total_discount(seat: Seat, face: Face, system: int, by_action: bool, extra: int) -> int:
    """All discounts on a card together, before it covers anything (rulebook: Build)."""
    total = extra
    for mod in seat.statics("build_discount"):
        used_up = mod["once_per_round"] and seat.discount_used
        wrong_color = mod["color"] not in (None, face["color"])
        if not used_up and not wrong_color and (by_action or not mod["action_only"]):
            total += mod["n"]
    if system == ALLUVIA_SYSTEM:
        total += seat.static_sum("build_discount_system")
    return total


def payable_splits(seat: Seat, face: Face, discount: int) -> list[tuple[int, ...]]:
    """Ways to spread the discount over the cost, as much of it as the cost allows, so that the stock pays the rest."""
    cost = [face["cost"][name] for name in RESOURCES]
    stock = [seat.stock[name] for name in RESOURCES]
    saved = min(discount, sum(cost))
    return [
        split
        for split in product(*(range(c + 1) for c in cost))
        if sum(split) == saved and all(c - d <= h for c, d, h in zip(cost, split, stock, strict=True))
    ]


def can_build(seat: Seat, face: Face, system: int, by_action: bool, extra: int) -> bool:
    """Gate, room and price of one card in one system."""
    gated = face["loyalty6"] in ("build", "both") and not seat.loyal()
    if gated or system not in seat.open_systems():
        return False
    return bool(payable_splits(seat, face, total_discount(seat, face, system, by_action, extra)))


def build_options(seat: Seat, color: str | None, systems: list[int], by_action: bool, extra: int) -> list[int]:
    """BUILD ids of what the hand allows in the given systems."""
    faces = {card.index: card.face for card in seat.hand if color in (None, card.face["color"])}
    return [
        BUILD + design * PLACES + system
        for design, face in sorted(faces.items())
        for system in systems
        if can_build(seat, face, system, by_action, extra)
    ]


def choose_split(table: Table, seat: Seat, splits: list[tuple[int, ...]]) -> Play[tuple[int, ...]]:
    """Let the builder save unit after unit, in the order of the counters, while more than one split is left."""
    saved = [0] * len(RESOURCES)
    at = 0
    always = table.save_rule == "all" and len(splits) > 1
    while sum(saved) < sum(splits[0]):
        options = [
            SAVE + r
            for r in range(at, len(RESOURCES))
            if any(list(split[:r]) == saved[:r] and split[r] > saved[r] for split in splits)
        ]
        left = [s for s in splits if list(s[:at]) == saved[:at] and s[at] >= saved[at]]
        asked = len(options) > 1 if table.save_rule == "choice" else len(left) > 1 or always
        if asked:
            at = (yield Question("SAVE", seat.place, options)) - SAVE
        else:
            at = options[0] - SAVE
        saved[at] += 1
    return tuple(saved)


def build(table: Table, seat: Seat, answer: int, by_action: bool, extra: int) -> Play[None]:
    """Pay for a card, lay it on top of a system, then apply its After Building effect (rulebook: Build)."""
    design, system = divmod(answer - BUILD, PLACES)
    card = seat.hand_card(design)
    discount = total_discount(seat, card.face, system, by_action, extra)
    if by_action and any(mod["once_per_round"] for mod in seat.statics("build_discount")):
        seat.discount_used = True
    split = yield from choose_split(table, seat, payable_splits(seat, card.face, discount))
    cost = card.face["cost"]
    seat.pay({name: cost[name] - saved for name, saved in zip(RESOURCES, split, strict=True)})
    seat.hand.remove(card)
    if seat.systems[system]:
        seat.cube_off(seat.systems[system][-1])
    seat.systems[system].append(card)
    if card.face["timing"] == "after_building":
        yield from apply_ability(table, card.face, Context(seat, card, card.face["may"]))


def build_by_effect(table: Table, ctx: Context, op: Op) -> Play[None]:
    """Build a card of the hand without an action; without "may" it was checked that one can be built."""
    seat = ctx.seat
    options = effect_builds(seat, ctx.card, op)
    if ctx.may:
        options.append(NO)
    if not options:
        return
    answer = yield Question("BUILD_MORE", seat.place, options)
    if answer != NO:
        yield from build(table, seat, answer, by_action=False, extra=op["discount"])


def effect_builds(seat: Seat, card: Card | Advisor | None, op: Op) -> list[int]:
    """BUILD ids that a building effect allows."""
    systems = seat.open_systems()
    if op["where"] == "this_system":
        assert isinstance(card, Card)
        systems = [where for where in systems if where == seat.system_of(card)]
    return build_options(seat, op["color"], systems, by_action=False, extra=op["discount"])


# --- Costs of effects ---


def can_afford(seat: Seat, ability: Ability) -> bool:
    """Whether all extra costs of an effect can be paid; losing loyalty always can."""
    return all(can_pay_extra(seat, cost) for cost in ability["pay"])


def can_pay_extra(seat: Seat, cost: Op) -> bool:
    """Whether one extra cost can be paid."""
    match cost["op"]:
        case "pay_res":
            return seat.can_pay(cost["res"])
        case "pay_vp":
            return bool(seat.vp >= cost["n"])
        case "pay_cube":
            return bool(seat.available >= cost["n"])
        case "pay_cards":
            return bool(len(seat.hand) >= cost["n"])
        case "pay_loyalty":
            return True
        case other:
            raise ValueError(f"unknown cost {other}")


def pay_extra(table: Table, seat: Seat, cost: Op) -> Play[None]:
    """Pay one extra cost of an effect."""
    match cost["op"]:
        case "pay_res":
            seat.pay(cost["res"])
        case "pay_vp":
            seat.vp -= cost["n"]
        case "pay_cube":
            seat.available -= cost["n"]
            seat.reserve += cost["n"]
        case "pay_cards":
            yield from discard(table, seat, cost["n"])
        case "pay_loyalty":
            seat.change_loyalty(-cost["n"])
        case other:
            raise ValueError(f"unknown cost {other}")


def apply_ability(table: Table, ability: Ability, ctx: Context) -> Play[None]:
    """Costs first, then the effects in their order (rulebook: Effect Timing)."""
    if ability["pay"]:
        if not can_afford(ctx.seat, ability):
            return
        if ability["may"] and (yield Question("OPTIONAL", ctx.seat.place, [YES, NO])) == NO:
            return
        for cost in ability["pay"]:
            yield from pay_extra(table, ctx.seat, cost)
    for op in ability["effect"]:
        yield from apply_op(table, ctx, op)


# --- Activate ---


def can_activate(seat: Seat, thing: Card | Advisor) -> bool:
    """Free A slot, loyalty, extra costs, and for exchanges and builds something to do (rulebook: Activate)."""
    face = thing.face
    if face["timing"] != "activation" or thing.cube:
        return False
    if face["loyalty6"] in ("activate", "both") and not seat.loyal():
        return False
    for op in face["effect"]:
        if op["op"] == "exchange" and not exchange_directions(seat, op):
            return False
        if op["op"] == "build" and not face["may"] and not effect_builds(seat, thing, op):
            return False
    return can_afford(seat, face)


def activate(table: Table, seat: Seat, thing: Card | Advisor) -> Play[None]:
    """Apply the effect of a card whose A slot has just been filled."""
    yield from apply_ability(table, thing.face, Context(seat, thing, thing.face["may"]))


def activate_others(table: Table, ctx: Context, op: Op) -> Play[None]:
    """Activate further working cards with cubes of the reserve (rulebook: High Orbital Locator)."""
    seat = ctx.seat
    for _ in range(op["n"]):
        ready = {
            SOURCE + source: thing
            for source, thing in seat.working()
            if seat.reserve > 0 and thing is not ctx.card and can_activate(seat, thing)
        }
        answer = yield Question("ACTIVATE_MORE", seat.place, [*sorted(ready), NO])
        if answer == NO:
            return
        seat.cube_on(ready[answer])
        yield from activate(table, seat, ready[answer])


def exchange_directions(seat: Seat, op: Op) -> list[int]:
    """Payable directions of a double arrow: 0 gives the left side, 1 the right side."""
    return [way for way, side in enumerate(("a", "b")) if seat.can_pay(op[side])]


def exchange(table: Table, ctx: Context, op: Op) -> Play[None]:
    """Exchange once, in either direction (rulebook: Exchange)."""
    ways = exchange_directions(ctx.seat, op)
    if not ways:
        return
    way = ways[0]
    if len(ways) > 1:
        way = (yield Question("EXCHANGE", ctx.seat.place, [OPTION + way for way in ways])) - OPTION
    ctx.seat.pay(op["ab"[way]])
    ctx.seat.gain(op["ba"[way]])


def gain_choice(table: Table, ctx: Context, op: Op) -> Play[None]:
    """Gain one of several bundles (rulebook: Effect Timing, the slash)."""
    chosen = 0
    if len(op["options"]) > 1:
        ids = [OPTION + i for i in range(len(op["options"]))]
        chosen = (yield Question("GAIN", ctx.seat.place, ids)) - OPTION
    ctx.seat.gain(op["options"][chosen])


# --- Effects on other players ---


def each_opponent_discards(table: Table, ctx: Context, op: Op) -> Play[None]:
    """Every opponent with enough cards discards, in turn order from the first player (rulebook: Darloks)."""
    for other in table.from_first():
        if other is not ctx.seat and len(other.hand) >= op["if_hand_at_least"]:
            yield from discard(table, other, op["n"])


def discard_or_loyalty(table: Table, ctx: Context, op: Op) -> Play[None]:
    """The attacked player gives up cards or loyalty (rulebook: Destroyer)."""
    victim = ctx.attacked
    assert victim is not None
    cards = False
    if len(victim.hand) >= op["cards"]:
        cards = (yield Question("VICTIM", victim.place, [OPTION, OPTION + 1])) == OPTION
    if cards:
        yield from discard(table, victim, op["cards"])
    else:
        victim.change_loyalty(op["loyalty"])


def block_slot(table: Table, ctx: Context, op: Op) -> Play[None]:
    """A cube of the victim's own reserve occupies a free slot of the victim (rulebook: Battleship)."""
    victim = ctx.attacked
    assert victim is not None
    free = {OPP_SLOT + source: thing for source, thing in victim.working() if thing.face["slot"] and not thing.cube}
    if free and victim.reserve > 0:
        answer = yield Question("BLOCK", ctx.seat.place, sorted(free))
        victim.cube_on(free[answer])


def bury_working(table: Table, ctx: Context, op: Op) -> Play[None]:
    """A working card of the victim goes to the bottom of its system (rulebook: Landing Craft)."""
    victim = ctx.attacked
    assert victim is not None
    places = [where for where, system in enumerate(victim.systems) if system]
    if not places:
        return
    system = victim.systems[(yield Question("BURY", ctx.seat.place, [OPP_SLOT + where for where in places])) - OPP_SLOT]
    if len(system) > 1:
        top = system.pop()
        victim.cube_off(top)
        system.insert(0, top)


def dismiss_advisor(table: Table, ctx: Context, op: Op) -> Play[None]:
    """Send an opponent's advisor back to the table (rulebook: Spy Training Camp)."""
    steps = range(1, len(table.seats))
    answer = yield Question("DISMISS", ctx.seat.place, [TARGET + step - 1 for step in steps])
    target = table.clockwise(ctx.seat, answer - TARGET + 1)
    if target.advisor and not target.advisor.permanent:
        table.drop_advisor(target)


# --- Effects on the own systems ---


def reorder_system(table: Table, ctx: Context, op: Op) -> Play[None]:
    """Put the cards of one system in any order, named from the top down (rulebook: Communications Satellite)."""
    seat = ctx.seat
    options = [OWN_SYSTEM + where for where, system in enumerate(seat.systems) if len(system) > 1]
    answer = yield Question("REORDER", seat.place, [*options, NO] if ctx.may else options)
    if answer == NO:
        return
    system = seat.systems[answer - OWN_SYSTEM]
    old_top, left, new = system[-1], list(system), list[Card]()
    while left:
        options = sorted({CARD + card.index for card in left})
        design = (yield Question("REORDER_CARD", seat.place, options)) - CARD
        # Of twins the lower one goes first, so the old top card stays on top only if it has no twin here.
        card = next(card for card in left if card.index == design)
        left.remove(card)
        new.insert(0, card)
    system[:] = new
    if system[-1] is not old_top:
        seat.cube_off(old_top)


def gain_by_covered(table: Table, ctx: Context, op: Op) -> None:
    """Gain by the color of the building right under this one (rulebook: Tax Office)."""
    assert isinstance(ctx.card, Card)
    system = ctx.seat.systems[ctx.seat.system_of(ctx.card)]
    depth = system.index(ctx.card)
    if depth > 0:
        ctx.seat.gain(op[system[depth - 1].face["color"]])


def gain_vp(table: Table, ctx: Context, op: Op) -> None:
    """Gain points: a number, or one for every so many own systems, rounded up (rulebook: Titan)."""
    n = op["n"]
    if isinstance(n, dict):
        assert n["per"] == "own_systems"
        systems = sum(bool(system) for system in ctx.seat.systems[:ALLUVIA_SYSTEM])
        systems += any(True for _ in ctx.seat.statics("extra_system"))
        n = -(-systems // n["div"])
    ctx.seat.vp += n


def if_working_color(table: Table, ctx: Context, op: Op) -> Play[None]:
    """Go on only with a working building of a color (rulebook: Automated Laboratory)."""
    if any(system and system[-1].face["color"] == op["color"] for system in ctx.seat.systems):
        for then in op["then"]:
            yield from apply_op(table, ctx, then)


def draw_discard(table: Table, ctx: Context, op: Op) -> Play[None]:
    """Draw, then discard from the whole hand."""
    yield from draw(table, ctx.seat, op["draw"])
    yield from discard(table, ctx.seat, op["discard"])


def opponent_loyalty(table: Table, ctx: Context, op: Op) -> None:
    """The attacked player loses loyalty (rulebook: Death Star)."""
    assert op["target"] == "attacked" and ctx.attacked is not None
    ctx.attacked.change_loyalty(op["n"])


def draw_op(table: Table, ctx: Context, op: Op) -> Play[None]:
    """Draw cards."""
    yield from draw(table, ctx.seat, op["n"])


# --- The whole vocabulary ---

PLAIN: dict[str, Callable[[Table, Context, Op], None]] = {
    "gain": lambda table, ctx, op: ctx.seat.gain(op["res"]),
    "loyalty": lambda table, ctx, op: ctx.seat.change_loyalty(op["n"]),
    "vp": gain_vp,
    "action": lambda table, ctx, op: ctx.seat.take_actions(op["n"]),
    "gain_by_covered": gain_by_covered,
    "store_cube": lambda table, ctx, op: None,  # the cube in the slot is the effect
    "opp_loyalty": opponent_loyalty,
}

ASKING: dict[str, Callable[[Table, Context, Op], Play[None]]] = {
    "gain_choice": gain_choice,
    "exchange": exchange,
    "draw": draw_op,
    "draw_discard": draw_discard,
    "build": build_by_effect,
    "activate_others": activate_others,
    "take_discard": take_discard,
    "reorder_system": reorder_system,
    "if_working_color": if_working_color,
    "opp_discard": each_opponent_discards,
    "opp_discard_or_loyalty": discard_or_loyalty,
    "block_slot": block_slot,
    "bury_working": bury_working,
    "dismiss_advisor": dismiss_advisor,
}


def apply_op(table: Table, ctx: Context, op: Op) -> Play[None]:
    """Apply one effect, as fully as possible."""
    if op["op"] in PLAIN:
        PLAIN[op["op"]](table, ctx, op)
    else:
        yield from ASKING[op["op"]](table, ctx, op)


# --- Effects that several cards have at once ---


def in_own_order(
    seat: Seat, kind: str, ready: Callable[[], dict[int, Any]], use: Callable[[Any], Play[None]]
) -> Play[None]:
    """Apply simultaneous effects, each once, in the order its owner likes; a single one needs no question.

    `ready` lists, anew before each step, the sources that can apply by number; `use` applies what stands there.
    """
    done: list[Any] = []
    while True:
        open_now = {source: thing for source, thing in ready().items() if not any(thing is old for old in done)}
        if not open_now:
            return
        source = min(open_now)
        if len(open_now) > 1:
            source = (yield Question(kind, seat.place, [SOURCE + s for s in sorted(open_now)])) - SOURCE
        done.append(open_now[source])
        yield from use(open_now[source])


def can_trigger(seat: Seat, thing: Card | Advisor, victim: Seat) -> bool:
    """After an attack: an R card needs a free slot, a cube for it and something to do."""
    face = thing.face
    if face["timing"] != "after_attack":
        return False
    if face["slot"] is None:
        return True
    only_buries = all(op["op"] == "bury_working" for op in face["effect"])
    return not thing.cube and seat.reserve > 0 and not (only_buries and not victim.buildings())


def after_attack(table: Table, seat: Seat, victim: Seat) -> Play[None]:
    """The attacker's cards in chosen order, then the victim's answers (rulebook: Effect Timing, Star Fortress)."""

    def ready() -> dict[int, Any]:
        return {source: thing for source, thing in seat.working() if can_trigger(seat, thing, victim)}

    def use(thing: Card | Advisor) -> Play[None]:
        if thing.face["slot"]:
            seat.cube_on(thing)
        yield from apply_ability(table, thing.face, Context(seat, thing, thing.face["may"], victim))

    yield from in_own_order(seat, "TRIGGER", ready, use)
    for source, thing in victim.working():
        assert source <= ADVISOR_SOURCE
        if thing.face["timing"] == "after_attacked":
            for op in thing.face["effect"]:
                assert op["op"] == "opp_loyalty" and op["target"] == "attacker"
                seat.change_loyalty(op["n"])
