"""`orion train`: 1 every experiment composes; 2 the kuhn one runs to its table; 3 Ctrl-C ends with 130 and the same
command goes on; 4 mistakes are named."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orion_ai import checkpoint
from orion_ai.cli import main
from orion_ai.commands.configuration import read
from orion_ai.data import configs_dir
from orion_ai.loop import TrainConfig

EXPERIMENTS = sorted(p.stem for p in (configs_dir() / "experiment").glob("*.yaml"))
SMALL = ["experiment=kuhn", "selfplay.games=16", "selfplay.lanes=8", "evaluation.blocks=2", "evaluation.final_blocks=3"]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiments_compose(name: str) -> None:
    (request,) = read("train", TrainConfig, [f"experiment={name}"])
    assert request.config.iterations or request.config.minutes
    assert request.config.search.algorithm == "gumbel" and request.config.run_name == name


@pytest.mark.parametrize("group", ["net", "learner", "selfplay"])
def test_groups_compose(group: str) -> None:
    for path in (configs_dir() / group).glob("*.yaml"):
        (request,) = read("train", TrainConfig, [f"{group}={path.stem}"])
        assert isinstance(request.config, TrainConfig)


def test_kuhn_to_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*SMALL, "iterations=3", "evaluation.every=2", f"folder={tmp_path}", "name=a"]
    assert main(["train", *words]) == 0
    said = capsys.readouterr().out
    for text in ("untrained", "random", "utility", f"orion play game=kuhn_poker players=2 agents=[{tmp_path}/a]"):
        assert text in said
    assert list((tmp_path / "a").glob("events.*")) and (tmp_path / "a" / "code.json").exists()
    assert main(["train", *words]) == 0
    assert checkpoint.read(tmp_path / "a").counters["iteration"] == 3


def test_interrupted(tmp_path: Path) -> None:
    words = [*SMALL, f"folder={tmp_path}", "name=a", "evaluation.every=0"]
    process = subprocess.Popen(
        [sys.executable, "-m", "orion_ai.cli", "train", *words, "iterations=100000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    while b"begins" not in process.stdout.readline():
        assert process.poll() is None
    while not (tmp_path / "a" / "shards" / "000002.npz").exists():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors.decode()
    assert b"the same command goes on" in errors and b"Traceback" not in errors
    reached = int(checkpoint.read(tmp_path / "a").counters["iteration"])
    assert main(["train", *words, f"iterations={reached + 1}"]) == 0
    assert checkpoint.read(tmp_path / "a").counters["iteration"] == reached + 1


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["learner.bach=3"], "Did you mean 'learner.batch'"),
        (["net=tny"], "Did you mean 'tiny'"),
        (["iterations=-1"], "iterations is -1: expected 0 or more"),
        (["selfplay.games=0"], "selfplay.games is 0: expected 1 or more"),
        (["selfplay.full_share=0"], "selfplay.full_share is 0.0: expected more than 0 and at most 1"),
        (["selfplay.fast_simulations=17"], "search.simulations is 16: self-play expects 17 or more"),
        (["search.opponents=agent"], "search.opponents is 'agent', but in self-play there is no other agent to ask"),
        (["selfplay.scripted_games=1"], "selfplay.scripted_games is 1, but kuhn_poker has no scripted player"),
        (
            ["selfplay.sampled_games=1", "selfplay.sampled_script=0.5"],
            "selfplay.sampled_script is 0.5, but kuhn_poker has no scripted player: expected 0",
        ),
        (["search.worlds=public"], "search.worlds is 'public'"),
        (["replay.chunk=0"], "replay.chunk is 0: expected 1 or more"),
        (["learner.horizon=0"], "learner.horizon is 0: expected 1 or more"),
        (["learner.horizon=5"], "learner.schedule is 'constant' and only 'cosine' would use it"),
        (["search.c_puct=2"], "search.c_puct is 2.0, but search.algorithm is 'gumbel' and only 'puct'"),
        (["learner.learning_rate=2"], "learner.learning_rate is 2.0: expected more than 0 and at most 1"),
        (["net.width=1000000000"], "net.width is 1000000000: expected 1 to 65536"),
        (["learner.learning_rate=nan"], "learner.learning_rate is nan: expected more than 0"),
        (["learner.schedule=cosin"], "Did you mean 'cosine'"),
        (["net.width=0"], "net.width is 0: expected 1 to 65536"),
        (["evaluation.blocks=-1"], "evaluation.blocks is -1: expected 0 or more"),
        (["evaluation.against=[rndom]"], "Did you mean 'random'"),
        (["evaluator.backend=onx"], "Did you mean 'onnx'"),
        (["search.algorithm=gumbl"], "Did you mean 'gumbel'"),
    ],
)
def test_mistakes(tmp_path: Path, words: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", *SMALL, "iterations=1", f"folder={tmp_path}", *words]) == 2
    assert text in capsys.readouterr().err
    assert not list(tmp_path.rglob("checkpoints")), "a run that cannot work has begun"
