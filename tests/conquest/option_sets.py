"""Options that the shared suites examine beside the defaults."""

from typing import Any

SETS: list[dict[str, Any]] = [
    {"players": 3, "factions": "mirror", "end": "last_standing", "max_rounds": 3},
]
