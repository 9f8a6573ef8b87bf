"""The content file in full: every key that it may leave out filled in, as the reference reads it.

The engine compiles the same file into tables by a schema of its own; here it is expanded by hand, so that a default
which one of the two gets wrong shows as a difference.
"""

from pathlib import Path
from typing import Any

import yaml

RESOURCES = ("food", "fleet", "production")
FILE = Path(__file__).parents[2] / "engines/moo_board/content/standard.yaml"
ADVISORS_SET_ASIDE = 3
"""Rulebook: Setup. Of the eight advisors five are in play."""


def amounts(some: dict[str, int] | None) -> dict[str, int]:
    """All three resources, unnamed ones zero."""
    return {resource: (some or {}).get(resource, 0) for resource in RESOURCES}


TARGETS = {"opp_discard_or_loyalty": "attacked", "block_slot": "attacked", "bury_working": "attacked"}


def operation(op: dict[str, Any], timing: str = "") -> dict[str, Any]:
    """One effect, cost or standing modifier with its defaults; whom it hits follows from when it happens."""
    full = dict(op)
    for key in ("res", "a", "b", "blue", "red", "yellow", "gray"):
        if isinstance(full.get(key), dict):
            full[key] = amounts(full[key])
    if full.get("op") == "gain_by_covered":
        full |= {color: amounts(full.get(color)) for color in ("blue", "red", "yellow", "gray")}
    if "options" in full:
        full["options"] = [amounts(option) for option in full["options"]]
    if "then" in full:
        full["then"] = [operation(inner) for inner in full["then"]]
    if full.get("op") in TARGETS:
        full["target"] = TARGETS[full["op"]]
    defaults: dict[str, dict[str, Any]] = {
        "opp_loyalty": {"target": "attacker" if timing == "after_attacked" else "attacked"},
        "dismiss_advisor": {"target": "chosen"},
        "build": {"color": None, "where": "any", "discount": 0},
        "take_discard": {"depth": None},
        "opp_discard": {"n": 1, "if_hand_at_least": 0, "target": "each"},
        "extra_system": {"permanent": True},
        "gray_exploit_keep_all": {"n": 1},
        "build_discount": {"color": None, "once_per_round": False, "action_only": False},
        "exploit_bonus": {"color": None, "once_per_round": False},
    }
    return defaults.get(full.get("op", full.get("mod", "")), {}) | full


def face(entry: dict[str, Any], id_: str) -> dict[str, Any]:
    """A card or advisor in full."""
    defaults: dict[str, Any] = {"timing": "none", "slot": None, "loyalty6": "none", "may": False, "vp_formula": None}
    full = {**defaults, "copies": 2, "vp": 0, **entry, "id": id_}
    if isinstance(full["vp"], dict):
        full["vp"], full["vp_formula"] = "?", {"per": "color", "color": full["vp"]["per"], "n": full["vp"]["n"]}
    full["cost"], full["icons"] = amounts(entry.get("cost")), amounts(entry.get("icons"))
    for key in ("pay", "effect", "static"):
        full[key] = [operation(op, full["timing"]) for op in entry.get(key, [])]
    return full


def board(entry: dict[str, Any], id_: str, constants: dict[str, Any]) -> dict[str, Any]:
    """A race board in full."""
    worth = entry.get("trade", constants["trade"])
    trade = [
        {"give": amounts({give: worth[give]}), "get": amounts({get: worth[get]})}
        for give in RESOURCES
        for get in RESOURCES
        if give != get
    ]
    levels = {}
    for level, shared in constants["mobilization"].items():
        own = entry.get("mobilization", {}).get(level, shared)
        levels[level] = {"loyalty": 0, "draw": 0, **own}
        if "choice" in levels[level]:
            levels[level]["choice"] = [
                {"res": amounts(choice["res"])} if "res" in choice else dict(choice)
                for choice in levels[level]["choice"]
            ]
    ability = {
        "may": entry.get("may", False),
        "pay": [operation(op) for op in entry.get("pay", [])],
        "effect": [operation(op) for op in entry.get("start_of_round", [])],
    }
    return {
        **entry,
        "id": id_,
        "start": amounts(entry.get("start")),
        "start_loyalty": entry.get("start_loyalty", constants["loyalty_start"]),
        "mobilization": levels,
        "trade": trade,
        "static": [operation(op) for op in entry.get("static", [])],
        "start_of_round": [ability] if ability["effect"] else [],
    }


def load(path: Path = FILE) -> dict[str, Any]:
    """Constants, races, advisors and cards, each in the order of its number."""
    data = yaml.safe_load(path.read_text())
    constants = dict(data["constants"])
    exploit = {color: dict(gain) for color, gain in constants["exploit"].items()}
    constants["exploit"] = {c: gain if "draw" in gain else amounts(gain) for c, gain in exploit.items()}
    constants["attacks_per_opponent"] = {str(k): v for k, v in constants["attacks_per_opponent"].items()}
    medium, high = constants["zones"]["medium"], constants["zones"]["high"]
    constants |= {
        "zones": {"low": [0, medium - 1], "medium": [medium, high - 1], "high": [high, constants["resource_cap"]]},
        "variants": ("standard", "tutorial"),
        "max_systems": 4,
        "cards_per_system": 5,
        "hand_limit_end_of_round": constants["hand_limit"],
        "advisors_set_aside": ADVISORS_SET_ASIDE,
    }
    return {
        "constants": constants,
        "races": [board(entry, id_, constants) for id_, entry in data["races"].items()],
        "advisors": [face(entry, id_) for id_, entry in data["advisors"].items()],
        "cards": [face(entry, id_) for id_, entry in data["cards"].items()],
    }
