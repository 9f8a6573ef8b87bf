"""Options that the shared suites examine beside the defaults."""

from typing import Any

SETS: list[dict[str, Any]] = [
    {"players": 2, "faces": 2},
    {"players": 3, "dice": 3, "faces": 5},
]
