"""How a forest is handed to a kernel: as one array of addresses and shapes.

To hand over a tuple of so many arrays costs 3 microseconds a call, more than a simulation; this costs 0.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from engines.kernel import JIT
from orion_ai.search.forest import Forest, example

__all__ = ["HANDLE", "handle_of", "opened"]

HANDLE = types.int64[::1]
FOREST: Any = typeof(example()) if JIT else None
MOST_AXES = 3


def handle_of(forest: Forest) -> Any:
    """The handle of a forest, which the caller keeps alive: `int64[arrays * (1 + axes)]`, address and shape of each.

    With the JIT off it is the forest itself.
    """
    if not JIT:
        return forest
    rows = np.zeros((len(forest), 1 + MOST_AXES), np.int64)
    for row, array in zip(rows, forest, strict=True):
        row[0] = array.ctypes.data
        row[1 : 1 + array.ndim] = array.shape
    return rows.reshape(-1)


def _itself(handle: Forest) -> Forest:
    return handle


def _opened(typingctx: Any, handle: Any) -> Any:
    """The `Forest` behind a handle, inside a kernel."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        table = context.make_array(signature.args[0])(context, builder, args[0]).data

        def number(place: int) -> Any:
            return builder.load(builder.gep(table, [context.get_constant(types.intp, place)]))

        arrays = []
        for k, kind in enumerate(FOREST.types):
            first = k * (1 + MOST_AXES)
            element = context.get_data_type(kind.dtype)
            size = ir.Constant(context.get_value_type(types.intp), context.get_abi_sizeof(element))
            shape = [number(first + 1 + axis) for axis in range(kind.ndim)]
            strides = [size]
            for length in reversed(shape[1:]):
                strides.insert(0, builder.mul(length, strides[0]))
            array = context.make_array(kind)(context, builder)
            data = builder.inttoptr(number(first), element.as_pointer())
            populate_array(array, data, shape, strides, size, None)
            arrays.append(array._getvalue())
        return context.make_tuple(builder, FOREST, arrays)

    return FOREST(handle), codegen


opened: Any = intrinsic(_opened) if JIT else _itself
"""`opened(handle)`: the forest, inside a kernel."""
