"""One suite that any engine must pass: `print(check(engines.load("kuhn_poker")))`, or `orion check GAME`.

Random games (decisions uniformly random, chance by a dealer) are played step by step through the kernels as Python sees
them; `engines/conformance_report.py` lists every check and what it proves. `python -m engines.conformance GAME` prints
the report for every number of players.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

import engines
from engines.conformance_belief import BeliefChecks
from engines.conformance_exact import Exact, check_feature, check_posteriors
from engines.conformance_images import ImageChecks
from engines.conformance_report import CHECKS, Failure, FoundError, Report, Run, bytes_differing
from engines.conformance_rules import RulesChecks, check_declarations, check_setup, check_texts
from engines.contract import CHANCE, TERMINAL, Game
from engines.registry import game_type
from engines.rng import Dealer, below, generator, key_of, uniform
from engines.state import State

__all__ = ["CHECKS", "Failure", "Report", "check"]

PROBES = 12
"""Where `rate` is not given: about how many states of a long game have every seat's beliefs examined."""


def check(
    game: Game,
    games: int = 50,
    seed: int = 0,
    budget_seconds: float | None = None,
    *,
    rate: float | None = None,
    exact: Exact | None = None,
    stop: Iterable[str] = (),
) -> Report:
    """Run every check on random games.

    Args:
        game: the loaded game; its number of players and options are those examined.
        games: how many random games, at most.
        seed: names the games; the same seed gives the same report.
        budget_seconds: stop after this time, whatever has been played; None: no limit.
        rate: share of the states at which every seat's beliefs are examined (the slow checks), 0 to 1. None: all states
            of the first game and of short games, about `PROBES` of each further one.
        exact: exact distribution of a hidden feature at a state, for games too large to be counted whole.
        stop: names of checks; the run ends as soon as one of them has failed.

    Returns:
        the report; `report.ok` says whether nothing failed, printing it shows every check and each first failure.
    """
    run = Run(game, seed, budget_seconds, frozenset(stop))
    with suppress(FoundError):
        with run.guarded():
            check_declarations(run)
            check_texts(run)
            check_setup(run)
        _play(run, games, rate, exact)
        if not run.over:
            with run.guarded():
                check_posteriors(run)
    return run.finish()


def _play(run: Run, games: int, rate: float | None, exact: Exact | None) -> None:
    """Play and examine random games."""
    rules, beliefs, images = RulesChecks(run), BeliefChecks(run), ImageChecks(run)
    share = 1.0 if rate is None else rate
    for number in range(games):
        if run.over:
            break
        run.number, run.actions = number, []
        before = _global_generators()
        with run.guarded():
            _Played(run, rules, beliefs, images, exact, share).to_the_end()
        after = _global_generators()
        run.expect_same("randomness", {n: before[n] != after[n] for n in after}, "touched", None)
        run.report.games += 1
        if rate is None:
            share = min(1.0, PROBES * run.report.games / max(1, run.report.steps))
    run.number, run.actions = -1, []


def _global_generators() -> dict[str, object]:
    """The states of the generators that everybody shares, in a form that can be compared."""
    state = np.random.get_state(legacy=True)
    return {"random": random.getstate(), "numpy.random": [np.asarray(part).tobytes() for part in state]}


class _Played:
    """One random game, examined as it is played."""

    def __init__(
        self,
        run: Run,
        rules: RulesChecks,
        beliefs: BeliefChecks,
        images: ImageChecks,
        exact: Exact | None,
        share: float,
    ) -> None:
        self.run, self.rules, self.beliefs, self.images = run, rules, beliefs, images
        self.exact, self.share = exact, share
        self.rng = generator(run.report.seed, "conformance", run.number)
        self.dealer = Dealer(key_of(run.report.seed, "deal", run.number), run.game.num_streams)

    def to_the_end(self) -> None:
        run, game = self.run, self.run.game
        record = State.start(game).record
        self.beliefs.start(record)
        self.images.start()
        while not run.over:
            turn, legal = self.rules.state(record)
            self.beliefs.meet(record)
            self.images.meet(record)
            self.beliefs.remember(record)
            over = turn == TERMINAL or len(legal) == 0
            action = None if over else self._next(record, turn, legal)
            self._probe(record, turn, action)
            if action is None:
                break
            after = self.rules.step(record, action)
            self.beliefs.follow(record, action, after, self.rng)
            self.images.follow(action)
            record = after
            run.actions.append(action)
            run.report.steps += 1
            if not run.expect("length", len(run.actions) <= game.max_length, f"more than {game.max_length} steps"):
                return
        self._replay(record)

    def _next(self, record: NDArray[np.uint8], turn: int, legal: NDArray[np.int32]) -> int:
        if turn != CHANCE:
            return int(legal[below(self.rng, len(legal))])
        state = State(self.run.game, record)
        stream, odds = state.chance()
        usable = all(weight > 0 for _, weight in odds) and 0 <= stream < self.run.game.num_streams
        return state.draw(self.dealer) if usable else int(legal[0])

    def _probe(self, record: NDArray[np.uint8], turn: int, action: int | None) -> None:
        run = self.run
        chosen = uniform(self.rng) < self.share
        if not chosen and action is not None:
            return
        self.beliefs.probe(record.copy(), action, key_of(run.number, len(run.actions)))
        if self.exact is not None and turn >= 0:
            with run.guarded(turn):
                check_feature(run, State(run.game, record.copy()), turn, self.exact)

    def _replay(self, record: NDArray[np.uint8]) -> None:
        """The future is in the dealer alone: the same texts without one give the same bytes."""
        run, game = self.run, self.run.game
        again = State.start(game)
        for action in run.actions:
            again.apply(game.action_text(action))
        run.expect_same("replay", bytes_differing(run, again.record, record), "the replayed game differs in", None)


def main(arguments: list[str] | None = None) -> int:
    """`python -m engines.conformance GAME [--players N] [--games N] [--seed N] [--seconds S] [--rate R]`."""
    parser = argparse.ArgumentParser(prog="python -m engines.conformance", description="Run the conformance suite.")
    parser.add_argument("game", help="name of the game")
    parser.add_argument("--players", type=int, help="seats (default: every number that the game allows, in turn)")
    parser.add_argument("--games", type=int, default=50, help="random games (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="names the random games (default: %(default)s)")
    parser.add_argument("--seconds", type=float, help="stop after this time, per number of players")
    parser.add_argument("--rate", type=float, help="share of states at which beliefs are examined, 0 to 1")
    given = parser.parse_args(arguments)
    try:
        kind = game_type(given.game)
        counts = [given.players] if given.players else range(kind.min_players, kind.max_players + 1)
        reports = []
        for players in counts:
            game = engines.load(given.game, players=players)
            reports.append(check(game, given.games, given.seed, given.seconds, rate=given.rate))
            print(reports[-1], end="\n\n", flush=True)
    except engines.UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0 if all(report.ok for report in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
