"""Options that the shared suites examine beside the defaults."""

from typing import Any

SETS: list[dict[str, Any]] = [
    {"obstype": "reveal-numturns"},
]
