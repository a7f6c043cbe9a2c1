"""Moments of c_i w_i/W, W = sum of c w over participants, without enumeration, and mixing rates of averages.

First and second moments; c_i is the participation count of client i. Where W = 0 the shares are 0.

Independent clients. Client i participates with probability q_i, and then weighs w_i/W, W the sum of w over
participants. Because 1/W = int_0^inf e^{-xW} dx and clients are independent, the expectation is an integral
of a product of f_k = 1 - q_k + q_k e^{-x w_k},

    E[1{i in A} w_i/W]         = w_i q_i         int   e^{-x w_i}         prod_{k != i}    f_k dx,
    E[1{i,j in A} w_i w_j/W^2] = w_i w_j q_i q_j int x e^{-x (w_i + w_j)} prod_{k != i, j} f_k dx,

in place of a sum over 2^m subsets. With x = e^y the integrand decays at both ends, and the trapezoidal
rule is exact to rounding: its error is about exp(-pi^2/step). All terms are positive, so nothing cancels.

Uniform subsets of fixed size. With S uniform among the subsets of size n, W the sum of w over S, and z_k =
e^{-x w_k},

    E[1{i in S} w_i/W]         = w_i     int   z_i     e_{n-1}(z without i)    dx / binomial(m, n)
    E[1{i,j in S} w_i w_j/W^2] = w_i w_j int x z_i z_j e_{n-2}(z without i, j) dx / binomial(m, n),

e_k the elementary symmetric polynomials: sums over all products of k of the z, by m steps of n additions in
place of binomial(m, n) subsets. Leaving one out is done by inserting the others, half by half, without
division: all terms are positive, and nothing cancels. The integral is that of the independent case.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.participation.base import Participation
from boundkit.simulation.participation.distribution import (
    AllOrNone,
    Distribution,
    Draws,
    FixedSubset,
    Independent,
    UniformSubsets,
)

_STEP = 0.25
_SMALLEST, _LARGEST = 1e-18, 50.0
"""Bounds of the quadrature: x times the sum, and times the smallest, of the weights."""


def independent_shares(q: Array, w: Array) -> Array:
    """E[1{i in A} w_i/W], (m,), W the sum of w over A; 0 for clients of weight 0.

    O(m) for each of some 300 points.

    >>> shares = independent_shares(np.array([0.9, 0.3]), np.ones(2))  # 0.9 (1 - 0.3/2), 0.3 (1 - 0.9/2)
    >>> shares.round(12).tolist()
    [0.765, 0.165]
    """
    out = np.zeros(len(q))
    live = np.flatnonzero((w > 0) & (q > 0))
    if len(live):
        rule = _Rule(q[live], w[live])
        out[live] = (rule.h * rule.x) @ np.exp(rule.total[:, None] + rule.own)
    return out


def independent_share_products(q: Array, w: Array) -> Array:
    """E[1{i,j in A} w_i w_j/W^2], (m, m). O(m^2) for each of 300 points."""
    out = np.zeros((len(q), len(q)))
    live = np.flatnonzero((w > 0) & (q > 0))
    if len(live):
        rule = _Rule(q[live], w[live])
        kernel = rule.h * rule.x**2
        both = _both(kernel, rule)
        alone = w[live] * (kernel @ np.exp(rule.total[:, None] + rule.own))
        out[np.ix_(live, live)] = np.where(np.eye(len(live), dtype=bool), np.diag(alone), both)
    return out


def plain_average_shares(q: Array) -> Array:
    """E[1{i in A}/|A|], (m,): the mean weights of a plain average over participants.

    They sum to 1 - prod (1 - q_i), the probability of a non-empty round.
    """
    return independent_shares(q, np.ones(len(q)))


def averaging_matrix(q: Array) -> Array:
    """E[1{i,j in A}/|A|], (m, m): the mean weight of j's model in client i's model after a round."""
    out = np.zeros((len(q), len(q)))
    live = np.flatnonzero(q > 0)
    if len(live):
        rule = _Rule(q[live], np.ones(len(live)))
        out[np.ix_(live, live)] = _both(rule.h * rule.x, rule)
    out[np.diag_indices(len(q))] = plain_average_shares(q)
    return out


def points(w: Array) -> tuple[Array, float]:
    """Points x_k and a step h, so that sum_k h x_k f(x_k) is the integral of f over x > 0.

    For f that decays as e^{-x w_i} for one of the weights, all above 0, or faster.
    """
    low, high = np.log(_SMALLEST / w.sum()), np.log(_LARGEST / w.min())
    return np.exp(np.arange(low, high + _STEP, _STEP)), _STEP


class _Rule:
    """The quadrature points, with the logarithms of the factors of the product there.

    ``total``: log prod_k (1 - q_k + q_k e^{-x w_k}), (K,). ``own``: log of w_i q_i e^{-x w_i} over i's
    own factor, (K, m).
    """

    def __init__(self, q: Array, w: Array) -> None:
        self.x, self.h = points(w)
        reach = self.x[:, None] * w
        with np.errstate(divide="ignore"):  # log 0 = -inf: a client of probability 1 is never absent
            factors = np.logaddexp(np.log1p(-q), np.log(q) - reach)
        self.total: Array = factors.sum(axis=1)
        self.own: Array = np.log(w * q) - reach - factors


def _both(kernel: Array, rule: _Rule) -> Array:
    once = np.exp(rule.own)
    return np.asarray((once * (kernel * np.exp(rule.total))[:, None]).T @ once)


def subset_shares(w: Array, size: int) -> Array:
    """E[1{i in S} w_i/W], (m,), over the subsets of that size. O(m n log m) for each of some 300 points.

    >>> subset_shares(np.array([1.0, 2.0, 3.0]), 2).round(12).tolist()  # (1/3 + 1/4)/3, ...
    [0.194444444444, 0.355555555556, 0.45]
    """
    m = len(w)
    if size == m or not (w > 0).any():
        return np.asarray(w / max(w.sum(), np.finfo(float).tiny))
    x, h = points(w[w > 0])
    z, out = np.exp(-x[:, None] * w), np.zeros(m)
    for i, rest in _without_one(z, size - 1, size / m):
        out[i] = w[i] * ((h * x) @ (z[:, i] * rest))
    return out * _per_subset(m, size, 1)


def subset_share_products(w: Array, size: int) -> Array:
    """E[1{i,j in S} w_i w_j/W^2], (m, m), over the subsets of that size."""
    m = len(w)
    if size == m or not (w > 0).any():
        share = subset_shares(w, size)
        return np.outer(share, share)
    x, h = points(w[w > 0])
    z, out, kernel = np.exp(-x[:, None] * w), np.zeros((m, m)), h * x**2
    for i, rest in _without_one(z, size - 1, size / m):
        out[i, i] = w[i] ** 2 * (kernel @ (z[:, i] * rest)) * _per_subset(m, size, 1)
    if size == 1:
        return out
    for i in range(m - 1):
        others = np.delete(z, i, axis=1)
        after = np.arange(i, m - 1)  # client j > i stands at j - 1
        for j, rest in _without_one(others, size - 2, size / m, after):
            value = w[i] * w[j + 1] * (kernel @ (z[:, i] * others[:, j] * rest))
            out[i, j + 1] = out[j + 1, i] = value * _per_subset(m, size, 2)
    return out


def _without_one(
    z: Array, degree: int, q: float, wanted: NDArray[np.intp] | None = None
) -> Iterator[tuple[int, Array]]:
    """For each wanted i: e_degree of the other columns, (K,), times q^degree (1 - q)^(others - degree)."""
    columns = np.arange(z.shape[1])
    wanted = columns if wanted is None else wanted
    start = np.zeros((degree + 1, z.shape[0]))
    start[0] = 1.0
    outside = np.setdiff1d(columns, wanted)
    todo = [(wanted, _with(start, z[:, outside], q))]
    while todo:
        left_out, made = todo.pop()
        if len(left_out) == 1:
            yield int(left_out[0]), made[degree]
            continue
        one, other = np.array_split(left_out, 2)
        todo += [(one, _with(made, z[:, other], q)), (other, _with(made, z[:, one], q))]


def _with(made: Array, z: Array, q: float) -> Array:
    """Insert these columns, each a factor 1 - q + q z s: probabilities, so none overflows."""
    made = made.copy()
    for column in z.T:
        made[1:] = (1 - q) * made[1:] + (q * column) * made[:-1]
        made[0] *= 1 - q
    return made


def _per_subset(m: int, size: int, left_out: int) -> float:
    """The factor from a product with ``left_out`` factors missing to a mean over subsets."""
    from scipy.stats import binom  # slow to import, and few runs need it

    q = size / m
    return float(q**left_out / binom.pmf(size, m, q))


def mean_shares(distribution: Distribution, w: Array) -> Array:
    """E[c_i w_i/W], (m,), exact to rounding for any number of clients; w at least 0, in any unit.

    Raises BoundkitError for an unsupported distribution.
    """
    if isinstance(distribution, Independent):
        return independent_shares(distribution.first, w)
    if isinstance(distribution, Draws):
        return _drawn(distribution, w)
    if isinstance(distribution, AllOrNone):
        return np.asarray(distribution.probability * w / w.sum())
    members = _pool(distribution)
    out = np.zeros(distribution.clients)
    if len(members):
        out[members] = subset_shares(w[members], distribution.fixed_size or 0)
    return out


def mean_share_products(distribution: Distribution, w: Array) -> Array:
    """E[c_i w_i c_j w_j/W^2], (m, m), likewise. O(m^2 log m) sums for subsets of fixed size, O(m^2) else."""
    if isinstance(distribution, Independent):
        return independent_share_products(distribution.first, w)
    if isinstance(distribution, Draws):
        return _drawn_together(distribution, w)
    if isinstance(distribution, AllOrNone):
        return np.asarray(distribution.probability * np.outer(w, w) / w.sum() ** 2)
    members = _pool(distribution)
    out = np.zeros((distribution.clients, distribution.clients))
    if len(members):
        out[np.ix_(members, members)] = subset_share_products(w[members], distribution.fixed_size or 0)
    return out


def _pool(distribution: Distribution) -> NDArray[np.intp]:
    if isinstance(distribution, FixedSubset):
        return np.array(distribution.members, dtype=np.intp)
    if isinstance(distribution, UniformSubsets):
        return distribution.pool
    raise BoundkitError(
        f"the shares of clients under {type(distribution).__name__} are not known in closed form."
    )


def _drawn(distribution: Draws, w: Array) -> Array:
    """E[c_i e^{-xW}] = n p_i z_i (sum p z)^{n-1}, z = e^{-xw}, integrated over x."""
    p, n = distribution.first / distribution.size, distribution.size
    out, live = np.zeros(distribution.clients), (w > 0) & (p > 0)
    if live.any():
        x, h = points(w[live])
        z = np.exp(-x[:, None] * w)
        out[live] = n * (w * p * ((h * x * (z @ p) ** (n - 1)) @ z))[live]
    return out


def _drawn_together(distribution: Draws, w: Array) -> Array:
    """E[c_i c_j e^{-xW}] = n (n-1) p_i z_i p_j z_j (sum p z)^{n-2}, and E[c_i e^{-xW}] more where i = j."""
    p, n = distribution.first / distribution.size, distribution.size
    live = np.flatnonzero((w > 0) & (p > 0))
    out = np.zeros((distribution.clients, distribution.clients))
    if live.size:
        x, h = points(w[live])
        z = np.exp(-x[:, None] * w)
        kernel, total = h * x**2, z @ p
        once = (w * p * z)[:, live]
        both = np.zeros((len(live), len(live)))
        if n > 1:
            both = n * (n - 1) * (once * (kernel * total ** (n - 2))[:, None]).T @ once
        alone = n * w[live] * ((kernel * total ** (n - 1)) @ once)
        out[np.ix_(live, live)] = both + np.diag(alone)
    return out


def mixing_rate(participation: Participation) -> Constant:
    """rho, the mixing rate of FedAWE's implicit gossip: the largest lambda_2(E[W]) over the rounds.

    In a round the participating clients, A, all take the mean of their models, and the others keep theirs: a
    matrix W that is 1/|A| on A x A and the identity elsewhere. W is symmetric, doubly stochastic, and W'W =
    W. In expectation a round multiplies the clients' disagreement by at most rho = lambda_2(E[W]), the second
    largest eigenvalue; for a time-varying distribution, the largest of these over rounds.

    The result is exact for any number of clients. For equal probabilities p it is 1 - (m p - 1 + (1 -
    p)^m)/(m - 1); else E[W] is computed in O(m^2). Raises NoClosedForm where a round has no distribution of
    its own, and BoundkitError for sampling with replacement.

    Source: Xiang, Ioannidis, Yeh, Joe-Wong, Su, arXiv 2409.17446, section 5 and lemma 4.
    """
    distributions = {participation.distribution(t) for t in range(participation.period)}
    how = "the second eigenvalue of the expected mixing matrix, the largest over the rounds of a period"
    return Constant(max(second_eigenvalue(distribution) for distribution in distributions), "exact", how)


def second_eigenvalue(distribution: Distribution) -> float:
    """lambda_2(E[W]) of one round, between 0 and 1; 0 for a single client."""
    if distribution.clients == 1:
        return 0.0
    q = distribution.first
    if isinstance(distribution, Independent) and np.ptp(q) == 0:
        return mixing_rate_equal(distribution.clients, float(q[0]))
    values = np.linalg.eigvalsh(expected_mixing(distribution))
    return float(min(max(values[-2], 0.0), 1.0))


def expected_mixing(distribution: Distribution) -> Array:
    """E[W], (m, m): E[1{i,j in A}/|A|], and on the diagonal also the probability that i is absent.

    The expectation is an integral for independent clients (see normalised_weights), and the joint
    inclusion probability divided by |A| where |A| is fixed.
    """
    if isinstance(distribution, Independent):
        together = averaging_matrix(distribution.first)
    elif isinstance(distribution, AllOrNone):
        together = np.outer(distribution.first, np.full(distribution.clients, 1 / distribution.clients))
    elif isinstance(distribution, (FixedSubset, UniformSubsets)):
        pairs = distribution.pairs
        second = np.diag(pairs.diagonal) + sum(s * np.outer(v, v) for s, v in pairs.factors)
        together = second / max(distribution.fixed_size or 0, 1)
    else:
        raise BoundkitError("clients that are drawn with replacement do not mix by gossip.")
    return np.asarray(together + np.diag(1 - distribution.first))


def mixing_rate_equal(m: int, p: float) -> float:
    """rho = 1 - (m p - 1 + (1 - p)^m)/(m - 1) for m > 1 independent clients of probability p.

    By the trace: E[W] has 1 once and rho m - 1 times, and the trace of W is m - |A| + 1 unless A is empty.

    >>> mixing_rate_equal(2, 0.5)  # 1 - p^2
    0.75
    """
    if p == 1:
        return 0.0
    # (1-p)^m - 1 + m p as the remainder of Bernoulli's inequality: no difference of near numbers
    rest = p * float(np.sum(-np.expm1(np.arange(m) * np.log1p(-p))))
    return 1 - rest / (m - 1)


def mixing_bound(m: int, delta: float) -> Constant:
    """Lemma 4: rho <= 1 - delta^4 (1 - (1 - delta)^m)^2/8, for probabilities at least delta. Very loose.

    >>> round(mixing_bound(5, 0.3).value, 5), round(mixing_rate_equal(5, 0.3), 5)
    (0.9993, 0.83298)
    """
    value = 1 - delta**4 * (1 - (1 - delta) ** m) ** 2 / 8
    return Constant(value, "exact", "an upper bound on rho, Lemma 4 of arXiv 2409.17446")
