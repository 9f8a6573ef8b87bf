"""The engine and the slow reference agree at every step of random games: whose turn, what is legal, odds, the table."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

import engines
from engines.conquest import content as k
from engines.conquest import layout
from engines.state import State
from tests.reference.conquest import Reference
from tests.reference.conquest_table import Face, Player, World

FACTIONS = list(k.FACTION_IDS)


def counted(row: Any) -> dict[int, int]:
    return {i: int(n) for i, n in enumerate(row) if int(n)}


def kept(counts: Counter[Any]) -> dict[Any, int]:
    return {key: n for key, n in counts.items() if n}


def none_or(number: Any) -> int | None:
    return int(number) - 1 if int(number) else None


def faces_of(row: Any) -> list[int]:
    return [int(face) - 1 for face in row if int(face)]


def engine_world(s: Any, p: int, w: int) -> dict[str, Any] | None:
    """A world or roving hazard, as `reference_world` shows it."""
    if w and not int(s["planet"][p, w - 1]):
        return None
    f = int(s["faction"][p]) - 1
    attached = {int(k.ATTACH_TYPE[f, i]): n for i, n in counted(s["attached"][p, w]).items()}
    names = ("acquired", "upgraded", "used")
    marks = [bool(s[name][w]) for name in names] if p == int(s["active"]) else [False] * 3
    return {
        "face": none_or(s["planet"][p, w - 1]) if w else None,
        "side": bool(s["side"][p, w]),
        "damage": int(s["damage"][p, w]),
        "base": none_or(s["base"][p, w]),
        "base_damage": int(s["base_damage"][p, w]),
        "attached": attached,
        "marks": marks,
    }


def reference_world(world: World | None) -> dict[str, Any] | None:
    if world is None:
        return None
    return {
        "face": world.face.number if world.face else None,
        "side": world.upgraded,
        "damage": world.damage,
        "base": world.base,
        "base_damage": world.base_damage,
        "attached": dict(Counter(world.attached)),
        "marks": [world.acquired_now, world.upgraded_now, world.used_now],
    }


def engine_table(state: State) -> dict[str, Any]:
    s, table = state.fields, {}
    for p in range(state.game.players):
        worlds = [engine_world(s, p, w) for w in range(3)]
        table[f"seat {p}"] = {
            "worlds": worlds if not int(s["fallen"][p]) else [],
            "row": [none_or(t) for t in s["row"][p]],
            "accrued": s["accrued"][p].tolist(),
            **{name: counted(s[name][p]) for name in ("hand", "deck", "discard", "empire", "known", "unseen")},
            "faceup": none_or(s["faceup"][p]),
            "fallen": int(s["fallen"][p]),
            "scrapped": int(s["scrapped"][p]),
            "sizes": [int(s[name][p]) for name in ("hand_size", "deck_size", "empire_size")],
        }
    ships = faces_of(s["ships"])
    ends = [int(s["fleet_size"][: i + 1].sum()) for i in range(int(s["fleets"]))]
    table["turn"] = {
        "round": int(s["round"]),
        "active": int(s["active"]),
        "money": dict(zip(("general", "factory", "colony", "empire"), s["money"].tolist(), strict=True)),
        "points": [int(s["classes"]).bit_count(), int(s["cp_gained"]), int(s["cp_spent"])],
        "ready": counted(s["ready"]),
        "spent": counted(s["spent"]),
        "attacked": bool(s["attacked"]),
        "fleets": [
            (ships[ends[i] - int(s["fleet_size"][i]) : ends[i]], int(s["fleet_extra"][i]), int(s["fleet_block"][i]))
            for i in range(int(s["fleets"]))
        ],
    }
    table["exploration"] = {
        "row": faces_of(s["explore"]),
        "tokens": [{p: int(n) for p, n in enumerate(s["tokens"][:, i]) if int(n)} for i in range(6)],
        "top": none_or(s["top"]),
        "deck": counted(s["explore_deck"]),
        "recycled": faces_of(s["recycled"]),
        "gone": int(s["gone"]),
        "held": none_or(s["held"]),
    }
    return table


def numbers(faces: list[Face]) -> list[int]:
    return [face.number for face in faces]


def reference_player(p: Player) -> dict[str, Any]:
    return {
        "worlds": [] if p.fallen else [reference_world(w) for w in (p.home, *p.places)],
        "row": p.row,
        "accrued": p.accrued,
        **{name: kept(getattr(p, name)) for name in ("hand", "deck", "discard", "empire", "known")},
        "unseen": kept(p.unseen()),
        "faceup": p.faceup,
        "fallen": p.fallen,
        "scrapped": p.scrapped,
        "sizes": [p.hand.total(), p.deck.total(), p.empire.total()],
    }


def reference_table(game: Reference) -> dict[str, Any]:
    table: dict[str, Any] = {f"seat {p.seat}": reference_player(p) for p in game.players}
    money = {name: game.money[name] for name in ("general", "factory", "colony", "empire")}
    table["turn"] = {
        "round": game.round,
        "active": game.active,
        "money": money,
        "points": [len(game.classes), game.cp_gained, game.cp_spent],
        "ready": kept(game.ready),
        "spent": kept(game.used),
        "attacked": game.attacked,
        "fleets": [(fleet.ships, fleet.extra, fleet.block) for fleet in game.fleets],
    }
    tokens = [*game.tokens, *[Counter[int]()] * (5 - len(game.tokens)), game.top_tokens]
    table["exploration"] = {
        "row": numbers(game.explore),
        "tokens": [kept(t) for t in tokens],
        "top": game.top.number if game.top else None,
        "deck": kept(game.deck),
        "recycled": numbers(game.recycled),
        "gone": game.gone,
        "held": game.held.number if game.held else None,
    }
    return table


def differences(mine: Any, theirs: Any, path: str = "") -> list[str]:
    if isinstance(mine, dict) and isinstance(theirs, dict):
        keys = {**mine, **theirs}
        return [d for key in keys for d in differences(mine.get(key), theirs.get(key), f"{path}.{key}")]
    return [] if mine == theirs else [f"{path}: engine {mine}, reference {theirs}"]


def options(rng: random.Random, seed: int, players: int) -> dict[str, Any]:
    """Factions by seat, by chance, mirrored; both ends; short and long games."""
    factions: Any = rng.choice(["mirror", "dealt", [rng.choice(["dealt", *FACTIONS]) for _ in range(players)]])
    return {
        "players": players,
        "factions": factions,
        "end": ("first_fall", "last_standing")[seed % 2],
        "max_rounds": rng.choice([3, 12, 30]),
    }


FAVOURED: list[tuple[int, int]] = [(0, 24), (48, 53), (58, 64), (100, 124), (124, 149), (70, 73), (174, 180), (87, 93)]
"""Runs of actions that one kind of game takes more often than by chance."""


def choose(rng: random.Random, legal: list[int], favoured: list[tuple[int, int]]) -> int:
    if favoured and rng.random() < 0.7:
        liked = [a for a in legal if any(low <= a < high for low, high in favoured)]
        return rng.choice(liked or legal)
    return rng.choice(legal)


def play(seed: int, players: int, every: int = 1) -> None:
    """One random game in both; the whole table is compared at every `every`-th step."""
    rng = random.Random(seed)
    chosen = options(rng, seed, players)
    state = engines.load("conquest", **chosen).start()
    wishes = chosen["factions"] if isinstance(chosen["factions"], list) else [chosen["factions"]] * players
    reference = Reference(wishes, chosen["end"], chosen["max_rounds"])
    favoured = rng.sample(FAVOURED, rng.choice([0, 3, 6]))
    texts: list[str] = []
    while True:
        where = f"seed {seed}, {chosen}: {' | '.join(texts)}"
        assert state.to_play == reference.mover, where
        legal = state.legal_actions()
        assert legal == reference.legal, f"{layout.NODES[int(state.fields['node'])]}: {where}"
        if (len(texts) % every == 0 or state.is_over) and int(state.fields["phase"]) > layout.PHASE_DEAL:
            found = differences(engine_table(state), reference_table(reference))
            assert not found, f"{found}: {where}"
        if state.is_over:
            break
        if state.is_chance:
            weights = [w for _, w in state.chance()[1]]
            assert weights == reference.weights, where
            action = rng.choices(legal, weights)[0]
        else:
            action = choose(rng, legal, favoured)
        texts.append(state.game.action_text(action))
        state.apply(action)
        reference.apply(action)
    assert state.returns() == pytest.approx(reference.returns(), abs=1e-6)
    win = engines.load("conquest", **chosen, utility="win").start()
    win.record[:] = state.record
    win.fields["utility"] = 1
    assert win.returns() == pytest.approx(reference.returns(placement=False), abs=1e-6)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_sample(players: int) -> None:
    for seed in range(6):
        play(seed, players, every=8)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_two_thousand_games(players: int) -> None:
    """`pytest -m slow tests/conquest/test_differential.py`: 667 games of each number of players, 9 minutes."""
    for seed in range(1000, 1667):
        play(seed, players, every=10)
