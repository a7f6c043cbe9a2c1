r"""Local SGD of a network with one hidden layer in one Triton kernel: a program for each (replica, client).

The weights of a program stay in registers during all local steps; points are gathered inside, and the result
is the update x - y. Products and sums are those of float32 (no TF32).

    h_p = relu(x_p W_1 + b_1),  s_p = h_p W_2 + b_2,  D_p = weight_p eta (softmax s_p - label_p)
    W_1 -= sum_p x_p' (D_p W_2' 1[h_p > 0]),  W_2 -= sum_p h_p' D_p,  and so for the biases

Layout. A tensor of weights has the axes (lane, warp, register, column): the inputs (or the classes) are
distributed over four lanes and the registers, the hidden units over the warps, 32 each, four to a thread.
Sums over inputs are then sums inside a thread and over four lanes. Only the scores are summed over the
warps, through ``scratch``, which also returns D_p to all threads. Inputs, hidden units and classes are padded
to powers of two: with zeros, and with -inf for the bias of a class.
"""

# mypy: ignore-errors
# (a kernel is Triton's language, which is Python only in its syntax)
from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from boundkit.simulation.networks.base import Architecture
from boundkit.simulation.networks.perceptron import Perceptron

if TYPE_CHECKING:
    import torch

try:
    import triton
    import triton.language as tl

    _jit = triton.jit
except ImportError:  # torch has it where it has CUDA
    triton, _jit = None, lambda function: function

_LANES, _COLUMNS = 4, 32
"""Lanes that share the inputs, and hidden units of a warp."""
_INPUTS, _HIDDEN, _CLASSES, _POINTS = 64, 256, 16, 16
"""The largest sizes whose weights fit in the registers of a program."""
_GROUP = 4
"""Points whose scores are stored at a time."""
_REGISTERS = 168
"""Registers of a thread: three programs of four warps share a multiprocessor."""


def is_available() -> bool:
    """Whether Triton is installed."""
    return triton is not None


def serves(network: Architecture, points: int) -> bool:
    """Whether the kernel serves the network with mini-batches of ``points``."""
    if not isinstance(network, Perceptron) or len(network.dense.widths) != 3:
        return False
    largest = (_INPUTS, _HIDDEN, _CLASSES)
    return points <= _POINTS and all(n <= most for n, most in zip(network.dense.widths, largest, strict=True))


def local_updates(
    network: Architecture,
    x: torch.Tensor,
    data: tuple[torch.Tensor, torch.Tensor],
    index: torch.Tensor,
    weights: torch.Tensor | None,
    steps: torch.Tensor | None,
    rates: torch.Tensor,
    l2: float = 0.0,
) -> torch.Tensor:
    """x - y, (R, n, d), after local steps y <- y - eta (g + l2 y) from y = x, (R, d), in float32.

    Parameters
    ----------
    data
        The points of all clients, (N, inputs), and their labels, (N,).
    index
        The points of each mini-batch, (R, n, most steps, b).
    weights
        Their weights in the shape of ``index``; None where all are 1/b.
    steps
        The steps of each client, (R, n), where they differ.
    rates
        eta of each step, (most steps,).
    """
    assert isinstance(network, Perceptron)
    (R, n, most, b), (inputs, hidden, classes) = index.shape, network.dense.widths
    I, H, C = _padded(inputs, _LANES), _padded(hidden, _COLUMNS), _padded(classes, _LANES)
    warps, width = H // _COLUMNS, (b - 1).bit_length()
    start = _packed(x, network.dense.widths, (I, H, C))
    result = x.new_empty(R, n, x.shape[1])
    scratch = x.new_empty(R * n, (warps + 1) * C << width)
    X, labels = data
    options = {"num_warps": warps, "maxnreg": _REGISTERS} if x.is_cuda else {}
    _take_steps[(R * n,)](
        start, result, X, labels, index, weights, steps, rates, scratch, n, most,
        1 - rates * l2 if l2 else None, inputs, hidden, classes, b, I, H, C, width,
        min(_GROUP, 1 << width), warps, _LANES, start.shape[1], x.shape[1], **options,
    )  # fmt: skip
    return result


def _padded(size: int, least: int) -> int:
    """The next power of two, at least ``least``."""
    return max(least, 1 << (size - 1).bit_length())


def _packed(x: torch.Tensor, widths: tuple[int, ...], padded: tuple[int, ...]) -> torch.Tensor:
    """The weights, (R, d), as the kernel reads them: W_1, b_1, the transpose of W_2, b_2, each padded."""
    import torch

    place = _places(widths, padded, x.device)
    extended = torch.cat([x, x.new_zeros(len(x), 1), x.new_full((len(x), 1), float("-inf"))], dim=1)
    return extended.index_select(1, place)


@lru_cache
def _places(widths: tuple[int, ...], padded: tuple[int, ...], device: torch.device) -> torch.Tensor:
    """The place of each padded weight in (weights, 0, -inf)."""
    import torch

    (i, h, c), (I, H, C) = widths, padded
    d = (i + 1) * h + (h + 1) * c
    of = torch.arange(d)
    W1, W2 = torch.full((I + 1, H), d), torch.full((C, H), d)
    W1[:i, :h], W1[I, :h] = of[: i * h].view(i, h), of[i * h : (i + 1) * h]
    W2[:c, :h] = of[(i + 1) * h : d - c].view(h, c).T
    b2 = torch.full((C,), d + 1)
    b2[:c] = of[d - c :]
    return torch.cat([W1.flatten(), W2.flatten(), b2]).to(device)


@_jit
def _join(parts, COUNT: tl.constexpr):
    """One tensor of COUNT parts, a power of two."""
    for _ in tl.static_range(COUNT.bit_length() - 1):
        pairs = ()
        for k in tl.static_range(len(parts) // 2):
            pairs = pairs + (tl.join(parts[2 * k], parts[2 * k + 1]),)  # noqa: RUF005
        parts = pairs
    return parts[0]


@_jit
def _take_steps(
    start, result, points, labels, index, weights, steps, rates, scratch, n, most, decay,
    INPUTS: tl.constexpr, HIDDEN: tl.constexpr, CLASSES: tl.constexpr, B: tl.constexpr,
    I: tl.constexpr, H: tl.constexpr, C: tl.constexpr, WIDTH: tl.constexpr,
    GROUP: tl.constexpr, WARPS: tl.constexpr, LANES: tl.constexpr, STRIDE: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    """All local steps of one pair; the arguments are those of ``local_updates``."""
    pair = tl.program_id(0).to(tl.int64)
    P: tl.constexpr = 1 << WIDTH
    lane = tl.arange(0, LANES)
    warp = tl.arange(0, WARPS)[None, :, None, None]
    i = lane[:, None] * (I // LANES) + tl.arange(0, I // LANES)[None, :]
    input = i[:, None, :, None]
    unit = warp * (H // WARPS) + tl.arange(0, H // WARPS)[None, None, None, :]
    kind = lane[:, None, None, None] * (C // LANES) + tl.arange(0, C // LANES)[None, None, :, None]
    p = tl.arange(0, P)
    c = tl.arange(0, C)

    own = start + (pair // n) * STRIDE
    W1 = tl.load(own + input * H + unit)
    b1 = tl.load(own + I * H + unit)
    W2 = tl.load(own + (I + 1) * H + kind * H + unit)
    b2 = tl.load(own + (I + 1 + C) * H + kind)
    partial = scratch + pair * P * (WARPS + 1) * C
    gradient = partial + P * WARPS * C
    places = ()
    for q in tl.static_range(GROUP):
        places = places + (partial + (q * WARPS + warp) * C + kind,)  # noqa: RUF005
    place = _join(places, GROUP)
    taken = most
    if steps is not None:
        taken = tl.load(steps + pair).to(tl.int32)
    for k in range(taken):
        batch = (pair * most + k) * B
        activations = ()
        scores = ()
        for q in tl.static_range(P):
            if q < B:
                x = tl.load(points + tl.load(index + batch + q) * INPUTS + i, mask=i < INPUTS, other=0.0)
                z = tl.sum(tl.sum(x[:, None, :, None] * W1, 2, keep_dims=True), 0, keep_dims=True)
                h = tl.maximum(z + b1, 0.0)
                activations = activations + (h,)  # noqa: RUF005
                # every warp adds its part of b_2
                scores = scores + (tl.sum(W2 * h, 3, keep_dims=True) + b2 / WARPS,)  # noqa: RUF005
            else:
                scores = scores + (tl.zeros([LANES, WARPS, C // LANES, 1], tl.float32),)  # noqa: RUF005
            if len(scores) == GROUP:
                tl.store(place + (q + 1 - GROUP) * WARPS * C, _join(scores, GROUP))
                scores = ()
        tl.debug_barrier()
        s = tl.zeros([P, C], tl.float32)
        for w in tl.static_range(WARPS):
            s += tl.load(partial + (p[:, None] * WARPS + w) * C + c[None, :])
        e = tl.exp(s - tl.max(s, 1)[:, None])
        label = tl.load(labels + tl.load(index + batch + p, mask=p < B, other=0))
        share = tl.where(p < B, tl.load(rates + k) / B, 0.0)
        if weights is not None:
            share = tl.load(rates + k) * tl.load(weights + batch + p, mask=p < B, other=0.0)
        hit = tl.where(c[None, :] == label[:, None], 1.0, 0.0)
        ds = (e / tl.sum(e, 1)[:, None] - hit) * share[:, None]
        tl.store(gradient + p[:, None] * C + c[None, :], ds)
        tl.debug_barrier()
        if decay is not None:
            shrunk = tl.load(decay + k)
            W1 *= shrunk
            b1 *= shrunk
            b2 *= shrunk
        for q in tl.static_range(B):
            x = tl.load(points + tl.load(index + batch + q) * INPUTS + i, mask=i < INPUTS, other=0.0)
            delta = tl.load(gradient + q * C + kind)
            back = tl.sum(tl.sum(delta * W2, 2, keep_dims=True), 0, keep_dims=True)
            back = tl.where(activations[q] > 0, back, 0.0)
            W1 -= x[:, None, :, None] * back
            b1 -= back
        tl.debug_barrier()  # so that what was loaded is loaded again, and takes no registers meanwhile
        if decay is not None:
            W2 *= tl.load(decay + k)
        for q in tl.static_range(B):
            delta = tl.load(gradient + q * C + kind)
            W2 -= delta * activations[q]
            b2 -= delta

    mine = result + pair * D
    some = unit < HIDDEN
    tl.store(mine + input * HIDDEN + unit, tl.load(own + input * H + unit) - W1, mask=some & (input < INPUTS))
    tl.store(mine + INPUTS * HIDDEN + unit, tl.load(own + I * H + unit) - b1, mask=some)
    mine += (INPUTS + 1) * HIDDEN
    difference = tl.load(own + (I + 1) * H + kind * H + unit) - W2
    tl.store(mine + unit * CLASSES + kind, difference, mask=some & (kind < CLASSES))
    difference = tl.load(own + (I + 1 + C) * H + kind) - b2
    tl.store(mine + HIDDEN * CLASSES + kind, difference, mask=kind < CLASSES)
