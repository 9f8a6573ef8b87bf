"""Seeded defects are caught by the checks that they name; one that is not is said to be missed."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

from engines import mutations as module
from engines.mutations import Mutant, Mutation, mutations, run_mutations
from tests.engines.games import make, small


@small
def test_every_defect_is_caught_by_name(name: str, players: int) -> None:
    report = run_mutations(make(name, players))
    assert report.ok, str(report)
    by_status = {trial.mutation.name: trial.status for trial in report.trials}
    idle = {mutation for mutation, status in by_status.items() if status == "no effect"}
    # Kuhn poker has no padding and always two choices; the duel is too large to be counted whole.
    assert idle == ({"biased"} if name == "duel" else {"dirty_padding", "legal_none"}), str(report)
    for trial in report.trials:
        assert trial.status == "no effect" or set(trial.by) & set(trial.mutation.caught_by)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ["moo_board", "conquest"])
def test_every_defect_of_a_large_game_is_caught_by_name(name: str) -> None:
    """`pytest -m slow tests/engines/test_mutations.py`: some minutes each, with no limit that a busy machine breaks."""
    report = run_mutations(make(name, 3), games=8, budget_seconds=None)
    assert report.ok, str(report)
    # No padding, and too many positions to count.
    assert {t.mutation.name for t in report.trials if t.status == "no effect"} <= {"dirty_padding", "biased"}


def test_the_classic_defects_are_among_them() -> None:
    names = {mutation.name for mutation in mutations(make("duel", 3))}
    classic = "kept:hand kept:deck kept:pending shown:pending told:prize truth_shuffled last_seat"
    assert set(classic.split()) <= names
    assert len(names) == len(mutations(make("duel", 3)))


def test_a_mutant_leaves_the_game_alone() -> None:
    game = make("kuhn_poker", 2)
    before = game.kernels
    for mutation in mutations(game):
        mutation.apply(Mutant(game))
    assert game.kernels is before and game.max_length == 8 and game.action_text(1) == "bet"


def test_a_defect_that_no_named_check_sees_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make("kuhn_poker", 2)
    real = next(m for m in mutations(game) if m.name == "not_zero_sum")
    blind = Mutation(real.name, real.defect, ("legal",), real.apply)
    monkeypatch.setattr(module, "mutations", lambda game: [blind])
    report = run_mutations(game, games=2)
    assert not report.ok
    assert "MISSED" in str(report) and "expected legal, failed returns" in str(report)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=itertools.count(step=100).__next__))
    late = run_mutations(game, games=2)
    assert not late.ok and [trial.status for trial in late.trials] == ["no time"], str(late)
