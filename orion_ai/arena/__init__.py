"""Comparing agents: blocks of paired games over processes, resumable, with honest intervals."""
