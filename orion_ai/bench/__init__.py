"""Measuring: an integer signature that is the same on every machine, and speed tables."""
