"""Several learners: 1 their steps are those of one, up to rounding, also where a part has no policy target; 2 what
comes out is the whole learner, which goes on alone; 3 a batch too small to share, and a loss that is not finite, are
refused; 4 one that dies, or hangs, is replaced, and the steps are the same."""

import dataclasses
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import ray
import torch
from ray.exceptions import RayTaskError

from engines.errors import UsageError
from orion_ai.distributed.cluster import Cluster
from orion_ai.distributed.learners import RayLearner, _Died, parts_of
from orion_ai.distributed.plan import Plan
from orion_ai.learner.config import LearnerConfig
from orion_ai.learner.learner import Learner
from orion_ai.learner.parallel import Share
from orion_ai.replay.rows import Rebuilder, Rows
from orion_ai.runtime import RuntimeConfig
from tests.distributed.runs import NET, SEARCH, SELFPLAY, TORCH, network
from tests.learner.runs import run
from tests.replay.games import kuhn, play

LEARNER = LearnerConfig(batch=37, threads=1, warmup=2, score_scale=2.0, search_value=0.5, learning_rate=1e-2)


def batches() -> list[Rows]:
    """Three of 37 rows; in the last one only the first row of each three has a policy target, if any."""
    rebuilder = Rebuilder(kuhn())
    rows = Rows.join([rebuilder.rows(play(kuhn(), n)) for n in range(80)])
    targets = np.flatnonzero(rows.has_policy)
    without = np.flatnonzero(~rows.has_policy)
    last = without[:37].copy()
    last[::3] = targets[: len(last[::3])]
    return [rows.take(np.arange(37)), rows.take(np.arange(40, 77)), rows.take(last)]


def test_shares_add_up() -> None:
    for batch in batches():
        shares = [Share.of(part, batch) for part in parts_of(batch, 3)]
        assert sum(s.rows for s in shares) == pytest.approx(1) and sum(s.policy for s in shares) == pytest.approx(1)
    assert [s.policy for s in shares] == [1, 0, 0]


class Killing:
    """The batches, and while they are gone through for the first time a learner is killed before the second."""

    def __init__(self, victim: int) -> None:
        self.victim = victim

    def __iter__(self) -> Iterator[Rows]:
        for number, batch in enumerate(batches()):
            if number == 1 and self.victim:
                os.kill(self.victim, signal.SIGKILL)
                self.victim = 0
            yield batch


def test_two_learners_make_the_steps_of_one_and_may_die(cluster: Any) -> None:
    one = Learner(network(), LEARNER)
    config = RuntimeConfig("ray", cluster.address, learners=2)
    plan = Plan({"name": "kuhn_poker"}, NET, TORCH, SEARCH, SELFPLAY, config, LEARNER)
    with Cluster(config) as joined:
        two = RayLearner(network(), LEARNER, 2)
        two.open(joined, plan)
        for asked in (batches(), Killing(two.pids[1])):
            wanted, found = one.train(batches(), 100), two.train(asked, 100)
            assert found.keys() == wanted.keys()
            assert all(found[name] == pytest.approx(wanted[name], rel=1e-4) for name in wanted)
        assert one.steps == two.steps == 6 and two.deaths == 1
        for kind in ("state", "average"):
            for name, tensor in tensors(one, kind).items():
                torch.testing.assert_close(tensors(two, kind)[name], tensor, rtol=1e-3, atol=1e-6)
        with pytest.raises(UsageError, match=r"runtime\.learners is 2, but a batch has 1 rows"):
            two.train([batches()[0].take(np.arange(1))], 100)
        broken = dataclasses.replace(batches()[0], returns=np.full_like(batches()[0].returns, np.nan))
        with pytest.raises(UsageError, match=r"^the loss is nan at gradient step 6"):
            two.train([broken], 100)


def test_a_learner_that_hangs_is_taken_for_dead() -> None:
    """Whether the others have failed meanwhile, for want of it, or not. Where all have answered, an error is one."""
    learner = RayLearner(network(), LEARNER, 2)
    fails, hangs = "fails", "hangs"

    def wait(tasks: list[str], num_returns: int, timeout: float) -> tuple[list[str], list[str]]:
        came = [task for task in tasks if task != hangs][:1]
        return came, [task for task in tasks if task not in came]

    def get(task: str) -> None:
        raise RayTaskError("step", "the traceback", ValueError(task))

    of_ray = Mock(wait=wait, get=get, exceptions=ray.exceptions)
    learner._cluster = Mock(ray=of_ray, config=RuntimeConfig("ray", start_seconds=0.01))
    for tasks in ([hangs, hangs], [fails, hangs]):
        with pytest.raises(_Died, match=f"{tasks.count(hangs)} learners did not answer in time"):
            learner._heard(tasks)
    with pytest.raises(ValueError, match="fails"):
        learner._heard([fails, "too late"])


def tensors(learner: Learner, kind: str) -> dict[str, torch.Tensor]:
    return dict(learner.state() if kind == "state" else learner.average)


@pytest.mark.slow
def test_a_run_with_two_learners(cluster: Any, tmp_path: Path) -> None:
    """`pytest -m slow tests/distributed/test_learners.py`: one minute."""
    run(tmp_path, 2, runtime=RuntimeConfig("ray", cluster.address, workers=1, learners=2))
    run(tmp_path, 3)
