"""A person against bots in the terminal. All that is printed comes from the person's own view of the game."""
