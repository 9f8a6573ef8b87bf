"""Where to look next: Optuna's tree-structured Parzen estimator over a space, without any store of its own.

The sampler of a trial is made anew from (seed, number of the trial), so what it proposes follows from the trials before
it alone, and a study goes on from a list of them (Bergstra et al. 2011, "Algorithms for Hyper-Parameter Optimization").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from engines.errors import UsageError
from engines.rng import key_of
from orion_ai.tune.space import Parameter, Space, Value

if TYPE_CHECKING:
    import optuna

__all__ = ["Sampler", "load_optuna"]


def load_optuna() -> ModuleType:
    """Optuna, silenced.

    Raises:
        UsageError: it is not installed.
    """
    try:
        import optuna
    except ImportError:
        raise UsageError("orion tune needs Optuna, which is not installed: pip install 'orion-ai[tune]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


class Sampler:
    """Proposes points of a space and is told what became of them, one at a time."""

    def __init__(self, space: Space, seed: int) -> None:
        self._space, self._seed = space, seed
        self._optuna = load_optuna()
        self._study: optuna.Study = self._optuna.create_study(direction="maximize")
        self._trial: optuna.Trial | None = None

    def propose(self, number: int, known: Mapping[str, Value] | None) -> dict[str, Value]:
        """The values of trial `number`; `known` are those that it has already, from an earlier call of the command."""
        seed = key_of(self._seed, "tune", number) % 2**32
        self._study.sampler = self._optuna.samplers.TPESampler(seed=seed, multivariate=False)
        if known is not None:
            self._study.enqueue_trial(dict(known))
        self._trial = self._study.ask()
        values: dict[str, Value] = {}
        for parameter in self._space.parameters:
            if self._space.acts(parameter, values):
                values[parameter.key] = self._suggest(parameter)
        return values

    def _suggest(self, p: Parameter) -> Value:
        assert self._trial is not None
        value: Any
        if p.low is None or p.high is None:
            value = self._trial.suggest_categorical(p.key, p.choices)
        elif p.whole:
            value = self._trial.suggest_int(p.key, int(p.low), int(p.high), log=p.log)
        else:
            value = self._trial.suggest_float(p.key, p.low, p.high, log=p.log)
        found: Value = value
        return found

    def played(self, score: float, blocks: int) -> None:
        """The trial has this mean score after so many blocks."""
        assert self._trial is not None
        self._trial.report(score, blocks)

    def end(self, state: str, score: float) -> None:
        """The trial is over: `done` with its score, `pruned`, or `refused` (no agent could be made of it)."""
        assert self._trial is not None
        states = self._optuna.trial.TrialState
        if state == "done":
            self._study.tell(self._trial, score)
        else:
            self._study.tell(self._trial, state=states.PRUNED if state == "pruned" else states.FAIL)

    def add(self, values: Mapping[str, Value], score: float) -> None:
        """A point that was played without being proposed."""
        made = self._optuna.distributions
        distributions: dict[str, Any] = {}
        for p in self._space.parameters:
            if p.key in values:
                distributions[p.key] = _distribution(made, p)
        trial = self._optuna.trial.create_trial(params=dict(values), distributions=distributions, value=score)
        self._study.add_trial(trial)


def _distribution(made: Any, p: Parameter) -> Any:
    ends: Sequence[Any] = p.extremes
    if p.choices:
        return made.CategoricalDistribution(ends)
    kind = made.IntDistribution if p.whole else made.FloatDistribution
    return kind(ends[0], ends[1], log=p.log)
