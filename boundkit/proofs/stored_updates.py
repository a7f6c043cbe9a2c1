"""Lemmas on updates that a server stores for its clients: y_i, the direction d_i of client i's last round.

The server steps along v, the mean of d_i - y_i over the participants plus the mean y of all y_i; then y_i+ =
d_i for the participants, and y_i+ = y_i for the others. The error of the stored updates, mean_i ||g_i -
y_i||^2, is a square of vectors of the round; a round later it is an atom.
"""

from __future__ import annotations

from typing import Any

from sympy import sympify

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import C, L, T, gradients_start, m, missed, sigma_c, update_error
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, Vector, client_vector, data, inner, scalar, square
from boundkit.proofs.rounds import AlgorithmRound, client_variance, direction, e, g, y

next_stored_error = scalar(
    "mean E||g_i+ - y_i+||^2",
    r"{\textstyle\frac1m\sum_i}\,\mathbb{E}\|g_i^+-y_i^+\|^2",
    "error of the stored updates as gradients at the server's model, of clients or clusters, after the round",
)

G = client_vector("G", "G", "mean gradient at x of the clients of the client's cluster")


def _error_after(this: AlgorithmRound, w: Any, updated: LinearForm, *hypotheses: Inequality) -> Conclusion:
    """Return a bound on the next error: of the ``updated`` one by 1 + w, of the step by 1 + 1/w."""
    w, s = sympify(w), this.length
    moved = LinearForm({direction: (1 + 1 / w) * L**2 * s**2})
    form = moved + (1 + w) * updated - LinearForm({next_stored_error: 1})
    return Conclusion(form, (Inequality(w, f"w = {w} > 0", strict=True), *hypotheses))


def _stored_error(this: AlgorithmRound, w: Any) -> Conclusion:
    fresh = square(e) + LinearForm({client_variance: 1})
    updated = (1 - C) * square(g - y) + C * fresh
    return _error_after(this, w, updated, Inequality(C, "C >= 0"), Inequality(1 - C, "C <= 1"))


def _telescoping(_: AlgorithmRound) -> Conclusion:
    start = LinearForm({data(gradients_start**2): 1 / T})
    return Conclusion(start - square(g - y) + LinearForm({next_stored_error: 1}))


def _cluster_stored_error(this: AlgorithmRound, w: Any) -> Conclusion:
    fresh = square(g - e - G) + LinearForm({client_variance: 1})
    updated = missed * square(G - y) + (1 - missed) * fresh
    return _error_after(this, w, updated, Inequality(1 - missed, "missed <= 1"))


def _cluster_telescoping(_: AlgorithmRound) -> Conclusion:
    start = LinearForm({data(gradients_start**2): 1 / T})
    return Conclusion(start - square(G - y) + LinearForm({next_stored_error: 1}))


def _first_direction(this: AlgorithmRound, k: Any, sampling: Any = (1 - C) / (C * (m - 1))) -> Conclusion:
    k, sampling = sympify(k), sympify(sampling)
    stored = square((G if this.theorem.algorithm == "clusterfedvarp" else g) - y)
    start = square(g.mean) + (1 + 1 / k) * square(e)
    form = sampling * (start - stored + LinearForm({next_stored_error: 1}))
    return Conclusion(
        form + LinearForm({data(update_error**2): (1 + k) / T}),
        (
            Inequality(k, f"k = {k} > 0", strict=True),
            Inequality(C * m - 1, "C m >= 1"),
            Inequality(1 - C, "C <= 1"),
            Inequality(sampling, f"N = {sampling} >= 0"),
            Inequality(1 - C - sampling * C * (m - 1), f"N = {sampling} <= (1 - C)/(C (m - 1))"),
        ),
    )


def _cluster_mean(_: AlgorithmRound, of: Vector) -> Conclusion:
    if of.parts not in (G.parts, y.parts):
        raise BoundkitError(f"{of} is not the same for all clients of a cluster; G and y are.")
    return Conclusion(inner(g - G, of), equality=True)


def _cluster_dissimilarity(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({data(sigma_c**2): 1}) - square(g - G))


STORED_ERROR = Lemma(
    "error of stored updates",
    "mean_i E||g_i+ - y_i+||^2 <= (1 + 1/w) L^2 s^2 E||v||^2 + (1 + w) ((1 - C) mean_i ||g_i - y_i||^2 + "
    "C mean_i (||e_i||^2 + Var d_i)), w > 0",
    "g_i+ - y_i+ is g_i+ - g_i, of norm at most L s ||v||, plus g_i - y_i+; y_i+ is d_i with probability C, "
    "independent of d_i, and else y_i",
    ("smooth", "bounded-noise", "equal-weights", "common-local-steps", "partial-participation"),
    _stored_error,
    algorithms=("fedvarp",),
)
TELESCOPING_STORED_ERROR = Lemma(
    "telescoping of stored updates",
    "(1/T) sum_{t<T} of mean_i ||g_i - y_i||^2 less its value a round later <= mean_i ||grad F_i(x_0)||^2/T",
    "it is >= 0 after T rounds, and the stored updates are 0 at the start",
    (),
    _telescoping,
    over_rounds=True,
    algorithms=("fedvarp",),
)
CLUSTER_STORED_ERROR = Lemma(
    "error of stored updates of clusters",
    "mean_i E||G_i+ - y_i+||^2 <= (1 + 1/w) L^2 s^2 E||v||^2 + (1 + w) (missed mean_i ||G_i - y_i||^2 + "
    "(1 - missed) mean_i (||a_i - G_i||^2 + Var d_i)), w > 0",
    "as for clients; y_i+ is the mean of d_j over the participants of the cluster, with probability "
    "1 - missed, and each of its clients is as likely among them: Jensen",
    ("smooth", "bounded-noise", "equal-weights", "common-local-steps", "partial-participation"),
    _cluster_stored_error,
    algorithms=("clusterfedvarp",),
)
CLUSTER_TELESCOPING = Lemma(
    "telescoping of stored updates of clusters",
    "(1/T) sum_{t<T} of mean_i ||G_i - y_i||^2 less its value a round later <= mean_i ||grad F_i(x_0)||^2/T",
    "it is >= 0 after T rounds, and the stored updates are 0 at the start; Jensen for G_i",
    (),
    _cluster_telescoping,
    over_rounds=True,
    algorithms=("clusterfedvarp",),
)
FIRST_DIRECTION = Lemma(
    "telescoping from the error of the first direction",
    "N (1/T) sum_{t<T} of mean_i ||G_i - y_i||^2 less its value a round later <= (1 + k) V_0^2/T + N "
    "(||g||^2 + (1 + 1/k) mean_i ||e_i||^2), N = (1 - C)/(C (m - 1)) or less, k > 0; g_i for G_i without "
    "clusters",
    "as above, with mean_i $||g_i||^2 = ||g||^2 +$ mean_i $||g_i - g||^2$ at $x_0$, and Young with k for "
    "$g_i - g = a_i - a + e_i - e$; as the stored updates are 0, the mean of $v_0 - h_0$ given the "
    "participants is that of their $a_i - a$, and $V_0^2 >= N$ mean_i $||a_i - a||^2$, by Jensen; the other "
    "values at $x_0$ are at most T times their means over rounds",
    ("equal-weights", "common-local-steps", "partial-participation"),
    _first_direction,
    over_rounds=True,
    algorithms=("fedvarp", "clusterfedvarp"),
)
CLUSTER_MEAN = Lemma(
    "mean of a cluster",
    "mean_i <g_i - G_i, u_i> = 0 for u = G and u = y",
    "G_i is the mean of g_j over the cluster of i, and u_i is the same for all its clients",
    (),
    _cluster_mean,
    algorithms=("clusterfedvarp",),
)
CLUSTER_DISSIMILARITY = Lemma(
    "dissimilarity in a cluster",
    "mean_i ||g_i - G_i||^2 <= sigma_c^2",
    "the assumption, at the server's model",
    ("cluster-dissimilarity",),
    _cluster_dissimilarity,
    algorithms=("clusterfedvarp",),
)
