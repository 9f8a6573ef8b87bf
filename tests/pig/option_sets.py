"""Options that the shared suites examine beside the defaults."""

from typing import Any

SETS: list[dict[str, Any]] = [
    {"players": 2, "target": 9},
    {"players": 3, "target": 20, "max_turns": 15},
    {"players": 4, "target": 12, "max_turns": 15, "utility": "win"},
]
