"""A module that no agent can be in."""

NOTHING = 1 // 0
