"""Checkpoints: 1 what is read is what was written, named by its content; 2 another game, option, version, content or
architecture is refused with the reason; 3 damage is noticed; 4 nothing is ever unpickled; 5 paths mean what they seem
to; 6 a bot that is shipped stands alone, and replaces the one before."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import engines
from engines.errors import FileError, UsageError
from orion_ai import checkpoint
from orion_ai.checkpoint import Checkpoint
from orion_ai.identity import identity_of
from orion_ai.net.config import NetConfig
from orion_ai.net.network import Network, make_network

NET = NetConfig(16, 1, 4, 8)
GAME = engines.load("kuhn_poker")


def written(folder: Path, iteration: int = 3, network: Network | None = None) -> Path:
    network = network or make_network(GAME, NET, seed=iteration)
    made = Checkpoint(identity_of(GAME), network.config, "", "", {"iteration": iteration}, {"seed": 1}, {"a": [1]})
    return checkpoint.write(folder, made, network.weights(), {"steps": torch.tensor(iteration)})


def test_round_trip(tmp_path: Path) -> None:
    network = make_network(GAME, NET, seed=9)
    with torch.no_grad():
        network.policy.bias.add_(torch.tensor([0.1, -0.2]))
    path = written(tmp_path, network=network)
    again = checkpoint.load_network(path, GAME)
    assert not again.training
    assert all(torch.equal(a, b) for a, b in zip(network.parameters(), again.parameters(), strict=True))
    found = checkpoint.read(path)
    assert found.counters == {"iteration": 3} and found.config == {"a": [1]} and found.net == NET
    assert checkpoint.game_of(path).options == GAME.options


def test_names_are_contents(tmp_path: Path) -> None:
    first, second = written(tmp_path / "a"), written(tmp_path / "b")
    assert checkpoint.read(first) == checkpoint.read(second)
    other = written(tmp_path / "a", iteration=4)
    assert checkpoint.read(first).weights != checkpoint.read(other).weights


def test_paths(tmp_path: Path) -> None:
    folder = tmp_path / "run" / "checkpoints"
    paths = [written(folder, iteration=n) for n in (2, 10, 9)]
    assert checkpoint.find(tmp_path / "run") == checkpoint.find(folder) == paths[1]
    assert checkpoint.find(paths[2]) == paths[2]
    for nothing in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(FileError, match="no checkpoint at"):
            checkpoint.find(nothing)


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("game", "chess", "for another game .game is 'chess' there, 'kuhn_poker' here"),
        ("version", 0, "the rules of the game have changed"),
        ("content", "abc", "other cards or boards"),
        ("options", {"players": 3}, "other options of the game"),
        ("layout", "0", "the observation or the action space has changed"),
    ],
)
def test_another_game_is_refused(tmp_path: Path, key: str, value: object, text: str) -> None:
    path = written(tmp_path)
    data = json.loads(path.read_text())
    data["identity"][key] = value
    path.write_text(json.dumps(data))
    with pytest.raises(FileError, match=rf"iteration-000003\.json' does not fit: .*{text}"):
        checkpoint.load_network(path, GAME)


def test_options_that_only_begin_a_game_may_differ(tmp_path: Path) -> None:
    """A network of dealt factions plays any factions; replays and runs keep to theirs, and other options count."""
    dealt, named = (engines.load("conquest", factions=f) for f in ("dealt", "mirror"))
    network = make_network(dealt, NET, seed=1)
    made = Checkpoint(identity_of(dealt), network.config, "", "", {"iteration": 1}, {"seed": 1}, {})
    path = checkpoint.write(tmp_path, made, network.weights(), None)
    checkpoint.load_network(path, named)
    checkpoint.load_network(path, engines.load("conquest", factions="dealt", max_rounds=20))
    assert checkpoint.game_of(path).options == dealt.options
    with pytest.raises(FileError, match=r"options\.factions is 'dealt' there, 'mirror' here"):
        identity_of(named).check(made.identity.as_json(), "replay")
    with pytest.raises(FileError, match=r"options\.end is 'first_fall' there, 'last_standing' here"):
        checkpoint.load_network(path, engines.load("conquest", end="last_standing"))
    assert "free" not in made.identity.as_json()


def test_a_shipped_bot_stands_alone(tmp_path: Path) -> None:
    run, shipped = tmp_path / "run", tmp_path / "deep" / "bot"
    first = checkpoint.ship(written(run / "checkpoints", 3), shipped)
    assert sorted(p.name for p in shipped.iterdir()) == sorted([first.name, checkpoint.read(first).weights])
    (shipped / "README.md").write_text("a card")
    written(run / "checkpoints", 12)
    second = checkpoint.ship(run, shipped)
    assert second.name == "iteration-000012.json" and checkpoint.read(second).learner is None
    left = sorted(p.name for p in shipped.iterdir())
    assert left == sorted(["README.md", second.name, checkpoint.read(second).weights])
    assert checkpoint.ship(run, shipped) == second and sorted(p.name for p in shipped.iterdir()) == left
    (shipped / "other.safetensors").write_bytes(b"of somebody else")
    checkpoint.ship(written(tmp_path / "third", 4), shipped)
    assert (shipped / "other.safetensors").exists() and checkpoint.find(shipped).name == "iteration-000004.json"
    checkpoint.ship(run, shipped)
    old, new = (checkpoint.load_network(p, GAME).weights() for p in (run, shipped))
    assert all(torch.equal(old[name], new[name]) for name in old)


def test_shipping_what_is_damaged_leaves_the_bot_before(tmp_path: Path) -> None:
    before = checkpoint.ship(written(tmp_path / "a"), tmp_path / "bot")
    path = written(tmp_path / "b", 4)
    (path.parent / checkpoint.read(path).weights).write_bytes(b"x")
    with pytest.raises(FileError, match="are damaged"):
        checkpoint.ship(path, tmp_path / "bot")
    assert checkpoint.find(tmp_path / "bot") == before
    for folder in (path.parent, tmp_path / "a"):
        with pytest.raises(UsageError, match="name another folder for the bot"):
            checkpoint.ship(written(tmp_path / "b", 5), folder)
    assert checkpoint.read(tmp_path / "a").learner is not None
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot make the folder"):
        checkpoint.ship(before, tmp_path / "file" / "bot")


def test_another_number_of_seats(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="other options of the game"):
        checkpoint.load_network(written(tmp_path), engines.load("kuhn_poker", players=3))


def test_another_architecture(tmp_path: Path) -> None:
    path = written(tmp_path)
    data = json.loads(path.read_text())
    data["net"]["width"] = 32
    path.write_text(json.dumps(data))
    with pytest.raises(FileError, match="weights of another architecture"):
        checkpoint.load_network(path, GAME)
    data["net"] = {"depth": 3}
    path.write_text(json.dumps(data))
    with pytest.raises(FileError, match=r"is malformed or .* net\.depth is 3 there, and is no setting here"):
        checkpoint.load_network(path, GAME)


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("weights", 3, "to name files"),
        ("learner", ["a"], "to name files"),
        ("net", 3, "expected keys below 'net'"),
        ("net", {"width": 0}, "net.width is 0: expected 1 to 65536"),
        ("net", {"width": "wide"}, "net.width is 'wide': expected 1 to 65536"),
        ("identity", None, "expected keys below 'identity'"),
        ("identity", {"game": "kuhn_poker"}, "missing 4 required"),
        ("counters", 7, "expected keys below 'counters'"),
        ("momentum", 0.9, "momentum is 0.9 there, and is no setting here"),
    ],
)
def test_a_malformed_manifest_is_named(tmp_path: Path, key: str, value: object, text: str) -> None:
    path = written(tmp_path)
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    with pytest.raises(FileError, match=rf"iteration-000003\.json' is malformed.*{text}"):
        checkpoint.read(path)


@pytest.mark.parametrize("text", ["", "{}", "[1, 2]", "nonsense", '{"format": 1, "identity": {}, "weights": 3}'])
def test_no_manifest(tmp_path: Path, text: str) -> None:
    (tmp_path / "iteration-000001.json").write_text(text)
    with pytest.raises(FileError, match=r"iteration-000001\.json"):
        checkpoint.read(tmp_path)


def test_another_format(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_text(path.read_text().replace('"format": 1', '"format": 7'))
    with pytest.raises(FileError, match="another format; this version reads 1"):
        checkpoint.read(path)


def test_damaged_weights(tmp_path: Path) -> None:
    path = written(tmp_path)
    weights = path.parent / checkpoint.read(path).weights
    content = weights.read_bytes()
    for wrong in (content[:-1], b"", content[:200] + b"?" + content[201:]):
        weights.write_bytes(wrong)
        with pytest.raises(FileError, match="are damaged"):
            checkpoint.load_network(path, GAME)
    weights.unlink()
    with pytest.raises(FileError, match="cannot read weights"):
        checkpoint.load_network(path, GAME)


def test_pickles_are_no_weights(tmp_path: Path) -> None:
    from engines.files import content_name

    torch.save({"a": torch.zeros(1)}, tmp_path / "pickled")
    content = (tmp_path / "pickled").read_bytes()
    path = tmp_path / f"{content_name(content)}.safetensors"
    path.write_bytes(content)
    with pytest.raises(FileError, match="no safetensors file"):
        checkpoint.read_tensors(path)


def test_prune_keeps_what_is_used(tmp_path: Path) -> None:
    same = make_network(GAME, NET, seed=1)
    paths = [written(tmp_path, n, same if n in (0, 6) else None) for n in range(8)]
    checkpoint.prune(tmp_path, keep=2, every=4)
    left = [p for p in paths if p.exists()]
    assert left == [paths[0], paths[4], paths[6], paths[7]]
    for path in left:
        checkpoint.load_network(path, GAME)
    assert len(list(tmp_path.glob("*.safetensors"))) == 3 + 2  # 0 and 6 share theirs; learners of the last two


def test_identity_survives_json() -> None:
    identity = identity_of(GAME)
    identity.check(json.loads(json.dumps(identity.as_json())), "file")
    with pytest.raises(FileError, match="file does not fit"):
        replace(identity, version=2).check(identity.as_json(), "file")
