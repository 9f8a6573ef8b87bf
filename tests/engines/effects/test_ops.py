"""Op tables and programs: what content files may say, which rows it becomes, and what is said of a mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter

from engines.content_file import read_content
from engines.effects.ops import Ops
from engines.effects.program import Program
from engines.errors import ContentError
from tests.engines.effects import toy_ops as ops


def written(path: Path, text: str) -> Path:
    path.write_text(f"cards:\n  mint: {{effect: [{{op: gain, n: 3}}]}}\n  odd: {{{text}}}\n")
    return path


def compiled(tmp_path: Path, text: str) -> list[list[int]]:
    card = read_content(written(tmp_path / "cards.yaml", text), ops.Content).cards["odd"]
    return Program(ops.OPS).compiled([*card.cost, *card.effect])


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("effect: []", []),
        ("effect: [{op: gain, n: 3}, {op: nest, n: 2}]", [[ops.GAIN, 3], [ops.NEST, 2]]),
        ("cost: [{op: pay, n: 1}], effect: [{op: swap, n: 4}]", [[ops.PAY, 1], [ops.PAY, 4], [ops.GAIN, 5]]),
        ("effect: [{op: sum, amounts: [2, 4], more: 5}]", [[ops.SUM, 2, 2, 4, 5]]),
        ("effect: [{op: sum, amounts: []}]", [[ops.SUM, 0, 0]]),
    ],
)
def test_effects_become_rows(text: str, rows: list[list[int]], tmp_path: Path) -> None:
    assert compiled(tmp_path, text) == rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "effect: [{op: gian, n: 3}]",
            "cards.odd.effect.0: unknown op 'gian'. Did you mean 'gain'? Valid: gain, give,",
        ),
        ("effect: [{op: pay, n: 3}]", "cards.odd.effect.0: unknown op 'pay'. Valid: gain,"),
        ("cost: [{op: payy, n: 3}], effect: []", "cards.odd.cost.0.op: unknown op 'payy'. Did you mean 'pay'?"),
        ("effect: [{n: 3}]", "cards.odd.effect.0: key 'op' is missing"),
        ("effect: [{op: gain}]", "cards.odd.effect.0.gain.n: Field required"),
        ("effect: [{op: gain, m: 3}]", "cards.odd.effect.0.gain: unknown key 'm'. Valid: op, n."),
        ("effect: [{op: gain, n: 10}]", "cards.odd.effect.0.gain.n: Input should be less than or equal to 9, found 10"),
        ("effect: [{op: gain, n: true}]", "cards.odd.effect.0.gain.n: Input should be a valid integer, found True"),
        ("effect: [{op: sum, amounts: [1, 2, 3]}]", "cards.odd.effect.0.sum.amounts: List should have at most 2 items"),
        ("effect: [gain]", "cards.odd.effect.0: "),
    ],
)
def test_a_mistake_is_named_with_file_entry_key_and_the_nearest_op(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ContentError) as error:
        compiled(tmp_path, text)
    assert str(error.value).startswith(f"{tmp_path / 'cards.yaml'}: {message}")


def test_programs_lie_one_after_the_other_and_end() -> None:
    program = Program(ops.OPS)
    assert (program.place(), program.place([ops.GAIN, 3], [ops.GIVE, 2]), program.place([ops.NEST, 4])) == (0, 1, 4)
    assert program.table[:, :2].tolist() == [[0, 0], [ops.GAIN, 3], [ops.GIVE, 2], [0, 0], [ops.NEST, 4], [0, 0]]
    assert program.counts.tolist() == [0, 0, 2, 0, 4, 0], "only some ops have a count"
    assert len(program) == 6 and program.table.shape == (6, ops.OPS.columns)
    for table in (program.table, program.counts, ops.OPS.asking):
        with pytest.raises(ValueError, match="read-only"):
            table[1] = 1
    assert Program(ops.OPS).table.tolist() == [[0] * ops.OPS.columns], "a program knows nothing of another"


def test_a_table_of_counting_ops_counts_them_all_but_those_it_excepts() -> None:
    table = Ops(columns=2, counts=True)
    end, one, two = table.add("end"), table.add("one"), table.add("two", counts=False)
    program = Program(table)
    program.place([one, 5], [two, 6])
    assert (end, program.counts.tolist()) == (0, [0, 5, 0, 0])


def test_rows_that_no_program_can_hold() -> None:
    program = Program(ops.OPS)
    with pytest.raises(ValueError, match=r"op 6, expected 1 to 5"):
        program.place([len(ops.OPS)])
    with pytest.raises(ValueError, match=r"op 0, expected 1 to 5"):
        program.place([ops.END])
    with pytest.raises(ValueError, match=r"6 columns, expected at most 5"):
        program.place([ops.SUM, 4, 1, 2, 3, 4])


def test_a_word_stands_once_in_a_table() -> None:
    table = Ops(columns=2)
    table.add("end")
    table.add("coins", word="gain", on="effect")
    with pytest.raises(ValueError, match="two rows have the word 'gain'"):
        table.say("gain", "again", on="cost", rows=lambda e: [])


def test_a_word_and_its_group_belong_together() -> None:
    table = Ops(columns=2)
    table.add("coins", word="gain", on="effect")
    with pytest.raises(ContentError, match=r"word 'pay' has no group: expected on=GROUP, .* .'effect'"):
        table.add("pay", word="pay")
    for given in ({"on": "effect"}, {"rows": lambda e: []}, {"n": int}):
        with pytest.raises(ContentError, match=f"op 'lonely': {next(iter(given))} says .*: give word="):
            table.add("lonely", **given)
    assert list(table.words["effect"]) == ["gain"]


def test_an_entry_may_be_of_several_groups() -> None:
    both = TypeAdapter(Annotated[Any, ops.OPS.entry("effect", "cost")])
    assert [both.validate_python({"op": op, "n": 1}).op for op in ("gain", "pay")] == ["gain", "pay"]


def test_what_an_op_asks_is_in_its_row() -> None:
    assert [bool(n) for n in ops.OPS.asking] == [op == ops.GIVE for op in range(len(ops.OPS))]
    assert ops.OPS.asked[ops.GIVE] == (ops.NODE_GIVE,)
