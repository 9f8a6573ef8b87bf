"""Slow, plain-object implementations of the rules, written independently of the compiled engines."""
