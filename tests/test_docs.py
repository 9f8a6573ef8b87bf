"""What the documentation says is true.

1 Every `orion` command line composes, and the game, agents and search that it names exist. 2 Every runnable block runs,
and so do the commands for an agent and a search of one's own. 3 Every relative link resolves, anchors included.
4 Tables name exactly what the code has: curves, options, reports, files' keys, slices. 5 The pages of games have the
same headings.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import engines
from engines.contract import Game
from engines.errors import UsageError
from orion_ai import checkpoint
from orion_ai.arena.entrants import resolve
from orion_ai.arena.games import game_of_match
from orion_ai.arena.runner import Budget, Match, run_match
from orion_ai.cli import COMMANDS, main, module_name
from orion_ai.commands import configuration
from orion_ai.identity import identity_of
from orion_ai.search import SearchConfig, SearchReport

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""Info string and content of a fenced block."""


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def page(name: str) -> str:
    return (ROOT / name).read_text()


def blocks(name: str, info: str) -> list[str]:
    return [body for said, body in FENCE.findall(page(name)) if said.strip() == info]


def section(name: str, heading: str) -> str:
    """What stands below a heading of second rank."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page(name), re.MULTILINE | re.DOTALL)
    assert found, f"{name} has no section {heading!r}"
    return found.group(1)


def first_cells(text: str) -> list[str]:
    """The names in backticks in the first cells of tables, in order."""
    rows = re.findall(r"^\| (`[^|]+) \|", text, re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


# Command lines

PLACEHOLDER = re.compile(r"\b(COMMAND|NAME)\b")
"""Words that stand for any command, or for a game that is not written yet."""


def command_lines() -> Iterator[tuple[str, tuple[str, ...]]]:
    """(page, words after `orion`) of every command line in the fenced blocks and between backticks."""
    for path in PAGES:
        text = path.read_text()
        lines = [line for info, body in FENCE.findall(text) if info in ("", "bash") for line in body.splitlines()]
        lines += re.findall(r"`(orion [^`\n]+)`", FENCE.sub("", text))
        for line in lines:
            for part in line.split("&&"):
                words = [w for w in shlex.split(part, comments=True) if not re.fullmatch(r"[A-Z_]+=\S+", w)]
                if words and words[0].rpartition("/")[2] == "orion" and not PLACEHOLDER.search(part):
                    yield name_of(path), tuple(words[1:])


LINES = sorted(set(command_lines()))


@functools.cache
def load(settings: str) -> Game:
    return configuration.load_game(json.loads(settings))


def without_runs(agents: Sequence[Any]) -> list[Any]:
    """The agents, those of a reader's own runs taken for uniform ones of the same kind of search."""
    found = []
    for given in agents:
        if isinstance(given, Mapping):
            given = {key: value for key, value in given.items() if key != "checkpoint"}
        found.append("gumbel" if isinstance(given, str) and given.startswith("runs/") else given)
    return found


def examine(config: Any) -> None:
    """Refuse what would be refused when the command begins."""
    game = load(json.dumps(config.game)) if hasattr(config, "game") else None
    if hasattr(config, "agents"):
        budget = getattr(config, "budget", Budget())
        entrants = resolve(
            without_runs(config.agents), simulations=budget.simulations, milliseconds=budget.milliseconds
        )
        for entrant in entrants if game is not None else ():  # `orion explain` finds the game in its file
            if entrant.settings["kind"] == "search":
                SearchConfig(**entrant.settings["search"]).validate(game, True, entrant.opponent is not None)
            if entrant.settings["kind"] == "scripted":
                assert game.kernels.scripted is not None, f"{game.name} has no scripted player"
    if hasattr(config, "evaluation"):
        assert game is not None
        resolve(config.evaluation.against)
        config.search.validate(game, has_network=True)


def check_line(words: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command read its words as it always does, then do nothing with them."""
    assert words[0] in COMMANDS, f"unknown command {words[0]!r}"
    module = importlib.import_module(f"orion_ai.commands.{module_name(words[0])}")
    read = getattr(module, "read", None)
    if read is None or "--config" in words or "--help" in words:
        assert main(words) == 0
        return
    seen: list[Any] = []

    def examined(*args: Any, **named: Any) -> list[Any]:
        seen.extend(read(*args, **named))
        return []

    monkeypatch.setattr(module, "read", examined)
    assert module.run(list(words[1:])) == 0
    assert seen
    for request in seen:
        examine(request.config)


def test_there_are_command_lines_on_the_pages() -> None:
    assert {name for name, _ in LINES} >= {"README.md", "docs/training.md", "docs/arena.md", "docs/games/kuhn_poker.md"}
    assert {words[0] for _, words in LINES} == set(COMMANDS)


@pytest.mark.parametrize(("where", "words"), LINES, ids=lambda x: x if isinstance(x, str) else " ".join(x))
def test_every_command_line_is_understood(
    where: str, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_named(where, tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    check_line(words, monkeypatch)


@pytest.mark.parametrize(
    "line",
    [
        "arena agents=[ismcts,radnom]",
        "arena kuhn_poker agents=[scripted,random]",
        "arena agents=[gumbel,random] budget.milliseconds=5",
        "train experiment=khun",
        "train learner.rate=1",
        "check kuhn_pokr",
        "game",
    ],
)
def test_a_wrong_command_line_would_be_noticed(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises((UsageError, AssertionError)):
        check_line(line.split(), monkeypatch)


# Code


def write_named(name: str, folder: Path) -> None:
    """Files that a page's blocks stand for: those that begin with `# NAME.py`."""
    for body in (*blocks(name, "python runnable"), *blocks(name, "python")):
        titled = re.match(r"# (\w+\.py)\n", body)
        if titled:
            (folder / titled.group(1)).write_text(body)


RUNNABLE = [(name_of(p), i) for p in PAGES for i, _ in enumerate(blocks(name_of(p), "python runnable"))]


@pytest.mark.parametrize(("where", "number"), RUNNABLE)
def test_runnable_blocks_run(where: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_named(where, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    exec(compile(blocks(where, "python runnable")[number], f"{where}, block {number}", "exec"), {"__name__": "block"})


def test_the_command_for_an_agent_of_ones_own_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_named("docs/search.md", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (words,) = {words for where, words in LINES if where == "docs/search.md" and "python:" in " ".join(words)}
    assert main([*words, "processes=1", "output=match"]) == 0
    assert json.loads((tmp_path / "match/report.json").read_text())["agents"][0]["name"] == "greedy"


def test_the_command_for_a_search_of_ones_own_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It plays in a process of its own too, which has to find the module; and not like a player without a clue."""
    write_named("docs/own_search.md", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (words,) = {words for where, words in LINES if where == "docs/own_search.md" and "module:" in " ".join(words)}
    assert main([*words, "processes=2", "output=match"]) == 0
    agents = json.loads((tmp_path / "match/report.json").read_text())["agents"]
    assert [agent["name"] for agent in agents] == ["halving(options={'keep': 0.4})", "flat_mc"]
    assert all(agent["budget"] == {"simulations": 200} for agent in agents)
    weak = [*words[:1], "tic_tac_toe", "agents=[{kind: halving, module: halving},random]", "blocks=20", "output=weak"]
    assert main(weak) == 0
    assert json.loads((tmp_path / "weak/report.json").read_text())["agents"][0]["win_share"]["mean"] > 0.7


# Links


def anchors(path: Path) -> set[str]:
    """The anchors that a web view makes of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", path.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings}


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_links_resolve(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", path.read_text())):
        if not re.match(r"[a-z]+:", target):
            place, _, anchor = target.partition("#")
            linked = (path.parent / place).resolve() if place else path
            assert linked.exists(), f"{name_of(path)} links to {target}"
            assert not anchor or anchor in anchors(linked), f"{name_of(path)} links to {target}: no such heading"


def test_the_index_lists_every_page() -> None:
    """Those of games by their folder, so that a new game need not be listed."""
    listed = set(re.findall(r"\]\(([^)]+)\)", page("docs/README.md")))
    pages = {p.relative_to(ROOT / "docs") for p in (ROOT / "docs").rglob("*.md")} - {Path("README.md")}
    assert {p.parts[0] for p in pages} <= listed


# Tables


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a short training run on Kuhn poker, measured at its end."""
    folder = tmp_path_factory.mktemp("docs")
    words = (f"folder={folder}", "name=run", "evaluation.final_blocks=2", "evaluator.backend=torch", "net.width=32")
    assert main(["train", "experiment=smoke", *words]) == 0
    return folder / "run"


def test_the_table_of_curves_is_what_training_writes(run: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    board = EventAccumulator(str(run))
    board.Reload()
    tags = board.Tags()["scalars"] + board.Tags()["images"]
    written = {re.sub(r"(elo_above_).*", r"\1AGENT", tag) for tag in tags}
    assert sorted(first_cells(section("docs/training.md", "Curves"))) == sorted(written)


def test_the_table_of_the_folder_is_what_training_writes(run: Path) -> None:
    patterns = [
        re.sub(r"\d+", "*", name).rstrip("/") for name in first_cells(section("docs/training.md", "The run's folder"))
    ]
    assert {p.relative_to(run).parts[0] for pattern in patterns for p in run.glob(pattern)} == {
        p.name for p in run.iterdir() if p.name != ".lock"
    }


def test_the_settings_that_may_change_are_those_of_the_code() -> None:
    from orion_ai.run_folder import FREE

    text = section("docs/training.md", "Stopping and going on").partition("only these settings may change:")[2]
    named = re.findall(r"`([^`]+)`", text.partition("Anything else")[0])
    assert [name.removesuffix(".*") for name in named] == list(FREE)


def test_the_options_of_a_search_are_its_fields() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", section("docs/search.md", "The choices"), re.MULTILINE)
    shown = {name: text.strip() for name, text in rows}
    fields = {f.name: f.default for f in dataclasses.fields(SearchConfig)}
    assert list(shown) == list(fields)
    for name, default in fields.items():
        numeric = isinstance(default, int | float) and not isinstance(default, bool)
        said = f"{default:g}" if numeric else str(default).lower()
        assert shown[name] == said, f"search.{name} is {said} by default"


def test_the_report_of_a_search_has_these_fields() -> None:
    said = first_cells(section("docs/search.md", "The report"))
    assert said == [f.name for f in dataclasses.fields(SearchReport)]


def test_the_keys_of_a_checkpoint_are_these(run: Path) -> None:
    path = checkpoint.find(run)
    data = json.loads(path.read_text())
    assert first_cells(section("docs/formats.md", "Checkpoint")) == list(data)
    text = section("docs/formats.md", "Checkpoint")
    assert all(f"`{key}`" in text for key in (*data["counters"], *data["streams"], *data["notes"]))
    tensors = checkpoint.read_tensors(path.parent / data["learner"])
    assert {name.split(".")[0] for name in tensors} == {"weights", "mean", "square", "steps"}


def test_the_arrays_of_a_shard_are_these(run: Path) -> None:
    import numpy as np

    text = section("docs/training.md", "What is learned from").partition("A **shard**")[2]
    with np.load(run / "shards/000000.npz", allow_pickle=False) as archive:
        assert set(re.findall(r"`(\w+)`", text)) == set(archive.files)


def test_identity_and_view_have_these_keys() -> None:
    game = engines.load("kuhn_poker")
    assert first_cells(section("docs/formats.md", "Versions")) == list(identity_of(game).as_json())
    view = game.start(seed=7).view(0)
    assert first_cells(section("docs/formats.md", "View")) == list(view)


def shape(data: Any) -> Any:
    """The keys of nested objects, with the type of everything else."""
    if isinstance(data, Mapping):
        return {key: shape(value) for key, value in data.items()}
    return [shape(data[0])] if isinstance(data, list) and data else type(data).__name__


def test_the_examples_of_files_have_the_keys_of_real_ones(tmp_path: Path) -> None:
    match = Match({"name": "kuhn_poker"}, resolve(["random", "random"]), 1, 4, keep_history=True)
    played: list[Any] = []
    run_match(match, 2, tmp_path, 1, lambda journal, block: played.append(block))
    view, recorded, journal = ([json.loads(line) for line in text.splitlines()] for text in _examples(tmp_path))
    (shown_view, shown_recorded, shown_journal) = blocks("docs/formats.md", "json")
    assert shape(json.loads(shown_view)) == shape(view[0])
    assert [shape(json.loads(line)) for line in shown_recorded.splitlines()][:2] == [
        shape(recorded[0]),
        shape(recorded[1]),
    ]
    assert list(json.loads(shown_recorded.splitlines()[-1])) == list(recorded[-1])
    header, block = (json.loads(line) for line in shown_journal.splitlines())
    assert list(header) == list(journal[0]) and list(block) == list(journal[1])
    assert list(block["games"][0]) == list(journal[1]["games"][0])
    (report,) = (json.loads(text) for text in blocks("docs/arena.md", "json"))
    real = _report(match, played)
    assert list(report) == list(real) and list(report["agents"][0]) == list(real["agents"][0])


def _examples(folder: Path) -> tuple[str, str, str]:
    state = engines.load("kuhn_poker").start(seed=7)
    state.apply("pass")
    game_of_match(folder / "blocks.jsonl", 0, 0).write(folder / "game.jsonl")
    recorded = (folder / "game.jsonl").read_text()
    return json.dumps(state.view(0)), recorded, (folder / "blocks.jsonl").read_text()


def _report(match: Match, played: Sequence[Any]) -> dict[str, Any]:
    from orion_ai.arena.result import summarize

    return summarize(match.load(), [e.name for e in match.entrants], played, 1).as_json()


def test_a_saved_game_has_these_keys() -> None:
    from orion_ai.play.savefile import SavedGame

    text = section("docs/formats.md", "Saved game")
    for key in ("warning", "kind", "format", *(f.name for f in dataclasses.fields(SavedGame))):
        assert f"`{key}`" in text


# Games


def headings(path: Path) -> list[str]:
    return re.findall(r"^## (.+)$", path.read_text(), re.MULTILINE)


def test_every_game_has_a_page_with_the_same_headings() -> None:
    wanted = headings(ROOT / "docs/games/kuhn_poker.md")
    assert {p.stem for p in (ROOT / "docs/games").glob("*.md")} == set(engines.GAMES)
    for name in engines.GAMES:
        assert headings(ROOT / f"docs/games/{name}.md") == wanted, name


SPECS: dict[str, Callable[[type[Game], Sequence[Game]], object]] = {
    "version": lambda kind, games: kind.version,
    "players": lambda kind, games: f"{kind.min_players} to {kind.max_players}",
    "state": lambda kind, games: f"{kind.dtype.itemsize:,} bytes",
    "ids with outcomes": lambda kind, games: kind.num_ids,
    "most legal ids": lambda kind, games: kind.max_legal,
    "observation": lambda kind, games: " / ".join(str(game.observation_size) for game in games),
    "streams of chance": lambda kind, games: kind.num_streams,
    "perfect recall": lambda kind, games: "yes" if kind.perfect_recall else "no",
}


@pytest.mark.parametrize("name", engines.GAMES)
def test_the_specs_of_a_game_are_right(name: str) -> None:
    kind = engines.registry.game_type(name)
    games = [engines.load(name, players=n) for n in range(kind.min_players, kind.max_players + 1)]
    rows = dict(re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", section(f"docs/games/{name}.md", "Specs"), re.MULTILINE))
    for row, value in SPECS.items():
        assert re.match(rf"{re.escape(str(value(kind, games)))}\b", rows[row]), f"{row}: {rows[row]}"
    table = first_cells(section(f"docs/games/{name}.md", "Rules"))
    assert {*table} - {"content"} == {*kind.options_type.names()}  # `content` is for `engines.load`


def test_the_page_of_kuhn_poker_lists_every_slice_where_it_is() -> None:
    games = [engines.load("kuhn_poker", players=n) for n in (2, 3)]
    for two, three in zip(games[0].slices, games[1].slices, strict=True):
        assert f"| {two.start} | {three.start} | `{two.name}` | {two.kind.value} |" in page("docs/games/kuhn_poker.md")


def test_the_pages_import_nothing_that_is_not_there() -> None:
    """README's own example names moo_board, which is too slow to compile here: its code must at least be valid."""
    for path in PAGES:
        for info, body in FENCE.findall(path.read_text()):
            if info.startswith("python"):
                compile(body, name_of(path), "exec")


def test_modules_named_on_the_pages_exist() -> None:
    for path in PAGES:
        for named in re.findall(r"`((?:engines|orion_ai|configs|tests)/[\w/.-]+)`", path.read_text()):
            assert PLACEHOLDER.search(named) or (ROOT / named).exists(), f"{name_of(path)} names {named}"
