"""The dealer and the generators: right frequencies, streams that do not interfere, blocks that stay in step."""

from __future__ import annotations

import numpy as np
import pytest

from engines.conformance_exact import chi_square_z
from engines.rng import Dealer, below, deal_event, generator, key_of, mix, next_u64, uniform


@pytest.mark.parametrize("n", [2, 7, 60])
def test_below_is_uniform(n: int) -> None:
    rng, draws = generator("below", n), 40_000
    counts = np.bincount([below(rng, n) for _ in range(draws)], minlength=n)
    assert len(counts) == n
    assert chi_square_z(dict(enumerate(counts / draws)), dict.fromkeys(range(n), 1 / n), draws) < 4


def test_below_stays_in_range_for_any_bits() -> None:
    rng = generator("range")
    for n in (1, 3, 2**31 - 1):
        assert all(0 <= below(rng, n) < n for _ in range(2000))


def test_uniform_has_the_moments_of_the_unit_interval() -> None:
    rng = generator("uniform")
    draws = np.array([uniform(rng) for _ in range(40_000)])
    assert draws.min() >= 0.0 and draws.max() < 1.0
    assert draws.mean() == pytest.approx(0.5, abs=0.006) and draws.var() == pytest.approx(1 / 12, abs=0.003)


def test_bits_are_balanced_and_neighbouring_keys_unrelated() -> None:
    draws = [int(next_u64(generator("bits", i))) for i in range(4000)]
    for bit in range(64):
        share = sum(draw >> bit & 1 for draw in draws) / len(draws)
        assert abs(share - 0.5) < 0.04  # five standard deviations
    assert len(set(draws)) == len(draws)


def test_mix_is_the_finaliser_it_says() -> None:
    def reference(a: int, b: int) -> int:
        low = 2**64 - 1
        z = (a + (b + 1) * 0x9E3779B97F4A7C15) & low
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & low
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & low
        return z ^ z >> 31

    for a, b in ((0, 0), (1, 2), (2**64 - 1, 2**63 + 5)):
        assert int(mix(np.uint64(a), np.uint64(b))) == reference(a, b)
    assert int(mix(np.uint64(0), np.uint64(0))) == 0xE220A8397B1DCDAF  # the first output of SplitMix64 from 0


def test_names_of_generators_are_told_apart_and_are_the_same_everywhere() -> None:
    keys = {key_of(*parts) for parts in ((1, 2), (2, 1), ("a", "bc"), ("ab", "c"), ("abc",), (1,), ("1",), ())}
    assert len(keys) == 8
    assert key_of("selfplay", 7, -1) == 0x28237F2472E585DC


def test_deal_event_wins_by_weight() -> None:
    outcomes, weights = np.array([3, 40, 41, 99], np.int32), np.array([1, 2, 5, 12], np.int64)
    events = 40_000
    drawn = [deal_event(np.uint64(5), 2, event, outcomes, weights, 4) for event in range(events)]
    seen = {int(o): drawn.count(int(o)) / events for o in outcomes}
    assert sum(seen.values()) == pytest.approx(1.0)
    assert chi_square_z(seen, {int(o): int(w) / 20 for o, w in zip(outcomes, weights, strict=True)}, events) < 4


def test_deal_event_depends_on_deal_stream_and_event_alone() -> None:
    outcomes, weights = np.arange(50, dtype=np.int32), np.ones(50, np.int64)

    def draws(deal: int, stream: int) -> list[int]:
        return [deal_event(np.uint64(deal), stream, event, outcomes, weights, 50) for event in range(40)]

    assert draws(1, 0) == draws(1, 0)
    for other in (draws(2, 0), draws(1, 1)):
        assert sum(a == b for a, b in zip(draws(1, 0), other, strict=True)) < 8
    shuffled = np.random.default_rng(0).permutation(50).astype(np.int32)
    reordered = [deal_event(np.uint64(1), 0, event, shuffled, weights, 50) for event in range(40)]
    assert reordered == draws(1, 0)


def test_a_dealer_counts_streams_apart_and_recounts_a_past() -> None:
    outcomes, weights = np.arange(30, dtype=np.int32), np.ones(30, np.int64)
    one, two = Dealer(77, 3), Dealer(77, 3)
    first = [one.choose(0, outcomes, weights) for _ in range(5)]
    for _ in range(9):  # another stream in between changes nothing
        two.choose(1, outcomes, weights)
    assert [two.choose(0, outcomes, weights) for _ in range(5)] == first
    past = [0, 1, 0, 2, 0]
    later = Dealer(77, 3)
    later.recount(past)
    following = Dealer(77, 3)
    for stream in past:
        following.choose(stream, outcomes, weights)
    assert later.choose(0, outcomes, weights) == following.choose(0, outcomes, weights)
    assert later.counts.tolist() == [4, 1, 1]


@pytest.mark.parametrize(("extra", "agreement"), [(0, 1.0), (1, 0.99), (3, 0.97), (10, 0.88)])
def test_the_games_of_a_block_stay_in_step(extra: int, agreement: float) -> None:
    """After the other seat drew more cards from a shared deck of 90, this seat's next draws mostly agree."""
    agreed, total = 0, 0
    for deal in range(800):
        drawn = [_next_draws(deal, more, 4) for more in (0, extra)]
        agreed += sum(a == b for a, b in zip(*drawn, strict=True))
        total += 4
    assert agreed / total == pytest.approx(agreement, abs=0.02)


def _next_draws(deal: int, before: int, draws: int) -> list[int]:
    """What stream 0 draws from a deck of 90 (45 designs twice) after stream 1 has drawn `before` cards."""
    deck, dealer = np.full(45, 2, np.int64), Dealer(deal, 2)
    found = []
    for stream in [1] * before + [0] * draws:
        left = np.flatnonzero(deck).astype(np.int32)
        card = dealer.choose(stream, left, deck[left])
        deck[card] -= 1
        if stream == 0:
            found.append(card)
    return found
