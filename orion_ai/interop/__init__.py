"""Orion's games in other frameworks, and their bots in Orion: `openspiel`, `pettingzoo`, `gymnasium`.

Each module imports its framework, and only that module does: `pip install 'orion-ai[peers]'` brings them.
"""
