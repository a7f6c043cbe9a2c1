r"""Lemmas on the limit of a run, T to infinity and then step sizes to 0, with clients available at random.

F is strongly convex, and a round moves the model by -s sum_i w_i grad F_i(x) + O(s^2) in expectation, w_i in
proportion to the mean weight of client i in a round. g is the gradient of the surrogate sum_i w_i F_i in the
limit, P that of the objective sum_i p_i F_i; means over clients have the weights w_i.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import chi2, cutoff, m, p_i, q_i, w_i
from boundkit.algebra.sums import ActiveShare, ClientSum
from boundkit.proofs.domain import stated
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import Vector, inner, square
from boundkit.proofs.rounds import LIMIT, AlgorithmRound, P, g

_MISSED = (1 - q_i) ** cutoff
_SHARES: Mapping[str, Expr] = {"average-over-all": q_i, "average-over-present": ActiveShare(q_i)}
"""A client's mean weight in a round, but for a factor that all have in common."""
_INTERVALS = (
    ClientSum(1 - _MISSED) * ClientSum(_MISSED**2 / (1 - _MISSED)) / m**2 - (ClientSum(_MISSED) / m) ** 2
)
"""sum_i (1/m - w_i)^2/w_i for w_i in proportion to 1 - b_i, b_i = (1 - q_i)^cutoff: it is the product of
sum_i (1 - b_i) and sum_i 1/(1 - b_i) over m^2, less 1, where 1/(1 - b) = 1 + b + b^2/(1 - b)."""


def _is_chi2(theorem: Theorem) -> bool:
    """Whether chi2 is sum_i (p_i - w_i)^2/w_i for the weights of the server's rule."""
    made = theorem.definitions
    if theorem.assumes("interval-weights"):
        return theorem.assumes("equal-weights") and made.get(chi2) == _INTERVALS
    rules = [share for name, share in _SHARES.items() if theorem.assumes(name)]
    if len(rules) != 1 or not theorem.assumes("weighted-objective"):
        return False
    right = made.get(w_i) == rules[0] / ClientSum(rules[0])
    return right and made.get(chi2) == ClientSum((p_i - w_i) ** 2 / w_i)


def _weightings(this: AlgorithmRound) -> Conclusion:
    right = stated("chi^2 = sum_i (p_i - w_i)^2/w_i", _is_chi2(this.theorem))
    return Conclusion(chi2 * square(g - g.mean) - square(P - g.mean), (right,))


def _stationary(_: AlgorithmRound, against: Vector) -> Conclusion:
    if not against.is_mean:
        raise BoundkitError(f"{against} differs between clients; the surrogate's gradient is against a mean.")
    return Conclusion(inner(g.mean, against), equality=True)


_AVAILABLE = ("smooth", "strongly-convex", "bounded-noise", "bernoulli-availability")
_RULES = ("average-over-all", "average-over-present", "interval-weights")

LIMIT_WEIGHTINGS = Lemma(
    "two weightings in the limit",
    "||P - g||^2 <= chi^2 sum_i w_i ||g_i - g||^2, chi^2 = sum_i (p_i - w_i)^2/w_i",
    "Cauchy-Schwarz with the weights $w_i$ for $P - g$, the sum of $(p_i - w_i) (g_i - g)$",
    (*_AVAILABLE, _RULES),
    _weightings,
    kinds=(LIMIT,),
)
LIMIT_STATIONARY = Lemma(
    "stationary limit",
    "<g, u> = 0 for every u",
    "a round moves by $-s g(x) + O(s^2)$ in expectation, with a second moment of $O(s^2)$ where the model is "
    "near the minimum of the surrogate, which is strongly convex: the limit as T grows is O(s) away from it",
    (*_AVAILABLE, _RULES),
    _stationary,
    kinds=(LIMIT,),
)
