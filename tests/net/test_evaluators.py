"""Evaluators: 1 all give the same answers in fp32, in any batch; 2 swapped weights are what answers; 3 `auto` takes
what is fastest; 4 impossible requests are refused by name."""

import numpy as np
import pytest
import torch

from engines.errors import UsageError
from orion_ai.net.config import EvaluatorConfig, NetConfig
from orion_ai.net.evaluators import NetworkEvaluator, OnnxEvaluator, TorchEvaluator, choose, make_evaluator, onnx_graph
from tests.net.test_network import CARDS, trained


def observations(rows: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    last = CARDS.slices[-1]
    out = rng.integers(0, 3, (rows, last.start + last.size)).astype(np.int16)
    return np.ascontiguousarray(out)


def reference(network: torch.nn.Module, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    with torch.no_grad():
        out = network(torch.from_numpy(rows))
    return out.logits.numpy(), out.values.numpy()


@pytest.mark.parametrize("rows", [1, 7, 64])
@pytest.mark.parametrize("kind", [TorchEvaluator, OnnxEvaluator])
def test_same_answers(kind: type, rows: int) -> None:
    network, seen = trained(), observations(rows)
    logits, values = kind(network).evaluate(seen)
    wanted = reference(network, seen)
    assert logits.dtype == values.dtype == np.float32
    np.testing.assert_allclose(logits, wanted[0], atol=1e-4)
    np.testing.assert_allclose(values, wanted[1], atol=1e-4)
    assert np.abs(wanted[0]).max() > 0.1


@pytest.mark.parametrize("kind", [TorchEvaluator, OnnxEvaluator])
def test_an_answer_has_the_same_bits_in_any_batch(kind: type) -> None:
    evaluator, seen = kind(trained()), observations(64)
    rng = np.random.default_rng(1)
    whole = evaluator.evaluate(seen)
    for rows in (*range(1, 20), 31, 64, 77):
        places = rng.integers(0, len(seen), rows)
        for part, of_all in zip(evaluator.evaluate(seen[places]), whole, strict=True):
            assert part.tobytes() == of_all[places].tobytes(), rows


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_graphs_on_a_gpu_answer_as_the_network_does(precision: str) -> None:
    first, second = trained(), trained()
    with torch.no_grad():
        for p in second.parameters():
            p.mul_(-1.3)
    evaluator = TorchEvaluator(first, precision, "cuda")
    for network in (first, second):  # weights are exchanged below the graphs
        evaluator.load(network.weights())
        for rows in (200, 1, 65):
            seen = observations(rows)
            for found, wanted in zip(evaluator.evaluate(seen), reference(network, seen), strict=True):
                np.testing.assert_allclose(found, wanted, atol=1e-3 if precision == "fp32" else 0.1)


@pytest.mark.parametrize("kind", [TorchEvaluator, OnnxEvaluator])
def test_weights_are_swapped(kind: type) -> None:
    first, second, seen = trained(), trained(), observations(3)
    with torch.no_grad():
        for p in second.parameters():
            p.mul_(-1.3)
    evaluator: NetworkEvaluator = kind(first)
    evaluator.load(second.weights())
    np.testing.assert_allclose(evaluator.evaluate(seen)[0], reference(second, seen)[0], atol=1e-4)
    assert np.abs(reference(first, seen)[0] - reference(second, seen)[0]).max() > 0.1


def test_an_evaluator_keeps_its_weights_while_the_network_learns() -> None:
    network, seen = trained(), observations(2)
    evaluator = TorchEvaluator(network)
    before = evaluator.evaluate(seen)[0]
    with torch.no_grad():
        network.policy.bias.add_(1.0)
    np.testing.assert_array_equal(evaluator.evaluate(seen)[0], before)


@pytest.mark.parametrize("rows", [1, 32, 45])
def test_bf16_is_close(rows: int) -> None:
    network, seen = trained(), observations(rows)
    logits, values = TorchEvaluator(network, "bf16").evaluate(seen)
    assert logits.dtype == np.float32
    np.testing.assert_allclose(logits, reference(network, seen)[0], atol=0.1)
    np.testing.assert_allclose(values, reference(network, seen)[1], atol=0.05)


def test_bf16_on_a_cpu_meets_few_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    network, met = trained(), set()
    evaluator = TorchEvaluator(network, "bf16")
    forward = evaluator._network.forward
    monkeypatch.setattr(evaluator._network, "forward", lambda batch: met.add(len(batch)) or forward(batch))
    for rows in range(1, 100, 7):
        logits, values = evaluator.evaluate(observations(rows))
        assert len(logits) == len(values) == rows
    assert met == {16, 32, 48, 64, 80, 96, 112}


def test_a_graph_without_a_score_head() -> None:
    network = trained(config=NetConfig(32, 1, 8, 16, score=False))
    seen = observations(4)
    np.testing.assert_allclose(OnnxEvaluator(network).evaluate(seen)[0], reference(network, seen)[0], atol=1e-4)


def test_one_graph_serves_all_weights_of_an_architecture() -> None:
    assert onnx_graph(trained()) is onnx_graph(trained())


def test_auto_is_decided_by_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    from orion_ai.net import evaluators

    network = trained()
    for best in ("torch bf16", "onnx fp32", "torch fp32"):
        monkeypatch.setattr(evaluators, "_rate", lambda e, _, best=best: float(e.label == best))
        chosen = choose(network, EvaluatorConfig("auto", "bf16"), 8)
        assert f"{chosen.backend} {chosen.precision}" == best
    sizes: list[list[int]] = []
    monkeypatch.setattr(evaluators, "_rate", lambda e, batches: sizes.append([len(b) for b in batches]) or 1.0)
    choose(network, EvaluatorConfig("auto"), 128)
    choose(network, EvaluatorConfig("auto"), 1)
    assert sizes == [[32, 64, 96]] * 2 + [[1, 1, 1]] * 2
    monkeypatch.undo()
    assert choose(network, EvaluatorConfig("auto"), 8).backend in ("torch", "onnx")


@pytest.mark.parametrize(
    ("config", "text"),
    [
        (EvaluatorConfig("onx"), "Did you mean 'onnx'"),
        (EvaluatorConfig("torch", "fp16"), "unknown evaluator.precision 'fp16'"),
        (EvaluatorConfig("onnx", "bf16"), "fp32 on the cpu only"),
        (EvaluatorConfig("torch", device="cuda:77"), "device 'cuda:77' cannot be used"),
        (EvaluatorConfig("torch", device="toaster"), "device 'toaster' cannot be used"),
    ],
)
def test_impossible_requests(config: EvaluatorConfig, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        make_evaluator(trained(), config, 8)
