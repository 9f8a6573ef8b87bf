"""The learner: gradient steps on replayed rows, and the averaged weights that play."""
