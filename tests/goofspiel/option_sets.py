"""Options that the shared suites examine beside the defaults."""

from typing import Any

SETS: list[dict[str, Any]] = [
    {"cards": 5},
    {"cards": 5, "hidden": True},
    {"players": 3, "cards": 5, "hidden": True, "prizes": "ascending", "returns": "point_difference"},
    {"players": 4, "cards": 4, "prizes": "descending"},
    {"players": 4, "hidden": True, "prizes": "ascending"},
]
