r"""Local steps on quadratics in one compiled function: all steps of some pairs of one client after the other.

With z the noise, and c, t, v, x the vectors of ``Algorithm.local_step``, a step is

    g = h * y + b + s * z (+ H y),  t <- t + g,  v <- rho v + g + c,  y <- k y - eta (v + mu (y - x))

with k = 1, and * by coordinate. All vectors of a pair (replica, client) stay in the processor's cache during
its steps. Pairs are grouped by client, so that its matrix is read once for several replicas: its axes Q,
into which the vectors are turned before the first step and back after the last, or H for every step.
"""

# mypy: ignore-errors
# (compiled functions have numba's types)
from __future__ import annotations

import numpy as np
from numba import types
from numba.core.cgutils import for_range
from numba.extending import intrinsic

from boundkit.simulation.compiled_products import (
    BYTES,
    Tile,
    aligned,
    announced,
    compiled,
    copy,
    distinct_rows,
    dots,
    multiply,
    padded,
)

LARGEST = 2048
"""Most coordinates: vectors of more exceed the caches."""
_PAIRS = 8
"""Most pairs of a client that take their steps together."""
_VECTORS = 8
"""Vectors of a pair during its steps."""
_NUMBERS = 2**28
"""Most multiplications of one call, which no signal interrupts."""
PLAIN, AXES, HESSIANS = 0, 1, 2
"""Kinds of gradients: without a matrix, in the axes that are the columns of Q, and with H."""


class Gradients:
    """Gradients of all clients, (m,): h, b and s are (m, d), or of fewer rows where clients share them.

    ``matrices``: Q or H, (m, d, d), by ``kind``.
    """

    def __init__(self, h, b, s, dtype, kind=PLAIN, matrices=None):
        m, d = (max(sizes) for sizes in zip(*(v.shape for v in (h, b, s)), strict=True))
        self.dtype, self.kind, self.d = np.dtype(dtype), kind, d
        self.lanes = BYTES // self.dtype.itemsize
        self.row = padded(d, self.lanes)
        of_matrix = 0 if kind == PLAIN else d
        self.first, self.size = _PAIRS * _VECTORS * self.row, (of_matrix + 3) * self.row
        self.numbers = aligned(self.first + m * self.size, self.dtype)
        rows = self.numbers[self.first :].reshape(m, of_matrix + 3, self.row)[..., :d]
        if of_matrix:
            rows[:, :of_matrix] = matrices
        for k, values in enumerate((h, b, s)):
            rows[:, of_matrix + k] = values


def take_local_steps(gradients, clients, steps, rates, coefficients, local, noise, keep=1.0, report=None):
    """The arrays of ``local`` after all local steps of a round, each (R, n, d).

    Parameters
    ----------
    clients, steps
        The clients and their steps, (R, n).
    rates
        eta of each step, (most steps,).
    coefficients
        rho and mu.
    local
        ``y`` and, where the step has them, ``correction``, ``v``, ``total`` and ``x``; others stay.
    noise
        Blocks of consecutive steps' z, (R, steps, columns, d), of which the first n columns are used; None
        without noise. All are drawn.
    keep
        k.
    report
        Called with the number of steps that are done, after each block.
    """
    (R, n, d), dtype, (rho, mu) = local["y"].shape, gradients.dtype, coefficients
    order = np.argsort(clients.reshape(-1), kind="stable")
    sorted_clients, steps = clients.reshape(-1)[order], np.ascontiguousarray(steps.reshape(-1))
    starts, each = distinct_rows(local["y"])
    none = np.empty((0, 1), dtype)
    anchors, each_anchor = distinct_rows(local["x"]) if mu else (none, 1)
    constants, each_constant = distinct_rows(local["correction"]) if "correction" in local else (none, 1)
    after = {name: np.empty((R * n, d), dtype) for name in ("y", "v", "total") if name in local}
    for name, value in after.items():
        if name != "y":
            value.reshape(R, n, d)[...] = local[name]
    numbers = np.array([rho if "v" in local else 0.0, mu, keep])
    layout = (gradients.kind, gradients.d, gradients.row, gradients.first, gradients.size, gradients.lanes)

    def take(of, z, done, count, enters, leaves):
        _take_steps(
            gradients.numbers, layout, order[:of], sorted_clients, n, z, steps, done, count,
            rates[done : done + count].astype(np.float64), numbers, enters, leaves, starts, each, after["y"],
            constants, each_constant, after.get("v", none), after.get("total", none), anchors, each_anchor,
        )  # fmt: skip

    no_noise = np.empty((0, 0, 0, 0), dtype)
    with announced("quadratics", dtype):
        take(0, no_noise, 0, 0, True, True)  # a function that cannot be compiled fails before any draw
    most, done = int(steps.max()), 0
    if noise is None:
        at_most = max(1, _NUMBERS // (R * n * d * (d if gradients.kind == HESSIANS else 1)))
        noise = (None for _ in range(0, most, at_most))
    for z in noise:
        count = min(most - done, at_most if z is None else z.shape[1])
        if count:
            take(len(order), no_noise if z is None else z, done, count, done == 0, done + count == most)
            done += count
            if report is not None:
                report(done)
    return local | {name: value.reshape(R, n, d) for name, value in after.items()}


@intrinsic
def _step(typing, s, y, own, z, more, c, v, t, x, row, vectors, eta, rho, mu, keep):
    """One step of one pair, whose vectors begin at these places; h, b and s begin at ``own``."""

    def generate(context, builder, signature, args):
        array, y, own, z, more, c, v, t, x, row, vectors, *numbers = args
        tile, b = Tile(context, builder, signature.args[0], array), builder
        eta, rho, mu, keep = (tile.spread(value) for value in numbers)
        shift, scale = b.add(own, row), b.add(own, b.add(row, row))
        with for_range(b, vectors) as loop:
            along = b.mul(loop.index, tile.index(tile.lanes))

            def load(at):
                return tile.load(b.add(at, along))

            w = load(y)
            g = tile.fma(load(own), w, b.fadd(load(shift), load(more)))
            g = tile.fma(load(scale), load(z), g)
            tile.store(b.fadd(load(t), g), b.add(t, along))
            g = tile.fma(rho, load(v), b.fadd(g, load(c)))
            tile.store(g, b.add(v, along))
            g = tile.fma(mu, b.fsub(w, load(x)), g)
            tile.store(b.fsub(b.fmul(keep, w), b.fmul(eta, g)), b.add(y, along))
        return context.get_dummy_value()

    return types.void(s, *[types.int64] * 10, *[s.dtype] * 4), generate


@compiled
def _read(s, to, w, each, order, d, row, lanes, spare, matrix, turned):
    """The vectors of some pairs, in the axes of their client where ``turned``; 0 where there are none."""
    rows = len(order)
    if len(w) == 0:
        s[to : to + rows * row] = 0
        return
    place = spare if turned else to
    for k in range(rows):
        copy(w[order[k] // each], 0, s, place + k * row, d)
    if turned:
        multiply(s, spare, row, matrix, row, 2 * lanes, to, row, rows, d, row, lanes)


@compiled
def _write(s, of, w, order, d, row, lanes, spare, matrix, turned):
    """Write the vectors of some pairs, turned back."""
    rows = len(order)
    if len(w):
        if turned:
            dots(s, of, row, matrix, row, spare, row, rows, d, row, lanes)
            of = spare
        for k in range(rows):
            copy(s, of + k * row, w[order[k]], 0, d)


@compiled
def _take_steps(
    s, layout, order, clients, n, noise, steps, done, count, rates, numbers, enters, leaves, starts, each, y,
    constants, each_constant, v, totals, anchors, each_anchor,
):  # fmt: skip
    """``count`` local steps of every pair after the first ``done``; ``y``, ``v`` and ``totals`` are written.

    They are in the common axes before the first step (``enters``) and after the last (``leaves``).
    """
    kind, d, row, first, size, lanes = layout
    T = s.dtype.type
    rho, mu, keep = T(numbers[0]), T(numbers[1]), T(numbers[2])
    part = _PAIRS * row
    Y, C, V, Z, X, spare, more, z = 0, part, 2 * part, 3 * part, 4 * part, 5 * part, 6 * part, 7 * part
    s[:first] = 0
    turns = kind == AXES
    q = 0
    while q < len(order):
        end = q + 1
        while end < len(order) and end - q < _PAIRS and clients[end] == clients[q]:
            end += 1
        pairs, rows = order[q:end], end - q
        matrix = first + clients[q] * size
        own = matrix if kind == PLAIN else matrix + d * row
        if enters:
            _read(s, Y, starts, each, pairs, d, row, lanes, spare, matrix, turns)
        else:
            _read(s, Y, y, 1, pairs, d, row, lanes, spare, matrix, False)
        _read(s, C, constants, each_constant, pairs, d, row, lanes, spare, matrix, turns)
        _read(s, V, v, 1, pairs, d, row, lanes, spare, matrix, turns and enters)
        _read(s, Z, totals, 1, pairs, d, row, lanes, spare, matrix, turns and enters)
        _read(s, X, anchors, each_anchor, pairs, d, row, lanes, spare, matrix, turns)
        for k in range(count):
            eta = T(rates[k])
            if kind == HESSIANS:
                multiply(s, Y, row, matrix, row, 2 * lanes, more, row, rows, d, row, lanes)
            for r in range(rows):
                p = pairs[r]
                if steps[p] > done + k:
                    if len(noise):
                        copy(noise[p // n, k, p % n], 0, s, z, d)
                    at = r * row
                    _step(
                        s, Y + at, own, z, more + at, C + at, V + at, Z + at, X + at, row, row // lanes,
                        eta, rho, mu, keep,
                    )  # fmt: skip
        _write(s, Y, y, pairs, d, row, lanes, spare, matrix, turns and leaves)
        _write(s, V, v, pairs, d, row, lanes, spare, matrix, turns and leaves)
        _write(s, Z, totals, pairs, d, row, lanes, spare, matrix, turns and leaves)
        q = end
