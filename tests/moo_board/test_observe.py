"""Observations say what the record says, from each seat's side; keys name exactly what a seat knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engines
from engines.contract import PUBLIC, Game
from engines.moo_board import content as k
from engines.moo_board.layout import (
    ATTACK,
    BUILD,
    DEAL,
    DRAW,
    EXPLORE,
    NODE_BUILD_MORE,
    NODE_DISCARD,
    NODE_GRAY,
    NODE_MAIN,
    NODE_SAVE,
    NODE_TRIGGER,
    SOURCE,
    State,
)
from engines.moo_board.observe import info_key
from engines.rng import generator
from engines.state import State as Position

from .records import Record, as_seen, fields, played

PENDING = ("design", "place", "discount", "cost", "discards", "uses", "builds", "target", "deal", "source", "drawn")
"""Slices of what is half done."""


def parts(state: Position, seat: int) -> dict[str, Any]:
    """The observation by slice name."""
    seen = state.observe(seat)
    return {p.name: seen[p.start : p.start + p.size].reshape(p.shape) for p in state.game.slices}


@pytest.fixture(scope="module", params=[2, 3, 4])
def game(request: pytest.FixtureRequest) -> Game:
    return engines.load("moo_board", players=request.param)


def test_sizes() -> None:
    assert [engines.load("moo_board", players=n).observation_size for n in (2, 3, 4)] == [540, 655, 772]


def test_every_seat_sees_the_table_from_its_side(game: Game) -> None:
    for ply, state in enumerate(played(game, 11)):
        if ply % 9:
            continue
        s, scores = state.fields, state.scores()
        for seat in range(game.players):
            see, order = parts(state, seat), [(seat + i) % game.players for i in range(game.players)]
            for name in ("resources", "loyalty", "vp", "available", "spent", "systems", "cube", "hand_size", "known"):
                assert np.array_equal(see[name], s[name][order]), name
            for name in ("first", "mover", "turn"):
                assert order[int(np.argmax(see[name]))] == s[name]
            assert np.argmax(see["node"]) == s["node"]
            assert see["points"].tolist() == [scores[p] for p in order]
            assert see["unknown_old"].tolist() == [int(s["unknown"][p, : int(s["deck_number"])].sum()) for p in order]
            for i, p in enumerate(order):
                assert see["race"][i].tolist() == [1 + race == s["race"][p] for race in range(7)]
                assert see["advisor"][i].tolist() == [1 + advisor == s["advisor"][p] for advisor in range(8)]
                assert see["attacks"][i].tolist() == [s["attacks"][p, other] for other in order[i + 1 :] + order[:i]]
                built = [int(card) - 1 for card in s["systems"][p].flat if card]
                assert see["income"][i].tolist() == [int(k.ICONS[built, r].sum()) for r in range(3)]
                cubes = s["available"][p] + s["spent"][p] + s["attacks"][p].sum() + s["cube"][p].sum()
                assert see["reserve"][i] == k.RESERVE - int(cubes)


def test_cards_in_sight_and_out_of_sight_make_up_the_deck(game: Game) -> None:
    for ply, state in enumerate(played(game, 12, scripted=True)):
        if ply % 9:
            continue
        s = state.fields
        pile = np.bincount(s["discard"][: int(s["discard_size"])], minlength=46)[1:]
        built = np.bincount(s["systems"].ravel(), minlength=46)[1:]
        paid = np.arange(1, 46) == s["design"]
        for seat in range(game.players):
            see = parts(state, seat)
            assert np.array_equal(see["discard"], pile)
            assert np.array_equal(see["hand"], (s["hand"][seat] > 0).sum(axis=1) + s["known"][seat])
            others_known = see["known"][1:].sum(axis=0)
            total = see["hand"] + others_known + see["unseen"] + see["unseen_old"] + pile + built + paid
            assert np.array_equal(total, k.COPIES_OF)
            top = [int(card) for card in s["discard"][: int(s["discard_size"])]][::-1][:3]
            assert see["discard_top"].tolist() == top + [0] * (3 - len(top))


def test_what_is_pending_is_named(game: Game) -> None:
    met = set()
    for seed in range(25):
        for state in played(game, seed, scripted=True):
            node, last = int(state.fields["node"]), (state.history or [-1])[-1]
            see = parts(state, int(state.fields["mover"]))
            if DEAL <= last < SOURCE and node == NODE_DISCARD:
                assert see["deal"].tolist() == [advisor == last - DEAL for advisor in range(8)]
                assert see["discards"] == k.DEAL_CARDS
                met.add("deal")
            if ATTACK <= last < DEAL and node == NODE_TRIGGER:
                assert see["target"].tolist() == [i == 1 + last - ATTACK for i in range(game.players)]
                assert see["open_sources"].sum() >= 2
                met.add("attack")
            if BUILD <= last < EXPLORE and node == NODE_SAVE:
                assert see["design"] == 1 + (last - BUILD) // 5
                assert see["place"].tolist() == [i == (last - BUILD) % 5 for i in range(5)]
                assert see["discount"] > 0
                met.add("save")
            if BUILD <= last < EXPLORE and node == NODE_BUILD_MORE and see["builds"][0]:
                assert see["builds"].tolist() == [1, int(state.fields["depth"])]
                assert see["source"].tolist() == [i == (last - BUILD) % 5 for i in range(7)]
                met.add("builds")
            if node == NODE_MAIN:
                assert not any(see[name].any() for name in PENDING)
    assert met == {"deal", "attack", "save", "builds"}


def test_only_the_exploiting_seat_sees_what_it_drew(game: Game) -> None:
    met = 0
    for seed in range(8):
        for state in played(game, seed):
            if int(state.fields["node"]) != NODE_GRAY:
                continue
            mover = int(state.fields["mover"])
            drawn = (state.history or [])[-int(state.fields["gray"].sum()) :]
            shown = np.bincount([outcome - DRAW for outcome in drawn], minlength=45)
            for seat in range(game.players):
                assert np.array_equal(parts(state, seat)["drawn"], shown if seat == mover else 0 * shown)
            met += 1
    assert met > 0


def test_observations_and_keys_are_functions_of_what_the_seat_knows(game: Game) -> None:
    for ply, state in enumerate(played(game, 13, scripted=True)):
        for seat in range(PUBLIC, game.players) if ply % 4 == 0 else ():
            world = state.determinize(seat, ply)
            bare = Position(game, as_seen(state.record, seat))
            assert state.info_key(seat) == world.info_key(seat) == bare.info_key(seat)
            if seat >= 0:
                assert np.array_equal(state.observe(seat), world.observe(seat))
                assert np.array_equal(state.observe(seat), bare.observe(seat))


def known_bytes(seat: int) -> Record:
    """1 for every byte of the record that the seat knows."""
    mask = np.ones(State.itemsize, np.uint8)
    hidden = fields(mask)
    hidden["deck"] = 0
    for other in range(4):
        if other != seat:
            hidden["hand"][other], hidden["drawn"][other] = 0, 0
    return mask


@pytest.mark.parametrize("seat", [PUBLIC, 0, 1, 2, 3])
def test_a_key_changes_with_every_known_byte_and_with_no_other(seat: int) -> None:
    rng = np.random.default_rng(5)
    record = rng.integers(0, 256, State.itemsize).astype(np.uint8)
    base, mask, keys = info_key(record, seat), known_bytes(seat), set()
    for place in range(State.itemsize):
        for bit in (0, 7):
            record[place] ^= 1 << bit
            key = info_key(record, seat)
            assert (key != base) == bool(mask[place])
            keys.add(int(key))
            record[place] ^= 1 << bit
    assert len(keys) == 2 * int(mask.sum()) + 1


def test_keys_differ_by_seat_and_not_by_where_the_record_lies() -> None:
    record = np.arange(State.itemsize).astype(np.uint8)
    assert len({int(info_key(record, seat)) for seat in range(PUBLIC, 4)}) == 5
    for shift in range(1, 9):
        buffer = np.zeros(State.itemsize + 16, np.uint8)
        buffer[shift : shift + State.itemsize] = record
        assert info_key(buffer[shift : shift + State.itemsize], 1) == info_key(record, 1)


def test_keys_of_many_positions_do_not_collide() -> None:
    record, rng, seen = np.zeros(State.itemsize, np.uint8), generator("keys"), {}
    mask = known_bytes(0)
    places = np.flatnonzero(mask)
    for i in range(len(places)):
        for value in (1, 2, 128, 255):
            record[:] = 0
            record[places[i]] = value
            record[places[(i * 7 + int(rng[0] % 5)) % len(places)]] ^= value
            known = (record * mask).tobytes()
            assert seen.setdefault(int(info_key(record, 0)), known) == known


def test_the_page_lists_every_slice_where_it_is() -> None:
    games = [engines.load("moo_board", players=n) for n in (2, 3, 4)]
    rows = [tuple(part.start for part in parts) for parts in zip(*(game.slices for game in games), strict=True)]
    page = (Path(__file__).parents[2] / "docs/games/moo_board.md").read_text()
    for starts, part in zip(rows, games[0].slices, strict=True):
        assert f"| {starts[0]} | {starts[1]} | {starts[2]} | `{part.name}` | {part.kind.value} |" in page
