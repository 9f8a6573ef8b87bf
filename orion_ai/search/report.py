"""What a search answers: arrays, one row a lane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["SearchReport"]


@dataclass(frozen=True)
class SearchReport:
    """The answer of `Search.run` for B lanes, A action ids and P seats. Illegal actions have 0 everywhere."""

    algorithm: str
    """What was searched by; of `auto` what it was decided to be in this game."""
    action: NDArray[np.int32]
    """[B] the action to play."""
    policy: NDArray[np.float32]
    """[B, A] the target for a policy: the improved policy (Gumbel, mirror descent), the average strategy (bandits) or
    the shares of visits."""
    value: NDArray[np.float32]
    """[B, P] value of the root by absolute seat: `policy` over the visited actions' values."""
    prior: NDArray[np.float32]
    """[B, A] the prior over the root's legal actions, without noise; uniform without a network."""
    visits: NDArray[np.float32]
    """[B, A] visits of the root's actions: sums of the worlds' weights, whole numbers where worlds are not weighted."""
    q: NDArray[np.float32]
    """[B, A] mean value of the root's actions for the searcher; 0 where not visited."""
    availability: NDArray[np.float32]
    """[B, A] how often each root action could be chosen (weighted like visits)."""
    simulations: NDArray[np.int32]
    """[B] simulations done."""
    worlds: NDArray[np.int32]
    """[B] worlds sampled: as many as simulations, each of which samples its own, or those of the pool."""
    effective: NDArray[np.float32]
    """[B] effective number of worlds, (sum w)^2 / sum w^2; equals `worlds` where they are not weighted. Of `particles`:
    the effective number of particles, the least after anything that the seat learned since its last decision."""
    max_depth: NDArray[np.int32]
    """[B] most decisions of one simulation that had a node."""
    mean_depth: NDArray[np.float32]
    """[B] mean of the same."""
    nodes: NDArray[np.int32]
    """[B] nodes made, the root included."""
    refused: NDArray[np.int32]
    """[B] leaves that got no node because the lane's space was used up (see `SearchConfig.max_nodes`)."""
    evaluations: NDArray[np.int32]
    """[B] rows evaluated, the root's included, and those that the particles of a belief have asked for since its seat's
    last decision."""
    descent_seconds: float
    """Time in selection, worlds and rules for all lanes together (playouts included where there is no network)."""
    evaluation_seconds: float
    """Time in the evaluator."""
    backup_seconds: float
    """Time in expansion and backup."""

    @property
    def seconds(self) -> float:
        """Wall time of the three stages."""
        return self.descent_seconds + self.evaluation_seconds + self.backup_seconds
