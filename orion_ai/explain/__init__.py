"""Seeing a search: what an agent thinks in one position of a recorded game, or of a view, as text and as a page."""
