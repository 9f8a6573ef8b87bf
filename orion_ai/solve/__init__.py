"""Exact game theory over games small enough to enumerate: solvers, best responses, exploitability."""
