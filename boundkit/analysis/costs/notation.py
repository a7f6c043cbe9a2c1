"""Letters that only costs need: how much data a gradient or a loss reads, and whom the server asks."""

from __future__ import annotations

from boundkit.algebra.dimension import ONE
from boundkit.algebra.domain import COUNT
from boundkit.algebra.quantity import Quantity

batch = Quantity("batch", "b", "samples of one stochastic gradient", COUNT, ONE, 32)
samples = Quantity("samples", "n", "samples that a client holds", COUNT, ONE, 600)
candidates = Quantity("candidates", r"d_{cand}", "clients that are asked for their loss", COUNT, ONE, 20)
