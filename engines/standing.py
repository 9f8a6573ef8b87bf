# mypy: ignore-errors
"""What a standing is worth to a seat, by the option `utility` of games with more than two seats."""

from engines.kernel import kernel

__all__ = ["worth"]


@kernel
def worth(utility, ahead, behind, players):
    """The utility of a seat that is ahead of so many others and behind so many; over all seats it sums to 0.

    `utility` 0: the mean over the others of ahead (1) or behind (-1); else the win, shared among those whom nobody is
    ahead of.
    """
    if utility == 0:
        return (ahead - behind) / (players - 1)
    if behind == 0:
        return (players / (players - ahead) - 1.0) / (players - 1)
    return -1.0 / (players - 1)
