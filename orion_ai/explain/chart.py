"""The value over the game, as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from orion_ai.explain.numbers import signed
from orion_ai.explain.study import Point

__all__ = ["chart"]

WIDTH, HEIGHT = 960, 262
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 14, 46
DASHES = ("7 4", "2 4", "12 4 2 4", "4 2")
"""Of the lines of other seats."""
STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def chart(points: Sequence[Point], names: Sequence[str], seat: int, here: int, steps: int) -> str:
    """HTML of the chart with its legend.

    Args:
        points: values, ascending by ply.
        names: of the agents.
        seat: who is explained; the lines of others are dashed.
        here: the ply that is explained.
        steps: of the whole game.
    """
    most = max(abs(point.value) for point in points)
    top = next((bound for bound in (0.1, 0.25, 0.5) if most <= bound), 1.0)
    scale = _Scale(max(steps, 1), top)
    parts = [_axes(scale, here)]
    legend = []
    for agent, name in enumerate(names):
        for who in sorted({point.seat for point in points}):
            line = [point for point in points if (point.agent, point.seat) == (agent, who)]
            if line:
                dashes = "" if who == seat else f" stroke-dasharray='{DASHES[who % len(DASHES)]}'"
                parts.append(_line(scale, line, dashes))
                sample = f"<svg class=sample viewBox='0 0 30 8'><line class=line x1=0 x2=30 y1=4 y2=4{dashes} /></svg>"
                legend.append(f"<span class=agent-{agent}>{sample}{escape(name)}, seat {who}</span>")
    legend.append("<span>hollow: the game went another way than the agent would have</span>")
    label = f"value by step of the game, from {signed(-top)} to {signed(top)}"
    return (
        f"<div class=legend>{''.join(legend)}</div>"
        f"<svg viewBox='0 0 {WIDTH} {HEIGHT}' role=img aria-label='{label}'>{''.join(parts)}</svg>"
    )


class _Scale:
    """From steps and utilities to places in the picture."""

    def __init__(self, steps: int, top: float) -> None:
        self.steps, self.top = steps, top

    def x(self, ply: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * ply / self.steps

    def y(self, value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (self.top - value) / (2 * self.top)


def _axes(scale: _Scale, here: int) -> str:
    parts = []
    for k in (-2, -1, 0, 1, 2):
        y = scale.y(scale.top * k / 2)
        kind = "zero" if k == 0 else "grid"
        parts.append(f"<line class={kind} x1={LEFT} x2={WIDTH - RIGHT} y1={y:.1f} y2={y:.1f} />")
        number = f"{scale.top * k / 2:+.{3 if scale.top < 0.5 else 2}f}" if k else "0"
        parts.append(f"<text x={LEFT - 8} y={y + 4:.1f} text-anchor=end>{number}</text>")
    step = next((s for s in STEPS if scale.steps / s <= 12), STEPS[-1])
    for ply in range(0, scale.steps + 1, step):
        parts.append(f"<text x={scale.x(ply):.1f} y={HEIGHT - BOTTOM + 18} text-anchor=middle>{ply}</text>")
    parts.append(f"<text x={WIDTH - RIGHT} y={HEIGHT - 5} text-anchor=end>steps of the game</text>")
    x = scale.x(here)
    parts.append(f"<line class=here x1={x:.1f} x2={x:.1f} y1={TOP} y2={HEIGHT - BOTTOM}><title>here</title></line>")
    return "".join(parts)


def _line(scale: _Scale, line: Sequence[Point], dashes: str) -> str:
    places = " ".join(f"{scale.x(p.ply):.1f},{scale.y(p.value):.1f}" for p in line)
    dots = "".join(
        f"<circle class='dot{'' if p.choice == p.played else ' other'}' r=3.5"
        f" cx={scale.x(p.ply):.1f} cy={scale.y(p.value):.1f}>"
        f"<title>{escape(_said(p))}</title></circle>"
        for p in line
    )
    return f"<g class=agent-{line[0].agent}><polyline class=line{dashes} points='{places}' />{dots}</g>"


def _said(point: Point) -> str:
    value = signed(point.value)
    return f"step {point.ply}, seat {point.seat}: {value}; would {point.choice}, did {point.played}"
