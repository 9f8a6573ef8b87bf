"""Master of Orion: Conquest as a slow, plain reference: abilities, events and hazards (see `conquest`)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from .conquest_table import Face, Player

Ask = Generator[tuple[int, dict[int, int]], int, Any]


class Effects:
    """What cards, worlds and revealed cards do; mixed into the reference."""

    players: list[Player]
    explore: list[Face]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def effects(self, p: Player, parts: Sequence[dict[str, Any]]) -> Ask:
        for part in parts:
            op, n = part["op"], part.get("n", 1)
            if op == "production":
                self.money["general"] += n
            elif op == "cp":
                self.cp_gained += n
            elif op == "draw":
                yield from self.draw(p, n)
            elif op == "explore":
                if self.top and len(self.explore) < self.capacity() and (yield from self.ask(p.seat, [93, 230])) == 93:
                    self.top_to_row()
                    yield from self.settle()
                yield from self.place_tokens(p, n)
            elif op == "token":
                yield from self.place_tokens(p, n)
            elif op == "thin":
                yield from self.thin(p, n)
            elif op == "repair":
                yield from self.repair_up_to(p, n)
            elif op in ("opp_discard", "reveal_discard"):
                yield from self.spy(p, op, n)
            else:
                yield from self.strike(p, op, n)

    def place_tokens(self, p: Player, n: int) -> Ask:
        for _ in range(n):
            options = [94 + i for i in self.token_slots(p)]
            if not options:
                return
            answer = yield from self.ask(p.seat, [*options, 230])
            if answer == 230:
                return
            (self.top_tokens if answer == 99 else self.tokens[answer - 94])[p.seat] += 1

    def thin(self, p: Player, n: int) -> Ask:
        for _ in range(n):
            options = [182 + t for t, m in p.hand.items() if m] + [206 + t for t, m in p.discard.items() if m]
            if not options:
                return
            answer = yield from self.ask(p.seat, [*options, 230])
            if answer == 230:
                return
            p.scrapped += 1
            if answer >= 206:
                p.discard[answer - 206] -= 1
            else:
                self.leave_hand(p, answer - 182)

    def repair_up_to(self, p: Player, n: int) -> Ask:
        for _ in range(n):
            if not self.repairs(p):
                return
            answer = yield from self.ask(p.seat, [*self.repairs(p), 230])
            if answer == 230:
                return
            self.repair(p, answer)

    def discard_cards(self, p: Player, n: int) -> Ask:
        for _ in range(min(n, p.hand.total())):
            t = (yield from self.ask(p.seat, [182 + t for t, m in p.hand.items() if m])) - 182
            self.leave_hand(p, t)
            p.discard[t] += 1

    def spy(self, p: Player, op: str, n: int) -> Ask:
        options = []
        for i, q in enumerate(self.neighbours(p)):
            if q.hand.total() if op == "opp_discard" else q.deck.total() or q.faceup is not None:
                options.append(180 + i)
        if not options:
            return
        q = self.neighbours(p)[(yield from self.ask(p.seat, options, skip=True)) - 180]
        if op == "opp_discard":
            yield from self.discard_cards(q, n)
            return
        if q.faceup is None:
            q.faceup = (yield from self.chance({244 + t: m for t, m in q.deck.items()})) - 244
            q.deck[q.faceup] -= 1
            self.look(q)
        if (yield from self.ask(p.seat, [230, 231])) == 231:
            q.discard[q.faceup] += 1
            q.faceup = None

    def strike(self, p: Player, op: str, n: int) -> Ask:
        options = {}
        for i, q in enumerate(self.neighbours(p)):
            if op == "row_scrap":
                options.update({114 + 5 * i + slot: (q, slot) for slot in self.scrappable(q, n)})
            else:
                options.update({100 + 3 * i + w: (q, w) for w, _ in q.planets()})
        if not options:
            return
        answer = yield from self.ask(p.seat, [*options, 230])
        if answer == 230:
            return
        q, number = options[answer]
        if op == "row_scrap":
            self.clear_slot(q, number)
            q.scrapped += 1
            yield from self.refill(q)
        else:
            self.hit(q, dict(q.worlds())[number], n, past_base=False)

    def instants(self, face: Face) -> Ask:
        for part in face.data.get("instant", []):
            op, n = part["op"], part["n"]
            if op == "all_hw_damage":
                for q in self.living():
                    q.home.damage = min(q.home.damage + n, q.population(q.home) - 1)
            elif op == "active_gain":
                yield from self.active_gain(self.players[self.active], n)
            else:
                named = self.extreme(op.startswith("highest"))
                if named is None:
                    continue
                if op == "highest_damage":
                    yield from self.own_damage(named, n)
                elif op == "highest_discard":
                    yield from self.discard_cards(named, n)
                elif op == "lowest_tokens":
                    yield from self.place_tokens(named, n)
                else:
                    yield from self.gift(named, n)

    def active_gain(self, p: Player, n: int) -> Ask:
        open_slots = self.scrappable(p, n)
        if open_slots:
            answer = yield from self.ask(p.seat, [*(48 + slot for slot in open_slots), 230])
            if answer != 230:
                p.discard[self.clear_slot(p, answer - 48)] += 1
                yield from self.refill(p)

    def gift(self, p: Player, n: int) -> Ask:
        slots = [53 + slot for slot in range(5) if p.row[slot] is not None]
        if not slots:
            return
        slot = (yield from self.ask(p.seat, slots, skip=True)) - 53
        p.accrued[slot] += n
        if p.accrued[slot] >= p.cost(p.row[slot] or 0):
            p.discard[self.clear_slot(p, slot)] += 1
            yield from self.refill(p)

    def scrappable(self, p: Player, n: int) -> list[int]:
        rows = [(slot, t) for slot, t in enumerate(p.row) if t is not None]
        return [slot for slot, t in rows if p.card(t)["type"] != "tech" and p.cost(t) <= n]
