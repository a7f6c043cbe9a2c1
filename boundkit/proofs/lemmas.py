"""The closed library of lemmas: the inequalities that proofs are made of.

A lemma is a value: its statement, the assumptions it needs, and a conclusion for given arguments, which is a
linear form that is nonnegative (or 0) and the scalar hypotheses under which it is. A proof names lemmas and
gives arguments; only this library makes conclusions. The library and the scalar prover are what a checked
proof is trusted on, with the reading of an algorithm's round in ``round_of``.

Vectors of a round from x to x+ = x - s v: g_i = grad F_i(x), g its mean, which is grad F(x); d_i is the mean
stochastic gradient of client i's local steps, a_i its mean given x, e_i = g_i - a_i; X = x - x*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sympy import sympify

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import (
    C,
    L,
    T,
    beta,
    distance,
    eta,
    gap,
    kappa,
    m,
    mu,
    mu_pl,
    sigma,
    sigma_g,
    tau,
)
from boundkit.proofs import local_steps
from boundkit.proofs.domain import Inequality
from boundkit.proofs.linear_form import (
    Atom,
    LinearForm,
    Vector,
    data,
    inner,
    square,
)
from boundkit.proofs.rounds import (
    _SQUARES,
    ABSENT,
    CLIPPED,
    COMPRESSED,
    CYCLE,
    LIMIT,
    LINEARISED,
    LOCAL_MOMENTUM,
    MOMENTUM,
    NETWORK,
    PRIVATE,
    QUANTISED,
    ROBUST,
    ROUND,
    STEP,
    STORED,
    AlgorithmRound,
    X,
    a,
    client_variance,
    decrease,
    direction,
    displacement,
    e,
    g,
    kind_of,
    loss_gap,
    next_loss_gap,
    next_square_distance,
    o,
    square_distance,
)


@dataclass(frozen=True)
class Conclusion:
    """What a lemma gives: ``form >= 0``, or = 0 where ``equality``, if the hypotheses hold."""

    form: LinearForm
    hypotheses: tuple[Inequality, ...] = ()
    equality: bool = False


@dataclass(frozen=True)
class Lemma:
    """A lemma of the library.

    ``proof``: its reason, with formulas between dollars. ``kinds``: what it is about; it is true of anything
    where empty. ``needs``: names of assumptions, each of which the
    theorem must have; of a tuple it must have one. ``over_rounds``: whether it is about means over the rounds
    t < T, not about every round. ``weighted``: whether with the server steps of the rounds as weights.
    ``algorithms``: those whose rounds it is about; those of the library where empty.
    """

    name: str
    statement: str
    proof: str
    needs: tuple[str | tuple[str, ...], ...]
    conclude: Callable[..., Conclusion]
    over_rounds: bool = False
    weighted: bool = False
    algorithms: tuple[str, ...] = ()
    kinds: tuple[str, ...] = (ROUND,)

    def missing(self, theorem: Theorem) -> list[str]:
        """Return the assumptions that the lemma needs and the theorem does not have."""
        result = []
        for need in self.needs:
            names = (need,) if isinstance(need, str) else need
            if not any(theorem.assumes(name) for name in names):
                result.append(" or ".join(names))
        if self.algorithms and theorem.algorithm not in self.algorithms:
            result.append(f"that the algorithm is {' or '.join(self.algorithms)}")
        if self.kinds and kind_of(theorem) not in self.kinds:
            result.append(f"that the steps of its proof are about a {' or '.join(self.kinds)}")
        return result


def _form(*parts: tuple[Any, Atom]) -> LinearForm:
    total = LinearForm()
    for factor, atom in parts:
        total = total + factor * LinearForm({atom: 1})
    return total


def _positive(value: Any, name: str) -> Inequality:
    return Inequality(sympify(value), f"{name} = {value} > 0", strict=True)


# Squares


def _square(_: AlgorithmRound, of: Vector) -> Conclusion:
    return Conclusion(square(of))


def _young(_: AlgorithmRound, u: Vector, v: Vector, w: Any) -> Conclusion:
    w = sympify(w)
    return Conclusion(w * square(u) + 1 / (4 * w) * square(v) - inner(u, v), (_positive(w, "w"),))


def _sum_of_two(_: AlgorithmRound, u: Vector, v: Vector, y: Any) -> Conclusion:
    y = sympify(y)
    form = (1 + y) * square(u) + (1 + 1 / y) * square(v) - square(u + v)
    return Conclusion(form, (_positive(y, "y"),))


def _jensen(_: AlgorithmRound, of: Vector) -> Conclusion:
    return Conclusion(square(of) - square(of.mean))


def _nonnegative(_: AlgorithmRound, of: Atom) -> Conclusion:
    if of not in _SQUARES:
        names = ", ".join(map(str, _SQUARES))
        raise BoundkitError(f"{of} is not among the expectations of squares of the library: {names}.")
    return Conclusion(_form((1, of)))


# A round of the server


def _descent(this: AlgorithmRound) -> Conclusion:
    s = this.length
    return Conclusion(
        _form((1, decrease), (L * s**2 / 2, direction)) - s * inner(g.mean, a.mean),
        (Inequality(s, "s > 0", strict=True),),
    )


def _distance(this: AlgorithmRound) -> Conclusion:
    s = this.length
    form = _form((1, square_distance), (s**2, direction), (-1, next_square_distance))
    return Conclusion(form - 2 * s * inner(a.mean, X), equality=True)


def _participation(this: AlgorithmRound) -> Conclusion:
    if this.assumes("full-participation"):
        return Conclusion(square(a.mean) + _form((1 / m, client_variance), (-1, direction)), equality=True)
    share, sampled = (1 - C) / (C * (m - 1)), this.sampled
    form = square(a.mean) + share * square(sampled - sampled.mean)
    return Conclusion(
        form + _form((1 / (C * m), client_variance), (-1, direction)),
        (
            Inequality(C * m - 1, "C m >= 1"),
            Inequality(m - 2, "m >= 2"),
            Inequality(1 - C, "C <= 1"),
        ),
        equality=True,
    )


def _participation_bound(this: AlgorithmRound, share: Any = 2 * (1 - C) / (C * m)) -> Conclusion:
    share, sampled = sympify(share), this.sampled
    form = square(a.mean) + share * square(sampled - sampled.mean)
    hypotheses = [Inequality(C * m - 1, "C m >= 1"), Inequality(1 - C, "C <= 1")]
    if share != 2 * (1 - C) / (C * m):
        hypotheses.append(Inequality(share * C * (m - 1) - (1 - C), f"q = {share} >= (1 - C)/(C (m - 1))"))
    return Conclusion(form + _form((1 / (C * m), client_variance), (-1, direction)), tuple(hypotheses))


# Losses


def _three_points(this: AlgorithmRound) -> Conclusion:
    curved = this.assumes("strongly-convex")
    form = inner(a.mean, X) - _form((1, loss_gap))
    if curved:
        form = form + _form((-mu / 4, square_distance), ((L + mu) / 2, displacement))
        return Conclusion(form, (Inequality(L - mu, "mu <= L"),))
    return Conclusion(form + _form((L / 2, displacement)))


def _cocoercive_three_points(
    this: AlgorithmRound, part: Any, v: Any = "1/2", of: Vector = a.mean
) -> Conclusion:
    if of.parts not in (a.mean.parts, (a - o).parts):
        raise BoundkitError(f"convexity bounds <a, x - x*> by the squares of a and a - o, not of {of}.")
    part, v = sympify(part), sympify(v)
    form = inner(a.mean, X) - _form((1, loss_gap)) - part / (2 * L) * square(of)
    hypotheses = [Inequality(part, f"{part} >= 0"), Inequality(1 - part, f"{part} <= 1")]
    if not this.assumes("strongly-convex"):
        return Conclusion(form + _form((L / 2, displacement)), tuple(hypotheses))
    curved = (1 - part) * mu / 2
    form = form + _form(((v - 1) * curved, square_distance), (L / 2 + (1 / v - 1) * curved, displacement))
    return Conclusion(form, (*hypotheses, _positive(v, "v"), Inequality(1 - v, f"v = {v} <= 1")))


def _gradient_and_loss(_: AlgorithmRound) -> Conclusion:
    return Conclusion(_form((2 * L, loss_gap)) - square(g.mean))


def _strong_convexity(_: AlgorithmRound) -> Conclusion:
    return Conclusion(_form((1, loss_gap), (-mu / 2, square_distance)))


def _polyak_lojasiewicz(_: AlgorithmRound) -> Conclusion:
    return Conclusion(square(g.mean) - _form((2 * mu_pl, loss_gap)))


def _dissimilarity(_: AlgorithmRound) -> Conclusion:
    return Conclusion(_form((1, data(sigma_g**2))) - square(g - g.mean))


def _beta_kappa(_: AlgorithmRound) -> Conclusion:
    return Conclusion(beta**2 * square(g.mean) + _form((1, data(kappa**2))) - square(g))


def _gradient_dominance(_: AlgorithmRound) -> Conclusion:
    return Conclusion(square(g.mean) - _form((2 * mu, loss_gap)))


def _loss_after(_: AlgorithmRound) -> Conclusion:
    return Conclusion(_form((1, loss_gap), (-1, next_loss_gap), (-1, decrease)), equality=True)


# Sums over rounds


def _telescoping_loss(_: AlgorithmRound) -> Conclusion:
    return Conclusion(_form((1 / T, data(gap)), (-1, decrease)))


def _telescoping_distance(_: AlgorithmRound) -> Conclusion:
    form = _form((1 / T, data(distance**2)), (-1, square_distance), (1, next_square_distance))
    return Conclusion(form)


# Local steps


def _no_error(_: AlgorithmRound, against: Vector) -> Conclusion:
    return Conclusion(inner(against, e), equality=True)


def _noise(_: AlgorithmRound) -> Conclusion:
    return Conclusion(_form((1, data(sigma**2)), (-1, client_variance)))


def _local_variance(_: AlgorithmRound, h: Any, convex: bool = False) -> Conclusion:
    growth, hypotheses = local_steps.variance(h, convex)
    return Conclusion(_form((growth / tau, data(sigma**2)), (-1, client_variance)), hypotheses)


def _local_bias(
    this: AlgorithmRound, h: Any, y: Any, p: Any, q: Any, convex: bool = False, **more: Any
) -> Conclusion:
    hypotheses = local_steps.bias(h, y, p, q, convex, **more)
    b = eta * L * (tau - 1)
    gradients = square(this.first_step)
    noise = _form((sympify(q) * this.share**2 / tau, data(sigma**2)))
    return Conclusion(b**2 * (sympify(p) * gradients + noise) - square(e), hypotheses)


def _local_displacement(
    this: AlgorithmRound, h: Any, y: Any, p: Any, q: Any, convex: bool = False, **more: Any
) -> Conclusion:
    hypotheses = local_steps.displacement(h, y, p, q, convex, **more)
    bound = sympify(p) * tau * square(this.first_step) + _form((sympify(q), data(sigma**2)))
    return Conclusion(eta**2 * (tau - 1) * bound - _form((1, displacement)), hypotheses)


def _convex_only(conclude: Callable[..., Conclusion]) -> Callable[..., Conclusion]:
    """Return the conclusion for convex losses."""

    def convex(this: AlgorithmRound, **arguments: Any) -> Conclusion:
        return conclude(this, convex=True, **arguments)

    return convex


_STEPS = ("smooth", "bounded-noise", "common-local-steps")
_CONVEX: tuple[str, ...] = ("convex", "strongly-convex")
_STEP_COUNT = ("common-local-steps", "one-local-step")
_UNIFORM = ("equal-weights", _STEP_COUNT, ("full-participation", "partial-participation"))
_MEAN = (
    ("equal-weights", "unbiased-sampling"),
    _STEP_COUNT,
    ("full-participation", "partial-participation", "unbiased-sampling"),
)
"""With them E[v | x] = a, the mean of the clients' directions with the weights of the objective."""
_MEAN_OR_AVAILABLE = (
    (*_MEAN[0], "bernoulli-availability"),
    _STEP_COUNT,
    (*_MEAN[2], "bernoulli-availability", "known-availability"),
)
"""The same, with the weights of the surrogate where clients are available at random."""

SQUARE = Lemma("square", "E mean_i ||u_i||^2 >= 0", "a mean of squares", (), _square, kinds=())
YOUNG = Lemma(
    "Young", "<u, v> <= w ||u||^2 + ||v||^2/(4 w), w > 0", "$w ||u - v/(2 w)||^2 >= 0$", (), _young, kinds=()
)
SUM_OF_TWO = Lemma(
    "square of a sum",
    "||u + v||^2 <= (1 + y) ||u||^2 + (1 + 1/y) ||v||^2, y > 0",
    "$y ||u - v/y||^2 >= 0$",
    (),
    _sum_of_two,
    kinds=(),
)
NONNEGATIVE = Lemma(
    "nonnegative", "E||v||^2 >= 0, and so are variances", "expectations of squares", (), _nonnegative
)
JENSEN = Lemma(
    "Jensen", "||mean_i u_i||^2 <= mean_i ||u_i||^2", "$mean_i ||u_i - u||^2 >= 0$", (), _jensen, kinds=()
)
DESCENT = Lemma(
    "descent",
    "E F(x+) <= E F(x) - s <grad F(x), a> + (L s^2/2) E||v||^2",
    "the mean loss or surrogate has an $L$-Lipschitz gradient, and $a = g - e$ is the mean of $v$ given $x$",
    ("smooth", "bounded-noise", *_MEAN_OR_AVAILABLE),
    _descent,
    kinds=(ROUND, QUANTISED),
)
DISTANCE = Lemma(
    "squared distance",
    "E||x+ - x*||^2 = E||x - x*||^2 - 2 s <a, x - x*> + s^2 E||v||^2",
    "$x+ = x - s v$, and $a = g - e$ is the mean of $v$ given $x$",
    (_CONVEX, "bounded-noise", *_MEAN),
    _distance,
)
PARTICIPATION = Lemma(
    "client participation",
    "E||v||^2 = ||a||^2 + (1 - C)/(C (m - 1)) mean_i ||b_i - b||^2 + mean_i Var d_i/(C m), b_i = a_i, with "
    "stored updates b_i = a_i - y_i; ||a||^2 + mean_i Var d_i/m with all clients",
    "$C m$ of $m$ clients uniformly without replacement, independent of the $d_i$, which are independent "
    "given $x$",
    ("bounded-noise", *_UNIFORM),
    _participation,
    kinds=(ROUND, MOMENTUM, LOCAL_MOMENTUM),
)
PARTICIPATION_BOUND = Lemma(
    "client participation, one client or more",
    "E||v||^2 <= ||a||^2 + q mean_i ||b_i - b||^2 + mean_i Var d_i/(C m), q = 2 (1 - C)/(C m), or any q with "
    "q C (m - 1) >= 1 - C",
    "client participation, with 1/(m - 1) <= 2/m for m >= 2; a single client always participates",
    ("bounded-noise", *_UNIFORM, "partial-participation"),
    _participation_bound,
)
THREE_POINTS = Lemma(
    "three points",
    "<a, x - x*> >= F(x) - F* - (L/2) mean ||x - y_{i,k}||^2; for strongly convex losses with "
    "+ (mu/4) ||x - x*||^2 and (L + mu)/2 in place of L/2",
    "convexity at $y_{i,k}$ towards $x*$, smoothness from $y_{i,k}$ to $x$; "
    "$||y - x*||^2 >= ||x - x*||^2/2 - ||x - y||^2$",
    ("smooth", _CONVEX, ("bounded-noise", "no-noise"), *_MEAN),
    _three_points,
    kinds=(ROUND, MOMENTUM),
)
COCOERCIVE_THREE_POINTS = Lemma(
    "three points, cocoercive",
    "<a, x - x*> >= F(x) - F* - (L/2) mean ||x - y_{i,k}||^2 + (p/(2 L)) ||a||^2 for 0 <= p <= 1, or with "
    "mean_i ||a_i - o_i||^2 for ||a||^2; for strongly convex losses with + ((1 - p) mu/2) ((1 - v) "
    "||x - x*||^2 - (1/v - 1) mean ||x - y_{i,k}||^2), 0 < v <= 1",
    "at $x*$ a convex $F_i$ is above its tangent of $y_{i,k}$ by $||grad F_i(y_{i,k}) - grad "
    "F_i(x*)||^2/(2 L)$, and the mean of $grad F_i(x*)$ is 0; $p$ of that and $1 - p$ of strong convexity; "
    "$||y - x*||^2 >= (1 - v) ||x - x*||^2 - (1/v - 1) ||x - y||^2$",
    ("smooth", _CONVEX, ("bounded-noise", "no-noise"), *_MEAN),
    _cocoercive_three_points,
    kinds=(ROUND, MOMENTUM),
)
GRADIENT_AND_LOSS = Lemma(
    "gradient and loss",
    "||grad F(x)||^2 <= 2 L (F(x) - F*)",
    "a gradient step of $1/L$ decreases $F$ by at least $||grad F||^2/(2 L)$",
    ("smooth",),
    _gradient_and_loss,
    kinds=(ROUND, CYCLE, STEP, MOMENTUM),
)
STRONG_CONVEXITY = Lemma(
    "strong convexity",
    "F(x) - F* >= (mu/2) ||x - x*||^2",
    "the definition at $x*$, where $grad F$ vanishes",
    ("strongly-convex",),
    _strong_convexity,
    kinds=(ROUND, STEP),
)
POLYAK_LOJASIEWICZ = Lemma(
    "Polyak-Lojasiewicz",
    "||grad F(x)||^2 >= 2 mu_pl (F(x) - F*)",
    "the assumption",
    ("polyak-lojasiewicz",),
    _polyak_lojasiewicz,
    kinds=(ROUND, CYCLE, LINEARISED),
)
DISSIMILARITY = Lemma(
    "dissimilarity",
    "mean_i ||g_i - g||^2 <= sigma_g^2",
    "the assumption, at the server's model",
    (("bounded-dissimilarity", "clientwise-dissimilarity"), "equal-weights"),
    _dissimilarity,
    kinds=(ROUND, ROBUST, MOMENTUM, QUANTISED, STORED, PRIVATE),
)
BETA_KAPPA = Lemma(
    "beta-kappa dissimilarity",
    "mean_i ||g_i||^2 <= beta^2 ||g||^2 + kappa^2",
    "the assumption, at the server's model, with the weights of the surrogate",
    ("beta-kappa-dissimilarity", ("equal-weights", "general-local-solver", "bernoulli-availability")),
    _beta_kappa,
    kinds=(ROUND, LIMIT, ABSENT),
)
GRADIENT_DOMINANCE = Lemma(
    "gradient dominance",
    "||grad F(x)||^2 >= 2 mu (F(x) - F*)",
    "a $mu$-strongly convex loss satisfies the Polyak-Lojasiewicz inequality with $mu$",
    ("strongly-convex",),
    _gradient_dominance,
)
LOSS_AFTER = Lemma(
    "loss after the round",
    "E[F(x+) - F*] = E[F(x) - F*] - E[F(x) - F(x+)]",
    "an identity",
    (),
    _loss_after,
    kinds=(ROUND, CYCLE, LINEARISED),
)
TELESCOPING_LOSS = Lemma(
    "telescoping",
    "(1/T) sum_{t<T} E[F(x_t) - F(x_{t+1})] <= gap/T",
    "$F(x_T) >= F_inf$",
    ("bounded-below",),
    _telescoping_loss,
    over_rounds=True,
    kinds=(ROUND, CLIPPED, ROBUST, COMPRESSED, LINEARISED, NETWORK, QUANTISED, STORED, PRIVATE, ABSENT),
)
TELESCOPING_DISTANCE = Lemma(
    "telescoping distance",
    "(1/T) sum_{t<T} E[||x_t - x*||^2 - ||x_{t+1} - x*||^2] <= ||x_0 - x*||^2/T",
    "$||x_T - x*||^2 >= 0$",
    (_CONVEX,),
    _telescoping_distance,
    over_rounds=True,
    kinds=(ROUND, MOMENTUM),
)
ONE_LOCAL_STEP = Lemma(
    "one local step",
    "mean_i <u_i, e_i> = 0 for every u_i",
    "the only gradient of a client is taken at $x$, so that $e_i = 0$",
    ("one-local-step", "bounded-noise"),
    _no_error,
)
NOISE = Lemma(
    "noise of one step",
    "Var d_i <= sigma^2",
    "the assumption, for one stochastic gradient",
    ("one-local-step", "bounded-noise"),
    _noise,
)
LOCAL_VARIANCE = Lemma(
    "variance of local steps",
    "Var d_i <= (1 + eta L (tau - 1)/(1 - h)) sigma^2/tau for eta L (tau - 1) <= h",
    "induction over the steps: one step is $(1 + eta L)$-Lipschitz and adds $eta^2 sigma^2$",
    _STEPS,
    _local_variance,
    kinds=(ROUND, MOMENTUM, LOCAL_MOMENTUM, QUANTISED),
)
LOCAL_BIAS = Lemma(
    "bias of local steps",
    "mean_i ||e_i||^2 <= eta^2 L^2 (tau - 1)^2 (p mean_i ||g_i||^2 + q sigma^2/tau) for "
    "eta L (tau - 1) <= h, with ``whole`` for eta L tau <= h; g_i - y_i + y for g_i where steps are "
    "corrected by y - y_i; f g_i + (1 - f) G for g_i, and f sigma for sigma, where they are along f grad F_i "
    "+ (1 - f) G; ``shared``: with a smaller q",
    "induction over the steps for mean and variance of the displacement; Cauchy-Schwarz with weights $k$; a "
    "fixed correction changes the first step only, and with $f$ the loss is $f F_i$ and a linear one, whose "
    "error is $f e_i$; with ``shared`` gradients whose variance makes that of the displacement grow have it "
    "less in the square of their mean",
    _STEPS,
    _local_bias,
    kinds=(ROUND, MOMENTUM, LOCAL_MOMENTUM, QUANTISED),
)
LOCAL_DISPLACEMENT = Lemma(
    "displacement of local steps",
    "mean ||x - y_{i,k}||^2 <= eta^2 (tau - 1) (p tau mean_i ||g_i||^2 + q sigma^2) for "
    "eta L (tau - 1) <= h, with ``whole`` for eta L tau <= h; g_i - y_i + y for g_i where steps are "
    "corrected by y - y_i",
    "the same induction, summed over $k$",
    _STEPS,
    _local_displacement,
)
CONVEX_LOCAL_VARIANCE = Lemma(
    "variance of convex local steps",
    "Var d_i <= sigma^2/tau for eta L <= 2",
    "one step is 1-Lipschitz for a convex loss, and adds $eta^2 sigma^2$",
    (*_STEPS, _CONVEX),
    _convex_only(_local_variance),
    kinds=(ROUND, MOMENTUM),
)
CONVEX_LOCAL_BIAS = Lemma(
    "bias of convex local steps",
    "as the bias of local steps, with other p and q",
    "the same induction with 1-Lipschitz steps",
    (*_STEPS, _CONVEX),
    _convex_only(_local_bias),
    kinds=(ROUND, MOMENTUM),
)
CONVEX_LOCAL_DISPLACEMENT = Lemma(
    "displacement of convex local steps",
    "as the displacement of local steps, with other p and q",
    "the same induction with 1-Lipschitz steps",
    (*_STEPS, _CONVEX),
    _convex_only(_local_displacement),
    kinds=(ROUND, MOMENTUM),
)
