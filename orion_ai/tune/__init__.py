"""Tuning: the settings of an agent with which it does best against a fixed opponent."""
