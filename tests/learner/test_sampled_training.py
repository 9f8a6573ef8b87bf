"""Training on sampled games finds what is dominated in Kuhn poker, from nothing but how games end."""

from pathlib import Path

import torch

import engines
from engines.kuhn_poker.layout import FIRST_CARD
from engines.state import State
from orion_ai import checkpoint
from orion_ai.learner.config import LearnerConfig
from orion_ai.net.network import make_network
from orion_ai.replay.window import ReplayConfig
from orion_ai.selfplay.config import SelfPlayConfig
from tests.learner.runs import CONFIG, run

BET = 1
JACK, QUEEN, KING = range(3)


def test_a_king_calls_and_a_jack_folds(tmp_path: Path) -> None:
    manifest = run(
        tmp_path,
        25,
        selfplay=SelfPlayConfig(games=256, lanes=64, full_share=1.0, sampled_games=10**6, sampled_trace=1.0),
        replay=ReplayConfig(window=1, reuse=1.0),
        learner=LearnerConfig(batch=128, learning_rate=3e-3, score_scale=2.0),
    )
    game, found = engines.load("kuhn_poker"), checkpoint.read(manifest)
    network = make_network(game, CONFIG.net)
    network.load_weights(checkpoint.read_tensors(manifest.parent / found.weights))

    def chance_to_call(card: int) -> float:
        """How likely the second player calls a bet with this card."""
        state = State.start(game)
        for action in (FIRST_CARD + QUEEN, FIRST_CARD + card, BET):
            state.apply(action)
        with torch.inference_mode():
            return float(torch.softmax(network(torch.from_numpy(state.observe(1)[None])).logits[0], 0)[BET])

    assert chance_to_call(KING) > 0.9
    assert chance_to_call(JACK) < 0.1
