r"""Products of matrices by compiled functions, and how functions are compiled.

A product is made of tiles of rows and vectors whose sums stay in registers; tiles are written as vectors of
the widest kind that the processor has, by numba's intrinsics. All numbers that a function works on lie in
one array, ``s``, at places that are arguments; rows are padded with zeros to whole vectors.
"""

# mypy: ignore-errors
# (compiled functions have numba's types)
from __future__ import annotations

import sys
from contextlib import contextmanager
from threading import Timer

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.cgutils import alloca_once_value, for_range, memcpy
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

_FEATURES = llvmlite.binding.get_host_cpu_features()
BYTES = 64 if _FEATURES.get("avx512f") else 32 if _FEATURES.get("avx") else 16
"""Bytes of a vector."""
ROWS = 8 if _FEATURES.get("avx512f") or _FEATURES.get("neon") else 4
"""Most rows of a tile: a tile of two vectors a row fits in the registers."""


class Tile:
    """Loads, stores and sums of one tile, for the builder of a function."""

    def __init__(self, context, builder, array_type, array):
        self.builder = builder
        self.data = make_array(array_type)(context, builder, array).data
        self.element = context.get_data_type(array_type.dtype)
        self.lanes = BYTES * 8 // array_type.dtype.bitwidth
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


def emit_sizes(builder, rows, vectors, sizes, emit):
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
        tile = Tile(context, builder, signature.args[0], array)

        def emit(r, c):
            values = tile.product(A, a_row, tile.index(1), B, b_term, number, r, c)
            for k, value in enumerate(values):
                row = builder.add(C, builder.mul(c_row, tile.index(k // c)))
                tile.store(value, builder.add(row, tile.index(k % c * tile.lanes)))

        emit_sizes(builder, rows, vectors, [(r, c) for r in range(1, ROWS + 1) for c in (1, 2)], emit)
        return context.get_dummy_value()

    return types.void(s, *[types.int64] * 9), generate


@intrinsic
def _dots_tile(typing, s, A, a_row, B, b_row, C, c_row, vectors, rows, columns):
    """C[r, c] = A[r] . B[c] for one tile, of this many vectors a row."""

    def generate(context, builder, signature, args):
        array, A, a_row, B, b_row, C, c_row, vectors, rows, columns = args
        tile, b = Tile(context, builder, signature.args[0], array), builder

        def emit(r, c):
            def terms(i, before):
                at = b.mul(i, tile.index(tile.lanes))
                left = [tile.load(b.add(b.add(A, at), b.mul(a_row, tile.index(k)))) for k in range(r)]
                right = [tile.load(b.add(b.add(B, at), b.mul(b_row, tile.index(k)))) for k in range(c)]
                return [tile.fma(left[k // c], right[k % c], value) for k, value in enumerate(before)]

            for k, value in enumerate(tile.sums(r * c, terms, vectors)):
                row = b.add(C, b.mul(c_row, tile.index(k // c)))
                tile.put(tile.sum(value), b.add(row, tile.index(k % c)))

        emit_sizes(b, rows, columns, [(r, c) for r in (1, 2, 4) for c in (1, 2, 4)], emit)
        return context.get_dummy_value()

    return types.void(s, *[types.int64] * 9), generate


@intrinsic
def copy(typing, source, at, target, to, count):
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


def aligned(size, dtype):
    """Zeros that begin at a multiple of the size of a vector."""
    zeros = np.zeros(size + BYTES // dtype.itemsize, dtype)
    first = -zeros.ctypes.data % BYTES // dtype.itemsize
    return zeros[first : first + size]


def as_rows(value):
    """An array, (..., d), as writeable rows, (N, d)."""
    rows = np.ascontiguousarray(value).reshape(-1, value.shape[-1])
    return rows if rows.flags.writeable else rows.copy()  # numba compiles once more for others


def distinct_rows(value):
    """The rows of an array, (R, n, d), each once where the clients share one; how many share it."""
    if value is None:
        return np.empty((0, 1)), 1
    if value.strides[1] == 0:
        return as_rows(value[:, :1]), value.shape[1]
    return as_rows(value), 1


def padded(n, lanes):
    """The least multiple of ``lanes`` from n on."""
    return -(-n // lanes) * lanes


@contextmanager
def announced(what, dtype):
    """Say on a terminal that local steps of ``what`` are compiled, which takes longer than loading them."""
    if (what, dtype) in _COMPILED or not sys.stderr.isatty():
        yield
        return
    message = f"compiling the local steps of {what} (once: the result is stored) ..."
    timer = Timer(_PATIENCE, print, [message], {"file": sys.stderr})
    timer.daemon = True
    timer.start()
    try:
        yield
        _COMPILED.add((what, dtype))
    finally:
        timer.cancel()


_PATIENCE = 2.0
"""Seconds after which the function is being compiled, not loaded."""
_COMPILED = set()
"""Kinds of problems and precisions whose functions were compiled or loaded."""


def compiled(function):
    """The compiled function, stored on disk where some folder can be written."""
    options = {"error_model": "numpy", "nogil": True}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:
        return numba.njit(**options)(function)


@compiled
def multiply(s, A, a_row, B, b_row, b_panel, C, c_row, rows, number, width, lanes):
    """C = A B, with ``number`` terms and rows of ``width``; a panel of B has the columns of two vectors."""
    parts = -(-rows // ROWS)
    for j in range(0, width, 2 * lanes):
        vectors, first = min(2, (width - j) // lanes), 0
        for part in range(parts):
            count, to = (rows - first) // (parts - part), C + first * c_row + j
            _product_tile(s, A + first * a_row, a_row, B, b_row, to, c_row, number, count, vectors)
            first += count
        B += b_panel


@compiled
def dots(s, A, a_row, B, b_row, C, c_row, rows, columns, width, lanes):
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
