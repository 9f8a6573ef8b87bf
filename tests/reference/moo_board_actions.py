"""Master of Orion: The Board Game, the eight actions (rulebook: Phase 2)."""

from .moo_board_effects import (
    Play,
    Question,
    activate,
    after_attack,
    build,
    build_options,
    can_activate,
    discard,
    draw,
)
from .moo_board_table import (
    ATTACK,
    BUILD,
    CARD,
    DEAL,
    EXPLOIT,
    EXPLORE,
    NO,
    PROPAGANDA,
    SOURCE,
    TRADE,
    Seat,
    Table,
)


def main_options(table: Table, seat: Seat) -> list[int]:
    """All actions a seat with a cube may take now; Explore is always among them."""
    options = [EXPLOIT + design for design in seat.designs()]
    options += build_options(seat, None, seat.open_systems(), by_action=True, extra=0)
    options.append(EXPLORE)
    if not seat.propaganda_used:
        options.append(PROPAGANDA)
    options += trade_options(seat)
    options += [
        ATTACK + step - 1 for step in range(1, len(table.seats)) if can_attack(table, seat, table.clockwise(seat, step))
    ]
    if can_deal(table, seat):
        options += sorted(DEAL + advisor.index for advisor in table.advisors)
    options += [SOURCE + source for source, thing in seat.working() if can_activate(seat, thing)]
    return options


def take_action(table: Table, seat: Seat) -> Play[None]:
    """One action of a player: choose it, move the cube, carry it out with all that follows."""
    answer = yield Question("MAIN", seat.place, main_options(table, seat))
    seat.available -= 1
    if answer >= SOURCE:
        thing = dict(seat.working())[answer - SOURCE]
        thing.cube = True  # the action cube goes into the A slot
        yield from activate(table, seat, thing)
    elif answer >= DEAL:
        seat.spent += 1
        yield from deal(table, seat, answer - DEAL)
    elif answer >= ATTACK:
        yield from attack(table, seat, table.clockwise(seat, answer - ATTACK + 1))
    elif answer >= TRADE:
        seat.spent += 1
        yield from trade(seat, answer)
    elif answer == PROPAGANDA:
        seat.spent += 1
        seat.propaganda_used = True
        seat.change_loyalty(table.constants["propaganda"])
    elif answer == EXPLORE:
        seat.spent += 1
        yield from draw(table, seat, 2 + seat.static_sum("explore_bonus"))
    elif answer >= BUILD:
        seat.spent += 1
        yield from build(table, seat, answer, by_action=True, extra=0)
    else:
        seat.spent += 1
        yield from exploit(table, seat, answer - EXPLOIT)


def exploit(table: Table, seat: Seat, design: int) -> Play[None]:
    """Discard a card for resources by its color; a gray one draws four and discards one of them (rulebook: Exploit)."""
    card = seat.hand_card(design)
    color = card.face["color"]
    table.throw(seat, card)
    for bonus in seat.statics("exploit_bonus"):
        assert not bonus["once_per_round"]
        if bonus["color"] in (None, color):
            seat.gain(bonus["res"])
    gives = table.constants["exploit"][color]
    if color != "gray":
        seat.gain(gives)
        return
    drawn = yield from draw(table, seat, gives["draw"])
    if any(True for _ in seat.statics("gray_exploit_keep_all")):
        return
    for _ in range(min(gives["discard"], len(drawn))):
        answer = yield Question("GRAY", seat.place, sorted({CARD + card.index for card in drawn}))
        thrown = seat.hand_card(answer - CARD, among=drawn)
        drawn.remove(thrown)
        table.throw(seat, thrown)


def attack_cost(table: Table, target: Seat) -> int:
    """Fleet that an attack on a seat costs (rulebook: Attack, Ground Batteries)."""
    return int(table.constants["attack_cost"]) + target.static_sum("attack_cost_vs_me")


def can_attack(table: Table, seat: Seat, target: Seat) -> bool:
    """Limit of the round, comparison with phantom Fleet, price in real Fleet (rulebook: Attack, Vail)."""
    limit = table.constants["attacks_per_opponent"][str(len(table.seats))]
    fleet = seat.stock["fleet"]
    return (
        seat.attacks[target.place] < limit
        and fleet + seat.static_sum("attack_compare") >= target.stock["fleet"]
        and fleet >= attack_cost(table, target)
    )


def attack(table: Table, seat: Seat, target: Seat) -> Play[None]:
    """Marker, price, loss and points, then the cards of both sides (rulebook: Attack)."""
    seat.attacks[target.place] += 1
    seat.pay({"food": 0, "fleet": attack_cost(table, target), "production": 0})
    target.change_loyalty(table.constants["attack_loyalty"])
    seat.vp += table.constants["attack_vp"]
    yield from after_attack(table, seat, target)


def trade_options(seat: Seat) -> list[int]:
    """Exchanges of the board that can be paid."""
    assert seat.race is not None
    return [TRADE + i for i, row in enumerate(seat.race["trade"]) if seat.can_pay(row["give"])]


def trade(seat: Seat, answer: int) -> Play[None]:
    """One exchange, and as many more as working cards grant, until declined (rulebook: Trade)."""
    assert seat.race is not None
    more = seat.static_sum("extra_trade")
    while True:
        row = seat.race["trade"][answer - TRADE]
        seat.pay(row["give"])
        seat.gain(row["get"])
        if more == 0:
            return
        more -= 1
        answer = yield Question("TRADE_MORE", seat.place, [*trade_options(seat), NO])
        if answer == NO:
            return


def can_deal(table: Table, seat: Seat) -> bool:
    """Three cards to discard, and no advisor that stays for ever (rulebook: Deal)."""
    bound = seat.advisor is not None and seat.advisor.permanent
    return not bound and len(seat.hand) >= table.constants["deal_cards"]


def deal(table: Table, seat: Seat, index: int) -> Play[None]:
    """Discard three cards, send the old advisor back, take the named one (rulebook: Deal)."""
    yield from discard(table, seat, table.constants["deal_cards"])
    if seat.advisor:
        table.drop_advisor(seat)
    advisor = next(advisor for advisor in table.advisors if advisor.index == index)
    table.advisors.remove(advisor)
    seat.advisor = advisor
