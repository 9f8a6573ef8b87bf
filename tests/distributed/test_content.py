"""A content file of one's own travels: 1 its bytes go with what processes are told, and are a file of the other machine
there, whatever became of the first; 2 workers play with it after it has gone (slow)."""

from hashlib import sha256
from pathlib import Path

import pytest

from engines import kernel
from engines.errors import FileError
from orion_ai.arena.entrants import resolve
from orion_ai.arena.runner import Match
from orion_ai.distributed.content import carried, settled
from orion_ai.distributed.luggage import received, sent
from orion_ai.distributed.plan import Plan
from orion_ai.runtime import RuntimeConfig
from tests.distributed.runs import NET, SEARCH, SELFPLAY, TORCH
from tests.engines.subprocesses import ROOT, code

DATA = b"own: \xe2\x82\xac\r\n"


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Settings of a game, whose content is a file of the current folder, which is left at once."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("ORION_CACHE_DIR", str(tmp_path / "cache"))
    Path("own.yaml").write_bytes(DATA)
    return {"name": "moo_board", "content": "own.yaml"}


def test_what_processes_are_told_holds_the_content(game: dict[str, str], tmp_path: Path) -> None:
    plan = Plan(game, NET, TORCH, SEARCH, SELFPLAY, RuntimeConfig("ray"))
    match = Match(game, resolve(["random", "random"]), 1, 8)
    texts = plan.as_text(), sent(match)
    Path("own.yaml").unlink()
    for found in (Plan.from_text(texts[0]).game, received(texts[1]).game):
        assert found.keys() == game.keys() and found["name"] == "moo_board"
        assert Path(found["content"]).read_bytes() == DATA
        assert Path(found["content"]).parent == tmp_path / "cache" / "content"
    with pytest.raises(FileError, match=r"content file 'own\.yaml' cannot be read: No such file"):
        plan.as_text()


def test_a_file_on_the_other_machine_is_made_whole(game: dict[str, str], tmp_path: Path) -> None:
    told = carried(carried(game))
    path = Path(settled(told)["content"])
    path.write_bytes(DATA[:3])
    assert Path(settled(told)["content"]) == path and path.read_bytes() == DATA
    kernel.prune()
    assert path.exists()
    (tmp_path / "cache").rename(tmp_path / "gone")
    (tmp_path / "cache").touch()  # nothing can be kept there
    assert Path(settled(told)["content"]).read_bytes() == DATA
    assert carried({"name": "kuhn_poker"}) == settled({"name": "kuhn_poker"}) == {"name": "kuhn_poker"}


@pytest.mark.slow
def test_workers_play_with_content_that_has_gone(tmp_path: Path) -> None:
    """Kernels as plain Python, not compiled. `pytest -m slow tests/distributed/test_content.py`: a minute."""
    own = (ROOT / "engines/moo_board/content/standard.yaml").read_text() + "# my own\n"
    (tmp_path / "own.yaml").write_text(own)
    said = code(
        f"""
        import os
        from dataclasses import replace
        from pathlib import Path
        from orion_ai.arena.entrants import resolve
        from orion_ai.arena.runner import Match, Player
        from orion_ai.distributed.matches import RayMatches
        from orion_ai.distributed.plan import Plan
        from orion_ai.distributed.pool import RayPool
        from orion_ai.net.network import make_network
        from orion_ai.runtime import RuntimeConfig
        from tests.distributed.runs import NET, SEARCH, SELFPLAY, TORCH
        from tests.distributed.test_matches import results

        os.chdir({str(tmp_path)!r})
        settings = {{"name": "moo_board", "content": "own.yaml"}}
        match = Match(settings, resolve(["random", "random"]), 1, 2)
        game, places, one = match.load(), [(0, 1), (1, 0)], RuntimeConfig("ray", workers=1)
        plan = Plan(settings, NET, TORCH, replace(SEARCH, simulations=2), replace(SELFPLAY, lanes=1), one)
        wanted = results(list(Player(match, game).play(places, range(1))))
        with RayMatches(match, one) as far, RayPool(game, plan, Path("parts")) as pool:
            os.rename("own.yaml", "elsewhere.yaml")
            assert results(list(far.play(places, [range(1)]))) == wanted
            assert results(list(pool.elsewhere(match).play(places, [range(1)]))) == wanted
            played = pool.play(make_network(game, NET, 1).weights(), 1, 0, 1, lambda _: None)
            print(game.content_hash, len(played.episodes))
        """,
        NUMBA_DISABLE_JIT="1",
    )
    assert said.split() == [sha256(own.encode()).hexdigest()[:12], "1"]
