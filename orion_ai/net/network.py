"""The network of a game, built from the declared slices of its observation.

observation int16[N, D] -> features: one wide row -> residual trunk -> policy logits, a value for every seat, scores.

The trunk is an MLP with pre-norm residual blocks (He et al. 2016, the identity mapping form); an observation here is a
list of named quantities and not an image, and at the batches of a search on a CPU a plain MLP gives the most strength
for its time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from engines.contract import Game, Kind, Slice
from orion_ai.net.config import NetConfig

__all__ = ["NetSpec", "Network", "Outputs", "make_network"]


@dataclass(frozen=True)
class NetSpec:
    """All that a network needs to know of its game.

    Attributes:
        slices: the observation, in order.
        vocabularies: size of every vocabulary that COUNT and CARD slices name.
        actions: size of the policy head.
        players: size of the value and score heads.
    """

    slices: tuple[Slice, ...]
    vocabularies: tuple[tuple[str, int], ...]
    actions: int
    players: int

    @classmethod
    def of(cls, game: Game) -> NetSpec:
        """The network's side of a game."""
        named = sorted({s.labels for s in game.slices if s.kind in (Kind.COUNT, Kind.CARD) and s.labels})
        sizes = tuple((name, len(game.labels[name])) for name in named)
        return cls(game.slices, sizes, game.num_actions, game.players)


class Outputs(NamedTuple):
    """What a network says about a batch of observations, all seen from the observing seat (entry 0 own, then
    clockwise).

    Attributes:
        logits: float32[N, A], illegal actions not masked.
        values: float32[N, P] in [-1, 1], the expected returns.
        scores: float32[N, P], the expected final points in units of the learner's `score_scale`; None without the head.
    """

    logits: Tensor
    values: Tensor
    scores: Tensor | None


class Features(nn.Module):
    """Turns an observation into one wide row of features.

    Numbers (SCALAR, ONE_HOT, MASK, COUNT) are divided by their scale and passed on. Things of a vocabulary have one
    embedding table, shared by all slices that name it: a COUNT slice (a hand) adds counts @ table for each row; a CARD
    slice adds the embedding of each of its places, their sum and their attention pool, per seat if the slice is.
    """

    scale: Tensor
    numbers: Tensor

    def __init__(self, spec: NetSpec, embedding: int) -> None:
        super().__init__()
        self.tables = nn.ModuleDict({name: nn.Embedding(size + 1, embedding) for name, size in spec.vocabularies})
        self.queries = nn.ParameterDict({name: nn.Parameter(torch.zeros(embedding)) for name, _ in spec.vocabularies})
        self.cards = [s for s in spec.slices if s.kind is Kind.CARD and s.labels in self.tables]
        self.counts = [s for s in spec.slices if s.kind is Kind.COUNT and s.labels in self.tables]
        places: list[int] = []
        scales: list[float] = []
        for part in spec.slices:
            if part not in self.cards:
                places += range(part.start, part.start + part.size)
                scales += [1.0 / part.scale] * part.size
        self.register_buffer("numbers", torch.tensor(places, dtype=torch.int64), persistent=False)
        self.register_buffer("scale", torch.tensor(scales), persistent=False)
        rows = sum(part.size // part.shape[-1] for part in self.counts)
        rows += sum(part.size + 2 * self._groups(part) for part in self.cards)
        self.size = len(places) + rows * embedding

    def _table(self, part: Slice) -> nn.Embedding:
        table = self.tables[part.labels]
        assert isinstance(table, nn.Embedding)
        return table

    @staticmethod
    def _groups(part: Slice) -> int:
        return part.shape[0] if part.per_seat else 1

    def forward(self, observations: Tensor) -> Tensor:
        batch = observations.shape[0]
        dtype = next(self.parameters()).dtype if self.tables else self.scale.dtype
        numbers = observations.index_select(1, self.numbers).to(dtype) * self.scale
        parts = [numbers]
        for part in self.counts:
            counts = observations[:, part.start : part.start + part.size].to(dtype) * (1.0 / part.scale)
            table = self._table(part).weight[1:]
            parts.append((counts.reshape(-1, part.shape[-1]) @ table).reshape(batch, -1))
        for part in self.cards:
            ids = observations[:, part.start : part.start + part.size].to(torch.int64)
            each = self._table(part)(ids)
            groups = each.reshape(batch * self._groups(part), -1, each.shape[-1])
            share = torch.softmax(groups @ self.queries[part.labels], dim=1)
            pooled = (groups * share.unsqueeze(-1)).sum(1)
            parts += [each.reshape(batch, -1), groups.sum(1).reshape(batch, -1), pooled.reshape(batch, -1)]
        return torch.cat(parts, 1)


class Block(nn.Module):
    """A residual block: x + second(relu(first(norm(x))))."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        inner: Tensor = self.second(functional.relu(self.first(self.norm(x))))
        return x + inner


class Network(nn.Module):
    """See the module. Make one with `make_network`."""

    def __init__(self, spec: NetSpec, config: NetConfig) -> None:
        super().__init__()
        self.spec, self.config = spec, config
        self.features = Features(spec, config.embedding)
        self.enter = nn.Linear(self.features.size, config.width)
        self.blocks = nn.ModuleList(Block(config.width) for _ in range(config.blocks))
        self.norm = nn.LayerNorm(config.width)
        self.policy = nn.Linear(config.width, spec.actions)
        self.judge = nn.Linear(config.width, config.head)
        self.value = nn.Linear(config.head, spec.players)
        self.score = nn.Linear(config.head, spec.players) if config.score else None

    def forward(self, observations: Tensor) -> Outputs:
        """int16[N, D] -> Outputs."""
        x = functional.relu(self.enter(self.features(observations)))
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        hidden = functional.relu(self.judge(x))
        scores = None if self.score is None else self.score(hidden).float()
        return Outputs(self.policy(x).float(), torch.tanh(self.value(hidden)).float(), scores)

    def initialise(self, seed: int) -> None:
        """Fill in the first weights, the same for the same seed whatever happened before.

        Hidden layers get He's normal; the last layer of each block and of each head starts at zero, so an untrained
        network plays uniformly and calls every position even.
        """
        source = torch.Generator().manual_seed(seed & 0x7FFFFFFFFFFFFFFF)
        last = {f"blocks.{i}.second" for i in range(self.config.blocks)} | {"policy", "value", "score"}
        with torch.no_grad():
            for name, module in self.named_modules():
                if isinstance(module, nn.Linear):
                    spread = 0.0 if name in last else math.sqrt(2.0 / module.in_features)
                    module.weight.normal_(0.0, 1.0, generator=source).mul_(spread)
                    module.bias.zero_()
                elif isinstance(module, nn.Embedding):
                    module.weight.normal_(0.0, 0.5, generator=source)

    @property
    def parameter_count(self) -> int:
        """How many numbers are learned."""
        return sum(p.numel() for p in self.parameters())

    def weights(self) -> dict[str, Tensor]:
        """The learned numbers by stable name (a copy on the CPU, fp32)."""
        return {name: p.detach().to("cpu", torch.float32).clone() for name, p in self.named_parameters()}

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Take over weights as `weights()` gives them; names and shapes must be this architecture's."""
        self.load_state_dict(dict(weights), strict=True)


def make_network(game: Game, config: NetConfig, seed: int = 0) -> Network:
    """A fresh network for `game`, in evaluation mode."""
    network = Network(NetSpec.of(game), config)
    network.initialise(seed)
    return network.eval()
