"""The Python face: a state says who plays and what is legal, refuses what is not, and never carries the future."""

from __future__ import annotations

import pytest

import engines
from engines import CHANCE, PUBLIC, TERMINAL, IllegalAction, UsageError
from engines.errors import choose_from
from engines.rng import Dealer
from tests.engines.games import make, small


@small
def test_a_seeded_game_plays_to_the_end(name: str, players: int) -> None:
    game = make(name, players)
    one, two, other = game.start(seed=7), game.start(seed=7), game.start(seed=8)
    while not one.is_over:
        assert 0 <= one.to_play < players and one.legal_actions() == two.legal_actions()
        one.apply(one.legal_actions()[-1])
        two.apply(game.action_text(two.legal_actions()[-1]))
    assert one == two and one.to_play == TERMINAL and one.legal_actions() == []
    assert one.history == two.history != other.history
    assert sum(one.returns()) == pytest.approx(0.0) and len(one.scores()) == players
    assert str(one) == game.board(one) and "over to play" in repr(one)


def test_without_a_seed_chance_is_the_callers() -> None:
    state = engines.load("kuhn_poker").start()
    assert state.is_chance and state.to_play == CHANCE
    assert state.chance() == (0, [(2, 1), (3, 1), (4, 1)])
    state.apply("deal king")
    state.apply("deal jack")
    assert state.to_play == 0 and state.history == [4, 2]
    assert state.view(0)["state"]["card"] == "king"
    for ask in (state.chance, lambda: state.draw(Dealer(1, 1))):
        with pytest.raises(UsageError, match="only a chance node has outcomes"):
            ask()


@small
def test_a_dealer_of_ones_own_deals_what_a_seed_deals(name: str, players: int) -> None:
    game = make(name, players)
    seeded, own, dealer = game.start(seed=7), game.start(), Dealer(7, game.num_streams)
    while not own.is_over:
        own.apply(own.draw(dealer) if own.is_chance else own.legal_actions()[-1])
    while not seeded.is_over:
        seeded.apply(seeded.legal_actions()[-1])
    assert own.history == seeded.history


def test_illegal_actions_are_named_and_change_nothing() -> None:
    state = engines.load("kuhn_poker").start(seed=1)
    before = bytes(state.record)
    for action, message in (
        (2, r"2 \(deal jack\) is illegal here; legal for seat 0: 0 \(pass\), 1 \(bet\)"),
        (77, "no such id"),
        (-1, "no such id"),
        ("bett", "Did you mean 'bet'"),
    ):
        with pytest.raises(IllegalAction, match=message):
            state.apply(action)
    assert bytes(state.record) == before
    for action in ("bet", "pass"):
        state.apply(action)
    with pytest.raises(IllegalAction, match="the game is over"):
        state.apply(0)


def test_copies_and_worlds_have_no_dealer_and_leave_their_source_alone() -> None:
    state = make("duel", 3).start(seed=5)
    before = bytes(state.record)
    copy, world = state.clone(), state.determinize(1, seed=3)
    assert copy.dealer is None and world.dealer is None and world.history is None and state.dealer is not None
    copy.apply(copy.legal_actions()[0])
    world.apply(world.legal_actions()[0])
    assert bytes(state.record) == before and copy.history == [*(state.history or ()), (copy.history or [0])[-1]]
    assert state.determinize(1, seed=3) == state.determinize(1, seed=3)
    assert state.determinize(1, seed=3) != state.determinize(1, seed=4)


def test_seats_out_of_range_are_refused() -> None:
    state = make("duel", 2).start(seed=1)
    for call in (state.view, state.info_key, lambda seat: state.determinize(seat, 1)):
        call(PUBLIC)
        for seat in (2, -2):
            with pytest.raises(UsageError, match=f"seat {seat} does not exist"):
                call(seat)
    with pytest.raises(UsageError, match=r"seat -1 does not exist: expected 0 to 1$"):
        state.observe(PUBLIC)


def test_states_of_different_games_are_not_equal() -> None:
    two, three = (make("duel", players).start(seed=1) for players in (2, 3))
    assert two == make("duel", 2).start(seed=1)
    assert two != three
    assert two != "state"


def test_loading_says_what_is_wrong() -> None:
    for options, message in (
        ({"players": 9}, "players=9, expected 2 to 3"),
        ({"player": 2}, "Did you mean 'players'"),
        ({"players": "2"}, "players='2'"),
    ):
        with pytest.raises(UsageError, match=message):
            engines.load("kuhn_poker", **options)
    with pytest.raises(UsageError, match="Did you mean 'kuhn_poker'"):
        engines.load("kuhn")
    with pytest.raises(UsageError, match=r"unknown colour 'x'\. Valid: none\."):
        choose_from("colour", "x", [])
