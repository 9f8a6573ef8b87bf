"""Replay: episodes kept as action lists, shards of them on disk, and the training rows rebuilt from them."""
