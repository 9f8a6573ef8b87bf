"""The optimiser makes the same steps as torch's own."""

import torch

from orion_ai.learner.adamw import AdamW


def test_the_same_steps_as_torch() -> None:
    source = torch.Generator().manual_seed(1)
    start = {name: torch.randn(shape, generator=source) for name, shape in (("matrix", (4, 3)), ("bias", (4,)))}
    ours = {name: t.clone().requires_grad_() for name, t in start.items()}
    theirs = {name: t.clone().requires_grad_() for name, t in start.items()}
    mine = AdamW(ours, {"matrix"}, 0.1)
    groups = [{"params": [theirs["matrix"]], "weight_decay": 0.1}, {"params": [theirs["bias"]], "weight_decay": 0.0}]
    reference = torch.optim.AdamW(groups, lr=1.0)
    for step in range(25):
        rate = 0.01 * (1 + step % 3)
        for name in start:
            gradient = torch.randn(start[name].shape, generator=source)
            ours[name].grad, theirs[name].grad = gradient.clone(), gradient.clone()
        mine.step(rate)
        for group in reference.param_groups:
            group["lr"] = rate
        reference.step()
    for name in start:
        torch.testing.assert_close(ours[name], theirs[name], rtol=1e-5, atol=1e-6)
        assert not torch.equal(ours[name], start[name])
