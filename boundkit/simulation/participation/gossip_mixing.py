r"""Mixing rate rho of FedAWE's implicit gossip, exactly.

In a round the participating clients, A, all take the mean of their models, and the others keep theirs: a
matrix W that is 1/|A| on A x A and the identity elsewhere. W is symmetric, doubly stochastic, and W'W = W. In
expectation a round multiplies the clients' disagreement by at most rho = lambda_2(E[W]), the second
largest eigenvalue; for a time-varying distribution, the largest of these over rounds.

Source: Xiang, Ioannidis, Yeh, Joe-Wong, Su, arXiv 2409.17446, section 5 and lemma 4.
"""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.participation.base import Participation
from boundkit.simulation.participation.distribution import (
    Distribution,
    FixedSubset,
    Independent,
    UniformSubsets,
)
from boundkit.simulation.participation.normalised_weights import averaging_matrix


def mixing_rate(participation: Participation) -> Constant:
    """rho, the largest lambda_2(E[W]) over the rounds, exact for any number of clients.

    For equal probabilities p it is 1 - (m p - 1 + (1 - p)^m)/(m - 1); else E[W] is computed in O(m^2).
    Raises NoClosedForm where a round has no distribution of its own, and BoundkitError for sampling with
    replacement.
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
