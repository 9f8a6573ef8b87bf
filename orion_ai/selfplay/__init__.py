"""Self-play: games in which every seat is searched with the same network, many at once."""
