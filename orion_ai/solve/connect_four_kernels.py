# mypy: ignore-errors
"""Exact search of Connect Four: alpha-beta with null windows on bitboards, as kernels.

A position is (own, mask, n): the stones of the player to move, all stones, their number. The cell in column c (0..6)
and row r (0..5, from below) is bit 7c + r; bit 7c + 6 stays empty, so shifts never run from one column into the next.

The score of a position is from the view of the player to move: if its winner ends with his k-th stone, 22 - k, negated
for the loser; 0 is a draw. So larger is sooner, and a win with the last stone of all is worth 1.

TABLE: `uint64[2**bits]` in pairs. An entry is the position's 49-bit key, above 3 bits that say how many nodes it cost
and 6 bits each for the greatest and least score that it can have (+ 32). The whole key is stored, so an entry is never
taken for another position's. Of a pair, the first keeps what was dear, the second what is new.
"""

import numpy as np
from numba import types

from engines.kernel import kernel, lean_kernel

ONE, SEVEN = np.uint64(1), np.uint64(7)
BOTTOM = np.uint64(sum(1 << 7 * c for c in range(7)))
BOARD = np.uint64(sum(0x3F << 7 * c for c in range(7)))
COLUMN = np.uint64(0x3F)
FILE = np.uint64(0x7F)
CELLS = 42
MIRRORED = 16
"""Up to so many stones a position and its mirror image share an entry: later they meet too seldom to pay."""
PROBED = 32
"""Up to so many stones the children's entries are looked at before any child is searched."""

_S = tuple(np.uint64(i) for i in range(64))
_KEY = np.uint64(15)
_SIX = np.uint64(0x3F)
_COST = np.uint64(12)
_EIGHT = np.uint64(7)
_HASH = np.uint64(0x9E3779B97F4A7C15)
_FOURS = np.uint64(0x3333333333333333)
_TWOS = np.uint64(0x5555555555555555)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES = np.uint64(0x0101010101010101)
_TOP = np.uint64(56)
_MOVE = np.uint64((1 << 56) - 1)
CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)

U64, TABLE, STACK, COUNT = types.uint64, types.uint64[::1], types.uint64[::1], types.int64[::1]


@kernel
def ones(x):
    """How many bits are set (LLVM knows this sum as one instruction)."""
    x = x - ((x >> ONE) & _TWOS)
    x = (x & _FOURS) + ((x >> _S[2]) & _FOURS)
    x = (x + (x >> _S[4])) & _NIBBLES
    return np.int64((x * _BYTES) >> _TOP)


@kernel
def has_four(stones):
    """Whether four of `stones` lie in a row."""
    for shift in (_S[1], _S[6], _S[7], _S[8]):
        pairs = stones & (stones >> shift)
        if pairs & (pairs >> (shift + shift)):
            return True
    return False


@kernel
def winning_cells(own, mask):
    """The empty cells, within reach or not, that would make four in a row with `own`."""
    found = (own << _S[1]) & (own << _S[2]) & (own << _S[3])
    for shift in (_S[6], _S[7], _S[8]):
        twice, thrice = shift + shift, shift + shift + shift
        pair = (own << shift) & (own << twice)
        found |= pair & (own << thrice)
        found |= pair & (own >> shift)
        pair = (own >> shift) & (own >> twice)
        found |= pair & (own << shift)
        found |= pair & (own >> thrice)
    return found & (BOARD ^ mask)


@kernel
def key_of_position(own, mask):
    """49 bits that name the position: in each column the stones of the mover, under a one that tells its height."""
    return own + mask + BOTTOM


@kernel
def mirrored(key):
    """The same with the columns in reverse order."""
    out = np.uint64(0)
    for c in range(7):
        out |= ((key >> np.uint64(7 * c)) & FILE) << np.uint64(7 * (6 - c))
    return out


@kernel
def entry_key(own, mask, n):
    """The key under which a position's bounds are kept."""
    key = key_of_position(own, mask)
    if n <= MIRRORED:
        other = mirrored(key)
        if other < key:
            return other
    return key


@kernel
def pair_of(table, key):
    """Index of the first of the two entries where `key` may be."""
    return np.int64(((key * _HASH) >> np.uint64(20)) & np.uint64(table.shape[0] - 1)) & ~1


@kernel
def look_up(table, key):
    """The low 15 bits of the entry of `key` if there is one, else 0."""
    i = pair_of(table, key)
    if (table[i] >> _KEY) == key:
        return np.int64(table[i] & np.uint64(0x7FFF))
    if (table[i + 1] >> _KEY) == key:
        return np.int64(table[i + 1] & np.uint64(0x7FFF))
    return 0


@kernel
def store(table, key, least, greatest, nodes):
    """Remember the bounds of a position that cost `nodes`."""
    cost = 0
    while nodes >= 16 and cost < 7:
        nodes >>= 2
        cost += 1
    word = (key << _KEY) | np.uint64((cost << 12) | ((greatest + 32) << 6) | (least + 32))
    i = pair_of(table, key)
    if (table[i] >> _KEY) == key or np.int64((table[i] >> _COST) & _EIGHT) <= cost:
        table[i] = word
    else:
        table[i + 1] = word


@lean_kernel
def insert(stack, base, at, order, move):
    """Put a move among those of `stack` from `base` to `at`: the greatest order first, of equals the earlier one."""
    while at > base and (stack[at - 1] >> _TOP) < order:
        stack[at] = stack[at - 1]
        at -= 1
    stack[at] = (order << _TOP) | move


@lean_kernel(types.int64(U64, U64, types.int64, types.int64, TABLE, STACK, COUNT))
def bound(own, mask, n, goal, table, stack, count):
    """Whether the score reaches `goal`: a bound r with score >= r if r >= goal, and score <= r otherwise.

    The player to move must not be able to win at once. `stack` is uint64[294], `count[0]` counts nodes.
    """
    count[0] += 1
    other = own ^ mask
    playable = (mask + BOTTOM) & BOARD
    threats = winning_cells(other, mask)
    forced = playable & threats
    if forced:
        if forced & (forced - ONE):
            return -((CELLS - n) // 2)
        playable = forced
    playable &= ~(threats >> ONE)
    if not playable:
        return -((CELLS - n) // 2)
    if n >= CELLS - 2:
        return 0
    least, greatest = -((CELLS - 2 - n) // 2), (CELLS - 1 - n) // 2
    if goal <= least:
        return least
    if goal > greatest:
        return greatest

    key = entry_key(own, mask, n)
    known = look_up(table, key)
    if known:
        lower, upper = (known & 63) - 32, ((known >> 6) & 63) - 32
        if lower >= goal:
            return lower
        if upper < goal:
            return upper
        least, greatest = max(least, lower), min(greatest, upper)

    began, base, moves, best = count[0], 7 * n, 0, -CELLS
    for i in range(7):
        move = playable & (COLUMN << np.uint64(7 * CENTRE_FIRST[i]))
        if not move:
            continue
        if n < PROBED:
            after = look_up(table, entry_key(other, mask | move, n + 1))
            if after:
                upper = 32 - (after & 63)
                if 32 - ((after >> 6) & 63) >= goal:
                    return 32 - ((after >> 6) & 63)
                if upper < goal:
                    best = max(best, upper)
                    continue
        insert(stack, base, base + moves, np.uint64(ones(winning_cells(own | move, mask))), move)
        moves += 1
    for i in range(moves):
        move = stack[base + i] & _MOVE
        value = -bound(other, mask | move, n + 1, 1 - goal, table, stack, count)
        best = max(best, value)
        if best >= goal:
            break
    if best >= goal:
        store(table, key, max(best, least), greatest, count[0] - began)
    else:
        store(table, key, least, min(best, greatest), count[0] - began)
    return best


@kernel(types.int64(U64, U64, types.int64, types.int64, types.int64, TABLE, STACK, COUNT))
def exact(own, mask, n, least, greatest, table, stack, count):
    """The score, which lies between `least` and `greatest`, by null windows that close in on it."""
    if winning_cells(own, mask) & (mask + BOTTOM):
        return (CELLS + 1 - n) // 2
    if n == CELLS:
        return 0
    least, greatest = max(least, -((CELLS - n) // 2)), min(greatest, (CELLS - 1 - n) // 2)
    while least < greatest:
        # Near 0 first: a quick win or loss is found sooner than a slow one.
        middle = least + (greatest - least) // 2
        if middle <= 0 and least // 2 < middle:
            middle = -(-least // 2)
        elif middle >= 0 and greatest // 2 > middle:
            middle = greatest // 2
        value = bound(own, mask, n, middle + 1, table, stack, count)
        if value > middle:
            least = value
        else:
            greatest = value
    return least


@kernel(types.void(U64, U64, types.int64, types.int64[::1], TABLE, STACK, COUNT))
def move_scores(own, mask, n, out, table, stack, count):
    """The score of each column in `out` (int64[7]) for the player to move; columns that are full are left alone."""
    for i in range(7):
        c = CENTRE_FIRST[i]
        move = (mask + BOTTOM) & (COLUMN << np.uint64(7 * c))
        if move:
            if has_four(own | move):
                out[c] = (CELLS + 1 - n) // 2
            else:
                out[c] = -exact(own ^ mask, mask | move, n + 1, -CELLS, CELLS, table, stack, count)
