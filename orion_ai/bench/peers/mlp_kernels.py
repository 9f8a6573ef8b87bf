# mypy: ignore-errors
"""A small network as a kernel, written in vectors: what a search needs when a call must cost little.

A layer skips the inputs that are 0 or, after ReLU, below it: most numbers of an observation and about half of a hidden
layer. Numba's loops would read and write the sums once for every few inputs; here they stay in registers.
"""

import math

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

from engines import kernel
from engines.kernel import lean_kernel

WIDE = 16
"""Numbers in a vector."""
CHUNK = 64
"""Inputs whose signs are looked at together."""
HIDDEN = 128
"""Width of a hidden layer: eight vectors of sums."""

OBSERVATIONS, MATRIX, VECTOR = types.int16[:, ::1], types.float32[:, ::1], types.float32[::1]
_FLOATS, _LONG = ir.VectorType(ir.FloatType(), WIDE), ir.IntType(64)
_FMA = ir.FunctionType(_FLOATS, [_FLOATS] * 3)
_SUM = ir.FunctionType(ir.FloatType(), [ir.FloatType(), _FLOATS])


def _vectors(builder, context, kind, value):
    """A function (index, number of vector) -> pointer to a vector of the float32 array `value`."""
    data = context.make_array(kind)(context, builder, value).data

    def at(index, vector=0):
        place = builder.add(index, ir.Constant(_LONG, WIDE * vector))
        return builder.bitcast(builder.gep(data, [place]), _FLOATS.as_pointer())

    return at


def _load(builder, pointer):
    return builder.load(pointer, align=4)


def _signs(builder, inputs, start):
    """A bit for each of the `CHUNK` inputs from `start` on: whether it is above 0."""
    bits = ir.Constant(_LONG, 0)
    for k in range(CHUNK // WIDE):
        above = builder.fcmp_ordered(">", _load(builder, inputs(start, k)), ir.Constant(_FLOATS, None))
        part = builder.zext(builder.bitcast(above, ir.IntType(WIDE)), _LONG)
        bits = builder.or_(bits, builder.shl(part, ir.Constant(_LONG, WIDE * k)))
    return bits


def _spread(builder, pointer):
    """A vector full of the number at `pointer`."""
    one = builder.insert_element(
        ir.Constant(_FLOATS, ir.Undefined), builder.load(pointer), ir.Constant(ir.IntType(32), 0)
    )
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), WIDE), None))


def _layer(context, builder, signature, arguments):
    x, weights, bias, out = (_vectors(builder, context, *pair) for pair in zip(signature.args, arguments))
    inputs = context.make_array(signature.args[0])(context, builder, arguments[0])
    count, zero, one = builder.extract_value(inputs.shape, 0), ir.Constant(_LONG, 0), ir.Constant(_LONG, 1)
    fma = get_or_insert_function(builder.module, _FMA, "llvm.fma.v16f32")
    vectors = HIDDEN // WIDE
    begin = [_load(builder, bias(zero, v)) for v in range(vectors)]
    entry = builder.block
    chunks, inner, body, after, done = (
        builder.append_basic_block(name) for name in ("chunk", "inner", "body", "after", "done")
    )
    builder.branch(chunks)

    builder.position_at_end(chunks)
    start = builder.phi(_LONG)
    held = [builder.phi(_FLOATS) for _ in begin]
    signs = _signs(builder, x, start)
    signs_block = builder.block
    builder.branch(inner)

    builder.position_at_end(inner)
    left = builder.phi(_LONG)
    sums = [builder.phi(_FLOATS) for _ in begin]
    builder.cbranch(builder.icmp_unsigned("!=", left, zero), body, after)

    builder.position_at_end(body)
    place = builder.add(start, builder.cttz(left, ir.Constant(ir.IntType(1), 1)))
    factor = _spread(builder, builder.gep(inputs.data, [place]))
    row = builder.mul(place, ir.Constant(_LONG, HIDDEN))
    more = [builder.call(fma, [factor, _load(builder, weights(row, v)), sums[v]]) for v in range(vectors)]
    rest = builder.and_(left, builder.sub(left, one))
    builder.branch(inner)

    builder.position_at_end(after)
    following = builder.add(start, ir.Constant(_LONG, CHUNK))
    builder.cbranch(builder.icmp_signed("<", following, count), chunks, done)

    start.add_incoming(zero, entry)
    start.add_incoming(following, after)
    left.add_incoming(signs, signs_block)
    left.add_incoming(rest, body)
    for v in range(vectors):
        held[v].add_incoming(begin[v], entry)
        held[v].add_incoming(sums[v], after)
        sums[v].add_incoming(held[v], signs_block)
        sums[v].add_incoming(more[v], body)
    builder.position_at_end(done)
    for v in range(vectors):
        builder.store(sums[v], out(zero, v), align=4)
    return context.get_dummy_value()


def _products(context, builder, signature, arguments):
    x, weights = (_vectors(builder, context, *pair) for pair in zip(signature.args[:2], arguments[:2]))
    fma = get_or_insert_function(builder.module, _FMA, "llvm.fma.v16f32")
    add = get_or_insert_function(builder.module, _SUM, "llvm.vector.reduce.fadd.v16f32")
    zero = ir.Constant(_FLOATS, None)
    row = builder.mul(arguments[2], ir.Constant(_LONG, HIDDEN))
    total = zero
    for v in range(HIDDEN // WIDE):
        inputs = _load(builder, x(ir.Constant(_LONG, 0), v))
        inputs = builder.select(builder.fcmp_ordered(">", inputs, zero), inputs, zero)
        total = builder.call(fma, [inputs, _load(builder, weights(row, v)), total])
    return builder.call(add, [ir.Constant(ir.FloatType(), 0.0), total], fastmath=("reassoc",))


if kernel.JIT:

    @intrinsic
    def layer(typingctx, x, weights, bias, out):
        """Write relu(x) @ weights + bias for `HIDDEN` outputs and a multiple of `CHUNK` inputs, into `out`."""
        return types.void(x, weights, bias, out), _layer

    @intrinsic
    def product(typingctx, x, weights, row):
        """The product of relu(x) and a row of `weights`, `HIDDEN` numbers each."""
        return types.float32(x, weights, types.int64), _products

else:

    def layer(x, weights, bias, out):
        """Write relu(x) @ weights + bias into `out`."""
        out[:] = np.maximum(x, 0) @ weights + bias

    def product(x, weights, row):
        """The product of relu(x) and a row of `weights`."""
        return np.maximum(x, 0) @ weights[row]


@lean_kernel(
    types.void(OBSERVATIONS, types.int64, MATRIX, VECTOR, MATRIX, VECTOR, MATRIX, VECTOR, MATRIX, MATRIX, MATRIX)
)
def forward(observations, size, w1, b1, w2, b2, w3, b3, scratch, logits, values):
    """Logits and values (mover's first) of the first `size` numbers of observations, none of them negative; `w3` is
    transposed, value last.
    """
    inputs, hidden, more = scratch[0], scratch[1], scratch[2]
    actions = logits.shape[1]
    for row in range(observations.shape[0]):
        for i in range(size):
            inputs[i] = np.float32(observations[row, i])
        layer(inputs, w1, b1, hidden)
        layer(hidden, w2, b2, more)
        for a in range(actions):
            logits[row, a] = product(more, w3, a) + b3[a]
        said = math.tanh(product(more, w3, actions) + b3[actions])
        values[row, 0], values[row, 1] = said, -said
