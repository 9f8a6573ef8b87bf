"""The same work on other frameworks and on Orion, in turn, on one core: `orion bench peers`.

Each peer has a module of its own that imports the peer only when it is asked for its comparisons; `orion.py` does the
same work with Orion. `rounds.py` runs the two sides of a comparison in turn, `report.py` writes what came out.
"""
