"""Rulebook: Winning the Game; Three and Four Players. Rulings 28, 29, 39 and section 3b."""

from __future__ import annotations

from typing import Any

import pytest


def armed(table: Any, players: int, *names: str, **options: Any) -> Any:
    t = table(players, **options)
    for seat in range(players):
        t.cards(seat, deck=["scout"])
    t.ready(*names)
    t.main()
    return t


def strike(t: Any, side: str, *names: str) -> None:
    t.act("attack", f"target {side} home", *(f"add {name}" for name in names), "confirm")


def test_the_current_player_wins_when_the_other_home_world_falls(table: Any) -> None:
    t = armed(table, 2, "doom_star_of_sol")
    t.s["damage"][1, 0] = 7
    strike(t, "left", "doom_star_of_sol")
    assert t.state.is_over and t.state.returns() == [1.0, -1.0] and t.state.scores() == [17, 0]


def test_who_loses_the_own_home_world_loses(table: Any) -> None:
    t = armed(table, 2, "republic_battleship")
    t.explore(["space_amoeba"], "megacity")
    t.s["damage"][0, 0] = 15
    t.act("attack", "target hazard 0", "add republic_battleship", "confirm")
    assert t.state.is_over and t.state.returns() == [-1.0, 1.0], "ruling 28"


def test_an_event_can_end_the_game_in_anothers_turn(table: Any) -> None:
    t = table()
    t.planet(1, 1, "barren_rock")
    t.cards(0, hand=["scout"], deck=["colony_ship"])
    t.s["damage"][1, 0] = 14
    t.act("play scout", "rotate", "top supernova", "world home")
    assert t.state.is_over and t.state.returns() == [1.0, -1.0]


@pytest.mark.parametrize(
    ("change", "returns"),
    [
        ({"damage": 1}, [-1.0, 1.0]),
        ({"upgraded": True}, [1.0, -1.0]),
        ({"planet": "barren_rock"}, [1.0, -1.0]),
        ({"card": True}, [1.0, -1.0]),
        ({}, [0.0, 0.0]),
    ],
)
def test_standing_at_the_round_limit(table: Any, change: dict[str, Any], returns: list[float]) -> None:
    """Share of the Home World's population left; then total cost; then printed cost of all cards owned; else a tie."""
    t = table(factions="humans", max_rounds=1)
    for seat in range(2):
        t.cards(seat, discard=["scout"] + (["republic_titan"] if change.get("card") and seat == 0 else []))
    if "damage" in change:
        t.s["damage"][0, 0] = 1
    if "upgraded" in change:
        t.s["side"][0, 0] = 1
    if "planet" in change:
        t.planet(0, 1, change["planet"])
    t.end_turn()
    t.end_turn()
    assert t.state.is_over and t.state.returns() == returns


def test_shares_are_compared_as_fractions_with_attachments(table: Any) -> None:
    t = table(factions="bulrathi", max_rounds=1)
    t.world(0, 0, techs=["heavy_armor"])
    t.s["damage"][0, 0], t.s["damage"][1, 0] = 11, 9
    assert t.state.returns() == [-1.0, 1.0], "12/23 against 10/19"


def test_rounds_are_counted_from_the_first_player(table: Any) -> None:
    t = table(3, max_rounds=2)
    for seat in range(3):
        t.cards(seat, discard=["scout"])
    rounds = []
    while not t.state.is_over:
        rounds.append((int(t.s["round"]), int(t.s["active"])))
        t.end_turn()
    assert rounds == [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]


# three and four players


def test_only_neighbours_can_be_attacked(table: Any) -> None:
    t = armed(table, 4, "escort_frigate")
    for seat, name in ((1, "barren_rock"), (2, "dust_bowl"), (3, "toxic_sink")):
        t.planet(seat, 2, name)
    t.act("attack")
    assert t.legal() == ["target left place 2", "target right place 2"], "seats 1 and 3, not the opposite one"
    t.act("target right place 2", "add escort_frigate", "confirm")
    assert int(t.s["damage"][3, 2]) == 2 or t.place(3, 2) is None


def test_of_three_all_are_neighbours_and_each_home_world_opens_by_itself(table: Any) -> None:
    t = armed(table, 3, "escort_frigate", "line_destroyer")
    t.planet(1, 1, "megacity")
    t.explore(top="dust_bowl")
    t.act("attack")
    assert t.legal() == ["target left place 1", "target right home"]
    t.act("target left place 1", "add escort_frigate", "target right home", "add line_destroyer", "confirm")
    assert t.left(2) == 24 - 3, "one attack may aim at both"


def test_attacked_players_defend_one_after_the_other_clockwise(table: Any) -> None:
    t = armed(table, 3, "escort_frigate", "line_destroyer", factions="humans")
    for seat in (1, 2):
        t.cards(seat, hand=["patrol_frigate", "scout"], deck=["scout"])
    t.act("attack", "target left home", "add escort_frigate", "target right home", "add line_destroyer", "confirm")
    assert (t.node, t.mover) == ("defend", 1)
    t.act("defend patrol_frigate", "done")
    assert (t.node, t.mover) == ("defend", 2)
    t.act("done")
    assert t.left(1) == 21 - 1 and t.left(2) == 21 - 3


def test_card_texts_on_the_opponent_mean_one_neighbour_by_choice(table: Any) -> None:
    t = table(3, factions=["darloks", "humans", "humans"])
    t.cards(0, hand=["cabal_titan", "patrol_frigate"], deck=["scout"])
    for seat in (1, 2):
        t.cards(seat, hand=["scout"], deck=["space_factory"])
    t.main()
    t.act("play cabal_titan")
    assert t.legal() == ["seat left", "seat right"]
    t.act("seat right")
    assert (t.node, t.mover) == ("discard", 2)
    t.act("card scout", "play patrol_frigate", "or patrol_frigate", "seat left")
    assert (t.node, t.mover) == ("turn_up", 1)


def test_one_candidate_needs_no_choice(table: Any) -> None:
    t = table(3, factions=["darloks", "humans", "humans"])
    t.cards(0, hand=["cabal_titan"], deck=["scout"])
    t.cards(2, hand=["scout"], deck=["space_factory"])
    t.main()
    t.act("play cabal_titan")
    assert (t.node, t.mover) == ("discard", 2)


def test_row_scrap_and_direct_damage_name_a_target_of_either_neighbour(table: Any) -> None:
    t = table(4, factions=["darloks", "humans", "humans", "humans"])
    t.cards(0, hand=["sabotage"], deck=["scout"])
    for seat in (1, 2, 3):
        t.cards(seat, row=["escort_frigate"], deck=["scout"])
    t.main()
    t.act("play sabotage")
    assert t.legal() == ["target left row 0", "target right row 0", "done"]
    t.act("target right row 0")
    assert t.node == "refill" and t.mover == 3


def test_highest_must_be_strictly_above_all(table: Any) -> None:
    t = table(3, factions="humans")
    t.planet(1, 1, "barren_rock")
    t.planet(2, 1, "dust_bowl")
    t.cards(0, hand=["scout", "scout"], deck=["colony_ship"])
    t.act("play scout", "rotate", "top supernova")
    assert t.state.is_chance, "two at the top: lost"
    t.act("top galactic_council")
    assert (t.node, t.mover) == ("token", 0), "the lowest is alone"


def test_enemy_tokens_are_those_of_any_other_player(table: Any) -> None:
    t = table(4)
    t.explore(["barren_rock"], "megacity")
    t.s["tokens"][2, 0] = 1
    t.s["cp_gained"] = 1
    assert not t.legal("recycle planet")


def test_first_fall_ends_the_game_and_ranks_the_others_by_standing(table: Any) -> None:
    t = armed(table, 4, "doom_star_of_sol", factions="humans")
    t.s["damage"][:, 0] = [20, 15, 3, 9]
    strike(t, "left", "doom_star_of_sol")
    assert t.state.is_over
    assert t.state.returns() == pytest.approx([1, -1, 1 / 3, -1 / 3]), "the active player first, the fallen last"


def test_first_fall_of_the_own_home_world(table: Any) -> None:
    t = armed(table, 3, "republic_battleship", factions="humans")
    t.explore(["space_amoeba"], "megacity")
    t.s["damage"][:3, 0] = [19, 5, 4]
    t.act("attack", "target hazard 0", "add republic_battleship", "confirm")
    assert t.state.is_over and t.state.returns() == [-1.0, 0.0, 1.0]


def test_the_win_utility_shares_what_the_others_lose(table: Any) -> None:
    t = armed(table, 4, "doom_star_of_sol", factions="humans", utility="win")
    t.s["damage"][1, 0] = 15
    strike(t, "left", "doom_star_of_sol")
    assert t.state.returns() == pytest.approx([1, -1 / 3, -1 / 3, -1 / 3])


def test_last_standing_goes_on_without_the_fallen(table: Any) -> None:
    t = armed(table, 4, "doom_star_of_sol", end="last_standing", factions="humans")
    t.planet(1, 1, "barren_rock")
    t.planet(1, 2, "antaran_raiders")
    t.s["damage"][1, 0], t.s["damage"][1, 1] = 20, 1
    t.s["tokens"][1, 5] = 2
    t.ready("escort_frigate")
    t.act("attack", "target left place 1", "add escort_frigate", "target left home", "add doom_star_of_sol", "confirm")
    assert not t.state.is_over and int(t.s["fallen"][1]) == 1
    assert t.under() == ["barren_rock", "antaran_raiders"] and not t.s["tokens"].any(), "the hazard side up"
    assert int(t.s["scrapped"][1]) == 40 and not t.s["unseen"][1].any() and not t.s["row"][1].any()
    t.check()
    t.end_turn()
    assert int(t.s["active"]) == 2, "skipped"
    t.main()
    t.ready("escort_frigate")
    t.act("attack")
    assert t.legal("target") == ["target left home", "target right home"], "neighbours close up: seats 3 and 0"
    t.act("target right home", "add escort_frigate", "confirm", "done")
    assert t.left(0) == 19


def test_fleets_at_a_player_who_is_out_do_nothing_more(table: Any) -> None:
    t = armed(table, 3, "doom_star_of_sol", "escort_frigate", end="last_standing", factions="humans")
    t.cards(1, row=["escort_frigate"], deck=["scout"])
    t.s["damage"][1, 0] = 15
    t.act("attack", "target left home", "add doom_star_of_sol", "target left row 0", "add escort_frigate", "confirm")
    assert t.node == "main" and int(t.s["fallen"][1]) == 1 and int(t.s["fleets"]) == 0
    t.check()


def test_with_two_left_the_other_is_left_and_there_is_no_right(table: Any) -> None:
    t = armed(table, 3, "doom_star_of_sol", "escort_frigate", end="last_standing", factions="humans")
    t.s["damage"][2, 0] = 20
    t.act("attack", "target right home", "add escort_frigate", "confirm")
    assert int(t.s["fallen"][2]) == 1
    t.s["attacked"] = 0
    t.act("attack")
    assert t.legal() == ["target left home"]


def test_out_in_the_own_turn_ends_it_at_once(table: Any) -> None:
    t = armed(table, 3, "republic_battleship", "escort_frigate", end="last_standing", factions="humans")
    t.explore(["space_amoeba"], "megacity")
    t.cards(0, hand=["scout"], deck=["scout"])
    t.cards(1, row=["escort_frigate"], deck=["scout"])
    t.ready("republic_battleship", "escort_frigate")
    t.s["ready"][:] = 0
    t.s["empire"][0, t.type_of(0, "republic_battleship")] += 1
    t.s["empire"][0, t.type_of(0, "escort_frigate")] += 1
    t.s["empire_size"][0] += 2
    t.ready("republic_battleship", "escort_frigate")
    t.s["damage"][0, 0] = 19
    t.act("attack", "target hazard 0", "add republic_battleship", "target left row 0", "add escort_frigate", "confirm")
    assert int(t.s["fallen"][0]) == 1 and int(t.s["active"]) == 1 and t.node == "explore"
    assert t.under() == ["seeded_world"], "the beaten hazard is recycled Planet side up"
    assert int(t.s["row"][1, 0]) > 0, "the remaining Fleet did nothing"
    assert int(t.s["round"]) == 1
    t.check()


def test_rounds_go_on_from_the_first_seat_even_if_it_is_out(table: Any) -> None:
    t = armed(table, 3, "republic_battleship", end="last_standing", factions="humans", max_rounds=2)
    t.explore(["space_amoeba"], "megacity")
    t.s["damage"][0, 0] = 19
    t.act("attack", "target hazard 0", "add republic_battleship", "confirm")
    rounds = []
    while not t.state.is_over:
        rounds.append((int(t.s["round"]), int(t.s["active"])))
        t.end_turn()
    assert rounds == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert t.state.returns()[0] == -1.0, "the living rank above those out"


def test_later_falls_rank_before_earlier_ones(table: Any) -> None:
    t = armed(table, 3, "doom_star_of_sol", "republic_titan", end="last_standing", factions="humans")
    t.s["damage"][1, 0], t.s["damage"][2, 0] = 20, 20
    t.act("attack", "target left home", "add republic_titan", "target right home", "add doom_star_of_sol", "confirm")
    assert t.state.is_over and t.s["fallen"][:3].tolist() == [0, 1, 2]
    assert t.state.returns() == [1.0, -1.0, 0.0]


def test_an_event_can_put_out_another_player_in_the_middle_of_a_turn(table: Any) -> None:
    t = table(3, end="last_standing", factions="humans")
    t.planet(1, 1, "barren_rock")
    t.cards(0, hand=["scout"], deck=["colony_ship"])
    t.s["damage"][1, 0] = 18
    t.act("play scout", "rotate", "top supernova", "world home", "top dust_bowl")
    assert int(t.s["fallen"][1]) == 1 and (t.node, t.mover) == ("token", 0)
    t.check()
