"""The command line.

1 Help is complete, fast, and imports nothing. 2 `games` compiles nothing. 3 Mistakes give exit code 2 and name the key,
what was expected and the nearest valid choice. 4 Ctrl-C gives 130, and the same command goes on. 5 Every shipped
configuration composes, and every game's has exactly its options. 6 Sweeps run every combination.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import engines
from engines.registry import game_type
from orion_ai.cli import COMMANDS, main, manual
from orion_ai.data import configs_dir

ROOT = Path(__file__).resolve().parents[2]


def run(*words: str, cwd: Path = ROOT, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "orion_ai.cli", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )


def fails(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that must be refused, and return what it says."""
    assert main(words) == 2
    said = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("orion: comp")]
    assert len(said) == 1
    return said[0]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_manual_page(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    page = capsys.readouterr().out
    assert page == manual(command)
    assert page.startswith(f"orion {command}: ") and "Usage: orion" in page and "Examples:" in page
    examples = page.split("Examples:")[1].splitlines()
    assert all(len(line) <= 120 for line in page.splitlines())
    assert any(f"orion {command}" in line for line in examples)
    assert main(["help", command]) == 0
    assert capsys.readouterr().out == page


@pytest.mark.parametrize("command", COMMANDS)
def test_a_shell_leaves_the_examples_as_they_are(command: str, tmp_path: Path) -> None:
    lines = [line.split("   ")[0] for line in manual(command).split("Examples:")[1].splitlines()]
    examples = [line.strip() for line in lines if line.strip().startswith("orion ")]
    assert examples
    for example in examples:
        said = subprocess.run(
            ["bash", "-c", f"printf '%s\\n' {example}"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert said.stdout.splitlines() == shlex.split(example)


def test_the_overview_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    overview = capsys.readouterr().out
    for command in COMMANDS:
        assert re.search(rf"^  {command} +\w", overview, re.MULTILINE)
    assert main([]) == 2
    assert capsys.readouterr().out == overview
    assert main(["--version"]) == 0
    assert re.fullmatch(r"orion \d+\.\d+\.\d+\n", capsys.readouterr().out)


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from orion_ai.cli import main; main(['--help']); main(['play', '--help']); print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(result.stdout.splitlines()[-1].split())
    assert not loaded & {"numpy", "numba", "torch", "ray", "hydra", "omegaconf", "rich", "matplotlib"}


def test_games_compiles_nothing_and_is_fast(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = run("games", env={"ORION_CACHE_DIR": str(tmp_path / "kernels")})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert result.returncode == 0, result.stderr
    for name in engines.GAMES:
        assert name in result.stdout
    assert not (tmp_path / "kernels").exists()
    assert after.ru_utime - before.ru_utime < 1.5
    code = "import sys; from orion_ai.cli import main; main(['games', 'kuhn_poker']); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "record         11 bytes" in loaded and "hidden         card" in loaded
    assert not set(loaded.splitlines()[-1].split()) & {"torch", "ray", "hydra", "omegaconf"}


def test_without_a_network_nothing_loads_torch(tmp_path: Path) -> None:
    code = f"""
import io, sys
from orion_ai.cli import main
sys.stdin = io.StringIO("1\\n1\\n1\\n")
for words in (
    "games", "check kuhn_poker games=1", "bench signature games=[kuhn_poker] output={tmp_path}/bench",
    "arena agents=[random,ismcts] blocks=1 processes=1 output={tmp_path}/match",
    "replay {tmp_path}/match", "play kuhn_poker agents=[random]",
):
    assert main(words.split()) == 0, words
    assert not {{"torch", "onnxruntime", "tensorboard", "ray"}} & set(sys.modules), words
"""
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["arean"], "unknown command 'arean'. Did you mean 'arena'?"),
        (["games", "kuhn"], "unknown game 'kuhn'. Did you mean 'kuhn_poker'?"),
        (["games", "game=kuhn_poker"], "expected nothing, or the name of a game"),
        (["check", "kuhn_pokr"], "unknown game 'kuhn_pokr'. Did you mean 'kuhn_poker'?"),
        (["arena", "game=kuhn_pokr"], "unknown game 'kuhn_pokr'. Did you mean 'kuhn_poker'?"),
        (["arena", "players=5"], "kuhn_poker: players=5, expected 2 to 3"),
        (["arena", "players=many"], "kuhn_poker: players='many', expected 2 to 3"),
        (["arena", "game=moo_board", "game.utility=wni"], "unknown utility of moo_board 'wni'. Did you mean 'win'?"),
        (["arena", "game=moo_board", "game.utlity=win"], "unknown key 'game.utlity'. Did you mean 'game.utility'?"),
        (["arena", "+game.plyers=2"], "unknown option of kuhn_poker 'plyers'. Did you mean 'players'?"),
        (["arena", "blokcs=3"], "unknown key 'blokcs'. Did you mean 'blocks'?"),
        (["arena", "simulations=3"], "unknown key 'simulations'. Did you mean 'budget.simulations'?"),
        (["arena", "+extra=3"], "unknown key 'extra'"),
        (["arena", "+budget.simulatons=3"], "unknown key 'budget.simulatons'. Did you mean 'budget.simulations'?"),
        (["train", "+search.unknown=1"], "unknown key 'search.unknown'."),
        (["train", "search={c_utc: 1}"], "unknown key 'search.c_utc'. Did you mean 'search.c_uct'?"),
        (["arena", "~agents"], "agents cannot be taken away (~agents): expected a value for every setting"),
        (["train", "+selfplay.lane=1"], "unknown key 'selfplay.lane'. Did you mean 'selfplay.lanes'?"),
        (["train", "++search.c_utc=1", "experiment=kuhn"], "'search.c_utc'. Did you mean 'search.c_uct'?"),
        (["arena", "blocks=few"], "'blocks=few': expected a whole number"),
        (["arena", "game=null"], "group override must be a string"),
        (["arena", "difference=1e-300"], "difference is 1e-300: expected 1e-06 or more"),
        (["arena", "blocks=1", "lanes=1000000000"], "out of memory (Unable to allocate"),
        (["arena", "blocks=0"], "blocks is 0: expected 1 to 1e+07"),
        (["arena", "difference=x"], "'difference=x': expected a number"),
        (["arena", "replays=false", "replay_blocks=5"], "replay_blocks is 5, but replays=false keeps no games"),
        (["arena", "replays=maybe"], "'replays=maybe': expected true or false"),
        (["arena", "agents=random"], "'agents=random': expected a list in brackets"),
        (["arena", "agents=[random"], "cannot understand the setting 'agents=[random'"),
        (["arena", "output=ü"], "in quotes, and the whole in others for the shell: \"output='ü'\""),
        (["explain", "ü.jsonl"], "ü.jsonl: does not exist"),
        (["arena", "agents=[random,ismtcs]"], "unknown agent 'ismtcs'. Did you mean 'ismcts'?"),
        (["arena", "agents=[random]"], "a match needs at least two agents"),
        (["arena", "budget.simulations=1", "budget.milliseconds=1"], "give simulations or milliseconds, not both"),
        (["arena", "blocks=1,2"], "gives several values: add -m"),
        (["arena", "--verbose"], "unknown flag of orion arena '--verbose'"),
        (["check", "-m"], "unknown flag of orion check '-m'"),
        (["check", "kuhn_poker", "moo_board"], "cannot understand 'moo_board'"),
        (["play", "saved.json", "seat=1"], "seat cannot be changed in a saved game"),
        (["arena", "tic_tac_toe", "luck=standing", "agents=[random,random]"], "left to chance in tic_tac_toe"),
        (["check", "games=0"], "games is 0: expected 1 or more"),
        (["bench", "speeed"], "unknown part of the bench 'speeed'. Did you mean 'speed'?"),
        (["bench", "speed", "write=true"], "golden and write belong to the signature"),
        (["bench", "games=[kuhn]"], "unknown game 'kuhn'. Did you mean 'kuhn_poker'?"),
        (["replay"], "Expected the file of a recorded game"),
        (["replay", "nowhere.jsonl"], "nowhere.jsonl"),
        (["replay", "game.jsonl", "last=-1"], "last is -1: expected 0 or more"),
        (["replay", "game.jsonl", "ply=-2"], "ply is -2: expected -1 or more"),
    ],
)
def test_mistakes_are_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in fails(capsys, *words)


def test_an_agent_that_fails_is_named_and_the_match_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rogue = "agents=[random,{python: 'tests.arena.agents:Raises', name: rogue}]"
    assert main(["arena", rogue, "blocks=3", "processes=1", f"output={tmp_path}"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "rogue lost 6 games; the first: block 0, rogue failed: ZeroDivisionError: no idea" in said


def test_a_fault_of_ours_is_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a slip")

    monkeypatch.setattr("orion_ai.commands.arena.summarize", broken)
    assert main(["arena", "agents=[random,random]", "blocks=1", "processes=1", f"output={tmp_path}"]) == 1
    assert "a fault of Orion's own (ZeroDivisionError)" in capsys.readouterr().err


def test_a_full_disk_and_a_full_memory_are_no_faults_of_ours(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for error, message in (
        (OSError(28, "No space left on device", "x.nbc"), "the disk is full (No space left on device: 'x.nbc')"),
        (MemoryError("Unable to allocate 3 TiB"), "out of memory (Unable to allocate 3 TiB): ask for fewer lanes"),
    ):

        def fail(*_: object, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr("orion_ai.cli._dispatch", fail)
        assert message in fails(capsys, "check")


def test_an_arena_from_start_to_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["arena", "agents=[ismcts,random]", "blocks=20", "budget.simulations=16", "processes=1"]
    assert main([*words, f"output={tmp_path}"]) == 0
    out = capsys.readouterr().out
    assert "lead in utility" in out and "blocks 20/20" in out
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["blocks"] == 20 and [a["name"] for a in report["agents"]] == ["ismcts", "random"]
    assert "| ismcts |" in (tmp_path / "report.md").read_text()
    assert (tmp_path / "report.png").read_bytes().startswith(b"\x89PNG")
    recorded = tmp_path / "game.jsonl"
    assert main(["replay", str(tmp_path), "block=3", "place=1", f"save={recorded}"]) == 0
    from_match = capsys.readouterr().out
    assert "over: points" in from_match
    assert main(["replay", str(recorded)]) == 0
    assert capsys.readouterr().out == from_match.rpartition("written")[0]
    assert main(["replay", str(recorded), "ply=2", "seat=1", "actions=true"]) == 0
    shown = capsys.readouterr().out
    assert "seat 0 is dealt a card" in shown and "cards ? " in shown
    assert "ply 99: the game has steps 0 to" in fails(capsys, "replay", str(recorded), "ply=99")
    assert "seat is '7': expected all, public, or 0 to 1" in fails(capsys, "replay", str(recorded), "seat=7")
    assert "only a match has blocks" in fails(capsys, "replay", str(recorded), "block=1")
    cut = tmp_path / "cut.jsonl"
    cut.write_text("\n".join(recorded.read_text().splitlines()[:-1]) + "\n")
    assert "cut short" in fails(capsys, "replay", str(cut))


def test_the_default_output_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["arena", "agents=[random,random]", "blocks=3", "processes=1"]
    assert main(words) == 0
    (folder,) = (tmp_path / "runs" / "arena").iterdir()
    written = (folder / "blocks.jsonl").read_bytes()
    assert main([*words[:2], "blocks=5", "processes=1"]) == 0
    assert [folder] == list((tmp_path / "runs" / "arena").iterdir())
    assert (folder / "blocks.jsonl").read_bytes().startswith(written)
    assert main([*words, "seed=2"]) == 0
    assert len(list((tmp_path / "runs" / "arena").iterdir())) == 2


def test_a_sweep_runs_every_combination(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["arena", "-m", "agents=[random,random]", "blocks=2,3", "seed=1,2", "processes=1", f"output={tmp_path}"]
    assert main(words) == 0
    reports = [json.loads((tmp_path / str(job) / "report.json").read_text()) for job in range(4)]
    assert [(r["blocks"], r["seed"]) for r in reports] == [(2, 1), (2, 2), (3, 1), (3, 2)]
    summary = capsys.readouterr().out.rpartition("written: ")[2]
    assert [summary.count(f"job {job}: ") for job in range(4)] == [1, 1, 1, 1] and summary.count("lead in utility") == 4


def test_a_games_name_alone_chooses_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arena", "moo_board", "players=3", "--config"]) == 0
    shown = capsys.readouterr().out
    assert "name: moo_board" in shown and "players: 3" in shown


def test_an_output_folder_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    said = fails(capsys, "arena", "agents=[random,random]", f"output={tmp_path}/file/match")
    assert "cannot write" in said and "file/match" in said


@pytest.mark.parametrize("processes", [1, 2])
def test_ctrl_c_gives_130_and_the_same_command_goes_on(tmp_path: Path, processes: int) -> None:
    slow = '{python: "tests.arena.agents:Slow", name: slow}'
    words = [
        "arena",
        f"agents=[{slow},random]",
        "blocks=12",
        "lanes=1",
        f"processes={processes}",
        f"output={tmp_path}/out",
    ]
    journal = tmp_path / "out" / "blocks.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-m", "orion_ai.cli", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (journal.exists() and journal.read_bytes().count(b"\n") >= 3):
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "the same command goes on" in err and "Traceback" not in err
    kept = journal.read_bytes()
    assert 2 <= kept.count(b"\n") - 1 < 12
    again = run(*words)
    assert again.returncode == 0, again.stderr
    assert journal.read_bytes().startswith(kept)
    assert json.loads((tmp_path / "out" / "report.json").read_text())["blocks"] == 12


@pytest.mark.parametrize("command", [c for c in COMMANDS if c != "games"])
def test_every_command_shows_its_configuration(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--config"]) == 0
    assert len(capsys.readouterr().out.splitlines()) >= 2


def test_every_game_has_a_configuration_of_exactly_its_options() -> None:
    import yaml

    assert {p.stem for p in (configs_dir() / "game").glob("*.yaml")} == set(engines.GAMES)
    for name in engines.GAMES:
        settings = yaml.safe_load((configs_dir() / "game" / f"{name}.yaml").read_text())
        assert settings.pop("name") == name
        settings.pop("content", None)
        assert set(settings) == set(game_type(name).options_type.names())


def test_check_reports_and_a_broken_promise_is_exit_code_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["check", "kuhn_poker", "players=3", "games=2"]) == 0
    assert "kuhn_poker, 3 players" in capsys.readouterr().out
    monkeypatch.setattr(game_type("kuhn_poker"), "scores", lambda self, state: [0])
    assert main(["check", "kuhn_poker", "games=2"]) == 1
    assert "FAILED" in capsys.readouterr().out


def test_output_cut_off_by_the_reader_is_no_fault(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = f"{sys.executable} -m orion_ai.cli arena --help | head -1"
    result = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.stderr == "" and result.stdout.startswith("orion arena: ")

    def leave(words: object) -> None:
        try:
            raise BrokenPipeError
        except BrokenPipeError:
            sys.exit(1)  # as rich does, which prints most of our output

    monkeypatch.setattr("orion_ai.cli._dispatch", leave)
    assert main(["exploit"]) == 0 and not capsys.readouterr().err


def test_whatever_asks_to_exit_is_a_failure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orion_ai.cli._dispatch", lambda words: sys.exit(0))
    assert main(["exploit", "kuhn_poker"]) == 1
    assert "asked the program to exit (SystemExit: 0)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("shell", "env", "said"),
    [
        ("<&-", {}, "End of input: the game is not finished and not saved."),
        ("</dev/null >&- 2>&-; echo $?", {}, "0\n"),
        ("</dev/null", {"PYTHONIOENCODING": "ascii"}, "End of input: the game is not finished and not saved."),
    ],
)
def test_streams_that_are_closed_or_cannot_show_all(shell: str, env: dict[str, str], said: str) -> None:
    command = f"{sys.executable} -m orion_ai.cli play kuhn_poker seed=5 agents=[random] {shell}"
    done = subprocess.run(
        command, shell=True, env={**os.environ, **env}, capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "") and said in done.stdout
