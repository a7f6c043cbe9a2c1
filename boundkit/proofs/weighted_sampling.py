"""Lemmas on unbiased sampling of clients with weights: the server steps along v = sum_i W_i d_i, E W_i = p_i.

The mean over clients is that with the weights p_i of the objective. The variance of a sampled mean is at most
Lambda sum_i p_i ||u_i||^2 - nu ||u||^2, whatever the vectors u_i; Lambda is the largest eigenvalue of
D^{-1/2} (Cov W + nu p p') D^{-1/2} with D = diag(p), and 0 <= nu <= 1. Clients that are available at random,
client i with probability q_i, are one such sampling: p_i = w_i are the weights of their surrogate, W_i is
w_i/q_i with probability q_i, and Cov W is diagonal, so that Lambda = max_i w_i (1 - q_i)/q_i with nu = 0.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, sympify

from boundkit.algebra.notation import (
    absence,
    availability,
    m,
    pull,
    q_i,
    sampling_error,
    sampling_slack,
    sampling_spread,
    share_noise,
    sigma,
    sigma_g,
    tau,
    w_i,
)
from boundkit.algebra.sums import ClientMax, ClientSum
from boundkit.proofs import local_steps
from boundkit.proofs.domain import Inequality, stated
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, Vector, data, scalar, square
from boundkit.proofs.rounds import AlgorithmRound, a, direction, e, g

sampled_variance = scalar(
    "sum E W_i^2 Var d_i",
    r"{\textstyle\sum_i}\,\mathbb{E}W_i^2\,\mathrm{Var}\,d_i",
    "variance of the sum of the clients' directions with the weights of a round, for given weights",
)


def _factors(this: AlgorithmRound) -> tuple[Expr, Expr, Expr, tuple[Inequality, ...]]:
    """Return Lambda, nu, N = sum_i E W_i^2, and that what they are made of is defined so."""
    made = this.theorem.definitions
    if this.assumes("known-availability"):
        return (1 - availability) / (availability * m), Integer(0), 1 / (availability * m), ()
    if this.assumes("average-over-all"):
        right = made.get(availability) == 1 - ClientMax(1 - q_i)
        holds = stated("availability is the least q_i", right)
        return (1 - availability) / (m * pull), Integer(0), 1 / (m * pull), (holds,)
    if this.assumes("fixed-weights"):
        right = w_i in made and made.get(share_noise) == ClientSum(w_i**2 / q_i)
        right = right and made.get(absence) == ClientMax(w_i * (1 - q_i) / q_i)
        holds = stated("share_noise and absence are those of the weights w_i", right)
        return absence, Integer(0), share_noise, (holds,)
    return sampling_spread, sampling_slack, share_noise, ()


def variance_bound(this: AlgorithmRound, of: Vector) -> LinearForm:
    """Return Lambda sum_i p_i ||u_i||^2 - nu ||u||^2, u_i the vectors ``of``."""
    spread, slack, _, _ = _factors(this)
    form: LinearForm = spread * square(of) - slack * square(of.mean)
    return form


def _sampling(this: AlgorithmRound) -> Conclusion:
    noise = LinearForm({sampled_variance: 1, direction: -1})
    return Conclusion(square(a.mean) + variance_bound(this, a) + noise, _factors(this)[3])


def _sampling_of_gradients(this: AlgorithmRound, y: Any) -> Conclusion:
    y = sympify(y)
    parts = LinearForm({data(sampling_error**2): 1 + y}) + (1 + 1 / y) * variance_bound(this, e)
    noise = LinearForm({sampled_variance: 1, direction: -1})
    return Conclusion(square(a.mean) + parts + noise, (Inequality(y, f"y = {y} > 0", strict=True),))


def _local_variance(this: AlgorithmRound, h: Any) -> Conclusion:
    return _noise_of_local_steps(this, h, convex=False)


def _convex_local_variance(this: AlgorithmRound, h: Any) -> Conclusion:
    return _noise_of_local_steps(this, h, convex=True)


def _noise_of_local_steps(this: AlgorithmRound, h: Any, convex: bool) -> Conclusion:
    growth, hypotheses = local_steps.variance(h, convex)
    _, _, share, right = _factors(this)
    noise = LinearForm({data(sigma**2): share * growth / tau})
    return Conclusion(noise - LinearForm({sampled_variance: 1}), (*right, *hypotheses))


def _noise(this: AlgorithmRound) -> Conclusion:
    _, _, share, right = _factors(this)
    return Conclusion(LinearForm({data(sigma**2): share, sampled_variance: -1}), right)


def _dissimilarity(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({data(sigma_g**2): 1}) - square(g - g.mean))


_ANY = ("unbiased-sampling", "bernoulli-availability", "known-availability")
_SAMPLED = ("bounded-noise", _ANY, ("common-local-steps", "one-local-step"))
_STEPS = ("smooth", "bounded-noise", "common-local-steps", _ANY)

UNBIASED_SAMPLING = Lemma(
    "unbiased sampling",
    "E||v||^2 <= ||a||^2 + Lambda sum_i p_i ||a_i||^2 - nu ||a||^2 + sum_i E W_i^2 Var d_i",
    "the weights are independent of the $d_i$, which are independent given $x$: the noise, uncorrelated with "
    "all else, has the last sum, and $sum_i W_i a_i$ the mean $a$ and the variance of the assumption",
    _SAMPLED,
    _sampling,
    algorithms=("fedavg", "fedau"),
)
UNBIASED_SAMPLING_OF_GRADIENTS = Lemma(
    "unbiased sampling of gradients",
    "E||v||^2 <= ||a||^2 + (1 + y) S^2 + (1 + 1/y) (Lambda sum_i p_i ||e_i||^2 - nu ||e||^2) + "
    "sum_i E W_i^2 Var d_i, y > 0",
    "as unbiased sampling; $a_i = g_i - e_i$, the root of a variance is a seminorm, and the gradients' is at "
    "most $S$",
    (*_SAMPLED, "unbiased-sampling", "sampling-error"),
    _sampling_of_gradients,
    algorithms=("fedavg",),
)
SAMPLED_LOCAL_VARIANCE = Lemma(
    "variance of sampled local steps",
    "sum_i E W_i^2 Var d_i <= N (1 + eta L (tau - 1)/(1 - h)) sigma^2/tau for eta L (tau - 1) <= h",
    "variance of local steps for each client, and $N = sum_i E W_i^2$",
    _STEPS,
    _local_variance,
)
CONVEX_SAMPLED_LOCAL_VARIANCE = Lemma(
    "variance of sampled convex local steps",
    "sum_i E W_i^2 Var d_i <= N sigma^2/tau for eta L <= 2",
    "variance of convex local steps for each client, and $N = sum_i E W_i^2$",
    (*_STEPS, ("convex", "strongly-convex")),
    _convex_local_variance,
)
SAMPLED_NOISE = Lemma(
    "noise of one sampled step",
    "sum_i E W_i^2 Var d_i <= N sigma^2",
    "the assumption, for one stochastic gradient of a client, and $N = sum_i E W_i^2$",
    ("bounded-noise", "one-local-step", _ANY),
    _noise,
)
SURROGATE_DISSIMILARITY = Lemma(
    "dissimilarity of the surrogate",
    "sum_i w_i ||g_i - g||^2 <= sigma_g^2",
    "the assumption, at the server's model",
    ("surrogate-dissimilarity", "bernoulli-availability"),
    _dissimilarity,
)
WEIGHTED_DISSIMILARITY = Lemma(
    "weighted dissimilarity",
    "sum_i p_i ||g_i - g||^2 <= sigma_g^2",
    "the assumption, at the server's model",
    ("weighted-dissimilarity", "weighted-objective"),
    _dissimilarity,
)
