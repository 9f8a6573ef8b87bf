"""What the games of the search tests share: a face that is just enough for the contract."""

import numpy as np

from engines.contract import Game, Kind, Slice


class TinyGame(Game):
    """A game whose observation is one slice of `numbers` scalars, and whose actions are called by number."""

    version = 1
    min_players, max_players = 2, 2
    num_streams = 1
    numbers = 1

    def encode_options(self):
        return np.array([self.players], np.int32)

    def observation(self):
        return [Slice("all", Kind.SCALAR, (self.numbers,))]

    def action_text(self, action):
        return f"a{action}"

    def board(self, state, seat=None):
        return str(state.fields)

    def scores(self, state):
        return [0] * self.players
