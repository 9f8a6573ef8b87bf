"""Whether values are honest: what was predicted against what happened, in bins, and as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Reliability", "reliability", "reliability_image"]

COLOURS = ("tab:blue", "tab:orange", "tab:green")


@dataclass(frozen=True)
class Reliability:
    """Predictions in equal parts of [-1, 1].

    Attributes:
        sizes: int64[bins], predictions in each.
        predicted: float64[bins], their mean; NaN where there are none.
        happened: float64[bins], the mean of what happened then; NaN where there are none.
        error: float64[bins], standard error of that mean, as if outcomes were independent; NaN below two.
    """

    sizes: NDArray[np.int64]
    predicted: NDArray[np.float64]
    happened: NDArray[np.float64]
    error: NDArray[np.float64]

    @property
    def calibration_error(self) -> float:
        """Expected calibration error: mean over bins of |mean prediction - mean outcome|, weighted by their sizes."""
        filled = self.sizes > 0
        gaps = np.abs(self.predicted[filled] - self.happened[filled])
        return float((gaps * self.sizes[filled]).sum() / max(int(self.sizes.sum()), 1))


def reliability(predicted: NDArray[Any], happened: NDArray[Any], bins: int = 10) -> Reliability:
    """What happened by what was predicted.

    Args:
        predicted: float[N], values in [-1, 1].
        happened: float[N], the returns.
        bins: equal parts of [-1, 1].
    """
    said, came = predicted.astype(np.float64), happened.astype(np.float64)
    place = np.clip(((said + 1) / 2 * bins).astype(np.int64), 0, bins - 1)
    sizes = np.bincount(place, minlength=bins)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(place, said, minlength=bins) / sizes
        outcomes = np.bincount(place, came, minlength=bins) / sizes
        squares = np.bincount(place, (came - outcomes[place]) ** 2, minlength=bins)
        error = np.sqrt(squares / (sizes - 1) / sizes)
    return Reliability(sizes, means, outcomes, np.where(sizes > 1, error, np.nan))


def reliability_image(curves: Mapping[str, Reliability]) -> NDArray[np.uint8]:
    """A reliability diagram, and below it how often each value was predicted.

    Args:
        curves: name -> what was predicted and happened.

    Returns:
        uint8[height, width, 3].
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 6), dpi=100, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    above, below = figure.subplots(2, 1, height_ratios=(3, 1), sharex=True)
    above.plot([-1, 1], [-1, 1], color="tab:gray", linestyle=":", linewidth=1, label="honest")
    for (name, curve), colour in zip(curves.items(), COLOURS, strict=False):
        _draw(above, below, name, curve, colour)
    above.set_ylabel("mean return that followed")
    above.set_ylim(-1.05, 1.05)
    above.legend(loc="upper left", fontsize="small")
    below.set_xlabel("predicted value of the own seat")
    below.set_ylabel("share")
    canvas.draw()
    image: NDArray[np.uint8] = np.array(canvas.buffer_rgba(), np.uint8)[..., :3]
    return image


def _draw(above: Axes, below: Axes, name: str, curve: Reliability, colour: str) -> None:
    filled = curve.sizes > 0
    text = f"{name}: {int(curve.sizes.sum()):,} values, off by {curve.calibration_error:.3f}"
    half = 1.96 * np.nan_to_num(curve.error[filled])
    above.errorbar(
        curve.predicted[filled], curve.happened[filled], yerr=half, color=colour, marker="o", markersize=4, label=text
    )
    edges = np.linspace(-1, 1, len(curve.sizes) + 1)
    below.stairs(curve.sizes / max(int(curve.sizes.sum()), 1), edges, color=colour)
