r"""The lower bound of clipped minibatch SGD, attained: rounds at the best step size grow with M.

Those of EPISODE++ do not.

For every pair of eta and clip of a grid, all three hard instances are run, and the slowest counts: the step
must be chosen before the problem is known. The best pair of the grid is what clipped minibatch SGD can
promise. The rounds are those after which the mean over replicas of |F'| is at most the target; on the wrong
majority participation is random; on the other two all clients are identical, and one replica suffices.

EPISODE++ takes the same grid of steps as parts of 1/(2 L0) and 1/(2 L1), on the same instances.

All pairs of a grid are run at once, with the update rules of ``algorithms.clipped_minibatch_sgd`` and
``algorithms.episodepp`` written out for one variable, one local step and one client a round; tests hold them
against the engines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import asinh, ceil

import numpy as np
from numpy.typing import NDArray

from boundkit.analysis.progress import Progress
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems.clipping_problem import ClippingInstance, ramp, valley, wrong_majority
from boundkit.theorems.clipped_minibatch_sgd_relaxed_smooth_lower import THEOREM

Stepper = Callable[[ClippingInstance, Array, Array, NDArray[np.intp], int], Array]
CLIENTS, L0, L1, TARGET, GAP = 3, 1.0, 1.0, 1.0, 700.0
LARGEST_GRADIENTS = (4.0, 8.0, 16.0, 32.0, 64.0)
STEPS = (0.1, 0.3, 0.6, 0.9, 0.9999, 1.1, 2.0, 5.0)
"""eta as parts of the longest step that is safe in the valley, 2 asinh(M L1/L0)/(L1 M)."""
THRESHOLDS = (0.1, 0.5, 0.99, 1.0, 2.0, 10.0)
"""clip/eta as parts of M."""
PARTS = (0.25, 0.5, 1.0)
_LATER = 1.5
"""How far beyond the lower bound, or EPISODE++'s slowest way, a grid is followed."""


@dataclass(frozen=True)
class ClippingDemonstration:
    """One entry for each largest gradient M, all else fixed.

    ``best``: rounds of clipped minibatch SGD at its best pair; ``eta``, ``clip``: that pair. ``bound``: the
    lower bound. ``episodepp``: rounds of EPISODE++ at its best pair. Rounds that were not reached are inf.
    """

    grad_max: Array
    best: Array
    eta: Array
    clip: Array
    bound: Array
    episodepp: Array
    clients: int
    target: float
    gap: float


def clipped_minibatch(
    instance: ClippingInstance, eta: Array, clip: Array, participating: NDArray[np.intp], rounds: int
) -> Array:
    """|F'(x_t)| in the mean over replicas, (rounds + 1, pairs): x <- x - min(eta, clip/|g|) g.

    ``participating``: the client of each round and replica, (rounds, replicas).
    """
    x = np.full((len(eta), participating.shape[1]), instance.start)
    steepness = [_steepness(instance, x)]
    for t in range(rounds):
        g = instance.scales[participating[t]] * instance.gradient(x)
        x = x - _step(g, np.abs(g) * eta[:, None] > clip[:, None], eta, clip)
        steepness.append(_steepness(instance, x))
    return np.array(steepness)


def episodepp(
    instance: ClippingInstance, eta: Array, clip: Array, participating: NDArray[np.intp], rounds: int
) -> Array:
    """As ``clipped_minibatch``, for one local step: g = F_i' - G_i + G, and |G| decides."""
    x = np.full((len(eta), participating.shape[1]), instance.start)
    replicas = np.arange(participating.shape[1])
    G_i = instance.client_gradients(x)
    steepness = [_steepness(instance, x)]
    for t in range(rounds):
        own = instance.scales[participating[t]] * instance.gradient(x)
        G = G_i.mean(axis=-1)
        g = own - G_i[:, replicas, participating[t]] + G
        x = x - _step(g, np.abs(G) * eta[:, None] > clip[:, None], eta, clip)
        G_i[:, replicas, participating[t]] = own
        steepness.append(_steepness(instance, x))
    return np.array(steepness)


def first_rounds(
    stepper: Stepper,
    instances: Sequence[ClippingInstance],
    eta: Array,
    clip: Array,
    target: float,
    rounds: int,
    replicas: int,
    seed: int = 0,
) -> Array:
    """Rounds to the target on the slowest of the instances, by pair; inf where it is not reached."""
    worst = np.zeros(len(eta))
    for instance in instances:
        alike = np.ptp(instance.scales) == 0
        rng = np.random.default_rng(seed)
        participating = rng.integers(len(instance.scales), size=(rounds, 1 if alike else replicas))
        with np.errstate(over="ignore", invalid="ignore"):  # a pair that leaves the valley overflows
            reached = stepper(instance, eta, clip, participating, rounds) <= target
        first = np.where(reached.any(axis=0), reached.argmax(axis=0), np.inf)
        worst = np.maximum(worst, first)
    return worst


def clipping(
    largest: Sequence[float] = LARGEST_GRADIENTS,
    steps: Sequence[float] = STEPS,
    thresholds: Sequence[float] = THRESHOLDS,
    replicas: int = 40,
    gap: float = GAP,
    seed: int = 0,
    *,
    progress: Progress | None = None,
) -> ClippingDemonstration:
    """The demonstration; about ten seconds as it stands."""
    rows: list[tuple[float, ...]] = []
    for M in largest:
        instances = hard_instances(M, gap)
        width = asinh(M * L1 / L0) / L1
        eta, parts = (v.ravel() for v in np.meshgrid(2 * width / M * np.array(steps), thresholds))
        clip = eta * parts * M
        bound = lower_bound(M, gap)
        needed = first_rounds(
            clipped_minibatch, instances, eta, clip, TARGET, ceil(_LATER * bound), replicas, seed
        )
        best = int(np.argmin(needed))
        etas, clips = (v.ravel() for v in np.meshgrid(PARTS, PARTS))
        slowest = ceil(_LATER * gap * L0 / TARGET**2)
        memory = first_rounds(
            episodepp, instances, etas / (2 * L0), clips / (2 * L1), TARGET, slowest, replicas, seed
        )
        rows.append((M, needed[best], eta[best], clip[best], bound, memory.min()))
        if progress is not None:
            progress(len(rows), len(largest))
    M_, best, eta_, clip_, bound_, memory_ = np.array(rows).T
    return ClippingDemonstration(M_, best, eta_, clip_, bound_, memory_, CLIENTS, TARGET, gap)


def hard_instances(M: float, gap: float) -> list[ClippingInstance]:
    """The three, of one class."""
    return [
        wrong_majority(CLIENTS, L0, L1, M, gap),
        valley(CLIENTS, L0, L1, M),
        ramp(CLIENTS, L0, L1, TARGET, gap),
    ]


def lower_bound(M: float, gap: float) -> float:
    """The theorem's."""
    from boundkit.analysis.predict import predict

    numbers = {"L0": L0, "L1": L1, "grad_max": M, "target": TARGET, "gap": gap}
    bound = predict(THEOREM, **numbers, C=1 / CLIENTS)
    return float(bound.total)


def _step(g: Array, clipped: NDArray[np.bool_], eta: Array, clip: Array) -> Array:
    return np.asarray(np.where(clipped, clip[:, None] * np.sign(g), eta[:, None] * g))


def _steepness(instance: ClippingInstance, x: Array) -> Array:
    return np.asarray(np.abs(instance.gradient(x)).mean(axis=1))
