"""A worker of a cluster and agents that are not Orion's own, without a cluster: 1 one that ends its process loses that
game and neither worker nor other games; 2 checkpoints lie in a folder while a run is played, and are gone after it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from orion_ai.arena.entrants import resolve
from orion_ai.arena.match import play_blocks, seatings
from orion_ai.arena.runner import Match
from orion_ai.distributed.foreign import ForeignPlayer
from tests.arena.agents import First

KUHN = {"name": "kuhn_poker", "players": 2}
FIRST = {"python": "tests.arena.agents:First"}


@pytest.mark.timeout(200)
def test_an_agent_that_ends_its_process_loses_a_game_and_no_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    game = Match(KUHN, resolve([FIRST, FIRST]), 1, 4).load()
    agent = First(game, 1)
    sound = list(play_blocks(game, [First(game, 1), agent], range(3), 1, lanes=1))
    rogue = {"python": "tests.arena.agents:Breaks", "how": "exit", "key": agent.seen[0][2]}
    player = ForeignPlayer(Match(KUHN, resolve([FIRST, rogue]), 1, 1), {})
    found = []
    for block in player.play(seatings(2, 2), range(3)):
        found.append(block)
        assert [folder.name[:6] for folder in tmp_path.glob("orion-*")] == ["orion-"]
    assert not list(tmp_path.glob("orion-*"))
    games = [(a, b) for one, other in zip(sound, found, strict=True) for a, b in zip(one.games, other.games)]
    (lost,) = [b for a, b in games if (a.returns, a.decisions, a.fault) != (b.returns, b.decisions, b.fault)]
    assert lost.fault is not None and lost.fault[1] == "ended its process: exit code 0, twice at the same decision"
    player.end()
