r"""Local SGD of dense networks in one compiled function: all local steps of one client after the other.

The weights of a client stay in the processor's cache for all its local steps. Every matrix product is made of
tiles of rows and vectors whose sums stay in registers; tiles are written as vectors of the widest kind that
the processor has, by numba's intrinsics. Sizes are arguments: one compilation serves all networks of a
precision, and numba stores it on disk.

Layout. All numbers of a client lie in one array, ``s``; rows are padded with zeros to whole vectors. The
inputs of a layer, (b, n + 1), end in a 1 that multiplies the bias. The weights of the first layer, with n
inputs, k outputs and its bias as the last row, (n + 1, k), are stored in panels of two vectors' columns, one
after the other. Those of later layers are transposed, (k, n + 1): vectors run along the inputs, over which
``_dots`` sums.
"""

# mypy: ignore-errors
# (compiled functions have numba's types)
from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from math import factorial
from threading import Timer

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.cgutils import alloca_once_value, for_range, memcpy
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from boundkit.simulation.networks.perceptron import Perceptron

_FEATURES = llvmlite.binding.get_host_cpu_features()
_BYTES = 64 if _FEATURES.get("avx512f") else 32 if _FEATURES.get("avx") else 16
"""Bytes of a vector."""
_ROWS = 8 if _FEATURES.get("avx512f") or _FEATURES.get("neon") else 4
"""Most rows of a tile: a tile of two vectors a row fits in the registers."""
PLAIN, CONSTANT, GENERAL = 0, 1, 2
"""Steps w <- (1 - eta l2) w - eta g, the same with a constant vector added to g, and with all terms."""


class _Tile:
    """Loads and stores of one tile, for the builder of a function."""

    def __init__(self, context, builder, array_type, array):
        self.builder = builder
        self.data = make_array(array_type)(context, builder, array).data
        self.element = context.get_data_type(array_type.dtype)
        self.lanes = _BYTES * 8 // array_type.dtype.bitwidth
        self.vector = ir.VectorType(self.element, self.lanes)
        self.align = array_type.dtype.bitwidth // 8
        self.zero = ir.Constant(self.vector, [0.0] * self.lanes)

    def index(self, value):
        return ir.Constant(ir.IntType(64), value)

    def _pointer(self, at):
        return self.builder.bitcast(self.builder.gep(self.data, [at]), self.vector.as_pointer())

    def load(self, at):
        return self.builder.load(self._pointer(at), align=self.align)

    def store(self, value, at):
        self.builder.store(value, self._pointer(at), align=self.align)

    def put(self, value, at):
        self.builder.store(value, self.builder.gep(self.data, [at]))

    def spread(self, scalar):
        """The vector whose entries are all the scalar."""
        one = self.builder.insert_element(ir.Constant(self.vector, ir.Undefined), scalar, self.index(0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), [0] * self.lanes)
        return self.builder.shuffle_vector(one, ir.Constant(self.vector, ir.Undefined), mask)

    def entry(self, at):
        """The vector whose entries are all the number there."""
        return self.spread(self.builder.load(self.builder.gep(self.data, [at])))

    def is_positive(self, vector):
        """Whether entries are above 0, or not a number."""
        return self.builder.fcmp_unordered(">", vector, self.zero)

    def fma(self, a, b, c):
        """a b + c, in one operation where the processor has it."""
        return self.builder.call(self._function("llvm.fmuladd", self.vector, [self.vector] * 3), [a, b, c])

    def sum(self, vector):
        """The sum of the entries, in an order that suits the processor."""
        function = self._function("llvm.vector.reduce.fadd", self.element, [self.element, self.vector])
        zero = ir.Constant(self.element, 0.0)
        return self.builder.call(function, [zero, vector], fastmath=("reassoc",))

    def _function(self, name, result, arguments):
        """LLVM's function for vectors of this kind."""
        module, name = self.builder.module, f"{name}.v{self.lanes}f{8 * self.align}"
        kind = ir.FunctionType(result, arguments)
        return module.globals.get(name) or ir.Function(module, kind, name)

    def sums(self, count, terms, number):
        """Sums of ``terms(i, sums)`` over i < number, from 0: a list of vectors."""
        places = [alloca_once_value(self.builder, self.zero) for _ in range(count)]
        for place in places:
            self.builder.store(self.zero, place)
        with for_range(self.builder, number) as loop:
            before = [self.builder.load(place) for place in places]
            for value, place in zip(terms(loop.index, before), places, strict=True):
                self.builder.store(value, place)
        return [self.builder.load(place) for place in places]

    def product(self, A, a_row, a_term, B, b_term, number, rows, vectors):
        """sum_i A[r, i] B[i, :] for a tile: lists of its rows' vectors."""
        b, width = self.builder, self.index(self.lanes)

        def terms(i, before):
            row = b.add(B, b.mul(i, b_term))
            right = [self.load(b.add(row, b.mul(width, self.index(c)))) for c in range(vectors)]
            column, after = b.add(A, b.mul(i, a_term)), []
            for r in range(rows):
                left = self.entry(b.add(column, b.mul(a_row, self.index(r))))
                after += [self.fma(left, right[c], before[r * vectors + c]) for c in range(vectors)]
            return after

        return self.sums(rows * vectors, terms, number)


def _by_size(builder, rows, vectors, sizes, emit):
    """Emit the tile of every size, each where the arguments have it."""
    for r, c in sizes:
        is_r = builder.icmp_signed("==", rows, ir.Constant(rows.type, r))
        is_c = builder.icmp_signed("==", vectors, ir.Constant(vectors.type, c))
        with builder.if_then(builder.and_(is_r, is_c)):
            emit(r, c)


@intrinsic
def _product_tile(typing, s, A, a_row, B, b_term, C, c_row, number, rows, vectors):
    """C = A B for one tile."""

    def generate(context, builder, signature, args):
        array, A, a_row, B, b_term, C, c_row, number, rows, vectors = args
        tile = _Tile(context, builder, signature.args[0], array)

        def emit(r, c):
            values = tile.product(A, a_row, tile.index(1), B, b_term, number, r, c)
            for k, value in enumerate(values):
                row = builder.add(C, builder.mul(c_row, tile.index(k // c)))
                tile.store(value, builder.add(row, tile.index(k % c * tile.lanes)))

        _by_size(builder, rows, vectors, [(r, c) for r in range(1, _ROWS + 1) for c in (1, 2)], emit)
        return context.get_dummy_value()

    return types.void(s, *[types.int64] * 9), generate


@intrinsic
def _update_tile(
    typing, s, A, a_term, B, b_term, C, c_row, number, rows, vectors, kind, constant, buffer, total, anchor,
    eta, l2, momentum, mu,
):  # fmt: skip
    """A step along G = A' B for one tile of weights C.

    The other arrays of the weights' shape lie at these distances from them.
    """

    def generate(context, builder, signature, args):
        array, A, a_term, B, b_term, C, c_row, number, rows, vectors, kind, *others = args
        constant, buffer, total, anchor, *numbers = others
        tile = _Tile(context, builder, signature.args[0], array)
        eta, l2, momentum, mu = (tile.spread(value) for value in numbers)
        b = builder

        def step(at, g, only):
            w = tile.load(at)
            g = tile.fma(l2, w, g)
            if only == GENERAL:
                tile.store(b.fadd(tile.load(b.add(at, total)), g), b.add(at, total))
            if only != PLAIN:
                g = b.fadd(g, tile.load(b.add(at, constant)))
            if only == GENERAL:
                g = tile.fma(momentum, tile.load(b.add(at, buffer)), g)
                tile.store(g, b.add(at, buffer))
                g = tile.fma(mu, b.fsub(w, tile.load(b.add(at, anchor))), g)
            tile.store(b.fsub(w, b.fmul(eta, g)), at)

        def emit(r, c):
            values = tile.product(A, tile.index(1), a_term, B, b_term, number, r, c)
            for only in (PLAIN, CONSTANT, GENERAL):
                with b.if_then(b.icmp_signed("==", kind, tile.index(only))):
                    for k, value in enumerate(values):
                        row = b.add(C, b.mul(c_row, tile.index(k // c)))
                        step(b.add(row, tile.index(k % c * tile.lanes)), value, only)

        _by_size(b, rows, vectors, [(r, c) for r in (1, _ROWS) for c in (1, 2)], emit)
        return context.get_dummy_value()

    return types.void(s, *[types.int64] * 14, *[s.dtype] * 4), generate


@intrinsic
def _dots_tile(typing, s, A, a_row, B, b_row, C, c_row, vectors, rows, columns):
    """C[r, c] = A[r] . B[c] for one tile, of this many vectors a row."""

    def generate(context, builder, signature, args):
        array, A, a_row, B, b_row, C, c_row, vectors, rows, columns = args
        tile, b = _Tile(context, builder, signature.args[0], array), builder

        def emit(r, c):
            def terms(i, before):
                at = b.mul(i, tile.index(tile.lanes))
                left = [tile.load(b.add(b.add(A, at), b.mul(a_row, tile.index(k)))) for k in range(r)]
                right = [tile.load(b.add(b.add(B, at), b.mul(b_row, tile.index(k)))) for k in range(c)]
                return [tile.fma(left[k // c], right[k % c], value) for k, value in enumerate(before)]

            for k, value in enumerate(tile.sums(r * c, terms, vectors)):
                row = b.add(C, b.mul(c_row, tile.index(k // c)))
                tile.put(tile.sum(value), b.add(row, tile.index(k % c)))

        _by_size(b, rows, columns, [(r, c) for r in (1, 2, 4) for c in (1, 2, 4)], emit)
        return context.get_dummy_value()

    return types.void(s, *[types.int64] * 9), generate


@intrinsic
def _rectify(typing, s, at, vectors):
    """Replace numbers below 0 by 0."""

    def generate(context, builder, signature, args):
        array, at, vectors = args
        tile = _Tile(context, builder, signature.args[0], array)
        with for_range(builder, vectors) as loop:
            place = builder.add(at, builder.mul(loop.index, tile.index(tile.lanes)))
            value = tile.load(place)
            tile.store(builder.select(tile.is_positive(value), value, tile.zero), place)
        return context.get_dummy_value()

    return types.void(s, types.int64, types.int64), generate


@intrinsic
def _restrict(typing, s, at, where, vectors):
    """Replace numbers by 0 where those at ``where`` are 0."""

    def generate(context, builder, signature, args):
        array, at, where, vectors = args
        tile = _Tile(context, builder, signature.args[0], array)
        with for_range(builder, vectors) as loop:
            along = builder.mul(loop.index, tile.index(tile.lanes))
            place, positive = builder.add(at, along), tile.is_positive(tile.load(builder.add(where, along)))
            tile.store(builder.select(positive, tile.load(place), tile.zero), place)
        return context.get_dummy_value()

    return types.void(s, types.int64, types.int64, types.int64), generate


@intrinsic
def _copy(typing, source, at, target, to, count):
    """Copy numbers of one array to another, or to another place of the same."""

    def generate(context, builder, signature, args):
        source, at, target, to, count = args
        own, other = (
            builder.gep(make_array(kind)(context, builder, array).data, [place])
            for kind, array, place in (
                (signature.args[0], source, at),
                (signature.args[2], target, to),
            )
        )
        memcpy(builder, other, own, count)
        return context.get_dummy_value()

    return types.void(source, types.int64, target, types.int64, types.int64), generate


def serves(network, labels):
    """Whether the compiled function takes local steps of the network on points with these labels."""
    dense = isinstance(network, Perceptron) and type(network).gradients is Perceptron.gradients
    return dense and labels.ndim == 1 and labels.dtype == np.int64


def take_local_steps(network, data, index, weights, steps, rates, l2, coefficients, local):
    """The arrays of ``local`` after all local steps of a round, each (R, n, d).

    Parameters
    ----------
    data
        The points of all clients, (N, ...), and their labels, (N,).
    index, weights
        The points of each mini-batch, (R, n, most steps, b), and their weights; None where all are 1/b.
    steps, rates
        The steps of each client, (R, n), and eta of each step, (most steps,).
    coefficients
        Of the momentum and of the proximal term, as in ``Algorithm.local_step``.
    local
        ``y`` and, where the step has them, ``correction``, ``v``, ``total`` and ``x``.
    """
    (R, n, most, b), dtype, (momentum, mu) = index.shape, local["y"].dtype, coefficients
    lanes = _BYTES // dtype.itemsize
    layers, size, end = _layout(network.dense.widths, b, lanes)
    (starts, each), (anchors, each_anchor) = _distinct(local["y"]), _distinct(local["x"] if mu else None)
    after = {
        name: np.empty((R * n, local["y"].shape[-1]), dtype) for name in ("y", "v", "total") if name in local
    }
    none = np.empty((0, 1), dtype)
    for name, value in after.items():
        if name != "y":
            value.reshape(local[name].shape)[...] = local[name]
    constants = _rows(local["correction"]) if "correction" in local else none
    kind = GENERAL if len(after) > 1 or mu else CONSTANT if len(constants) else PLAIN
    X, labels = data
    weights = np.empty((0, 0, 0), dtype) if weights is None else weights.reshape(-1, most, b)
    table, shift, offset = _exponential_table(dtype)
    scores = b * network.dense.widths[-1]
    powers = np.empty(2 * scores, dtype)
    with _announced(dtype):
        _take_steps(
            _aligned(end, dtype), layers, size, X.reshape(len(X), -1), labels,
            np.ascontiguousarray(index.reshape(-1, most, b), dtype=np.int64),
            np.ascontiguousarray(weights, dtype=dtype),
            np.ascontiguousarray(steps.reshape(-1), dtype=np.int64), np.array(rates, dtype=np.float64),
            np.array([l2, momentum, mu]), kind, table, shift, offset,
            np.empty(scores, dtype), powers.view(f"i{dtype.itemsize}"), powers, lanes,
            starts, each, after["y"], constants, after.get("v", none), after.get("total", none),
            anchors if len(anchors) else none, each_anchor,
        )  # fmt: skip
    return local | {name: value.reshape(R, n, -1) for name, value in after.items()}


def _distinct(value):
    """The rows of an array, (R, n, d), each once where the clients share one; how many share it."""
    if value is None:
        return np.empty((0, 1)), 1
    if value.strides[1] == 0:
        return _rows(value[:, :1]), value.shape[1]
    return _rows(value), 1


def _rows(value):
    rows = np.ascontiguousarray(value).reshape(-1, value.shape[-1])
    return rows if rows.flags.writeable else rows.copy()  # numba compiles once more for others


def _aligned(size, dtype):
    """Zeros that begin at a multiple of the size of a vector."""
    zeros = np.zeros(size + _BYTES // dtype.itemsize, dtype)
    first = -zeros.ctypes.data % _BYTES // dtype.itemsize
    return zeros[first : first + size]


@contextmanager
def _announced(dtype):
    """Say on a terminal that the function is compiled, which takes longer than loading it."""
    if dtype in _COMPILED or not sys.stderr.isatty():
        yield
        return
    message = "compiling the local steps of networks (once: the result is stored) ..."
    timer = Timer(_PATIENCE, print, [message], {"file": sys.stderr})
    timer.daemon = True
    timer.start()
    try:
        yield
        _COMPILED.add(dtype)
    finally:
        timer.cancel()


_PATIENCE = 2.0
"""Seconds after which the function is being compiled, not loaded."""
_COMPILED = set()
"""Precisions for which the function was compiled or loaded."""


def _compile(function):
    """The compiled function, stored on disk where some folder can be written."""
    options = {"error_model": "numpy", "nogil": True}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:
        return numba.njit(**options)(function)


@_compile
def _multiply(s, A, a_row, B, b_row, b_panel, C, c_row, rows, number, width, lanes):
    """C = A B, with ``number`` terms and rows of ``width``; a panel of B has the columns of two vectors."""
    parts = -(-rows // _ROWS)
    for j in range(0, width, 2 * lanes):
        vectors, first = min(2, (width - j) // lanes), 0
        for part in range(parts):
            count, to = (rows - first) // (parts - part), C + first * c_row + j
            _product_tile(s, A + first * a_row, a_row, B, b_row, to, c_row, number, count, vectors)
            first += count
        B += b_panel


@_compile
def _update(s, A, a_row, B, b_row, C, c_row, c_panel, rows, number, width, lanes, kind, places, rule):
    """A step of the weights C, which may be in panels, along A' B."""
    for j in range(0, width, 2 * lanes):
        vectors, first = min(2, (width - j) // lanes), 0
        while first < rows:
            count = _ROWS if rows - first >= _ROWS else 1
            _update_tile(
                s, A + first, a_row, B + j, b_row, C + first * c_row, c_row, number, count, vectors, kind,
                places[0], places[1], places[2], places[3], rule[0], rule[1], rule[2], rule[3],
            )  # fmt: skip
            first += count
        C += c_panel


@_compile
def _dots(s, A, a_row, B, b_row, C, c_row, rows, columns, width, lanes):
    """C[r, c] = A[r] . B[c] for rows of ``width``."""
    r = 0
    while r < rows:
        tall = 4 if rows - r >= 4 else 2 if rows - r >= 2 else 1
        c = 0
        while c < columns:
            wide = 4 if columns - c >= 4 else 2 if columns - c >= 2 else 1
            _dots_tile(
                s,
                A + r * a_row,
                a_row,
                B + c * b_row,
                b_row,
                C + r * c_row + c,
                c_row,
                width // lanes,
                tall,
                wide,
            )
            c += wide
        r += tall


@_compile
def _exponentials(x, whole, powers, table, shift, offset, n):
    """Replace x <= 0 by exp x: 2^q exp r with q whole, |r| <= log(2)/2, and the series of exp r."""
    least, per_log2, magic, high, low = table[0], table[1], table[2], table[3], table[4]
    for k in range(n):
        v = least if x[k] < least else x[k]
        t = v * per_log2 + magic
        powers[k] = t
        t -= magic
        x[k] = (v - t * high) - t * low
    for k in range(n):
        whole[n + k] = (whole[k] + offset) << shift
    for k in range(n):
        powers[k] = table[5]
    for term in table[6:]:
        for k in range(n):
            powers[k] = powers[k] * x[k] + term
    for k in range(n):
        x[k] = powers[k] * powers[n + k]


@_compile
def _read(s, to, w, layers):
    """Weights, (d,), into their layout."""
    for layer in range(len(layers)):
        n, k, at, place, row, panel = layers[layer, :6]
        for i in range(n + 1 if layer == 0 else 0):
            for j in range(0, k, row):
                _copy(w, at + i * k + j, s, to + place + j // row * panel + i * row, min(row, k - j))
        for i in range(k if layer else 0):
            for j in range(n + 1):
                s[to + place + i * row + j] = w[at + j * k + i]


@_compile
def _write(s, of, w, layers):
    """Weights in their layout to (d,)."""
    for layer in range(len(layers)):
        n, k, at, place, row, panel = layers[layer, :6]
        for i in range(n + 1 if layer == 0 else 0):
            for j in range(0, k, row):
                _copy(s, of + place + j // row * panel + i * row, w, at + i * k + j, min(row, k - j))
        for i in range(k if layer else 0):
            for j in range(n + 1):
                w[at + j * k + i] = s[of + place + i * row + j]


@_compile
def _take_steps(
    s, layers, size, X, labels, index, weights, steps, rates, numbers, kind, table, shift, offset,
    e, whole, powers, lanes, starts, each, y, constants, v, totals, anchors, each_anchor,
):  # fmt: skip
    """The local steps of every client; ``y``, ``v`` and ``totals`` are written.

    Weights begin at ``starts``, (K / each, d); the proximal term has the centres ``anchors``.
    """
    b, last = index.shape[2], len(layers) - 1
    T = s.dtype.type
    l2, momentum, mu = T(numbers[0]), T(numbers[1]), T(numbers[2])
    places = (size, 2 * size, 3 * size, 4 * size)
    for p in range(len(index)):
        if p % each == 0:
            s[5 * size : 6 * size] = 0
            _read(s, 5 * size, starts[p // each], layers)
        _copy(s, 5 * size, s, 0, size)
        s[size : size if kind == PLAIN else 2 * size if kind == CONSTANT else 5 * size] = 0
        if kind != PLAIN and len(constants):
            _read(s, size, constants[p], layers)
        if kind == GENERAL:
            if len(v):
                _read(s, 2 * size, v[p], layers)
            if len(totals):
                _read(s, 3 * size, totals[p], layers)
            if len(anchors):
                _read(s, 4 * size, anchors[p // each_anchor], layers)
        for t in range(steps[p]):
            n, _, _, _, _, _, a, a_row, _, _ = layers[0]
            for k in range(b):
                _copy(X[index[p, t, k]], 0, s, a + k * a_row, n)
                s[a + k * a_row + n] = 1
            for at in range(last + 1):
                n, k, _, place, row, panel, a, a_row, z, z_row = layers[at]
                to, to_row = (layers[at + 1][6], layers[at + 1][7]) if at < last else (z, z_row)
                if at == 0:
                    _multiply(s, a, a_row, place, row, panel, to, to_row, b, n + 1, z_row, lanes)
                else:
                    _dots(s, a, a_row, place, row, to, to_row, b, k, a_row, lanes)
                if at < last:
                    _rectify(s, to, b * to_row // lanes)
                    for r in range(b):
                        s[to + r * to_row + k] = 1
            _, k, _, _, _, _, _, _, z, z_row = layers[last]
            for r in range(b):
                top = s[z + r * z_row]
                for j in range(1, k):
                    top = max(top, s[z + r * z_row + j])
                for j in range(k):
                    e[r * k + j] = s[z + r * z_row + j] - top
            _exponentials(e, whole, powers, table, shift, offset, b * k)
            for r in range(b):
                total = T(0)
                for j in range(k):
                    total += e[r * k + j]
                weight = weights[p, t, r] if weights.shape[0] else T(1) / T(b)
                factor = weight / total
                for j in range(k):
                    s[z + r * z_row + j] = e[r * k + j] * factor
                s[z + r * z_row + labels[index[p, t, r]]] -= weight
            rule = (T(rates[t]), l2, momentum, mu)
            for at in range(last, -1, -1):
                n, k, _, place, row, panel, a, a_row, z, z_row = layers[at]
                if at == 0:
                    _update(
                        s, a, a_row, z, z_row, place, row, panel, n + 1, b, z_row, lanes, kind, places, rule
                    )
                    continue
                to, to_row = layers[at - 1][8], layers[at - 1][9]
                _multiply(s, z, z_row, place, row, panel, to, to_row, b, k, to_row, lanes)
                for r in range(b):
                    _restrict(s, to + r * to_row, a + r * a_row, to_row // lanes)
                    if n < to_row:
                        s[to + r * to_row + n] = 0
                _update(s, z, z_row, a, a_row, place, row, panel, k, b, a_row, lanes, kind, places, rule)
        _write(s, 0, y[p], layers)
        if kind == GENERAL:
            if len(v):
                _write(s, 2 * size, v[p], layers)
            if len(totals):
                _write(s, 3 * size, totals[p], layers)


def _padded(n, lanes):
    return -(-n // lanes) * lanes


@lru_cache
def _layout(widths, points, lanes):
    """Layers as rows of numbers, the size of all weights, and that of everything.

    A layer: inputs n, outputs k, place in (d,); place, row length and distance of panels of the weights;
    place and row length of the inputs and of the outputs.
    """
    layers, at, place = [], 0, 0
    for n, k in pairwise(widths):
        panel = 2 * lanes
        layer = (
            [n, k, at, place, _padded(n + 1, lanes), panel]
            if at
            else [n, k, at, place, panel, panel * (n + 1)]
        )
        size = k * layer[4] if at else _padded(k, panel) * (n + 1)
        layers.append(layer)
        at, place = at + (n + 1) * k, place + size
    end = 6 * place
    for layer in layers:
        a_row, z_row = _padded(layer[0] + 1, lanes), _padded(layer[1], lanes)
        layer += [end, a_row, end + points * a_row, z_row]
        end += points * (a_row + z_row)
    return np.array(layers), place, end


@lru_cache
def _exponential_table(dtype):
    """Numbers of ``_exponentials``: the smallest x, 1/log 2, the number whose addition rounds, log 2 in two
    parts, and the series; and how the exponent of a power of two is stored.
    """
    if dtype == np.float32:
        first = [-87.0, 1.4426950408889634, 12582912.0, 0.693359375, -2.1219444005469057e-4]
        terms, shift, offset = 8, 23, 127 - 0x4B400000
    else:
        first = [-708.0, 1.4426950408889634, 6755399441055744.0, 0.6931471803691238, 1.9082149292705877e-10]
        terms, shift, offset = 14, 52, 1023 - 0x4338000000000000
    series = [1 / factorial(k) for k in reversed(range(terms))]
    return np.array(first + series, dtype=dtype), shift, offset
