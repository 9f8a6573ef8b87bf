"""The compiled rules against the slow reference, ply by ply: same questions, legal ids, weights, positions, results.

Random decisions are biased now and then towards building and attacking, which uniform play does too seldom to reach the
rarer effects. The default run plays a sample; 2,001 games: `pytest -m slow tests/moo_board/test_differential.py`.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

import engines
from engines.moo_board import layout
from tests.reference.moo_board import Reference
from tests.reference.moo_board_content import load

CONTENT = load()
RESOURCES = ("food", "fleet", "production")
KNOWN = -1
"""The reference's deck number of a card that was taken openly."""


def name(labels: Any, number: Any) -> str | None:
    return labels[int(number) - 1] if number else None


def seat_of(game: engines.contract.Game, s: Any, seat: int) -> dict[str, Any]:
    designs = game.labels["design"]
    hand = []
    for d, design in enumerate(designs):
        hand += [(design, KNOWN)] * int(s["known"][seat][d])
        hand += [(design, int(number) - 1) for number in s["hand"][seat][d] if number]
    used = sum(int(s[field][seat].sum()) for field in ("available", "spent", "attacks", "cube"))
    return {
        "race": name(game.labels["race"], s["race"][seat]),
        **{resource: int(s["resources"][seat][r]) for r, resource in enumerate(RESOURCES)},
        "loyalty": int(s["loyalty"][seat]),
        "vp": int(s["vp"][seat]),
        "available": int(s["available"][seat]),
        "spent": int(s["spent"][seat]),
        "reserve": 10 - used,
        "attacks": [int(n) for n in s["attacks"][seat][: game.players]],
        "propaganda_used": bool(s["propaganda"][seat]),
        "discount_used": bool(s["discount_used"][seat]),
        "systems": [[name(designs, c) for c in reversed(system) if c] for system in s["systems"][seat]],
        "top_cube": [bool(c) for c in s["cube"][seat][:5]],
        "advisor": name(game.labels["advisor"], s["advisor"][seat]),
        "advisor_cube": bool(s["cube"][seat][5]),
        "hand": sorted(hand),
    }


def snapshot(state: engines.State) -> dict[str, Any]:
    game, s = state.game, state.fields
    designs = game.labels["design"]
    return {
        "seats": [seat_of(game, s, seat) for seat in range(game.players)],
        "deck": sorted(design for d, design in enumerate(designs) for _ in range(int(s["deck"][d]))),
        "deck_number": int(s["deck_number"]),
        "discard": [name(designs, c) for c in s["discard"][: int(s["discard_size"])]],
        "advisors_on_table": sorted(a for i, a in enumerate(game.labels["advisor"]) if s["table"][i]),
        "node": "END" if state.is_over else layout.NODES[int(s["node"])].upper(),
    }


def differences(mine: Any, theirs: Any, path: str = "") -> list[str]:
    if isinstance(mine, dict):
        return [d for key in mine for d in differences(mine[key], theirs[key], f"{path}.{key}")]
    if isinstance(mine, list) and len(mine) == len(theirs):
        return [d for i, (a, b) in enumerate(zip(mine, theirs, strict=True)) for d in differences(a, b, f"{path}[{i}]")]
    return [] if mine == theirs else [f"{path}: engine {mine}, reference {theirs}"]


def play(seed: int, players: int) -> None:
    rng = random.Random(seed)
    races = tuple(rng.choice(["choose", "dealt", "dealt"]) for _ in range(players))
    variant = "tutorial" if seed % 20 == 7 else "standard"
    if variant == "tutorial":
        races = ("dealt",) * players
    advisors = seed % 20 != 8
    game = engines.load("moo_board", players=players, races=races, variant=variant, advisors=advisors)
    state = game.start()
    reference = Reference(players, list(races), variant, advisors, CONTENT)
    building, attacking = (layout.BUILD, layout.EXPLORE), (layout.ATTACK, layout.DEAL)
    favoured = rng.choice([(), building, attacking, (layout.SOURCE, layout.CARD)])
    while True:
        where = f"seed {seed}, {players} players, ply {len(reference.history)}, history {reference.history}"
        assert state.to_play == reference.to_play(), where
        assert state.legal_actions() == reference.legal(), f"{snapshot(state)['node']}: {where}"
        theirs = reference.snapshot()
        if design := name(game.labels["design"], state.fields["design"]):
            # Being paid for: out of the hand in the engine, still in it in the reference.
            hand = theirs["seats"][int(state.fields["mover"])]["hand"]
            hand.remove(next(card for card in hand if card[0] == design))
        found = differences(snapshot(state), theirs)
        if int(state.fields["phase"]) == layout.PHASE_RACES:
            found = []  # the reference reads a board's start off the race at once, the engine when all have theirs
        assert not found, f"{found}: {where}"
        if state.is_over:
            break
        legal, weights = state.legal_actions(), None
        if state.is_chance:
            weights = [w for _, w in state.chance()[1]]
            assert weights == reference.weights(), where
        elif favoured and rng.random() < 0.7:
            legal = [a for a in legal if favoured[0] <= a < favoured[1]] or legal
        action = rng.choices(legal, weights if len(legal) == len(weights or ()) else None)[0]
        state.apply(action)
        reference.apply(action)
    assert state.scores() == reference.scores()
    assert state.returns() == pytest.approx(reference.returns(), abs=1e-6)
    win = engines.load("moo_board", players=players, races=races, variant=variant, advisors=advisors, utility="win")
    again = win.start()
    for action in reference.history:
        again.apply(action)
    assert again.returns() == pytest.approx(reference.returns(placement=False), abs=1e-6)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_sample(players: int) -> None:
    for seed in range(30):
        play(seed, players)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_two_thousand_games(players: int) -> None:
    """`pytest -m slow tests/moo_board/test_differential.py`: 667 games of each number of players, 9 minutes."""
    for seed in range(1000, 1667):
        play(seed, players)
