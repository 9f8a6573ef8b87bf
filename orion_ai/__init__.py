"""Orion: turns the rules of a board game with hidden information into strong players.

The packages in order of dependence: `engines` (rules as compiled kernels), then here `search`, `net`, `lanes` and
`agents`, `replay` and `checkpoint`, `selfplay`, `learner` and `arena`, `play` and `bench`, `commands` and `cli`.
"""

__version__ = "0.1.0"
