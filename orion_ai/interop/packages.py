"""What to say where a framework is not installed."""

from __future__ import annotations

from engines.errors import UsageError

__all__ = ["missing"]


def missing(package: str, error: ModuleNotFoundError) -> UsageError:
    """The error to raise for a failed import of `package` (its name for pip); names the command that installs it."""
    return UsageError(
        f"{package} is not installed ({error}): pip install 'orion-ai[peers]', or in a checkout pip install '.[peers]'"
    )
