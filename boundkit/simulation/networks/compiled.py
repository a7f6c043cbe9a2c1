r"""Local SGD of dense networks in one compiled function: all local steps of one client after the other.

The weights of a client stay in the processor's cache for all its local steps. Sizes are arguments: one
compilation serves all networks of a precision, and numba stores it on disk.

Layout. All numbers of a client lie in one array, ``s``; rows are padded with zeros to whole vectors. The
inputs of a layer, (b, n + 1), end in a 1 that multiplies the bias. The weights of the first layer, with n
inputs, k outputs and its bias as the last row, (n + 1, k), are stored in panels of two vectors' columns, one
after the other. Those of later layers are transposed, (k, n + 1): vectors run along the inputs, over which
``dots`` sums.
"""

# mypy: ignore-errors
# (compiled functions have numba's types)
from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import factorial

import numpy as np
from numba import types
from numba.core.cgutils import for_range
from numba.extending import intrinsic

from boundkit.simulation.compiled_products import (
    BYTES,
    ROWS,
    Tile,
    aligned,
    announced,
    as_rows,
    compiled,
    copy,
    distinct_rows,
    dots,
    emit_sizes,
    multiply,
    padded,
)
from boundkit.simulation.networks.perceptron import Perceptron

PLAIN, CONSTANT, GENERAL = 0, 1, 2
"""Steps w <- (1 - eta l2) w - eta g, the same with a constant vector added to g, and with all terms."""


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
        tile = Tile(context, builder, signature.args[0], array)
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

        emit_sizes(b, rows, vectors, [(r, c) for r in (1, ROWS) for c in (1, 2)], emit)
        return context.get_dummy_value()

    return types.void(s, *[types.int64] * 14, *[s.dtype] * 4), generate


@intrinsic
def _rectify(typing, s, at, vectors):
    """Replace numbers below 0 by 0."""

    def generate(context, builder, signature, args):
        array, at, vectors = args
        tile = Tile(context, builder, signature.args[0], array)
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
        tile = Tile(context, builder, signature.args[0], array)
        with for_range(builder, vectors) as loop:
            along = builder.mul(loop.index, tile.index(tile.lanes))
            place, positive = builder.add(at, along), tile.is_positive(tile.load(builder.add(where, along)))
            tile.store(builder.select(positive, tile.load(place), tile.zero), place)
        return context.get_dummy_value()

    return types.void(s, types.int64, types.int64, types.int64), generate


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
    lanes = BYTES // dtype.itemsize
    layers, size, end = _layout(network.dense.widths, b, lanes)
    starts, each = distinct_rows(local["y"])
    anchors, each_anchor = distinct_rows(local["x"] if mu else None)
    after = {
        name: np.empty((R * n, local["y"].shape[-1]), dtype) for name in ("y", "v", "total") if name in local
    }
    none = np.empty((0, 1), dtype)
    for name, value in after.items():
        if name != "y":
            value.reshape(local[name].shape)[...] = local[name]
    constants = as_rows(local["correction"]) if "correction" in local else none
    kind = GENERAL if len(after) > 1 or mu else CONSTANT if len(constants) else PLAIN
    X, labels = data
    weights = np.empty((0, 0, 0), dtype) if weights is None else weights.reshape(-1, most, b)
    table, shift, offset = _exponential_table(dtype)
    scores = b * network.dense.widths[-1]
    powers = np.empty(2 * scores, dtype)
    with announced("networks", dtype):
        _take_steps(
            aligned(end, dtype), layers, size, X.reshape(len(X), -1), labels,
            np.ascontiguousarray(index.reshape(-1, most, b), dtype=np.int64),
            np.ascontiguousarray(weights, dtype=dtype),
            np.ascontiguousarray(steps.reshape(-1), dtype=np.int64), np.array(rates, dtype=np.float64),
            np.array([l2, momentum, mu]), kind, table, shift, offset,
            np.empty(scores, dtype), powers.view(f"i{dtype.itemsize}"), powers, lanes,
            starts, each, after["y"], constants, after.get("v", none), after.get("total", none),
            anchors if len(anchors) else none, each_anchor,
        )  # fmt: skip
    return local | {name: value.reshape(R, n, -1) for name, value in after.items()}


@compiled
def _update(s, A, a_row, B, b_row, C, c_row, c_panel, rows, number, width, lanes, kind, places, rule):
    """A step of the weights C, which may be in panels, along A' B."""
    for j in range(0, width, 2 * lanes):
        vectors, first = min(2, (width - j) // lanes), 0
        while first < rows:
            count = ROWS if rows - first >= ROWS else 1
            _update_tile(
                s, A + first, a_row, B + j, b_row, C + first * c_row, c_row, number, count, vectors, kind,
                places[0], places[1], places[2], places[3], rule[0], rule[1], rule[2], rule[3],
            )  # fmt: skip
            first += count
        C += c_panel


@compiled
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


@compiled
def _read(s, to, w, layers):
    """Weights, (d,), into their layout."""
    for layer in range(len(layers)):
        n, k, at, place, row, panel = layers[layer, :6]
        for i in range(n + 1 if layer == 0 else 0):
            for j in range(0, k, row):
                copy(w, at + i * k + j, s, to + place + j // row * panel + i * row, min(row, k - j))
        for i in range(k if layer else 0):
            for j in range(n + 1):
                s[to + place + i * row + j] = w[at + j * k + i]


@compiled
def _write(s, of, w, layers):
    """Weights in their layout to (d,)."""
    for layer in range(len(layers)):
        n, k, at, place, row, panel = layers[layer, :6]
        for i in range(n + 1 if layer == 0 else 0):
            for j in range(0, k, row):
                copy(s, of + place + j // row * panel + i * row, w, at + i * k + j, min(row, k - j))
        for i in range(k if layer else 0):
            for j in range(n + 1):
                w[at + j * k + i] = s[of + place + i * row + j]


@compiled
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
        copy(s, 5 * size, s, 0, size)
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
                copy(X[index[p, t, k]], 0, s, a + k * a_row, n)
                s[a + k * a_row + n] = 1
            for at in range(last + 1):
                n, k, _, place, row, panel, a, a_row, z, z_row = layers[at]
                to, to_row = (layers[at + 1][6], layers[at + 1][7]) if at < last else (z, z_row)
                if at == 0:
                    multiply(s, a, a_row, place, row, panel, to, to_row, b, n + 1, z_row, lanes)
                else:
                    dots(s, a, a_row, place, row, to, to_row, b, k, a_row, lanes)
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
                multiply(s, z, z_row, place, row, panel, to, to_row, b, k, to_row, lanes)
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
            [n, k, at, place, padded(n + 1, lanes), panel]
            if at
            else [n, k, at, place, panel, panel * (n + 1)]
        )
        size = k * layer[4] if at else padded(k, panel) * (n + 1)
        layers.append(layer)
        at, place = at + (n + 1) * k, place + size
    end = 6 * place
    for layer in layers:
        a_row, z_row = padded(layer[0] + 1, lanes), padded(layer[1], lanes)
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
