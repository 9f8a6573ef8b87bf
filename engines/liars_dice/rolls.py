# mypy: ignore-errors
"""All rolls of some dice, as one event: multisets in the order of their sorted dice, with how often each comes up.

A roll is packed: four bits a face, lowest face first, how many dice show it.
"""

from engines.kernel import kernel

_BITS, _MASK = 4, 15


@kernel
def first_roll(dice):
    """All ones."""
    return dice


@kernel
def showing(roll, face):
    """How many dice of a packed roll show `face` (from 0)."""
    return (roll >> (_BITS * face)) & _MASK


@kernel
def next_roll(roll, faces):
    """The roll after `roll`: its last die below the highest face goes up by one, and those after it become the same."""
    last = faces - 1
    face = last - 1
    while face >= 0 and showing(roll, face) == 0:
        face -= 1
    if face < 0:
        return -1
    high = showing(roll, last)
    roll -= (1 << (_BITS * face)) + (high << (_BITS * last))
    return roll + ((high + 1) << (_BITS * (face + 1)))


@kernel
def ways(roll, dice, faces):
    """In how many orders the dice of a roll can fall: the multinomial coefficient."""
    product, left = 1, dice
    for face in range(faces):
        for k in range(1, showing(roll, face) + 1):
            product = product * left // k
            left -= 1
    return product
