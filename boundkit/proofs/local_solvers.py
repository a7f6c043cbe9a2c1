r"""Lemmas on local steps that differ between clients: solvers that are linear in their gradients.

Client i's model before its step k is y_{i,k} = x - eta sum_{s<k} A_{k,s} g_i(y_{i,s}); its direction d_i is
the mean of its gradients with the weights a_i of the solver, and the server steps along v = sum_i w_i d_i, by
s = eta tau_eff. A mean over clients has the weights w_i, F is the surrogate sum_i w_i F_i, and P the gradient
of the objective sum_i p_i F_i. h_i is the a_i-weighted mean of the client's exact gradients, with mean a_i =
g_i - e_i given x.

With b = eta L max_k sum_s A_{k,s} and r^2 the largest E||y_{i,k} - x||^2, Minkowski's inequality gives L r <=
(b^2 ||g_i||^2 + (eta L sigma)^2 B_i)^(1/2) + b L r, B_i = max_k sum_s A_{k,s}^2: y_{i,k} - x is -eta times
the sum of A_{k,s} (g_i + noise_s), whose noises are orthogonal, and of A_{k,s} (F_i'(y_{i,s}) - g_i).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr, Integer, Symbol, simplify, sympify

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.notation import (
    A_noise,
    B_drift,
    B_walk,
    C_drift,
    C_walk,
    L,
    a1_i,
    a2_i,
    alast_i,
    chi2,
    eta,
    m,
    p_i,
    prox_step,
    sigma,
    tau_eff,
    tau_i,
    w_i,
    walk1_i,
    walk2_i,
)
from boundkit.algebra.sums import ClientMax, ClientSum
from boundkit.proofs import local_steps
from boundkit.proofs.domain import Inequality, stated
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, Vector, data, inner, scalar, square
from boundkit.proofs.rounds import AlgorithmRound, P, a, decrease, direction, e, g
from boundkit.proofs.scalar_inequalities import Interval

weighted_noise = scalar(
    "sum_i w_i^2 Var d_i",
    r"{\textstyle\sum_i}\, w_i^2\,\mathrm{Var}\,d_i",
    "variance of the clients' directions given x, with their squared weights",
)
path_variance = scalar(
    "mean Var h_i",
    r"{\textstyle\sum_i}\, w_i\,\mathrm{Var}\,h_i",
    "variance of the mean of a client's exact gradients, given x",
)
walk_square = Symbol("z")
"""(eta L)^2 C'', for a function of it that is an argument of a lemma."""
walk_length = Symbol("b")
"""Its square root."""

PLAIN_STEPS: Mapping[Quantity, Expr] = {
    a1_i: tau_i, a2_i: tau_i, alast_i: Integer(1), walk1_i: tau_i - 1, walk2_i: tau_i - 1,
}  # fmt: skip
"""What the weights of plain steps of one size sum up to."""


# What a theorem's definitions mean


def _weight(theorem: Theorem) -> Expr:
    """Return the weight of a client in the surrogate."""
    if theorem.algorithm == "fedavg":
        return p_i * a1_i / tau_eff
    return w_i if w_i in theorem.definitions else p_i


def _meaning(theorem: Theorem, expected: Expr) -> Expr:
    return expected.subs(PLAIN_STEPS) if theorem.assumes("plain-local-steps") else expected


def _is_sum(theorem: Theorem, quantity: Quantity, expected: Expr, given: Expr | None = None) -> bool:
    """Whether a quantity is defined as the sum over clients of an expression."""
    definition = theorem.definitions.get(quantity) if given is None else given
    sums = [] if definition is None else list(definition.atoms(ClientSum))
    if len(sums) != 1:
        return False
    factor = definition / sums[0]
    if factor.has(ClientSum):
        return False
    return bool(simplify(factor * sums[0].args[0] - _meaning(theorem, expected)) == 0)


def _is_max(theorem: Theorem, quantity: Quantity, expected: Expr, given: Expr | None = None) -> bool:
    """Whether a quantity is defined as the largest value of an expression over clients."""
    definition = theorem.definitions.get(quantity) if given is None else given
    if not isinstance(definition, ClientMax):
        return False
    return bool(simplify(definition.args[0] - _meaning(theorem, expected)) == 0)


def _noise_factor(theorem: Theorem) -> Inequality:
    expected = m * tau_eff * _weight(theorem) ** 2 * a2_i / a1_i**2
    return stated("A = m tau_eff sum_i w_i^2 ||a_i||_2^2/||a_i||_1^2", _is_sum(theorem, A_noise, expected))


def _weights(theorem: Theorem) -> tuple[Inequality, ...]:
    """Return that the weights w_i are those of the server's step."""
    if theorem.algorithm != "fedavg":
        return ()
    right = _is_sum(theorem, tau_eff, p_i * a1_i) and theorem.assumes("server-step-one")
    return (stated("the server adds sum_i p_i Delta_i, and tau_eff = sum_i p_i ||a_i||_1", right),)


def _drift_factors(theorem: Theorem) -> tuple[Quantity, Quantity, Inequality]:
    """Return the quantities that bound the local walks, for noise and gradients, and that they do.

    B and C count the weights of all gradients but the last, which are at least those before any step where no
    weight falls from one step to the next; a proximal solver needs B'' and C'' for them.
    """
    weight = _weight(theorem)
    walks = weight * walk2_i, walk1_i**2
    if B_walk in theorem.definitions:
        right = _is_sum(theorem, B_walk, walks[0]) and _is_max(theorem, C_walk, walks[1])
        return B_walk, C_walk, stated("B'' and C'' are those of the walks of all solvers", right)
    right = _is_sum(theorem, B_drift, weight * (a2_i - alast_i**2))
    right = right and _is_max(theorem, C_drift, a1_i * (a1_i - alast_i))
    for definitions in theorem.solvers.values():
        if definitions.get(prox_step, Integer(0)) != 0:
            given = definitions.get(B_drift), definitions.get(C_drift)
            right = right and None not in given
            right = right and _is_sum(theorem, B_drift, walks[0], given[0])
            right = right and _is_max(theorem, C_drift, walks[1], given[1])
    return B_drift, C_drift, stated("B and C are at least B'' and C'', for proximal solvers too", right)


def _no_negative_weights(theorem: Theorem) -> Inequality:
    """Return that no gradient has a negative weight, as sums of weights bound the walks only then."""
    pulled = any(made.get(prox_step, Integer(0)) != 0 for made in theorem.solvers.values())
    return Inequality(1 - prox_step if pulled else Integer(0), "no gradient has a negative weight")


# Conclusions


def _descent(this: AlgorithmRound) -> Conclusion:
    s = this.length
    form = LinearForm({decrease: 1, direction: L * s**2 / 2}) - s * inner(g.mean, a.mean)
    return Conclusion(form, (Inequality(s, "s > 0", strict=True), *_weights(this.theorem)))


def _independent(this: AlgorithmRound) -> Conclusion:
    form = square(a.mean) + LinearForm({weighted_noise: 1, direction: -1})
    return Conclusion(form, _weights(this.theorem), equality=True)


def _solver_noise(this: AlgorithmRound, y: Any) -> Conclusion:
    y = sympify(y)
    own = LinearForm({data(sigma**2): (1 + y) * A_noise / (m * tau_eff)})
    form = own + LinearForm({path_variance: 1 + 1 / y, weighted_noise: -1})
    return Conclusion(form, (Inequality(y, f"y = {y} > 0", strict=True), _noise_factor(this.theorem)))


def _walk_conditions(this: AlgorithmRound, h: Any, p: Any) -> tuple[Inequality, ...]:
    """Return that p, a function of z or a number, is at least 1/(1 - b)^2."""
    h, p = sympify(h), sympify(p)
    _, gradients, right = _drift_factors(this.theorem)
    box = {walk_length: Interval.of(0, h)}
    return (
        right,
        _no_negative_weights(this.theorem),
        Inequality(1 - h, f"h = {h} < 1", strict=True),
        Inequality(h**2 - (eta * L) ** 2 * gradients, f"b <= h = {h}"),
        Inequality(p.subs(walk_square, walk_length**2) * (1 - walk_length) ** 2 - 1, f"p = {p}", box=box),
    )


def _solver_errors(this: AlgorithmRound, h: Any, p: Any) -> Conclusion:
    noise, gradients, _ = _drift_factors(this.theorem)
    factor = (eta * L) ** 2 * sympify(p).subs(walk_square, (eta * L) ** 2 * gradients)
    form = factor * (gradients * square(g) + LinearForm({data(sigma**2): noise})) - square(e)
    return Conclusion(form - LinearForm({path_variance: 1}), _walk_conditions(this, h, p))


def _path_variance(this: AlgorithmRound, h: Any, p: Any) -> Conclusion:
    noise, *_ = _drift_factors(this.theorem)
    form = LinearForm({data(sigma**2): (eta * L) ** 2 * sympify(p) * noise, path_variance: -1})
    return Conclusion(form, _walk_conditions(this, h, p))


def _plain_condition(this: AlgorithmRound, h: Any) -> tuple[Quantity, Quantity, tuple[Inequality, ...]]:
    noise, gradients, right = _drift_factors(this.theorem)
    small = Inequality(sympify(h) ** 2 - (eta * L) ** 2 * gradients, f"eta L (tau_i - 1) <= h = {h}")
    return noise, gradients, (right, small)


def _plain_noise(this: AlgorithmRound, h: Any) -> Conclusion:
    growth, hypotheses = local_steps.variance_factor(h)
    _, _, conditions = _plain_condition(this, h)
    form = LinearForm({data(sigma**2): growth * A_noise / (m * tau_eff), weighted_noise: -1})
    return Conclusion(form, (*conditions, _noise_factor(this.theorem), *hypotheses))


def _plain_errors(this: AlgorithmRound, h: Any, y: Any, p: Any, q: Any, **more: Any) -> Conclusion:
    noise, gradients, conditions = _plain_condition(this, h)
    hypotheses = local_steps.bias_factors(h, y, p, q, **more)
    form = sympify(p) * gradients * square(g) + LinearForm({data(sigma**2): sympify(q) * noise})
    return Conclusion((eta * L) ** 2 * form - square(e), (*conditions, *hypotheses))


def _weightings(this: AlgorithmRound) -> Conclusion:
    theorem, weight = this.theorem, _weight(this.theorem)
    right = _is_sum(theorem, chi2, (p_i - weight) ** 2 / weight)
    form = chi2 * square(g - g.mean) - square(P - g.mean)
    return Conclusion(form, (stated("chi^2 = sum_i (p_i - w_i)^2/w_i", right), *_weights(theorem)))


def _same_weights(this: AlgorithmRound) -> Conclusion:
    right = _weight(this.theorem) == p_i
    return Conclusion(square(g.mean) - square(P), (stated("w_i = p_i", right),), equality=True)


def _stationary(this: AlgorithmRound, against: Vector) -> Conclusion:
    if not against.is_mean:
        raise BoundkitError(f"{against} differs between clients; the surrogate's gradient is against a mean.")
    right = this.theorem.claim.name == "squared gradient where the surrogate has none"
    return Conclusion(inner(g.mean, against), (stated("a claim about such a point", right),), equality=True)


_SOLVER = ("general-local-solver", "weighted-objective", "full-participation")
_PLAIN = ("plain-local-steps", *_SOLVER)

SURROGATE_DESCENT = Lemma(
    "descent of the surrogate",
    "E F(x+) <= E F(x) - s <grad F(x), a> + (L s^2/2) E||v||^2, F = sum_i w_i F_i, s = eta tau_eff",
    "the surrogate has an $L$-Lipschitz gradient, and $a = g - e$ is the mean of $v = sum_i w_i d_i$ given "
    "$x$",
    ("smooth", "bounded-noise", *_SOLVER),
    _descent,
)
INDEPENDENT_CLIENTS = Lemma(
    "independent clients",
    "E||v||^2 = ||a||^2 + sum_i w_i^2 Var d_i",
    "the $d_i$ are independent given $x$, with means $a_i$",
    ("bounded-noise", *_SOLVER),
    _independent,
)
SOLVER_NOISE = Lemma(
    "noise of local solvers",
    "sum_i w_i^2 Var d_i <= (1 + y) sigma^2 A/(m tau_eff) + (1 + 1/y) sum_i w_i Var h_i, y > 0",
    "$d_i - h_i$ is a weighted mean of uncorrelated noise, of variance at most sigma^2 "
    "$||a_i||_2^2/||a_i||_1^2$; Young with y, and $w_i^2 <= w_i$",
    ("bounded-noise", *_SOLVER),
    _solver_noise,
)
SOLVER_ERRORS = Lemma(
    "errors of local solvers",
    "sum_i w_i (||e_i||^2 + Var h_i) <= p (eta L)^2 (C'' sum_i w_i ||g_i||^2 + B'' sigma^2), for p (1 - b)^2 "
    ">= 1, b^2 = (eta L)^2 C'', and weights of gradients >= 0",
    "$||e_i||^2 + Var h_i <= L^2 r^2$, $r^2$ the largest $E||y_{i,k} - x||^2$; by Minkowski $r <= eta (C'' "
    "||g_i||^2 + B_i sigma^2)^{1/2} + b r$, as with the gradient at $x$ the noises are orthogonal",
    ("smooth", "bounded-noise", *_SOLVER),
    _solver_errors,
)
PATH_VARIANCE = Lemma(
    "variance of the path of local solvers",
    "sum_i w_i Var h_i <= p (eta L)^2 B'' sigma^2, for p (1 - b)^2 >= 1, b^2 = (eta L)^2 C'', and weights of "
    "gradients >= 0",
    "$Var h_i <= L^2 v^2$, $v^2$ the largest variance of $y_{i,k}$; $v <= eta sigma B_i^{1/2} + b v$, as the "
    "standard deviation of a gradient at $y_{i,k}$ is at most $L v$",
    ("smooth", "bounded-noise", *_SOLVER),
    _path_variance,
)
PLAIN_NOISE = Lemma(
    "noise of plain local steps",
    "sum_i w_i^2 Var d_i <= (1 + h/(1 - h)) sigma^2 A/(m tau_eff) for eta L (tau_i - 1) <= h",
    "variance of local steps, of every client with its own number of steps",
    ("smooth", "bounded-noise", *_PLAIN),
    _plain_noise,
)
PLAIN_ERRORS = Lemma(
    "errors of plain local steps",
    "sum_i w_i ||e_i||^2 <= (eta L)^2 (p C'' sum_i w_i ||g_i||^2 + q B'' sigma^2) for eta L (tau_i - 1) <= h",
    "bias of local steps, of every client with its own number of steps; $(tau_i - 1)^2 <= C''$, and $(tau_i "
    "- 1)^2/tau_i <= tau_i - 1$",
    ("smooth", "bounded-noise", *_PLAIN),
    _plain_errors,
)
TWO_WEIGHTINGS = Lemma(
    "two weightings of the clients",
    "||P - g||^2 <= chi^2 sum_i w_i ||g_i - g||^2",
    "$P - g = sum_i (p_i - w_i)(g_i - g)$, as both weights sum to 1; Cauchy-Schwarz with the weights $w_i$",
    _SOLVER,
    _weightings,
)
SAME_WEIGHTS = Lemma(
    "objective as surrogate",
    "||P||^2 = ||g||^2 where w_i = p_i",
    "the surrogate is the objective",
    _SOLVER,
    _same_weights,
)
SURROGATE_STATIONARY = Lemma(
    "stationary point of the surrogate",
    "<g, u> = 0 for every u",
    "the claim is about a point where the surrogate's gradient g is 0",
    _SOLVER,
    _stationary,
)
