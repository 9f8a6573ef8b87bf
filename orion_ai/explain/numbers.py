"""How numbers read, in the text and on the page."""

from __future__ import annotations

__all__ = ["count", "percent", "rare", "signed"]


def count(value: float) -> str:
    """A sum of weights: whole where worlds are not weighted."""
    whole = abs(value - round(value)) < 1e-6
    return f"{round(value):,}" if whole else f"{value:,.1f}"


def percent(share: float) -> str:
    """A share in [0, 1]; what is not quite none or all does not read so."""
    if 0 < share < 0.005:
        return "<1%"
    if 0.995 < share < 1:
        return ">99%"
    return f"{share:.0%}"


def rare(share: float) -> str:
    """A share in [0, 1] that may be small."""
    if 0 < share < 1e-5:
        return "<0.001%"
    return f"{100 * share:.2g}%" if 0 < share < 0.01 else percent(share)


def signed(value: float) -> str:
    """A utility, with its sign and without a negative nought."""
    text = f"{value:+.2f}"
    return "0.00" if text in ("+0.00", "-0.00") else text
