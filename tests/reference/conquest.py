"""Master of Orion: Conquest as a slow, plain reference, to be compared with the engine move by move.

Written from the rulebook and the rulings, not from the compiled engine: the whole game is one coroutine that yields
each question and is sent the answer, so the order of things is the order of the text below.

Questions with a single answer are asked all the same, except those without secrets: which neighbour, where own damage
goes, which Planet is replaced, where a Base or Tech goes, which card a gift lies on. A rotation is asked only if the
Row has room and a card lies on the deck; tokens only while there is a place for one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

from .conquest_attack import Attack
from .conquest_effects import Effects
from .conquest_table import Face, Fleet, Player, World, faces, load

CHANCE, TERMINAL = -1, -2
Ask = Generator[tuple[int, dict[int, int]], int, Any]


class GameOverError(Exception):
    """The game has ended."""


class OutError(Exception):
    """The active player is out: the turn ends at once."""


class Reference(Effects, Attack):
    """A game. `mover`, `legal` and `weights` say what is asked; `apply` answers."""

    def __init__(self, factions: Sequence[str], end: str = "first_fall", max_rounds: int = 100) -> None:
        """factions: of each seat; "dealt" by chance, "mirror" as dealt to seat 0."""
        self.content = load()
        self.k = self.content["constants"]
        self.faces = faces(self.content)
        self.players = [Player(seat) for seat in range(len(factions))]
        self.wishes, self.end, self.max_rounds = list(factions), end, max_rounds
        self.names = list(self.content["factions"])
        self.explore: list[Face] = []
        self.tokens: list[Counter[int]] = []
        self.top: Face | None = None
        self.top_tokens: Counter[int] = Counter()
        self.fresh = False
        self.deck: Counter[int] = Counter()
        self.recycled: list[Face] = []
        self.held: Face | None = None
        self.gone = self.round = self.first = self.active = 0
        self.winner: int | None = None
        self.fleets: list[Fleet] = []
        self.foes: list[int] = []
        self.clear_turn()
        self.mover, self.legal, self.weights = TERMINAL, [0], [0]
        self.run = self.course()
        self.listen(None)

    def listen(self, answer: int | None) -> None:
        try:
            self.mover, options = next(self.run) if answer is None else self.run.send(answer)
            self.legal = sorted(options)
            self.weights = [options[a] for a in self.legal]
        except StopIteration:
            self.mover, self.legal, self.weights = TERMINAL, [], []

    def apply(self, action: int) -> None:
        assert action in self.legal
        self.listen(action)

    # questions

    def ask(self, seat: int, options: Sequence[int], skip: bool = False) -> Ask:
        if skip and len(options) == 1:
            return options[0]
        answer = yield seat, dict.fromkeys(options, 1)
        return answer

    def chance(self, options: dict[int, int]) -> Ask:
        answer = yield CHANCE, {a: n for a, n in options.items() if n}
        return answer

    # the course of the game

    def clear_turn(self) -> None:
        self.money: Counter[str] = Counter()
        self.ready: Counter[int] = Counter()
        self.used: Counter[int] = Counter()
        self.classes: set[str] = set()
        self.cp_gained = self.cp_spent = 0
        self.attacked = False
        for player in self.players:
            for world in (player.home, *player.places):
                if world:
                    world.acquired_now = world.upgraded_now = world.used_now = False

    def course(self) -> Ask:
        yield from self.set_up()
        try:
            self.round, self.active = 1, self.first
            while True:
                try:
                    yield from self.turn(self.players[self.active])
                except OutError:
                    self.clear_turn()
                    yield from self.settle()
                self.pass_on()
        except GameOverError:
            for fleet in self.fleets:
                self.used.update(fleet.ships)
            self.fleets, self.foes = [], []

    def pass_on(self) -> None:
        seat = self.active
        while True:
            seat = (seat + 1) % len(self.players)
            if seat == self.first:
                if self.round == self.max_rounds:
                    raise GameOverError
                self.round += 1
            if not self.players[seat].fallen:
                self.active = seat
                return

    def set_up(self) -> Ask:
        decks = self.k["exploration_decks"][len(self.players)]
        for face in self.faces:
            if face.kind != "planet" or "back" in face.data:
                self.deck[face.number] = decks * face.data.get("copies", 1)
        upgraded = self.k["home_world_start"][len(self.players)] == "back"
        taken = [w for w in self.wishes if w in self.names]
        for p, wish in zip(self.players, self.wishes, strict=True):
            name = wish
            if wish == "dealt" or (wish == "mirror" and p.seat == 0):
                names = {334 + i: 1 for i, n in enumerate(self.names) if n not in taken}
                name = self.names[(yield from self.chance(names)) - 334]
                taken.append(name)
            elif wish == "mirror":
                name = self.players[0].faction
            p.begin(name, self.content["factions"][name], upgraded)
        self.first = self.active = (yield from self.chance({240 + p.seat: 1 for p in self.players})) - 240
        yield from self.reveal(planets_only=True)
        for p in self.players:
            yield from self.refill(p)
        for i in range(len(self.players)):
            p = self.players[(self.first + i) % len(self.players)]
            yield from self.draw(p, self.k["first_player_hand"] if i == 0 else self.k["hand"])

    def turn(self, p: Player) -> Ask:
        for i in range(2):
            world = p.places[i]
            hurt = world.face.data.get("mods", {}).get("upkeep_damage", 0) if world and world.face else 0
            if hurt:
                yield from self.own_damage(p, hurt)
        self.money["general"] = p.production()
        yield from self.settle()
        while (yield from self.action(p, True)):
            yield from self.settle()
        while (yield from self.action(p, False)):
            yield from self.settle()
        yield from self.station(p)
        p.discard += self.ready + self.used + p.hand
        p.hand, p.known = Counter(), Counter()
        self.clear_turn()
        yield from self.draw(p, self.k["hand"])

    # cards

    def draw(self, p: Player, n: int) -> Ask:
        for _ in range(n):
            if p.faceup is not None:
                p.hand[p.faceup] += 1
                p.known[p.faceup] += 1
                p.faceup = None
                continue
            if not p.deck.total():
                if not p.discard.total():
                    return
                p.deck, p.discard = +p.discard, Counter()
            t = (yield from self.chance({244 + t: n for t, n in p.deck.items()})) - 244
            p.deck[t] -= 1
            p.hand[t] += 1
            self.look(p)

    def look(self, p: Player) -> None:
        if not p.deck.total():
            p.known = +p.hand

    def leave_hand(self, p: Player, t: int) -> None:
        p.hand[t] -= 1
        if p.known[t]:
            p.known[t] -= 1

    def refill(self, p: Player) -> Ask:
        for slot in range(self.k["empire_row"]):
            if p.row[slot] is None and p.empire.total():
                t = (yield from self.chance({268 + t: n for t, n in p.empire.items()})) - 268
                p.empire[t] -= 1
                p.row[slot] = t

    def clear_slot(self, p: Player, slot: int) -> int:
        t, p.row[slot], p.accrued[slot] = p.row[slot], None, 0
        assert t is not None
        return t

    # totals and neighbours

    def living(self) -> list[Player]:
        return [p for p in self.players if not p.fallen]

    def neighbours(self, p: Player) -> list[Player]:
        """Left, then right if that is somebody else."""
        n = len(self.players)
        around = [self.players[(p.seat + i) % n] for i in range(1, n)]
        around = [q for q in around if not q.fallen]
        return around if len(around) < 2 else [around[0], around[-1]]

    def extreme(self, highest: bool) -> Player | None:
        costs = [(q.total_cost(), q) for q in self.living()]
        if not any(q.planets() for _, q in costs):
            return None
        best = (max if highest else min)(cost for cost, _ in costs)
        found = [q for cost, q in costs if cost == best]
        return found[0] if len(found) == 1 else None

    # the Exploration Deck

    def capacity(self) -> int:
        return int(self.k["exploration_row"] + self.k["exploration_row_per_extra_player"] * (len(self.players) - 2))

    def reveal(self, planets_only: bool = False) -> Ask:
        faces_left = {292 + f: n for f, n in self.deck.items() if not planets_only or self.faces[f].kind == "planet"}
        face = self.faces[(yield from self.chance(faces_left)) - 292]
        self.deck[face.number] -= 1
        self.show(face)

    def show(self, face: Face) -> None:
        self.top, self.top_tokens, self.fresh = replace(face), Counter(), face.kind != "planet"

    def top_to_row(self) -> None:
        assert self.top is not None
        self.explore.append(self.top)
        self.tokens.append(self.top_tokens)
        self.top, self.top_tokens, self.fresh = None, Counter(), False

    def take_slot(self, slot: int) -> Face:
        if slot < 5:
            self.tokens.pop(slot)
            return self.explore.pop(slot)
        face = self.top
        assert face is not None
        self.top, self.top_tokens, self.fresh = None, Counter(), False
        return face

    def settle(self) -> Ask:
        while True:
            if self.top is None and self.deck.total():
                yield from self.reveal()
            elif self.top is None and self.recycled:
                self.show(self.recycled.pop(0))
            elif self.top and self.fresh:
                self.fresh = False
                yield from self.instants(self.top)
            elif self.top and self.top.kind == "event":
                self.top = None
                self.gone += 1
            elif not self.rove():
                if not (self.top and self.top.kind == "hazard" and len(self.explore) < self.capacity()):
                    return
                self.top_to_row()

    def rove(self) -> bool:
        slots = [*range(len(self.explore)), *([5] if self.top else [])]
        for slot in slots:
            face = self.top if slot == 5 else self.explore[slot]
            q = self.extreme(True)
            if face and face.data.get("roving") and q and q.free_place():
                q.places[q.free_place() - 1] = World(self.take_slot(slot), {}, None)
                return True
        return False

    # damage and loss

    def own_damage(self, p: Player, n: int) -> Ask:
        options = [174 + w for w, _ in p.worlds()] + [177 + w for w, world in p.worlds() if world.base is not None]
        answer = yield from self.ask(p.seat, options, skip=True)
        world = dict(p.worlds())[(answer - 174) % 3]
        self.hit(p, world, n, past_base=answer < 177)

    def hit(self, p: Player, world: World, n: int, past_base: bool) -> None:
        if world.base is not None and not past_base:
            absorbed = min(n, p.base_left(world))
            world.base_damage += absorbed
            n -= absorbed
            if not p.base_left(world):
                self.drop_base(p, world)
        if n > 0:
            world.damage += n
            if p.left(world) <= 0:
                if world is p.home:
                    self.fall(p)
                else:
                    self.recycle_world(p, world)

    def drop_base(self, p: Player, world: World) -> None:
        if world.base is not None:
            p.discard[world.base] += 1
        world.base, world.base_damage = None, 0

    def recycle_world(self, p: Player, world: World) -> None:
        self.drop_base(p, world)
        p.discard.update(world.attached)
        p.places[p.places.index(world)] = None
        assert world.face is not None
        self.recycled.append(world.face)

    def fall(self, p: Player) -> None:
        p.fallen = 1 + max(q.fallen for q in self.players)
        if self.end == "first_fall":
            if p.seat != self.active:
                self.winner = self.active
            raise GameOverError
        if p.seat == self.active and self.held:
            self.recycled.append(self.held)
            self.held = None
        self.recycled += [w.face for w in p.places if w and w.face]
        out = Player(p.seat)
        out.faction, out.cards, out.fallen = p.faction, p.cards, p.fallen
        out.scrapped = sum(card.get("copies", 1) for card in p.cards)
        p.__dict__.update(out.__dict__)
        for tokens in (*self.tokens, self.top_tokens):
            tokens[p.seat] = 0
        if p.seat == self.active:
            self.fleets, self.foes = [], []
            self.clear_turn()
        if len(self.living()) == 1:
            raise GameOverError
        if p.seat == self.active:
            raise OutError

    # what a player may do in the turn

    def points(self) -> int:
        return int(self.k["command_points"][len(self.classes)]) + self.cp_gained - self.cp_spent

    def slots(self) -> list[tuple[int, Face, Counter[int]]]:
        found = [(i, face, self.tokens[i]) for i, face in enumerate(self.explore)]
        return found + ([(5, self.top, self.top_tokens)] if self.top else [])

    def frozen(self) -> bool:
        return any(face.data.get("mods", {}).get("freeze_tokens") for _, face, _ in self.slots())

    def price(self, p: Player, face: Face, tokens: Counter[int], frozen: bool) -> int:
        cost = int(face.data["front"]["cost"])
        return cost if frozen else max(self.k["planet_min_cost"], cost - tokens[p.seat])

    def token_slots(self, p: Player) -> list[int]:
        planets = [(i, face, tokens) for i, face, tokens in self.slots() if face.kind == "planet"]
        return [i for i, face, tokens in planets if self.price(p, face, tokens, False) > self.k["planet_min_cost"]]

    def at_any_time(self, p: Player) -> list[int]:
        options = [79 + w for w, world in p.worlds() if self.usable(p, world, False)]
        for i, face in enumerate(self.explore):
            if face.kind == "planet" and self.recycle_price(p, i) <= self.points():
                options.append(82 + i)
            hazard = face.kind == "hazard" and self.points() >= self.k["cp_uses"]["recycle_hazard"]
            if hazard and self.planet_in_deck():
                options.append(87 + i)
        return options + [232 + w for w, world in p.worlds() if world.base is not None] + [230]

    def planet_in_deck(self) -> bool:
        below = [self.faces[f] for f, n in self.deck.items() if n] + self.recycled
        return any(face.kind == "planet" for face in [*below, *([self.top] if self.top else [])])

    def recycle_price(self, p: Player, slot: int) -> int:
        enemy = any(n for seat, n in self.tokens[slot].items() if seat != p.seat)
        return int(self.k["cp_uses"]["recycle_planet_enemy_tokens" if enemy else "recycle_planet"])

    def main_options(self, p: Player) -> list[int]:
        hand = [t for t, n in p.hand.items() if n]
        options = [t for t in hand if p.card(t).get("kind") != "scout" and self.can_attach(p, t)]
        options += [24 + t for t, n in self.ready.items() if n and p.card(t).get("or_ability")]
        budget = self.money["empire"] + self.money["general"] + self.money["factory"] + self.points()
        for slot, t in enumerate(p.row):
            missing = 0 if t is None else p.cost(t) - p.accrued[slot]
            options += [48 + slot] if 0 < missing <= budget else []
            options += [53 + slot] if missing > 1 and budget else []
        budget = self.money["colony"] + self.money["general"] + self.money["factory"]
        for i, face, tokens in self.slots():
            if face.kind == "planet" and self.price(p, face, tokens, self.frozen()) <= budget:
                options += [64 + i, *([58 + i] if p.free_place() or p.planets() else [])]
        for w, world in p.worlds():
            pays = self.money["general"] + self.money["factory"] if w == 0 else budget
            side = world.back and not world.upgraded and not world.acquired_now
            options += [70 + w] if side and world.front["cost"] <= pays else []
        options += self.repairs(p) if self.money["factory"] else []
        options += [92] if self.points() else []
        ships = any(n and p.is_ship(t) for t, n in self.ready.items())
        return options + ([100] if ships and not self.attacked else []) + self.at_any_time(p)

    def can_attach(self, p: Player, t: int) -> bool:
        attach = p.card(t).get("attach")
        return attach is None or attach["target"] != "planet" or bool(p.planets())

    def repairs(self, p: Player) -> list[int]:
        return [73 + w for w, world in p.worlds() if world.damage] + [
            76 + w for w, world in p.worlds() if world.base_damage
        ]

    def repair(self, p: Player, action: int) -> None:
        world = dict(p.worlds())[(action - 73) % 3]
        if action < 76:
            world.damage -= 1
        else:
            world.base_damage -= 1

    def usable(self, p: Player, world: World, fleet: bool) -> bool:
        parts = world.up.get("ability", [])
        if world.used_now or world.upgraded_now or not parts:
            return False
        if (parts[0]["op"] == "fleet_bonus") != fleet:
            return False
        return fleet or any(self.would_act(p, e["op"], e.get("n", 1)) for e in parts)

    def would_act(self, p: Player, op: str, n: int) -> bool:
        around = self.neighbours(p)
        return {
            "draw": bool(p.deck.total() or p.discard.total() or p.faceup is not None),
            "token": bool(self.token_slots(p)),
            "thin": bool(p.hand.total() or p.discard.total()),
            "opp_discard": any(q.hand.total() for q in around),
            "reveal_discard": any(q.deck.total() or q.faceup is not None for q in around),
            "row_scrap": any(self.scrappable(q, n) for q in around),
            "direct_damage": any(q.planets() for q in around),
            "repair": bool(self.repairs(p)),
        }.get(op, True)

    def action(self, p: Player, exploring: bool) -> Ask:
        """One action of a phase; False when the player is done with it."""
        if exploring:
            scouts = [t for t, n in p.hand.items() if n and p.card(t).get("kind") == "scout"]
            answer = yield from self.ask(p.seat, scouts + self.at_any_time(p))
        else:
            answer = yield from self.ask(p.seat, self.main_options(p))
        if answer == 230:
            return False
        if answer < 24:
            yield from self.play(p, answer)
        elif answer < 48:
            self.ready[answer - 24] -= 1
            self.used[answer - 24] += 1
            yield from self.effects(p, p.card(answer - 24)["or_ability"])
        elif answer < 58:
            yield from self.row_action(p, answer)
        elif answer < 70:
            yield from self.planet_action(p, answer)
        elif answer < 73:
            self.upgrade(p, answer - 70)
        elif answer < 79:
            self.money["factory"] -= 1
            self.repair(p, answer)
        elif answer < 82:
            world = dict(p.worlds())[answer - 79]
            world.used_now = True
            yield from self.effects(p, world.up["ability"])
        elif answer == 100:
            yield from self.attack(p)
        elif answer >= 232:
            self.drop_base(p, dict(p.worlds())[answer - 232])
        else:
            yield from self.spend_points(p, answer)
        return True

    def play(self, p: Player, t: int) -> Ask:
        card = p.card(t)
        self.leave_hand(p, t)
        if "attach" in card:
            target = card["attach"]["target"]
            self.used[t] += 1
            fits = [174 + w for w, _ in p.worlds() if target == "any" or (target == "homeworld") == (w == 0)]
            world = dict(p.worlds())[(yield from self.ask(p.seat, fits, skip=True)) - 174]
            self.used[t] -= 1
            world.attached.append(t)
            self.money["general"] += card["attach"].get("production", 0)
            return
        (self.ready if card["type"] in ("ship", "base") else self.used)[t] += 1
        if card.get("production"):
            self.money[card["kind"]] += card["production"]
        if card["type"] == "ship":
            self.classes.add(card["ship_class"])
        yield from self.effects(p, card.get("ability", []))

    def pay(self, kinds: Sequence[str], n: int) -> None:
        for kind in kinds:
            paid = min(n, self.money[kind])
            self.money[kind] -= paid
            n -= paid
        self.cp_spent += n

    def row_action(self, p: Player, action: int) -> Ask:
        kinds = ("empire", "general", "factory")
        if action >= 53:
            self.pay(kinds, 1)
            p.accrued[action - 53] += 1
            return
        slot = action - 48
        self.pay(kinds, p.cost(p.row[slot] or 0) - p.accrued[slot])
        p.discard[self.clear_slot(p, slot)] += 1
        yield from self.refill(p)

    def planet_action(self, p: Player, action: int) -> Ask:
        slot = (action - 58) % 6
        _, face, tokens = next(x for x in self.slots() if x[0] == slot)
        self.pay(("colony", "general", "factory"), self.price(p, face, tokens, self.frozen()))
        self.take_slot(slot)
        if action >= 64:
            self.recycled.append(face)
        else:
            yield from self.take_planet(p, face)

    def take_planet(self, p: Player, face: Face) -> Ask:
        place = p.free_place()
        if not place:
            self.held = face
            options = [174 + w for w, _ in p.planets()]
            place = (yield from self.ask(p.seat, options, skip=True)) - 174
            self.held = None
            self.recycle_world(p, dict(p.worlds())[place])
        front, back = face.data["front"], face.data.get("back")
        p.places[place - 1] = World(face, front, back, acquired_now=True)
        self.money["general"] += front["production"]

    def upgrade(self, p: Player, w: int) -> None:
        world = dict(p.worlds())[w]
        self.pay(("general", "factory") if w == 0 else ("colony", "general", "factory"), world.front["cost"])
        world.upgraded = world.upgraded_now = True

    def spend_points(self, p: Player, action: int) -> Ask:
        if action == 92:
            self.cp_spent += 1
            self.money["empire"] += 1
        elif action < 87:
            self.cp_spent += self.recycle_price(p, action - 82)
            self.recycled.append(self.take_slot(action - 82))
        else:
            self.cp_spent += self.k["cp_uses"]["recycle_hazard"]
            shuffled = [self.take_slot(action - 87), *self.recycled, *([self.take_slot(5)] if self.top else [])]
            self.recycled = []
            self.deck.update(face.number for face in shuffled)
            yield from self.reveal(planets_only=True)

    def station(self, p: Player) -> Ask:
        while True:
            bases = sorted(t for t, n in self.ready.items() if n and p.card(t)["type"] == "base")
            if not bases:
                return
            waiting = sum(self.ready[t] for t in bases)
            free = [174 + w for w, world in p.worlds() if world.base is None]
            answer = 230
            if free:
                answer = yield from self.ask(p.seat, free + ([230] if waiting > len(free) else []), skip=True)
            self.ready[bases[0]] -= 1
            if answer == 230:
                self.used[bases[0]] += 1
            else:
                dict(p.worlds())[answer - 174].base = bases[0]

    # the end

    def ahead(self, a: Player, b: Player) -> int:
        """1 if a is ahead of b, -1 behind, 0 tied."""

        def rank(q: Player) -> tuple[Any, ...]:
            if q.fallen:
                return (0, q.fallen)
            played = Counter[int]()
            if q.seat == self.active:
                played = self.ready + self.used + Counter(t for fleet in self.fleets for t in fleet.ships)
            cost = sum(q.cost(t) * n for t, n in (q.owned() + played).items())
            return (2 if q.seat == self.winner else 1, q.share(), q.total_cost(), cost)

        one, two = rank(a), rank(b)
        return (one > two) - (one < two)

    def returns(self, placement: bool = True) -> list[float]:
        others = len(self.players) - 1
        table = [[self.ahead(a, b) for b in self.players if b is not a] for a in self.players]
        if placement:
            return [sum(row) / others for row in table]
        first = [i for i, row in enumerate(table) if min(row) >= 0]
        share = (len(self.players) - len(first)) / others / len(first)
        return [share if i in first else -1 / others for i in range(len(self.players))]
