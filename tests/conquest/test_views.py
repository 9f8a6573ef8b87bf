"""Views: every position of a game is accepted back; those that no game could have come to are refused by field."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

import engines
from engines.contract import PUBLIC
from engines.errors import UsageError
from engines.rng import Dealer, generator

OPTIONS: list[dict[str, Any]] = [
    {"players": 2, "max_rounds": 40},
    {"players": 2, "factions": "mirror", "max_rounds": 8},
    {"players": 3, "factions": "dealt", "end": "last_standing", "max_rounds": 40},
    {"players": 4, "factions": "darloks", "end": "last_standing", "max_rounds": 30},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("share", [0.3, 0.8])
def test_every_position_is_accepted(options: dict[str, Any], share: float) -> None:
    game = engines.load("conquest", **options)
    assert game.kernels.scripted is not None
    state, rng, own = game.start(), random.Random(1), generator(1)
    dealer = Dealer(1, game.num_streams)
    while True:
        game.check_state(state)
        if rng.random() < 0.02:
            seat = rng.randrange(PUBLIC, game.players)
            view = json.loads(json.dumps(state.view(seat)))
            back = game.from_view(view)
            assert back.view(seat) == state.view(seat)
            assert back.determinize(seat, 5) == state.determinize(seat, 5)
        if state.is_over:
            break
        if state.is_chance:
            state.apply(state.draw(dealer))
        elif rng.random() < share:
            state.apply(int(game.kernels.scripted(state.record, own)))
        else:
            state.apply(rng.choice(state.legal_actions()))


def known(**changes: Any) -> Callable[[Any], None]:
    return lambda facts: facts.update(changes)


def changed(field: str, *path: Any, to: Any) -> Callable[[Any], None]:
    def change(facts: Any) -> None:
        place = facts[field]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (known(players=3), "'players': the game's options say 2"),
        (known(end_rule=1), "'end_rule': the game's options say 0"),
        (known(active=3), "'active': 3, expected a seat below 2"),
        (known(round=0), "'round': expected 1 to 100"),
        (known(fallen=[1, 0]), "'fallen': 1 Home Worlds have fallen"),
        (known(faction=["darloks", "darloks"]), "'faction': seat 0 plays humans"),
        (known(faction=["klackons", "darloks"]), "Did you mean"),
        (changed("hand", "card 3", to=9), "'hand'"),
        (changed("unseen", 1, "card 3", to=9), "'unseen': seat 1 has 9 cards of type 3, expected at most 3"),
        (changed("known", 1, "card 3", to=4), "'known': seat 1: a known card is not among the unseen"),
        (known(scrapped=[1, 0]), "'scrapped': seat 0 has 41 cards"),
        (known(deck_size=[7, 6]), "'unseen': seat 1"),
        (changed("accrued", 0, 0, to=20), "'accrued': seat 0, slot 0: 20"),
        (changed("damage", 0, to={"home": 17}), "'damage': seat 0, home: 17, expected less than the population, 17"),
        (changed("damage", 0, to={"place 1": 1}), "seat 0, place 1: there is no world"),
        (changed("base", 0, to={"home": "card 3"}), "'unseen': seat 0 has 4 cards of type 3"),
        (changed("planet", 0, 0, to="space_amoeba"), "'planet': seat 0, place 1: space_amoeba is no Planet"),
        (changed("tokens", 0, 5, to=90), "'tokens': seat 0, slot 5"),
        (changed("tokens", 0, 0, to=1), "'tokens': seat 0, slot 0: expected at most 0"),
        (known(top=None), "'gone': 37 exploration cards"),
        (known(top_new=1), "'top_new'"),
        (known(explore_size=3), "'explore_size'"),
        (known(recycled=["plague"]), "'recycled'"),
        (known(held="megacity"), "'gone'"),
        (known(cp_spent=3), "'cp_spent': 3 command points more than there were"),
        (known(ready={"card 0": 1}), "'unseen'"),
        (known(depth=1), "'frame_pc': entry 0: 0, expected 1 to"),
        (known(node="draw"), "'node': 'draw' is not asked in phase 'explore'"),
        (known(node="deal"), "'node'"),
        (known(mover=1), "'mover': in its turn the active seat decides"),
        (known(foe=[2, 0]), "'fleets': there is no attack"),
        (known(fleets=1), "'fleet_target'"),
        (known(phase="over"), "the game is over at node 'over'"),
        (known(deck=[[], []]), "'deck' is known to nobody"),
    ],
)
def test_positions_of_no_game_are_refused(change: Callable[[Any], None], message: str) -> None:
    game = engines.load("conquest")
    state = game.start(2)
    assert state.to_play == 0
    view = json.loads(json.dumps(state.view(0)))
    change(view["state"])
    with pytest.raises(UsageError) as error:
        game.from_view(view)
    assert message in str(error.value)
