"""The learner: 1 it fits what it is shown; 2 the same batches give the same bits; 3 its state can be stored and
loaded in the middle; 4 the average follows the weights; 5 the rate follows its schedule; 6 wrong settings are
refused."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from engines.errors import FileError, UsageError
from orion_ai.learner.config import LearnerConfig
from orion_ai.learner.learner import Learner
from orion_ai.net.config import NetConfig
from orion_ai.net.network import make_network
from orion_ai.replay.rows import Rows
from orion_ai.replay.window import ReplayConfig, Window
from tests.replay.games import kuhn, play

GAME = kuhn()
CONFIG = LearnerConfig(batch=32, threads=1, warmup=4, score_scale=2.0)


def learner(config: LearnerConfig = CONFIG, width: int = 16) -> Learner:
    return Learner(make_network(GAME, NetConfig(width, 1, 4, 8), seed=1), config)


def batches(count: int = 6) -> list[Rows]:
    window = Window(GAME, ReplayConfig(reuse=4.0))
    window.add(0, [play(GAME, n) for n in range(60)])
    return list(window.batches(60, 32, 3))[:count]


def test_it_fits_what_it_is_shown() -> None:
    taught, (rows, *_) = learner(replace(CONFIG, learning_rate=0.01), width=64), batches()
    first = taught.train([rows], 0)
    last = taught.train([rows] * 150, 0)
    final = taught.train([rows], 0)
    assert final["value"] < 0.6 * first["value"] and final["policy"] < first["policy"] - 0.02
    assert final["policy"] >= final["target_entropy"]
    assert last["steps"] == 150 and taught.steps == 152


def test_same_batches_same_bits() -> None:
    one, two = learner(), learner()
    one.train(batches(), 0)
    torch.manual_seed(12345)
    two.train(batches(), 0)
    a, b = one.state(), two.state()
    assert a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def test_a_loss_that_is_not_finite_ends_the_run_with_advice() -> None:
    one = learner()
    before = one.state()
    (rows, *_) = batches()
    with pytest.raises(UsageError, match=r"the loss is nan at gradient step 0: lower learner\.learning_rate"):
        one.train([replace(rows, returns=np.full_like(rows.returns, np.nan))], 0)
    assert all(torch.equal(before[name], tensor) for name, tensor in one.state().items())


def test_stored_and_loaded_in_the_middle() -> None:
    whole, before, after = learner(), learner(), learner()
    data = batches()
    whole.train(data, 0)
    before.train(data[:3], 0)
    after.load(before.state(), before.average)
    after.train(data[3:], 0)
    a, b = whole.state(), after.state()
    assert a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)
    assert all(torch.equal(whole.average[name], after.average[name]) for name in whole.average)


def test_the_state_of_another_network_is_refused() -> None:
    with pytest.raises(FileError, match="does not fit this network"):
        learner(width=16).load(learner(width=32).state(), learner(width=32).average)


def test_the_average_follows() -> None:
    taught = learner(replace(CONFIG, average=0.9))
    start = {name: t.clone() for name, t in taught.average.items()}
    taught.train(batches(1), 0)
    now = taught.network.weights()
    decay = min(0.9, 2 / 11)
    for name, tensor in taught.average.items():
        torch.testing.assert_close(tensor, decay * start[name] + (1 - decay) * now[name])
    assert not torch.equal(taught.average["policy.bias"], start["policy.bias"])


def test_schedules() -> None:
    constant = learner(replace(CONFIG, learning_rate=0.5, warmup=1))
    assert [constant.learning_rate(n) for n in (0, 10**9)] == [0.5, 0.5]
    falling = learner(replace(CONFIG, learning_rate=1.0, warmup=1, schedule="cosine", horizon=1000))
    assert [falling.learning_rate(n) for n in (0, 500, 1000, 5000)] == pytest.approx([1.0, 0.55, 0.1, 0.1])
    rising = learner(replace(CONFIG, learning_rate=1.0, warmup=4))
    assert rising.learning_rate(0) == pytest.approx(0.25)


def test_validation_changes_nothing() -> None:
    taught, (rows, *_) = learner(), batches()
    before = taught.state()
    found, honest = taught.validate(rows)
    assert found["policy"] == pytest.approx(np.log(2), abs=1e-5)
    assert 0 <= found["calibration_error"] == honest.calibration_error <= 1 and honest.sizes.sum() == len(rows)
    after = taught.state()
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_no_batches_no_figures() -> None:
    assert learner().train([], 0) == {}


def test_wrong_settings() -> None:
    with pytest.raises(UsageError, match="Did you mean 'cosine'"):
        learner(replace(CONFIG, schedule="cosin"))
    with pytest.raises(UsageError, match=r"learner\.batch is 0"):
        learner(replace(CONFIG, batch=0))
    with pytest.raises(UsageError, match="device 'cuda:77' cannot be used"):
        learner(replace(CONFIG, device="cuda:77"))
