"""The page and the text: what is on them, that they are whole, and that nothing hidden is.

1 The parts hold the numbers of the search. 2 The page is well-formed HTML that needs nothing else. 3 Two games that the
seat cannot tell apart give the same bytes; only `reveal` tells them apart. 4 The same settings give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console

from orion_ai.explain.page import page
from orion_ai.explain.study import ExplainConfig, Explanation, explain
from orion_ai.explain.terminal import render
from tests.explain.games import KUHN, LEDUC, recorded

VOID = {"meta"}
OPTIONAL = {"tr", "td", "th", "li"}
"""Elements without an end tag, and those whose end tag may be left out."""
MIX = {"agent": "ismcts", "search": {"worlds": "mix"}}


def told(folder: Path, game: str, steps: Sequence[str], players: int = 2, **settings: object) -> Explanation:
    path = recorded(folder, game, steps, players)
    return explain(ExplainConfig(file=str(path), **{"agents": ["ismcts"], **settings}))  # type: ignore[arg-type]


def text_of(explanation: Explanation) -> str:
    console = Console(width=160, highlight=False)
    with console.capture() as capture:
        console.print(render(explanation))
    return capture.get()


class Checker(HTMLParser):
    """Refuses what is not closed or closed in the wrong order; gathers ids, references and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [str(value) for name, value in attrs if name == "id"]
        self.references += [str(value) for name, value in attrs if name in ("href", "src")]

    def handle_endtag(self, tag: str) -> None:
        while self.open[-1] != tag and self.open[-1] in OPTIONAL:
            self.open.pop()
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] not in (["style"], ["script"]):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


# 1


def test_the_page_of_kuhn_poker(tmp_path: Path) -> None:
    explanation = told(tmp_path, "kuhn_poker", KUHN, ply=3)
    (answer,) = explanation.answers
    text = Checker(page(explanation)).text
    assert "Kuhn poker: seat 1 decides after 3 steps" in text
    assert "cards ? king | pass" in text
    assert "seat 0 is dealt a card seat 1 is dealt the king seat 0: pass" in text
    assert "100 simulations" in text and f"{int(answer.report.nodes[0])} nodes" in text  # type: ignore[union-attr]
    for option in answer.options:
        assert f"{option.visits:.0f} {option.available:.0f} {option.q:+.2f}" in text
    assert {(b.whose, b.what) for b in answer.beliefs} == {("seat 0", "jack"), ("seat 0", "queen")}
    assert [f"{b.what} {b.share:.0%}" in text for b in answer.beliefs] == [True, True]
    assert "seat 0: card jack" in text and "Value over the game" in text


def test_the_text_of_kuhn_poker(tmp_path: Path) -> None:
    explanation = told(tmp_path, "kuhn_poker", KUHN, ply=2, depth=1)
    text = text_of(explanation)
    (answer,) = explanation.answers
    assert "Kuhn poker: seat 0 decides (game.jsonl, after 2 steps)" in text
    assert "cards jack ? | no bets yet" in text
    assert "100 simulations" in text
    assert re.search(r"├── (pass|bet)  N \d+ of \d+  P 50%  Q [+-]\d\.\d\d", text)
    assert re.search(r"├── seat 1 · card (queen|king) · \d+", text)
    assert f"seat 1 card {answer.beliefs[0].what}" in text
    assert "value to seat 0 by step, ismcts: 2: " in text


def test_the_text_is_as_deep_as_asked_for(tmp_path: Path) -> None:
    lines = [len(text_of(told(tmp_path, "leduc_poker", LEDUC, ply=2, depth=d)).splitlines()) for d in (0, 1, 3)]
    assert lines == sorted(set(lines))


def test_conditions_are_the_root_split_by_what_the_worlds_held(tmp_path: Path) -> None:
    explanation = told(tmp_path, "leduc_poker", LEDUC, ply=3)
    (answer,) = explanation.answers
    assert len(answer.conditions) == 5
    for place, option in enumerate(answer.options):
        visits = [condition.actions[place][0] for condition in answer.conditions]
        total = sum(v * condition.actions[place][1] for v, condition in zip(visits, answer.conditions, strict=True))
        assert sum(visits) == option.visits
        assert total / option.visits == pytest.approx(option.q, abs=1e-5)


def test_two_agents_stand_side_by_side(tmp_path: Path) -> None:
    explanation = told(tmp_path, "leduc_poker", LEDUC, ply=2, agents=["ismcts", MIX])
    checked = Checker(page(explanation))
    assert "Side by side" in checked.text and "of the policy lies elsewhere" in checked.text
    assert "n0-0" in checked.ids and "n1-0" in checked.ids
    assert {(p.agent, p.seat) for p in explanation.points} == {(0, 0), (1, 0)}
    text = text_of(explanation)
    assert "ismcts plays: " in text and "ismcts(worlds=mix) plays: " in text


@pytest.mark.parametrize("agents", [["random"], ["random", "ismcts"]])
def test_agents_that_do_not_search_show_their_choice(tmp_path: Path, agents: list[str]) -> None:
    explanation = told(tmp_path, "kuhn_poker", KUHN, ply=2, agents=agents)
    text = Checker(page(explanation)).text
    assert "It does not search" in text
    assert "1,000 worlds" in text
    assert explanation.answers[0].beliefs[0].share == pytest.approx(0.5, abs=0.06)
    assert "It does not search" in text_of(explanation)


def test_a_network_s_search_is_shown_with_its_priors(tmp_path: Path) -> None:
    explanation = told(tmp_path, "kuhn_poker", KUHN, ply=2, agents=[{"python": "tests.explain.test_page:hashed"}])
    (answer,) = explanation.answers
    assert sum(option.prior for option in answer.options) == pytest.approx(1)
    assert answer.options[0].prior != answer.options[1].prior
    assert "evaluations" in Checker(page(explanation)).text


def hashed(game: object, lanes: int) -> object:
    """An agent whose network answers by a hash."""
    from orion_ai.agents import SearchAgent
    from orion_ai.search import HashEvaluator, Search, SearchConfig

    config = SearchConfig(algorithm="puct", leaf="network", simulations=40)
    return SearchAgent(Search(game, config, HashEvaluator(game), lanes))  # type: ignore[arg-type]


def test_values_are_those_of_the_seat_alone_and_every_nth(tmp_path: Path) -> None:
    def plies(**settings: object) -> list[tuple[int, int]]:
        return [(p.ply, p.seat) for p in told(tmp_path, "leduc_poker", LEDUC, **settings).points]

    assert plies(ply=3) == [(3, 1), (7, 1), (9, 1)]
    assert plies(ply=3, every=2) == [(3, 1), (9, 1)]
    assert plies(ply=7, every=2) == [(3, 1), (7, 1), (9, 1)]
    assert plies(ply=3, every=0) == []
    assert plies(ply=3, reveal=True) == [(2, 0), (3, 1), (4, 0), (6, 0), (7, 1), (8, 0), (9, 1)]


def test_an_open_game_has_no_beliefs(tmp_path: Path) -> None:
    explanation = told(tmp_path, "tic_tac_toe", ("mark b2", "mark a1", "mark c3"), ply=2)
    text = Checker(page(explanation)).text
    assert "Nothing is hidden from this seat." in text
    assert explanation.answers[0].conditions == ()


# 2


@pytest.mark.parametrize(("game", "steps"), [("kuhn_poker", KUHN), ("leduc_poker", LEDUC)])
@pytest.mark.parametrize("reveal", [False, True])
def test_the_page_is_whole_and_needs_nothing_else(
    tmp_path: Path, game: str, steps: Sequence[str], reveal: bool
) -> None:
    html = page(told(tmp_path, game, steps, ply=3, agents=["ismcts", MIX], reveal=reveal))
    checked = Checker(html)
    assert not re.search(r"https?://|//[a-z]|url\(|@import", html)
    assert all(reference.startswith("#") for reference in checked.references)
    assert {reference[1:] for reference in checked.references} <= set(checked.ids)
    assert len(checked.ids) == len(set(checked.ids))
    assert str(tmp_path) not in html


def test_names_are_escaped(tmp_path: Path) -> None:
    agent = {"agent": "ismcts", "name": "<b>&'\""}
    html = page(told(tmp_path, "kuhn_poker", KUHN, ply=2, agents=[agent, "ismcts"]))
    assert "<b>&'" not in html
    assert "<b>&'\"" in Checker(html).text


# 3


def pages(
    folder: Path, game: str, deals: Sequence[Sequence[str]], ply: int, **settings: object
) -> list[tuple[str, str]]:
    made = []
    for steps in deals:
        explanation = told(folder, game, steps, ply=ply, agents=["ismcts", MIX, "random"][:2], **settings)
        made.append((page(explanation), text_of(explanation)))
    return made


def kuhn(own: str, place: int) -> list[list[str]]:
    others = [rank for rank in ("jack", "queen", "king") if rank != own]
    dealt = [[f"deal {own}", f"deal {other}"] if place == 0 else [f"deal {other}", f"deal {own}"] for other in others]
    return [[*deal, *KUHN[2:]] for deal in dealt]


@pytest.mark.parametrize(("place", "plies"), [(0, (2, 4)), (1, (3,))])
@pytest.mark.parametrize("own", ["jack", "queen", "king"])
def test_hidden_cards_of_kuhn_poker_change_no_byte(tmp_path: Path, own: str, place: int, plies: Sequence[int]) -> None:
    for ply in plies:
        one, other = pages(tmp_path, "kuhn_poker", kuhn(own, place), ply)
        assert one == other
        one, other = pages(tmp_path, "kuhn_poker", kuhn(own, place), ply, reveal=True)
        assert one[0] != other[0] and one[1] != other[1]


@pytest.mark.parametrize("ply", [3, 7, 9])
def test_hidden_cards_of_leduc_poker_change_no_byte(tmp_path: Path, ply: int) -> None:
    others = ["jack of spades", "jack of hearts", "queen of hearts", "king of hearts"]
    deals = [[f"deal {other}", *LEDUC[1:]] for other in others]
    assert len(set(pages(tmp_path, "leduc_poker", deals, ply))) == 1
    assert len(set(pages(tmp_path, "leduc_poker", deals, ply, reveal=True))) == 4


def test_what_is_revealed(tmp_path: Path) -> None:
    explanation = told(tmp_path, "kuhn_poker", KUHN, ply=2, reveal=True)
    html = page(explanation)
    assert "What was true" in html and "cards jack king" in html
    assert {b.what: b.true for b in explanation.answers[0].beliefs} == {"queen": 0, "king": 1}
    assert html.count("'heat true'") == 1
    assert "cards jack king" in text_of(explanation) and "(true)" in text_of(explanation)


# 4


def test_the_same_settings_give_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    one, again, other = (page(told(tmp_path, "leduc_poker", LEDUC, ply=3, seed=seed)) for seed in (1, 1, 2))
    assert one == again != other
