"""What the searches of self-play were like: sums over those whose policies become targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orion_ai.search.report import SearchReport
from orion_ai.selfplay.sums import Sums

__all__ = ["Searches"]

LEAST_PRIOR = 1e-9
"""A prior below this counts as this: in float32 it may have become 0."""


@dataclass
class Searches(Sums):
    """Sums over searches; `figures` are their means."""

    count: int = 0
    simulations: int = 0
    refused: int = 0
    nodes: int = 0
    depth: float = 0.0
    greatest_depth: int = 0
    effective_worlds: float = 0.0
    entropy: float = 0.0
    divergence: float = 0.0

    def add(self, report: SearchReport) -> None:
        """Take in the searches of a report."""
        lanes, ids = np.nonzero(report.policy)
        share = report.policy[lanes, ids].astype(np.float64)
        logs = np.log(share)
        prior = np.maximum(report.prior[lanes, ids].astype(np.float64), LEAST_PRIOR)
        self.count += len(report.simulations)
        self.simulations += int(report.simulations.sum())
        self.refused += int(report.refused.sum())
        self.nodes += int(report.nodes.sum())
        self.depth += float(report.mean_depth.sum())
        self.greatest_depth += int(report.max_depth.sum())
        self.effective_worlds += float(report.effective.sum())
        self.entropy -= float(share @ logs)
        self.divergence += float(share @ (logs - np.log(prior)))

    def figures(self) -> dict[str, float]:
        """Means a search, under the names that TensorBoard shows; empty without a search."""
        if not self.count:
            return {}
        return {
            "search/depth": self.depth / self.count,
            "search/greatest_depth": self.greatest_depth / self.count,
            "search/nodes": self.nodes / self.count,
            "search/effective_worlds": self.effective_worlds / self.count,
            "search/refused": self.refused / max(self.simulations, 1),
            "search/root_entropy": self.entropy / self.count,
            "search/kl_from_prior": self.divergence / self.count,
        }
