"""A study on disk: a line for the values of a trial and one for each of its blocks, so that the same command goes on.

`trials.jsonl` starts with a line that names the study. Further lines are {"trial": 3, "values": {...}} when a trial
begins, then {"trial": 3, "block": 0, "score": 0.5} for each block in the order of finishing, with "fault" where a game
of it was lost by one. What follows from these (pruning, what is tried next, the best) is not written: it comes out the
same again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engines.errors import FileError
from orion_ai.lines import Kind, LineFile
from orion_ai.tune.space import Parameter, Value

__all__ = ["KIND", "TrialLog"]

KIND = Kind("orion tune", 1, "study")


class TrialLog(LineFile):
    """The file of a study.

    Attributes:
        values: of each trial that was begun.
        scores: trial -> block -> score of the tuned agent.
        faults: trial -> block -> what an agent did wrong there (see `orion_ai.arena.faults`).
    """

    def __init__(
        self, path: Path, identity: Mapping[str, Any], defaults: Mapping[str, Any], parameters: Sequence[Parameter]
    ) -> None:
        """Open or create the file; see `LineFile`. `parameters`: what values a trial can have."""
        super().__init__(path, KIND, identity, defaults)
        self._parameters = {p.key: p for p in parameters}
        self.values: dict[int, dict[str, Value]] = {}
        self.scores: dict[int, dict[int, float]] = {}
        self.faults: dict[int, dict[int, str]] = {}
        for number, line in enumerate(self.lines, 2):
            try:
                self._take(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                self.close()
                raise FileError(
                    f"{str(path)!r}, line {number} is damaged ({type(error).__name__}: {error}): expected a trial's "
                    "values or the score of one of its blocks; remove that line and those below to go on from there"
                ) from None
        self.lines = []

    def __enter__(self) -> TrialLog:
        return self

    def begin(self, trial: int, values: Mapping[str, Value]) -> None:
        """A trial begins with these values; one that was begun before is not begun again."""
        if trial not in self.values:
            self._write({"trial": trial, "values": dict(values)})

    def add(self, trial: int, block: int, score: float, fault: str = "") -> None:
        """A block of a trial is finished; `fault` is told if a game of it was lost by one."""
        self._write({"trial": trial, "block": block, "score": score, **({"fault": fault} if fault else {})})

    def _write(self, data: dict[str, Any]) -> None:
        self.append(data)
        self._take(data)

    def _take(self, data: Any) -> None:
        trial = data["trial"]
        if type(trial) is not int or not 0 <= trial <= len(self.values):
            raise ValueError(f"trial {trial!r}: expected 0 to {len(self.values)}")
        if "values" in data:
            if trial in self.values or not isinstance(data["values"], dict):
                raise ValueError(f"values of trial {trial}: expected an object, once")
            for key, value in data["values"].items():
                if key not in self._parameters or not self._parameters[key].holds(value):
                    raise ValueError(f"{key} = {value!r} lies outside of the space")
            self.values[trial] = data["values"]
            self.scores[trial], self.faults[trial] = {}, {}
            return
        block, score = data["block"], data["score"]
        if type(block) is not int or block < 0 or block in self.scores[trial]:
            raise ValueError(f"block {block!r} of trial {trial}: expected a number, once")
        if not isinstance(score, int | float) or not 0 <= score <= 1:
            raise ValueError(f"score {score!r}: expected 0 to 1")
        self.scores[trial][block] = float(score)
        if "fault" in data:
            self.faults[trial][block] = str(data["fault"])
