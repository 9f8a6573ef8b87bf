"""Agents that no process survives.

1 One that hangs in compiled code, or ends its process, loses that game and no other, in whatever process, in a batch
or alone; one that hangs where it is told of a game's end loses that one. 2 A process that is killed
from outside costs nobody a game. 3 Processes that die before anybody is asked end the match. 4 A slow agent loses
nothing by being asked about many games at once. 5 Who has what limit. 6 A pulse tells what was asked. 7 Agents of
Orion's own play in this process, others do not. 8 Nobody loses a game to a death that may be anybody's, and deaths of
which nothing comes have an end. 9 Two agents of one game may both be at fault. 10 Processes are told plain data, and
say such. 11 They begin in time, and end by themselves.
"""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
import pickle
import sys
import time
from multiprocessing import connection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

import engines
from engines.errors import FileError, UsageError
from orion_ai.arena import faults, pulse, watched
from orion_ai.arena.entrants import Entrant, resolve
from orion_ai.arena.faults import Fault, Sentence, Tried
from orion_ai.arena.limits import Terms
from orion_ai.arena.match import Block, Played, Rules, play_blocks
from orion_ai.arena.own_code import AgentFailure
from orion_ai.arena.pulse import Move, Pulse, Question
from orion_ai.arena.runner import ArenaConfig, Match, run_match
from orion_ai.arena.watched import ArenaFailure, Order, Watched
from orion_ai.attended import die_with_parent
from orion_ai.tune.config import TuneConfig
from tests.arena.agents import First
from tests.arena.processes import A_GAME, obey

KUHN = {"name": "kuhn_poker", "players": 2}
SEED, BLOCKS = 5, 6
Outcome = dict[tuple[int, int], Any]


def nothing(*_: Any) -> None:
    pass


def outcome(blocks: list[Block]) -> Outcome:
    return {(b.number, place): (g.returns, g.decisions, g.fault) for b in blocks for place, g in enumerate(b.games)}


@pytest.fixture(scope="module")
def sound() -> tuple[Outcome, list[int]]:
    """How the games end with an agent that breaks nowhere, and the keys of its decisions."""
    game = engines.load("kuhn_poker")
    agent = First(game, 1)
    blocks = list(play_blocks(game, [First(game, 1), agent], range(BLOCKS), SEED, lanes=1))
    return outcome(blocks), [key for _, _, key in agent.seen]


def a_match(key: int, how: str, *, lanes: int = 1, seconds: float = 2.0, **more: Any) -> Match:
    rogue = {"python": "tests.arena.agents:Breaks", "name": "rogue", "key": key, "how": how, **more}
    given = [{"python": "tests.arena.agents:First"}, rogue]
    return Match(KUHN, resolve(given), SEED, lanes, move_seconds=seconds)


def the_lost_one(found: Outcome, sound: Outcome, text: str) -> None:
    """One game is lost for this reason, all others are as ever."""
    assert found.keys() == sound.keys()
    (lost,) = [game for game in found if found[game] != sound[game]]
    returns, _, fault = found[lost]
    assert fault is not None and fault[1] == text
    assert returns[fault[0]] == -1 and (lost[1] + fault[0]) % 2 == 1  # the seat of the second agent


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("how", "lanes", "processes", "text"),
    [
        ("hang", 12, 1, "thought too long: more than 2 s for 1 decision"),
        pytest.param(
            "exit", 1, 2, "ended its process: exit code 0, twice at the same decision", marks=pytest.mark.slow
        ),
        pytest.param("hang", 1, 2, "thought too long: more than 2 s for 1 decision", marks=pytest.mark.slow),
        pytest.param("crash", 12, 1, "ended its process: SIGSEGV, twice at the same decision", marks=pytest.mark.slow),
    ],
)
def test_who_breaks_its_process_loses_that_game_and_no_other(
    tmp_path: Path, sound: tuple[Outcome, list[int]], how: str, lanes: int, processes: int, text: str
) -> None:
    """The slow ones, a minute: pytest -m slow tests/arena/test_watched.py; one that exits alone is in
    `tests/distributed/test_foreign.py` too.
    """
    whole, keys = sound
    match = a_match(keys[4], how, lanes=lanes)
    blocks = run_match(match, BLOCKS, tmp_path, processes, nothing)
    the_lost_one(outcome(blocks), whole, text)
    assert not any("spawn_main" in " ".join(child.cmdline()) for child in psutil.Process().children())
    assert outcome(run_match(match, BLOCKS, tmp_path, processes, nothing)) == outcome(blocks)  # from the file


def test_a_process_that_is_killed_from_outside_costs_nobody_a_game(
    tmp_path: Path, sound: tuple[Outcome, list[int]]
) -> None:
    whole, keys = sound
    marker = tmp_path / "killed"
    match = a_match(keys[4], "once", marker=str(marker))
    assert outcome(run_match(match, BLOCKS, tmp_path / "match", 1, nothing)) == whole
    assert marker.exists()


@pytest.mark.slow
def test_a_hang_at_the_end_of_a_game_is_seen_too(tmp_path: Path) -> None:
    """The game's number is that of its process: in the first process and in the second it is the first game.

    Ten seconds: pytest -m slow tests/arena/test_watched.py
    """
    rogue = {"python": "tests.arena.agents:BreaksTheEnd", "name": "rogue", "key": 0, "how": "hang"}
    match = Match(KUHN, resolve(["random", rogue]), SEED, 1, move_seconds=2.0)
    blocks = run_match(match, 1, tmp_path, 1, nothing)
    first, second = blocks[0].games
    assert first.fault == (1, "thought too long: more than 2 s for 1 decision")
    assert second.fault is None


@pytest.mark.timeout(120)
def test_who_ends_its_process_while_it_is_made_loses_its_games(tmp_path: Path) -> None:
    """Twice, and then no more: its games are lost at its first decision, without a process of their own."""
    first, log = {"python": "tests.arena.agents:First"}, tmp_path / "log"
    rogue = {"python": "tests.arena.agents:Unmakeable", "name": "rogue", "log": str(log)}
    match = Match(KUHN, resolve([first, rogue]), SEED, 1)
    blocks = run_match(match, 3, tmp_path, 1, nothing)
    games = [game for block in blocks for game in block.games]
    assert [game.fault for game in games] == [
        (game.seats.index(1), "ended its process: exit code 3, twice while it was made") for game in games
    ]
    assert [game.returns[game.seats.index(1)] for game in games] == [-1.0] * len(games)
    assert log.read_text() == "made\n" * 2


def test_an_agent_that_cannot_be_made_is_reported_whatever_it_raises(tmp_path: Path) -> None:
    rogue = {"python": "tests.arena.agents:Unmakeable", "name": "rogue", "raises": "EOFError"}
    match = Match(KUHN, resolve(["random", rogue]), SEED, 1)
    text = r"^agent 'rogue' cannot be made: EOFError: no book of openings \(.*tests/arena/agents.py, line \d+\)$"
    with pytest.raises(AgentFailure, match=text):
        run_match(match, 2, tmp_path, 1, nothing)
    (tmp_path / "file").write_text("")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]  # nothing has been written


def test_a_mistake_in_an_agents_settings_is_the_users(tmp_path: Path) -> None:
    match = Match(KUHN, resolve(["random", {"python": "tests.arena.agents:Unmakeable", "book": 1}]), SEED, 1)
    with pytest.raises(UsageError, match=r"agent 'Unmakeable': .* cannot be made: .*unexpected keyword .* 'book'"):
        run_match(match, 2, tmp_path, 1, nothing)
    with pytest.raises(FileError, match="no such book"):
        asked = {"python": "tests.arena.agents:Unmakeable", "raises": "FileError"}
        run_match(Match(KUHN, resolve(["random", asked]), SEED, 1), 2, tmp_path, 1, nothing)


def test_a_slow_agent_is_asked_one_by_one_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of a batch is bounded; beyond it nobody loses, and the agent is not asked about many again."""
    monkeypatch.setattr(faults, "BATCH_SECONDS", 0.5)
    game, asked = engines.load("kuhn_poker"), []

    class Counting(First):
        def decide(self, worlds: Any, seats: Any, keys: Any) -> Any:
            asked.append(len(worlds))
            for _ in worlds:
                time.sleep(0.3)
            return First.decide(self, worlds, seats, keys)

    rules = Rules(forfeit=True, limits=(0.0, 1.0))
    blocks = list(play_blocks(game, [First(game, 8), Counting(game, 8)], range(4), 1, lanes=8, rules=rules))
    assert len(blocks) == 4 and not any(g.fault for b in blocks for g in b.games)
    assert max(asked) > 3 and sum(count > 1 for count in asked) == 1


@pytest.mark.parametrize(
    ("settings", "seconds", "foreign"),
    [
        ({"kind": "random"}, 0.0, False),
        ({"kind": "search", "search": {"milliseconds": 1e6}}, 0.0, False),
        ({"kind": "python", "python": "tests.arena.agents:First", "search": "deep"}, 600.0, True),
        ({"kind": "mine", "module": "mine", "search": {"milliseconds": 0.0}}, 600.0, True),
        ({"kind": "mine", "module": "mine", "search": {"milliseconds": 1e5}}, 1000.0, True),
    ],
)
def test_who_has_a_limit_where_none_is_given(settings: dict[str, Any], seconds: float, foreign: bool) -> None:
    """Orion's own take the time that they are given; others hang some day."""
    match = Match(KUHN, (Entrant("random", {"kind": "random"}), Entrant("it", settings)), 1, 1)
    assert match.limits == (0.0, seconds) and match.is_foreign == foreign
    assert dataclasses.replace(match, move_seconds=3.0).limits == (3.0, 3.0)


def test_a_pulse_tells_what_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = [0] * Pulse.SIZE
    heart = Pulse(memory)
    assert heart.question() is None and not heart.overdue()
    moves = [Move(3, 1, 0, 4), Move(4, 0, 1, 2)]
    heart.asks(1, moves, 0.0)
    assert heart.question() == (1, 2, moves[0]) and not heart.overdue()
    heart.asks(0, moves[1:], 1e-6)
    assert not heart.overdue()  # there is some grace
    monkeypatch.setattr(pulse, "GRACE_NS", 0)
    time.sleep(0.001)
    end = heart.overdue()
    assert end and heart.question(end) == (0, 1, moves[1])
    heart.asks(0, moves, 1e-6)
    assert heart.question(end) is None  # it has gone on in the meantime
    heart.answered()
    assert heart.question() is None and not heart.overdue()
    heart.makes(1, 0.0)
    assert heart.question() == (1, 0, Move(0, 0, 0, 0)) and not heart.overdue() and heart.asked == 3
    heart.makes(1, 1e-6)
    time.sleep(0.001)
    assert heart.question(heart.overdue()) == (1, 0, Move(0, 0, 0, 0))


def test_a_fault_without_a_text_is_named_by_its_class() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    umpire = faults.Umpire((), one_by_one=True, pulse=Pulse([0] * Pulse.SIZE))
    assert str(umpire.let(0, [Move(0, 0, 0, 0)], interrupt)[1]) == "failed: KeyboardInterrupt"


def test_agents_of_our_own_play_in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("multiprocessing.context.SpawnContext.Process")
    own, foreign = resolve(["random", "scripted", {"python": "tests.arena.agents:First"}])[::2]
    assert len(run_match(Match(KUHN, (own, own), SEED, 4), 3, tmp_path / "own", 1, nothing)) == 3
    with pytest.raises(AttributeError, match="Process"):
        run_match(Match(KUHN, (own, foreign), SEED, 4), 3, tmp_path / "foreign", 1, nothing)


def watch(how: str, *, foreign: bool = True) -> list[Played]:
    """What one process that obeys says of one game of two agents."""
    some = Watched(obey)
    try:
        terms = [Terms("ann", 0.0, foreign, 0.5), Terms("bob", 0.0, foreign, 0.5)]
        return list(some.play(how, [(0, 1)], [[(0, 0)]], terms, 1))
    finally:
        some.end()


@pytest.mark.parametrize(
    ("how", "foreign", "ending"),
    [("wander", True, "exit code 3"), ("kill", True, "SIGKILL; out of memory[?]"), ("exit 3", False, "exit code 3")],
)
def test_deaths_that_are_nobodys_fault_end_the_match(
    how: str, foreign: bool, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At another decision each time; killed from outside; while an agent of Orion's own is asked."""
    monkeypatch.setattr(watched, "DEATHS", 1)
    text = rf"a process of the arena died \({ending}\) while agent 'ann' was asked or made, and so did those"
    with pytest.raises(ArenaFailure, match=text):
        watch(how, foreign=foreign)


def test_a_death_that_is_noticed_late_is_still_a_death(monkeypatch: pytest.MonkeyPatch) -> None:
    def until_one_is_dead(handles: list[Any], _: float) -> None:
        connection.wait([handle for handle in handles if isinstance(handle, int)], 60.0)

    monkeypatch.setattr(pulse, "GRACE_NS", 0)
    monkeypatch.setattr(watched, "HELD_UP_SECONDS", 1e9)
    monkeypatch.setattr(watched, "connection", SimpleNamespace(wait=until_one_is_dead))
    ((_, _, record),) = watch("late")
    assert record.fault == (0, "ended its process: exit code 3, twice at the same decision")


def test_nobody_is_late_while_the_command_was_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock stands still from second 0.4 to second 100.4; then there are two seconds of grace."""
    looks = iter([0.0, 0.2, 0.4, 100.4, 101.2, 102.1, 102.6])
    monkeypatch.setattr(watched, "time", SimpleNamespace(monotonic=lambda: next(looks)))
    clock = watched._Clock()
    seen = [(clock.look(), clock.patient) for _ in range(6)]
    assert [patient for _, patient in seen] == [False, False, True, True, True, False]
    assert [at for at, _ in seen] == pytest.approx([0.2, 0.4, 0.4, 1.2, 2.1, 2.6])


def test_two_agents_may_be_at_fault_in_one_game() -> None:
    run = watched._Run([(3, 1)])
    first, second = Move(3, 1, 0, 2), Move(3, 1, 1, 3)
    assert watched._judge(run, Question(0, 1, first), 2.0, -9) and watched._judge(run, Question(1, 1, second), 2.0, -9)
    assert run.tried.sentence(*first) and run.tried.sentence(*second)
    assert run.tried.sentence(*second._replace(decision=2)) is None
    assert [watched._judge(run, Question(0, 2, first), 2.0, -9) for _ in range(2)] == [True, False]


def test_orders_and_games_are_plain_data() -> None:
    tried = Tried({1, 0}, {(3, 1, 0): Sentence(2, 0.5, Fault("thought too long", "so it did"))}, {1: Fault("a", "b")})
    order = Order("a match", [(0, 1), (1, 0)], [(3, 1), (4, 0)], tried)
    assert Order.from_data(json.loads(json.dumps(order.as_data()))) == order
    assert watch("play") == [(0, 0, A_GAME)]


@pytest.mark.parametrize(
    "said", ["what", '["played", 0, 0, []]', '["played", 5, 0, {}]', pickle.dumps(("done", ""), 0).decode()]
)
def test_what_a_process_says_is_not_trusted(said: str) -> None:
    process = object.__new__(watched._Process)
    process.run = watched._Run([(0, 0)])
    with pytest.raises(RuntimeError, match="says what makes no sense"):
        process._understand(said.encode())


def test_a_process_that_makes_no_sense_ends_the_match() -> None:
    with pytest.raises(RuntimeError, match="says what makes no sense"):
        watch("say what")


def test_limits_are_a_year_at_most() -> None:
    heart = Pulse([0] * Pulse.SIZE)
    heart.asks(0, [Move(0, 0, 0, 0)], 1e300)
    assert heart.question() and not heart.overdue()
    for config in (ArenaConfig, TuneConfig):
        with pytest.raises(UsageError, match=r"move_seconds is 10000000000.0: expected 0 to 3.1536e\+07"):
            config(move_seconds=1e10)
    deep = Entrant("deep", {"kind": "mine", "module": "mine", "search": {"milliseconds": 1e300}})
    assert Match(KUHN, (deep, deep), 1, 1).limits == (365 * 86400.0,) * 2


def test_agents_are_made_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched, "START_SECONDS", 0.5)
    with pytest.raises(ArenaFailure, match=r"agents were not made within 0.5 s: one of ann, bob"):
        watch("sleep")
    monkeypatch.setattr(pulse, "GRACE_NS", 0)
    monkeypatch.setattr(watched, "START_SECONDS", 60.0)
    with pytest.raises(AgentFailure, match=r"agent 'bob' was not made within 0.5 s; .* a greater move_seconds"):
        watch("make 0.5")
    match = Match(KUHN, resolve(["random", {"python": "tests.arena.agents:First"}]), 1, 1)
    assert [terms.making for terms in match.terms] == [0.0, 120.0]
    assert dataclasses.replace(match, move_seconds=300.0).terms[1].making == 300.0


def test_what_came_of_making_agents_is_known_for_one_match_at_a_time() -> None:
    some, terms = Watched(obey), [Terms("ann", 0.0, True)]
    try:
        for match in ("play", "again"):
            assert list(some.play(match, [(0,)], [[(0, 0)]], terms, 1))
            assert not some._making.unmade
            some._making.unmade[0] = Fault("ended its process", "twice")
    finally:
        some.end()


def test_processes_end_by_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched, "END_SECONDS", 60.0)
    watch(f"mark {tmp_path / 'ended'}")
    assert (tmp_path / "ended").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can tell of a parent's death")
def test_a_process_whose_parent_has_ended_ends_too() -> None:
    for parent, code in ((os.getpid(), 0), (1, 1)):
        process = multiprocessing.get_context("spawn").Process(target=die_with_parent, args=(parent,))
        process.start()
        process.join()
        assert process.exitcode == code
