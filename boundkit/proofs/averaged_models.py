r"""Lemmas on one local step of all participants: the mean w of their models moves to the mean w+ of the next.

w_k is the model of participant k, V the mean of ||w_k - w||^2, and e the size of the step, which may fall
over the steps as c/(mu (offset + t)); a round of tau of them starts at w_0. Means over clients have the
weights of the objective; where clients are selected by their losses, they are over the selected, in
expectation. Where models are sampled, all clients take the steps, and the mean of the sampled models replaces
w+ at the end of a round. F_k* is the infimum of client k's loss.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, sympify

from boundkit.algebra.decaying_steps import numerator
from boundkit.algebra.notation import (
    C,
    G,
    Gamma,
    L,
    eta,
    m,
    mu,
    offset,
    p_i,
    rho_bar,
    rho_tilde,
    sigma,
    sigma_g,
    sigma_i,
    sigma_mean,
    tau,
)
from boundkit.algebra.sums import ClientSum
from boundkit.proofs.domain import Inequality, stated
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import Atom, LinearForm, data, scalar, square
from boundkit.proofs.rounds import (
    STEP,
    AlgorithmRound,
    g,
    loss_gap,
    next_square_distance,
    square_distance,
)

_MEAN = r"{\textstyle\sum_k p_k}\,\mathbb{E}"
local_approach = scalar(
    "mean E<w - x*, grad F_k(w_k)>",
    _MEAN + r"\langle w-x^*,\nabla F_k(w_k)\rangle",
    "inner product of the distance from the optimum with the clients' gradients at their own models",
    signed=True,
)
local_gradients = scalar(
    "mean E||grad F_k(w_k)||^2", _MEAN + r"\|\nabla F_k(w_k)\|^2", "squared gradients at the local models"
)
mean_gradient = scalar(
    "E||mean grad F_k(w_k)||^2",
    r"\mathbb{E}\|{\textstyle\sum_k p_k}\nabla F_k(w_k)\|^2",
    "squared mean of the clients' gradients at their own models",
)
deviation = scalar(
    "mean E||w_k - w||^2", _MEAN + r"\|w_k-w\|^2", "squared distance of local models from their mean"
)
next_deviation = scalar(
    "mean E||w_k+ - w+||^2",
    _MEAN + r"\|w_k^+-w^+\|^2",
    "squared distance of local models from their mean after the step; 0 where the server averages them",
)
unaveraged = scalar(
    "mean E||noise_k||^2",
    _MEAN + r"\|\xi_k\|^2",
    "noise of the clients' own gradients before the last step of a round; 0 in it",
)
walk = scalar(
    "mean E||w_k - w_0||^2",
    _MEAN + r"\|w_k-w_0\|^2",
    "squared distance of local models from the round's start",
)
local_excess = scalar(
    "mean E[F_k(w_k) - F_k*]",
    _MEAN + r"[F_k(w_k)-F_k^*]",
    "excess loss of the clients at their own models",
)
towards_mean = scalar(
    "mean E<w - w_k, grad F_k(w_k)>",
    _MEAN + r"\langle w-w_k,\nabla F_k(w_k)\rangle",
    "inner product of the way to the mean model with the clients' gradients at their own models",
    signed=True,
)
mean_excess = scalar(
    "mean E[F_k(w) - F_k*]",
    _MEAN + r"[F_k(w)-F_k^*]",
    "excess loss of the clients at the mean of their models",
)
start_excess = scalar(
    "mean E[F_k(w_0) - F_k*]", _MEAN + r"[F_k(w_0)-F_k^*]", "excess loss of the clients at the round's start"
)
start_gap = scalar("E[F(w_0) - F*]", r"\mathbb{E}[F(w_0)-F^*]", "loss above its minimum at the round's start")
replaced = scalar(
    "E||w' - w+||^2",
    r"\mathbb{E}\|w'-w^+\|^2",
    "squared distance of the mean of the sampled models from that of all",
)


def _noise(this: AlgorithmRound) -> tuple[LinearForm, tuple[Inequality, ...]]:
    """Return the noise of a mean of gradients, and what it rests on."""
    if this.assumes("biased-selection"):
        bounded = stated("a bound on the noise of a gradient", this.assumes("bounded-noise"))
        return LinearForm({data(sigma**2): 1 / (C * m)}), (bounded,)
    equal = this.assumes("equal-weights")
    made = this.theorem.definitions.get(sigma_mean, Integer(0))
    weighted = ClientSum(sigma_i**2) / m**2 if equal else ClientSum(p_i**2 * sigma_i**2)
    right = made**2 == weighted and this.assumes("clientwise-noise")
    return LinearForm({data(sigma_mean**2): 1}), (
        stated("sigma_mean^2 is the sum of the squared weights times sigma_i^2", right),
        stated("uniform sampling for equal weights", equal or not this.assumes("partial-participation")),
    )


def _mean_step(this: AlgorithmRound, steps: Expr) -> Expr:
    """Return how many times a step's size those of its round before it, or up to it, have in the mean.

    With s = offset + t at the first of these ``steps``, each one's size is that of 1/(s + j). The mean of a
    convex function over whole numbers is at most that of its values at both ends, which are at most 1 +
    steps/offset and 1 times the last, or of steps before it 1 + (steps - 1)/offset and 1 + 1/offset times.
    """
    return 1 + steps / (2 * offset) if this.assumes("decaying-step") else Integer(1)


def _away(this: AlgorithmRound) -> Expr:
    """Return how far from the round's start a local model is at most before its step, over G."""
    return _mean_step(this, tau) * eta * (tau - 1)


def _distance(this: AlgorithmRound) -> Conclusion:
    return _moved(this, local_gradients)


def _distance_by_gradients(this: AlgorithmRound, part: Any = 1) -> Conclusion:
    noise, conditions = _noise(this)
    form, part = _moved(this, mean_gradient).form, sympify(part)
    between = (Inequality(part, f"{part} >= 0"), Inequality(1 - part, f"{part} <= 1"))
    return Conclusion(form + part * eta**2 * (LinearForm({data(G**2): 1}) - noise), (*conditions, *between))


def _distance_by_mean(this: AlgorithmRound) -> Conclusion:
    return _moved(this, mean_gradient)


def _moved(this: AlgorithmRound, gradients: Atom) -> Conclusion:
    noise, conditions = _noise(this)
    form = LinearForm(
        {square_distance: 1, local_approach: -2 * eta, gradients: eta**2, next_square_distance: -1}
    )
    if not this.assumes("full-participation") and not this.assumes("biased-selection"):
        form = form + LinearForm({replaced: 1})
    return Conclusion(form + eta**2 * noise, conditions)


def _sampling(this: AlgorithmRound) -> Conclusion:
    factor, conditions = _sampling_factor(this)
    form = LinearForm({data(G**2): (_mean_step(this, tau - 1) * eta * tau) ** 2 * factor})
    return Conclusion(form - LinearForm({replaced: 1}), conditions)


def _spread_sampling(this: AlgorithmRound) -> Conclusion:
    factor, conditions = _sampling_factor(this)
    form = LinearForm({data(G**2): SPREAD * eta**2 * tau * factor})
    rests = (
        stated("steps of 2/(mu (offset + t))", numerator(this.theorem) == 2),
        Inequality(offset - tau + 1, "offset >= tau - 1"),
        Inequality(offset - 8, "offset >= 8"),
    )
    return Conclusion(form - LinearForm({replaced: 1}), (*conditions, *rests))


def _sampling_factor(this: AlgorithmRound) -> tuple[Expr, tuple[Inequality, ...]]:
    """Return the variance of a mean of sampled clients over that of one, and what it rests on."""
    if this.assumes("partial-participation"):
        return (1 - C) / (C * (m - 1)), (Inequality(m - 2, "m >= 2"),)
    return 1 / (C * m), ()


def _approach_at_mean(this: AlgorithmRound) -> Conclusion:
    skew = rho_tilde if this.assumes("biased-selection") else Integer(1)
    form = LinearForm({local_approach: 1, mean_excess: -1, data(Gamma): skew, square_distance: -mu / 2})
    return Conclusion(form + LinearForm({deviation: L / 2}))


def _approach(this: AlgorithmRound) -> Conclusion:
    skew = rho_tilde if this.assumes("biased-selection") else Integer(1)
    form = LinearForm({local_approach: 1, local_excess: -1, towards_mean: -1, data(Gamma): skew})
    return Conclusion(form + LinearForm({square_distance: -mu / 2, deviation: -mu / 2}))


def _next_deviation(_: AlgorithmRound) -> Conclusion:
    form = LinearForm({deviation: 1, towards_mean: 2 * eta, next_deviation: -1})
    added = LinearForm({local_gradients: 1, mean_gradient: -1, unaveraged: 1})
    return Conclusion(form + eta**2 * added)


def _mean_of_gradients(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({local_gradients: 1, mean_gradient: -1}))


def _local_gradients(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({local_excess: 2 * L, local_gradients: -1}))


def _largest_gradients(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({data(G**2): 1, local_gradients: -1}))


def _excess_at_mean(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({local_excess: 1, towards_mean: 1, deviation: L / 2, mean_excess: -1}))


def _excess_at_start(this: AlgorithmRound) -> Conclusion:
    form = LinearForm({local_excess: 1, data(G**2): _away(this), start_excess: -1, unaveraged: -eta})
    return Conclusion(form)


def _gap_at_start(this: AlgorithmRound) -> Conclusion:
    form = LinearForm({start_gap: 1, data(G**2): _away(this), walk: mu / 2})
    return Conclusion(form - LinearForm({square_distance: mu / 2, deviation: mu / 2}))


def _positive(value: Any, name: str = "y") -> Inequality:
    return Inequality(sympify(value), f"{name} = {value} > 0", strict=True)


def _mean_gradient(_: AlgorithmRound, y: Any) -> Conclusion:
    form = LinearForm({loss_gap: 2 * L * (1 + y), deviation: (1 + 1 / y) * L**2, mean_gradient: -1})
    return Conclusion(form, (_positive(y),))


def _all_clients(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({mean_excess: 1, loss_gap: -1, data(Gamma): -1}), equality=True)


def _skew(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({mean_excess: 1, loss_gap: -rho_bar, data(Gamma): -rho_bar}))


def _skew_at_start(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({start_excess: 1, start_gap: -rho_bar, data(Gamma): -rho_bar}))


def _start(_: AlgorithmRound, s: Any = None) -> Conclusion:
    s = Rational(1, 2) if s is None else sympify(s)
    form = LinearForm({square_distance: -mu * (1 - s) / 2, deviation: -mu * (1 - s) / 2})
    form = form + LinearForm({start_gap: 1, walk: mu * (1 / s - 1) / 2})
    return Conclusion(form, (_positive(s, "s"), Inequality(1 - s, f"s = {s} <= 1")))


def _deviation(this: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({walk: 1, deviation: -1}))


def _walk(this: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({data(G**2): _away(this) ** 2, walk: -1, unaveraged: -(eta**2)}))


def _walk_by_first(this: AlgorithmRound) -> Conclusion:
    first = numerator(this.theorem) / (mu * offset)
    return Conclusion(LinearForm({data(G**2): _away(this) * first * (tau - 1), walk: -1}))


def _sampled_distance(_: AlgorithmRound) -> Conclusion:
    form = LinearForm({square_distance: 1, local_approach: -2 * eta, next_square_distance: -1})
    sampled = LinearForm({data(sigma_g**2): 1, data(sigma**2): 1})
    return Conclusion(form + eta**2 * (square(g.mean) + 1 / (C * m) * sampled))


def _sampled_approach(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({local_approach: 1, loss_gap: -1, square_distance: -mu / 2}))


_CURVED = ("smooth", "strongly-convex", "server-step-one", ("weighted-objective", "equal-weights"))
_LOCAL = (*_CURVED, "common-local-steps")
_EVERYBODY = ("full-participation", "partial-participation", "sampling-with-replacement")
_SELECTED = (*_LOCAL, "weighted-objective", "biased-selection")

STEP_DISTANCE = Lemma(
    "squared distance after a local step",
    "E||w+ - x*||^2 <= E||w - x*||^2 - 2 e A + e^2 mean ||grad F_k(w_k)||^2 + e^2 N (+ E||w' - w+||^2), A = "
    "mean <w - x*, grad F_k(w_k)>",
    "$w+ = w - e$ times the mean of the gradients, whose noise has a square of at most N; Jensen; the mean "
    "$w'$ of sampled models has the mean $w+$ given all models",
    (*_LOCAL, (*_EVERYBODY, "biased-selection")),
    _distance,
    kinds=(STEP,),
)
STEP_DISTANCE_BY_MEAN = Lemma(
    "squared distance after a local step by the mean gradient",
    "E||w+ - x*||^2 <= E||w - x*||^2 - 2 e A + e^2 E||mean grad F_k(w_k)||^2 + e^2 N (+ E||w' - w+||^2), A = "
    "mean <w - x*, grad F_k(w_k)>",
    "$w+ = w - e$ times the mean of the gradients, whose noise has a square of at most N; the mean $w'$ of "
    "sampled models has the mean $w+$ given all models",
    STEP_DISTANCE.needs,
    _distance_by_mean,
    kinds=(STEP,),
)
STEP_DISTANCE_BY_GRADIENTS = Lemma(
    "squared distance after a local step, the noise at most as large as the gradients",
    "E||w+ - x*||^2 <= E||w - x*||^2 - 2 e A + e^2 E||mean grad F_k(w_k)||^2 + e^2 ((1 - p) N + p G^2) (+ "
    "E||w' - w+||^2), 0 <= p <= 1, here 1",
    "the noise of the mean has a square of at most N, and of at most the mean variance of a gradient, which "
    "is at most its second moment",
    (*STEP_DISTANCE.needs, "bounded-gradients"),
    _distance_by_gradients,
    kinds=(STEP,),
)
STEP_SAMPLING = Lemma(
    "sampled models for all",
    "E||w' - w+||^2 <= (b e tau G)^2/(C m), without replacement times (1 - C) m/(m - 1), b = 1 where steps "
    "do not fall, and else 1 + (tau - 1)/(2 offset)",
    "the variance of a sampled model is at most its squared distance from the round's start, at most tau "
    "steps of G; 1/s is convex, so that their mean is at most that of the first, at most 1 + (tau - "
    "1)/offset times e, and of the last, e",
    (*_LOCAL, "bounded-gradients", _EVERYBODY[1:]),
    _sampling,
    kinds=(STEP,),
)
SPREAD = Rational(169, 32)
STEP_SPREAD_SAMPLING = Lemma(
    "sampled models for all, over the steps of a round",
    "E||w' - w+||^2 counts as (169/32) e^2 tau G^2/(C m), without replacement times (1 - C) m/(m - 1), at "
    "every step in place of the last one of a round, for e = 2/(mu s), s = offset + t",
    "by $R_j = (169/64) (4 G^2/(mu^2 C m)) tau j/s_j^2$, added to $||w - x*||^2$ after j steps of a round, 0 "
    "at its start. At its end that is at least $E||w' - w+||^2$, at most $G^2/(C m)$ times the square of the "
    "sum of the steps, where $1/s_0 + ... + 1/s_{tau-1} <= (tau/2) (1/s_0 + 1/s_{tau-1})$, by convexity, is "
    "at most $(13/8) tau/s_tau$, by $s_0 >= 8$ and $s_0 >= tau - 1$. No contraction that strong convexity "
    "proves is above $2 e mu = 4/s_j$, and $R_{j+1} <= (1 - 4/s_j) R_j + (169/32) e^2 tau G^2/(C m)$: with "
    "$u = s_j >= 2 j$, $(j+1) u^2/(u+1)^2 - j (1 - 4/u) <= (j+1) (1 - 2/u + 3/u^2) - j + 4 j/u$, at most $2 "
    "- 1/(2 u) + 3/u^2 <= 2$",
    (*_LOCAL, "bounded-gradients", "decaying-step", _EVERYBODY[1:]),
    _spread_sampling,
    kinds=(STEP,),
)
STEP_APPROACH_AT_MEAN = Lemma(
    "strong convexity and smoothness around the local models",
    "A >= mean [F_k(w) - F_k*] - R + (mu/2) ||w - x*||^2 - L V/2, R = mean [F_k(x*) - F_k*], Gamma for all "
    "clients and at most rho_tilde Gamma for selected ones",
    "strong convexity from $w_k$ to $x*$, where $mean ||w_k - x*||^2 >= ||w - x*||^2$, and smoothness from "
    "$w_k$ to w; the losses at $w_k$ cancel",
    (*_LOCAL, (*_EVERYBODY, "biased-selection")),
    _approach_at_mean,
    kinds=(STEP,),
)
STEP_APPROACH = Lemma(
    "strong convexity at the local models",
    "A >= mean [F_k(w_k) - F_k*] + mean <w - w_k, grad F_k(w_k)> - R + (mu/2) (||w - x*||^2 + V), R = mean "
    "[F_k(x*) - F_k*], Gamma for all clients and at most rho_tilde Gamma for selected ones",
    "strong convexity from $w_k$ to $x*$, where $mean ||w_k - x*||^2 = ||w - x*||^2 + V$",
    (*_LOCAL, (*_EVERYBODY, "biased-selection")),
    _approach,
    kinds=(STEP,),
)
STEP_LOCAL_GRADIENTS = Lemma(
    "gradients of the clients by their losses",
    "mean ||grad F_k(w_k)||^2 <= 2 L mean [F_k(w_k) - F_k*]",
    "a step of 1/L decreases a loss by that at least",
    _LOCAL,
    _local_gradients,
    kinds=(STEP,),
)
STEP_LARGEST_GRADIENTS = Lemma(
    "gradients of the clients by the largest",
    "mean ||grad F_k(w_k)||^2 <= G^2",
    "the assumption",
    (*_LOCAL, "bounded-gradients"),
    _largest_gradients,
    kinds=(STEP,),
)
STEP_EXCESS_AT_MEAN = Lemma(
    "smoothness from the local models to their mean",
    "mean [F_k(w) - F_k*] <= mean [F_k(w_k) - F_k*] + mean <w - w_k, grad F_k(w_k)> + L V/2",
    "the definition of smoothness",
    _LOCAL,
    _excess_at_mean,
    kinds=(STEP,),
)
STEP_NEXT_DEVIATION = Lemma(
    "deviation of the local models after a step",
    "V+ <= V - 2 e mean <w_k - w, grad F_k(w_k)> + e^2 (mean ||grad F_k(w_k)||^2 - E||mean grad F_k(w_k)||^2 "
    "+ N'), V+ = mean ||w_k+ - w+||^2",
    "$w_k+ - w+$ is $w_k - w$ less e times the gradient's distance from the mean gradient; the noise of the "
    "clients is at most $N'$. The server's average makes V+ and N' 0, and without noise the right side is a "
    "square",
    _SELECTED,
    _next_deviation,
    kinds=(STEP,),
)
STEP_JENSEN = Lemma(
    "mean of the clients' gradients",
    "E||mean grad F_k(w_k)||^2 <= mean ||grad F_k(w_k)||^2",
    "Jensen",
    _LOCAL,
    _mean_of_gradients,
    kinds=(STEP,),
)
STEP_EXCESS_AT_START = Lemma(
    "convexity from the round's start to the local models",
    "mean [F_k(w_0) - F_k*] + e N' <= mean [F_k(w_k) - F_k*] + b e (tau - 1) G^2, N' the noise before the "
    "last step, b as of the walk",
    "convexity at $w_0$, where gradients are at most G, and $||w_k - w_0|| <= b e (tau - 1) G$ in the root "
    "mean square, before the last step by e G less, while $N' <= G^2$",
    (*_SELECTED, "bounded-gradients"),
    _excess_at_start,
    kinds=(STEP,),
)
START_GAP = Lemma(
    "strong convexity at the start of the round by its gradient",
    "(mu/2) (||w - x*||^2 + V) <= F(w_0) - F* + b e (tau - 1) G^2 + (mu/2) mean ||w_k - w_0||^2, b as of the "
    "walk",
    "the left is (mu/2) mean $||w_k - x*||^2$, with $||w_k - x*||^2 = ||w_0 - x*||^2 + 2 <w_k - w_0, w_0 - "
    "x*> + ||w_k - w_0||^2$, and $mu ||w_0 - x*|| <= ||grad F(w_0)||$, at most G in the root mean square",
    (*_SELECTED, "bounded-gradients"),
    _gap_at_start,
    kinds=(STEP,),
)
STEP_MEAN_GRADIENT = Lemma(
    "mean gradient by the gradient at the mean model",
    "E||mean grad F_k(w_k)||^2 <= (1 + y) 2 L (F(w) - F*) + (1 + 1/y) L^2 V, y > 0",
    "the square of a sum, Jensen and $||grad F_k(w_k) - grad F_k(w)|| <= L ||w_k - w||$, and "
    "$||grad F(w)||^2 <= 2 L (F(w) - F*)$",
    (*_LOCAL, _EVERYBODY),
    _mean_gradient,
    kinds=(STEP,),
)
ALL_EXCESS = Lemma(
    "excess loss of all clients",
    "mean [F_k(w) - F_k*] = F(w) - F* + Gamma",
    "$Gamma = F* - mean F_k*$ with the weights of the objective",
    (*_LOCAL, _EVERYBODY),
    _all_clients,
    kinds=(STEP,),
)
SELECTED_EXCESS = Lemma(
    "excess loss of selected clients",
    "mean [F_k(w) - F_k*] >= rho_bar (F(w) - F* + Gamma)",
    "the skew: the selection does not depend on w given the round's start, or w is that start",
    (*_SELECTED, "deterministic-selection"),
    _skew,
    kinds=(STEP,),
)
SELECTED_EXCESS_AT_START = Lemma(
    "excess loss of selected clients at the start of the round",
    "mean [F_k(w_0) - F_k*] >= rho_bar (F(w_0) - F* + Gamma)",
    "the skew at the model by which the clients are selected",
    _SELECTED,
    _skew_at_start,
    kinds=(STEP,),
)
START_CONVEXITY = Lemma(
    "strong convexity at the start of the round",
    "F(w_0) - F* >= (mu/2) ((1 - s) (||w - x*||^2 + V) - (1/s - 1) mean ||w_k - w_0||^2), 0 < s <= 1, here "
    "1/2",
    "the definition at $x*$, with $||w_0 - x*||^2 >= (1 - s) ||w_k - x*||^2 - (1/s - 1) ||w_k - w_0||^2$",
    _LOCAL,
    _start,
    kinds=(STEP,),
)
STEP_DEVIATION = Lemma(
    "deviation of the local models",
    "V = mean ||w_k - w||^2 <= mean ||w_k - w_0||^2",
    "a variance is at most a second moment",
    _LOCAL,
    _deviation,
    kinds=(STEP,),
)
STEP_WALK = Lemma(
    "walk of the local models",
    "mean ||w_k - w_0||^2 + e^2 N' <= (b e (tau - 1) G)^2, N' the noise before the last step, b = 1 where "
    "steps do not fall, and else 1 + tau/(2 offset)",
    "at most tau - 1 steps of G were taken, before the last step tau - 2; 1/s is convex, so that their mean "
    "is at most that of the round's first, at most 1 + (tau - 1)/offset times e, and of the last of them, at "
    "most 1 + 1/offset times e",
    (*_LOCAL, "bounded-gradients"),
    _walk,
    kinds=(STEP,),
)
STEP_WALK_BY_FIRST = Lemma(
    "walk of the local models by the first step size",
    "mean ||w_k - w_0||^2 <= b e (tau - 1) G times f (tau - 1) G, f = c/(mu offset), b as of the walk",
    "no step is larger than f, so that both factors are at least the root mean square of the walk",
    (*_LOCAL, "bounded-gradients", "decaying-step"),
    _walk_by_first,
    kinds=(STEP,),
)
SAMPLED_STEP_DISTANCE = Lemma(
    "squared distance after one sampled step",
    "E||w+ - x*||^2 <= E||w - x*||^2 - 2 e <w - x*, grad F(w)> + e^2 (||grad F(w)||^2 + (sigma_g^2 + "
    "sigma^2)/(C m))",
    "C m independent gradients of clients drawn with the weights of the objective, which have the mean $grad "
    "F$",
    (*_CURVED, "one-local-step", "bounded-noise", "weighted-dissimilarity", "sampling-with-replacement"),
    _sampled_distance,
    kinds=(STEP,),
)
SAMPLED_STEP_APPROACH = Lemma(
    "strong convexity at the model",
    "<w - x*, grad F(w)> >= F(w) - F* + (mu/2) ||w - x*||^2",
    "the definition at w towards $x*$",
    (*_CURVED, "one-local-step"),
    _sampled_approach,
    kinds=(STEP,),
)
