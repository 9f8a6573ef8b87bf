# mypy: ignore-errors
"""The policy as one step of magnetic mirror descent (Sokota et al. 2023, equation 9) from the prior by the values."""

import math

from engines.kernel import lean_kernel
from orion_ai.search.gumbel import mixed_value


@lean_kernel
def mirror_step(n, mass, prior, q, value, step, alpha, uniform_magnet, out):
    """Fill `out` with the policy ~ (prior exp(step q) magnet^(step alpha))^(1 / (1 + step alpha)).

    It is the policy that has the greatest <q, policy> - alpha KL(policy, magnet) - KL(policy, prior) / step.

    Args:
        n: how many actions there are.
        mass: visits of each.
        prior: what the step goes from; sums to 1.
        q: values in [-1, 1]; those of unvisited actions are replaced by the node's mixed value.
        value: the node's own.
        step, alpha: eta and alpha of the paper.
        uniform_magnet: whether the magnet is the uniform policy; else it is the prior.
        out: float64[n] or longer.
    """
    mixed, high, total = mixed_value(n, mass, prior, q, value), -math.inf, 0.0
    for j in range(n):
        if mass[j] <= 0.0:
            q[j] = mixed
        start = math.log(max(prior[j], 1e-37))
        magnet = -math.log(float(n)) if uniform_magnet else start
        out[j] = (start + step * q[j] + step * alpha * magnet) / (1.0 + step * alpha)
        high = max(high, out[j])
    for j in range(n):
        out[j] = math.exp(out[j] - high)
        total += out[j]
    for j in range(n):
        out[j] /= total
