"""What a network of a game keeps: 1 shapes follow the slices; 2 the seed alone decides the first weights; 3 an
untrained network plays uniformly; 4 things of one vocabulary share their embedding; 5 every slice is seen."""

import numpy as np
import pytest
import torch

import engines
from engines.contract import Kind, Slice
from orion_ai.net.config import NetConfig
from orion_ai.net.network import NetSpec, Network, make_network

TINY = NetConfig(width=32, blocks=2, embedding=8, head=16)


def spec_of(parts: list[Slice], vocabularies: tuple[tuple[str, int], ...], actions: int, players: int) -> NetSpec:
    placed, start = [], 0
    for p in parts:
        placed.append(Slice(p.name, p.kind, p.shape, p.scale, p.labels, p.per_seat, start))
        start += p.size
    return NetSpec(tuple(placed), vocabularies, actions, players)


CARDS = spec_of(
    [
        Slice("phase", Kind.ONE_HOT, (3,)),
        Slice("food", Kind.SCALAR, (2,), 10.0, per_seat=True),
        Slice("hand", Kind.COUNT, (5,), 2.0, "design"),
        Slice("stacks", Kind.CARD, (2, 3), labels="design", per_seat=True),
        Slice("race", Kind.CARD, (1,), labels="race"),
        Slice("free", Kind.MASK, (4,)),
    ],
    (("design", 5), ("race", 4)),
    actions=7,
    players=2,
)


def trained(spec: NetSpec = CARDS, config: NetConfig = TINY) -> Network:
    """A network whose heads are not zero."""
    network = Network(spec, config)
    network.initialise(1)
    source = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for p in network.parameters():
            p.add_(torch.randn(p.shape, generator=source) * 0.1)
    return network.eval()


def observation_of(spec: NetSpec, **parts: object) -> torch.Tensor:
    last = spec.slices[-1]
    row = torch.zeros(last.start + last.size, dtype=torch.int16)
    for part in spec.slices:
        if part.name in parts:
            row[part.start : part.start + part.size] = torch.tensor(parts[part.name], dtype=torch.int16).reshape(-1)
    return row


@pytest.mark.parametrize("players", [2, 3])
def test_shapes_follow_the_game(players: int) -> None:
    game = engines.load("kuhn_poker", players=players)
    out = make_network(game, TINY)(torch.zeros((5, game.observation_size), dtype=torch.int16))
    assert out.logits.shape == (5, game.num_actions)
    assert out.values.shape == (5, players)
    assert out.scores is not None and out.scores.shape == (5, players)
    without = make_network(game, NetConfig(32, 1, 8, 16, score=False))
    assert without(torch.zeros((1, game.observation_size), dtype=torch.int16)).scores is None


def test_the_seed_alone_decides_the_first_weights() -> None:
    game = engines.load("kuhn_poker")
    first = make_network(game, TINY, seed=3).weights()
    torch.manual_seed(99)
    torch.rand(7)
    again, other = make_network(game, TINY, seed=3).weights(), make_network(game, TINY, seed=4).weights()
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["enter.weight"], other["enter.weight"])


def test_an_untrained_network_is_even_handed() -> None:
    game = engines.load("kuhn_poker")
    drawn = np.random.default_rng(0).integers(0, 2, (9, game.observation_size))
    observations = torch.from_numpy(drawn.astype(np.int16))
    out = make_network(game, TINY)(observations)
    assert float(out.logits.detach().abs().max()) == 0.0
    assert float(out.values.detach().abs().max()) == 0.0


def test_one_vocabulary_one_embedding() -> None:
    features = trained().features
    assert {name: tuple(t.weight.shape) for name, t in features.tables.items()} == {"design": (6, 8), "race": (5, 8)}
    numbers = 3 + 2 + 5 + 4
    assert features.size == numbers + 8 * (1 + (6 + 2 * 2) + (1 + 2))
    hand = observation_of(CARDS, hand=[0, 0, 2, 0, 0])
    stack = observation_of(CARDS, stacks=[3, 0, 0, 0, 0, 0])
    table = features.tables["design"].weight
    row = features(torch.stack([hand, stack]))
    torch.testing.assert_close(row[0, numbers : numbers + 8], table[3])  # two copies at scale 2
    torch.testing.assert_close(row[1, numbers + 8 : numbers + 16], table[3])
    sums = row[1, numbers + 8 * 7 : numbers + 8 * 9].reshape(2, 8)
    torch.testing.assert_close(sums, torch.stack([table[3] + 2 * table[0], 3 * table[0]]))


def test_attention_weighs_the_places_of_a_seat() -> None:
    features = trained().features
    row = features(observation_of(CARDS, stacks=[3, 1, 0, 2, 2, 2])[None])
    table, query = features.tables["design"].weight, features.queries["design"]
    share = torch.softmax(table[[3, 1, 0]] @ query, 0)
    expected = torch.stack([share @ table[[3, 1, 0]], table[2]])
    first = 14 + 8 * (1 + 6 + 2)
    torch.testing.assert_close(row[0, first : first + 16].reshape(2, 8), expected)


def test_every_number_of_an_observation_matters() -> None:
    network = trained()
    last = CARDS.slices[-1]
    base = torch.zeros((1, last.start + last.size), dtype=torch.int16)
    before = network(base).logits
    for i in range(base.shape[1]):
        changed = base.clone()
        changed[0, i] = 1
        assert not torch.equal(network(changed).logits, before), i
