"""Master of Orion: Conquest as a slow, plain reference: the attack (see `conquest`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from typing import Any

from .conquest_table import Face, Fleet, Player, World, formations

Ask = Generator[tuple[int, dict[int, int]], int, Any]


class Attack:
    """Fleets, Defense and what they do; mixed into the reference."""

    players: list[Player]
    explore: list[Face]
    ready: Counter[int]
    used: Counter[int]
    fleets: list[Fleet]
    foes: list[int]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def targets(self, p: Player) -> dict[int, Any]:
        """All things that could be a target, by id, with what they are now."""
        found: dict[int, Any] = {}
        for i, seat in enumerate(self.foes):
            q = self.players[seat]
            found.update({100 + 3 * i + w: (q, w, world) for w, world in q.planets()})
            found[103 + 3 * i] = (q, 0, q.home)
            rows = [(slot, t) for slot, t in enumerate(q.row) if t is not None and q.card(t)["type"] != "tech"]
            found.update({114 + 5 * i + slot: (q, slot, t) for slot, t in rows})
        found.update({107 + i: face for i, face in enumerate(self.explore) if face.kind == "hazard"})
        found.update({111 + w: world for w, world in p.rovers()})
        return found

    def value(self, p: Player, fleet: Fleet) -> tuple[int, int, bool]:
        """A, U and whether Bases are ignored."""
        mods = [p.card(t).get("mods", {}) for t in fleet.ships]
        total = sum(p.card(t)["attack"] for t in fleet.ships) + formations(p, fleet.ships) + fleet.extra
        if fleet.target in (101, 102, 104, 105):
            total += sum(m.get("vs_planet", 0) for m in mods)
        sure = min(total, sum(m.get("unblockable", 0) for m in mods))
        return total, sure, any(m.get("ignore_base") for m in mods)

    def reduction(self, q: Player, world: World, ignores: bool) -> int:
        less = q.attach_sum(world, "shield")
        if world.base is not None and not ignores:
            less += q.card(world.base).get("mods", {}).get("intercept", 0)
        return less

    def exposed(self, p: Player, q: Player) -> bool:
        """Whether the Home World of q may be attacked."""
        for _, world in q.planets():
            fleet = next((f for f in self.fleets if isinstance(f.aim, tuple) and f.aim[2] is world), None)
            if fleet is None:
                return False
            total, _, ignores = self.value(p, fleet)
            need = q.left(world) + (0 if ignores else q.base_left(world))
            if total - self.reduction(q, world, ignores) < need:
                return False
        return True

    def attack(self, p: Player) -> Ask:
        self.attacked = True
        self.foes = [q.seat for q in self.neighbours(p)]
        yield from self.assign(p)
        for i, seat in enumerate(self.foes):
            for fleet in self.fleets:
                planets = range(101 + 3 * i, 104 + 3 * i)
                if fleet.target in planets or fleet.target in range(114 + 5 * i, 119 + 5 * i):
                    yield from self.defend(self.players[seat], fleet)
        for fleet in self.fleets:
            yield from self.resolve(p, fleet)
        for fleet in self.fleets:
            self.used.update(fleet.ships)
        self.fleets, self.foes = [], []

    def assign(self, p: Player) -> Ask:
        while True:
            fleet = self.fleets[-1] if self.fleets else None
            ships = sorted(t for t, n in self.ready.items() if n and p.is_ship(t))
            options, aims = [], self.targets(p)
            if ships and (fleet is None or fleet.ships):
                for target, aim in aims.items():
                    home = target in (103, 106)
                    if target > (fleet.target if fleet else 0) and (not home or self.exposed(p, aim[0])):
                        options.append(target)
            if fleet:
                options += [124 + t for t in ships if t >= (fleet.ships[-1] if fleet.ships else 0)]
            if fleet and fleet.ships:
                options += [79 + w for w, world in p.worlds() if self.usable(p, world, True)]
                options += [148] if self.points() else []
                options.append(149)
            answer = yield from self.ask(p.seat, options)
            if answer == 149:
                return
            if answer < 82:
                world = dict(p.worlds())[answer - 79]
                world.used_now = True
                self.fleets[-1].extra += world.up["ability"][0]["n"]
            elif answer < 124:
                self.fleets.append(Fleet(answer, aim=aims[answer]))
            elif answer == 148:
                self.cp_spent += 1
                self.fleets[-1].extra += 1
            else:
                self.ready[answer - 124] -= 1
                self.fleets[-1].ships.append(answer - 124)

    def defend(self, q: Player, fleet: Fleet) -> Ask:
        scrapped: list[int] = []
        while q.hand.total():
            least = scrapped[-1] if scrapped else 0
            ships = [150 + t for t, n in q.hand.items() if n and q.is_ship(t) and t >= least]
            answer = yield from self.ask(q.seat, [*ships, 230])
            if answer == 230:
                break
            self.leave_hand(q, answer - 150)
            q.scrapped += 1
            scrapped.append(answer - 150)
        bonus = sum(q.card(t).get("mods", {}).get("defense_bonus", 0) for t in scrapped)
        fleet.block = sum(q.card(t)["attack"] for t in scrapped) + bonus + formations(q, scrapped)

    def resolve(self, p: Player, fleet: Fleet) -> Ask:
        total, sure, ignores = self.value(p, fleet)
        if isinstance(fleet.aim, Face | World):
            yield from self.beat(p, fleet.aim, total)
            return
        q, number, aim = fleet.aim
        if q.fallen:
            return
        total = max(total - fleet.block, sure)
        if isinstance(aim, World):
            left = total - self.reduction(q, aim, ignores)
            if left > 0:
                self.hit(q, aim, left, past_base=ignores)
        elif total * self.k["empire_row_damage_per_attack"] >= q.cost(aim):
            self.clear_slot(q, number)
            q.scrapped += 1
            yield from self.refill(q)

    def beat(self, p: Player, aim: Face | World, total: int) -> Ask:
        face = aim.face if isinstance(aim, World) else aim
        assert face is not None
        if total < face.data["population"]:
            return
        if isinstance(aim, World):
            p.places[p.places.index(aim)] = None
        else:
            self.take_slot(next(i for i, card in enumerate(self.explore) if card is aim))
        self.held = face.back
        if face.back is None:
            self.gone += 1
        if face.data.get("attack"):
            yield from self.own_damage(p, face.data["attack"])
        if face.back is None:
            return
        taken = False
        if p.free_place() or p.planets():
            taken = (yield from self.ask(p.seat, [230, 231])) == 231
        self.held = None
        if taken:
            yield from self.take_planet(p, face.back)
        else:
            self.recycled.append(face.back)
