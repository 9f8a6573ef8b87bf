"""Rows rebuilt from episodes: 1 what the mover saw and could do, at the recorded places; 2 targets rotated to the
observer; 3 another seat's row after each in games with secrets; 4 an action list of something else is refused."""

import dataclasses

import numpy as np
import pytest

from engines.errors import FileError
from engines.state import State
from orion_ai.replay.rows import Rebuilder, Rows
from tests.replay.games import kuhn, play


@pytest.mark.parametrize("players", [2, 3])
def test_rows_are_what_was_seen(players: int) -> None:
    game = kuhn(players)
    for number in range(20):
        episode = play(game, number)
        rows = Rebuilder(game).rows(episode)
        assert len(rows) == 2 * episode.samples
        for k in range(episode.samples):
            state = State.start(game)
            for action in episode.actions[: episode.at[k]]:
                state.apply(int(action))
            seat = state.to_play
            other = (seat + 1 + k % (players - 1)) % players
            assert seat == episode.seats[k] and other != seat
            for row, who in ((2 * k, seat), (2 * k + 1, other)):
                np.testing.assert_array_equal(rows.observations[row], state.observe(who))
                turned = [(who + j) % players for j in range(players)]
                np.testing.assert_array_equal(rows.returns[row], episode.returns[turned])
                np.testing.assert_array_equal(rows.search_values[row], episode.values[k][turned])
                np.testing.assert_array_equal(rows.scores[row], episode.scores[turned])
            assert np.flatnonzero(rows.legal[2 * k]).tolist() == state.legal_actions()
            assert rows.has_policy[2 * k] == episode.full[k] and not rows.has_policy[2 * k + 1]
            assert rows.policy[2 * k].sum() == pytest.approx(float(episode.full[k]))


def test_without_secrets_the_mover_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    game = kuhn()
    monkeypatch.setattr(type(game), "secrets", False)
    episode = play(game, 1)
    assert len(Rebuilder(game).rows(episode)) == episode.samples


def test_take_and_join() -> None:
    rows = Rebuilder(kuhn()).rows(play(kuhn(), 3))
    half = len(rows) // 2
    again = Rows.join([rows.take(np.arange(half)), rows.take(np.arange(half, len(rows)))])
    for name in Rows.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(rows, name), getattr(again, name))


def test_other_actions_are_refused() -> None:
    game = kuhn()
    episode = play(game, 2)
    wrong = episode.actions.copy()
    wrong[1] = wrong[0]  # the same card dealt twice
    with pytest.raises(FileError, match=r"episode 2: action \d at step 1 is illegal"):
        Rebuilder(game).rows(dataclasses.replace(episode, actions=wrong))
    with pytest.raises(FileError, match="does not end as recorded"):
        Rebuilder(game).rows(dataclasses.replace(episode, actions=episode.actions[:-1]))
    with pytest.raises(FileError, match="does not end as recorded"):
        Rebuilder(game).rows(dataclasses.replace(episode, returns=-episode.returns))
