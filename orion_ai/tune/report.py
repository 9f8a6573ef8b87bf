"""What is written of a study: report.json, report.md, report.png, and the best agent as a file for `configs/agent`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from engines.files import write, write_json, write_text
from orion_ai.arena.entrants import Entrant
from orion_ai.arena.plots import new_figure, png
from orion_ai.arena.result import ArenaResult
from orion_ai.search.config import SearchConfig
from orion_ai.tune.space import Parameter
from orion_ai.tune.study import Study, Trial

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["agent_yaml", "report_paths", "shown", "verdict", "write_report"]

BEST = "best.yaml"
CHOSEN, LEFT, OWN = "tab:orange", "tab:gray", "tab:green"


def shown(values: Mapping[str, Any]) -> str:
    """Values in a line: "search.c_uct=0.71, search.nodes=public"."""
    texts = (f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}" for key, value in values.items())
    return ", ".join(texts) or "the agent as it is"


def agent_yaml(entrant: Entrant, comment: str) -> str:
    """An agent as a file of `configs/agent`: what differs from the defaults."""
    return f"# {comment}\n{yaml.safe_dump(_differing(entrant), sort_keys=False, allow_unicode=True)}"


def _differing(entrant: Entrant) -> dict[str, Any]:
    defaults = {f.name: f.default for f in fields(SearchConfig)}
    settings = {key: value for key, value in entrant.settings.items() if key != "weights"}
    if "search" in settings:
        settings["search"] = {k: v for k, v in settings["search"].items() if v != defaults[k]}
    if entrant.where:
        settings["checkpoint"] = entrant.where
    if entrant.opponent:
        settings["opponent"] = _differing(entrant.opponent)
    return settings


def verdict(study: Study, confirmed: ArenaResult | None) -> str:
    """What came out, in a few sentences."""
    best, own, opponent = study.best, study.trials[0], study.plan.opponent.name
    tried = f"{len(study.trials) - 1} trials of {study.plan.agent.name} against {opponent}"
    if best.number == 0:
        return f"{tried}: none scored more than the agent as it is, {own.score.mean:.3f}."
    text = (
        f"{tried}: the best is trial {best.number} ({shown(best.values)}), score {best.mean:.3f} against "
        f"{own.mean:.3f} of the agent as it is, on the deals that it was chosen by."
    )
    if confirmed is None or confirmed.lead is None:
        return f"{text} Not confirmed on fresh deals (confirm=0): the best of many trials is partly lucky."
    low, high = confirmed.lead.low, confirmed.lead.high
    if low is not None and low > 0:
        said = "Confirmed: it is stronger than the agent as it is"
    elif high is not None and high < 0:
        said = "Refuted: it is weaker than the agent as it is"
    else:
        said = "Not confirmed: it is not told apart from the agent as it is"
    return f"{text} {said}; on {confirmed.blocks} fresh blocks its lead in utility is {confirmed.lead}."


def report_paths(folder: Path) -> list[Path]:
    """The files that `write_report` writes."""
    return [folder / name for name in ("report.json", "report.md", "report.png", BEST)]


def write_report(study: Study, confirmed: ArenaResult | None, folder: Path) -> list[Path]:
    """Write all files of a study and return their paths; the same study gives the same bytes.

    Raises:
        FileError: the folder cannot be written.
    """
    said = verdict(study, confirmed)
    best = study.plan.entrant(study.best.values, "tuned")
    snippet = agent_yaml(best, f"Tuned for {study.plan.game.name}: {shown(study.best.values)}.")
    picture = png(_figure(study))
    paths = report_paths(folder)
    write_json(paths[0], _data(study, confirmed, said))
    write_text(paths[1], _markdown(study, said, snippet))
    write(paths[2], lambda file: file.write(picture))
    write_text(paths[3], snippet)
    return paths


def _data(study: Study, confirmed: ArenaResult | None, said: str) -> dict[str, Any]:
    plan = study.plan
    final = None
    if confirmed is not None and confirmed.lead is not None:
        lead = asdict(confirmed.lead)
        final = {"blocks": confirmed.blocks, "games": confirmed.games, "seed": confirmed.seed, "lead": lead}
    return {
        **plan.identity(),
        "trials": [
            {
                "number": t.number,
                "values": dict(t.values),
                "state": t.state,
                "blocks": len(t.scores),
                "score": asdict(t.score) if t.scores else None,
                **({"why": t.why} if t.why else {}),
            }
            for t in study.trials
        ],
        "best": study.best.number,
        "confirmed": final,
        "verdict": said,
    }


def _markdown(study: Study, said: str, snippet: str) -> str:
    plan, best = study.plan, study.best
    keys = [p.key for p in plan.space.parameters]
    order = sorted(study.trials, key=lambda t: (t.state != "done", -(t.mean if t.scores else -1.0), t.number))
    lines = [
        f"# Tuning {plan.agent.name} for {plan.game.title}",
        "",
        said,
        "",
        f"Every trial plays the same {plan.config.blocks} blocks against {plan.opponent.name} (seed "
        f"{plan.config.seed}); score: 1/2 + lead in utility / 4, with a 95 % interval for that one trial. The best of "
        "many scores is too good on average: the best trial meets the agent as it is on deals that no trial has seen.",
        "",
        "![scores](report.png)",
        "",
        f"The best agent, ready for `configs/agent` (`{BEST}`):",
        "",
        f"```yaml\n{snippet}```",
        "",
        f"| trial | {' | '.join(keys)} | blocks | score | |",
        f"|---|{'---|' * len(keys)}---|---|---|",
        *(_row(t, keys, t.number == best.number) for t in order),
    ]
    return "\n".join(lines) + "\n"


def _row(trial: Trial, keys: Sequence[str], best: bool) -> str:
    cells = [f"{v:.4g}" if isinstance(v := trial.values.get(key, ""), float) else str(v) for key in keys]
    notes = ("best" if best else "", "" if trial.state == "done" else trial.state, trial.why)
    note = ": ".join(part.replace("|", "/") for part in notes if part)
    name = "as it is" if trial.number == 0 else str(trial.number)
    score = str(trial.score).replace("+", "") if trial.scores else ""
    return f"| {name} | {' | '.join(cells)} | {len(trial.scores)} | {score} | {note} |"


def _figure(study: Study) -> Figure:
    """Scores in the order of the trials, and over each parameter."""
    parameters = study.plan.space.parameters
    panels = 1 + len(parameters)
    across = min(panels, 3)
    down = -(-panels // across)
    figure = new_figure(4.2 * across, 3.2 * down)
    axes = figure.subplots(down, across, squeeze=False).reshape(-1)
    _by_number(axes[0], study)
    for panel, parameter in zip(axes[1:], parameters, strict=False):
        places = {choice: i for i, choice in enumerate(parameter.choices)}
        _scatter(panel, study, lambda t, key=parameter.key, at=places: _at(t.values.get(key), at))  # type: ignore[misc]
        panel.set_xlabel(parameter.key)
        _axis(panel, parameter)
    for panel in axes[panels:]:
        panel.set_axis_off()
    return figure


def _axis(panel: Axes, parameter: Parameter) -> None:
    """The parameter's whole range, whatever of it was tried."""
    if parameter.low is None or parameter.high is None:
        panel.set_xticks(range(len(parameter.choices)), [str(choice) for choice in parameter.choices])
        panel.set_xlim(-0.5, len(parameter.choices) - 0.5)
        return
    low, high = parameter.low, parameter.high
    if parameter.log:
        ticks = [low * (high / low) ** (i / 4) for i in range(5)]
        panel.set_xscale("log")
        panel.set_xticks(ticks, [f"{tick:.3g}" for tick in ticks])
        panel.set_xticks([], minor=True)
    else:
        panel.set_xlim(low, high)


def _at(value: Any, places: Mapping[Any, int]) -> float | None:
    if value is None:
        return None
    return float(places[value]) if places else float(value)


def _by_number(panel: Axes, study: Study) -> None:
    _scatter(panel, study, lambda t: float(t.number))
    so_far, best = [], -1.0
    for trial in study.trials:
        best = max(best, trial.mean) if trial.state == "done" else best
        so_far.append(best)
    panel.step(range(len(so_far)), so_far, where="post", color=CHOSEN, linewidth=1, label="best so far")
    panel.set_xlabel("trial")
    panel.legend(loc="best", fontsize="x-small")


def _scatter(panel: Axes, study: Study, place: Any) -> None:
    """Scores over a number of each trial; one given up is a cross at its last score."""
    for state, marker in (("done", "o"), ("pruned", "x")):
        found = [(x, t.mean) for t in study.trials[1:] if t.state == state and (x := place(t)) is not None]
        if found:
            colour = LEFT if state == "pruned" else "tab:blue"
            xs, ys = [x for x, _ in found], [y for _, y in found]
            panel.scatter(xs, ys, marker=marker, s=20, color=colour, label=state)
    x = place(study.best)
    if study.best.number and x is not None:
        panel.scatter([x], [study.best.mean], marker="*", s=110, color=CHOSEN, zorder=3)
    panel.axhline(study.trials[0].mean, color=OWN, linestyle="--", linewidth=1, label="as it is")
    panel.set_ylabel("score")
