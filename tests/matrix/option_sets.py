"""Options that the shared suites examine beside the defaults."""

from typing import Any

SETS: list[dict[str, Any]] = [
    {"payoffs": [[3, -1, 4], [-2, 1, 0]]},
]
