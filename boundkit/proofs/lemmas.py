"""The closed library of lemmas: the inequalities that proofs are made of.

A lemma is a value: its statement, the assumptions it needs, and a conclusion for given arguments, which is a
linear form that is nonnegative (or 0) and the scalar hypotheses under which it is. A proof names lemmas and
gives arguments; only this library makes conclusions. The library and the scalar prover are what a checked
proof is trusted on, with the reading of an algorithm's round in ``round_of``.

Vectors of a round from x to x+ = x - s v: g_i = grad F_i(x), g its mean, which is grad F(x); d_i is the mean
stochastic gradient of client i's local steps, a_i its mean given x, e_i = g_i - a_i; X = x - x*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Integer, sympify

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import (
    C,
    G,
    Gamma,
    L,
    T,
    beta,
    beta_s,
    control_error,
    control_error_star,
    correction_error,
    distance,
    eta,
    eta_s,
    gap,
    gradients_start,
    groups,
    kappa,
    m,
    mu,
    mu_pl,
    omega_i,
    pull,
    q_i,
    sampling_error,
    sigma,
    sigma_between,
    sigma_c,
    sigma_g,
    sigma_mean,
    sigma_star,
    sigma_within,
    tau,
    tau_eff,
    update_error,
    w_i,
)
from boundkit.algebra.sums import ClientSum
from boundkit.proofs import local_steps
from boundkit.proofs.domain import Inequality
from boundkit.proofs.linear_form import (
    Atom,
    LinearForm,
    Vector,
    client_vector,
    common_vector,
    data,
    inner,
    scalar,
    square,
)

# Vectors and scalars of a round

g = client_vector("g", "g", "gradient at the server's model x; g is that of the mean loss")
e = client_vector("e", "e", "gradient at x less the mean of the client's direction d_i given x")
y = client_vector("y", "y", "stored update or control of the client, at the start of the round")
o = client_vector("o", "o", "gradient of the client at the optimum")
P = common_vector("P", r"\nabla F", "gradient of the objective, where g is that of a surrogate")
X = common_vector("X", "x-x^*", "distance of the server's model from the optimum")
a = g - e
"""Means of the clients' directions, given x."""

direction = scalar("E||v||^2", r"\mathbb{E}\|v\|^2", "squared direction of the server, x+ = x - s v")
client_variance = scalar(
    "mean Var d_i",
    r"{\textstyle\frac1m\sum_i}\,\mathrm{Var}\,d_i",
    "variance of a client's direction, given x",
)
decrease = scalar(
    "E[F(x) - F(x+)]", r"\mathbb{E}[F(x)-F(x^+)]", "decrease of the loss in the round", signed=True
)
loss_gap = scalar("E[F(x) - F*]", r"\mathbb{E}[F(x)-F^*]", "loss above its minimum")
next_loss_gap = scalar("E[F(x+) - F*]", r"\mathbb{E}[F(x^+)-F^*]", "loss above its minimum after the round")
square_distance = scalar("E||x - x*||^2", r"\mathbb{E}\|x-x^*\|^2", "squared distance from the optimum")
next_square_distance = scalar(
    "E||x+ - x*||^2", r"\mathbb{E}\|x^+-x^*\|^2", "squared distance from the optimum after the round"
)
displacement = scalar(
    "mean E||x - y_{i,k}||^2",
    r"{\textstyle\frac1m\sum_i\frac1\tau\sum_{k<\tau}}\,\mathbb{E}\|x-y_{i,k}\|^2",
    "squared distance of the local models from x, mean over clients and steps",
)
next_error_at_optimum = scalar(
    "mean E||y_i+ - o_i||^2",
    r"{\textstyle\frac1m\sum_i}\,\mathbb{E}\|y_i^+-o_i\|^2",
    "error of the stored updates as gradients at the optimum, after the round",
)
_SQUARES = (direction, client_variance, square_distance, next_square_distance, displacement)
CONSTANTS = (
    gap, distance, sigma, sigma_g, sigma_star, kappa, sigma_c, gradients_start, update_error, sampling_error,
    control_error, control_error_star, correction_error, sigma_between, sigma_within, sigma_mean, G, Gamma,
)  # fmt: skip
"""The constants of assumptions and start that terms of a bound are proportional to."""


ROUND, LIMIT, CLIPPED, CYCLE, STEP = "round", "limit", "clipped step", "cycle of groups", "local step"
ROBUST, COMPRESSED, LINEARISED = "robust round", "compressed round", "round with the mean gradient"
EXCHANGE, SOLVER, MOMENTUM = "step with exchanges", "solve by one client", "round with server momentum"
NETWORK = "round on a network"
"""What the steps of a proof are about: a round, the limit of a run, a step of clipped length, a cycle, or a
local step of all participants, which may be shorter than the one before; and rounds of other algorithms."""
_OF_ALGORITHM: Mapping[str, str] = {
    "clipped_minibatch_sgd": CLIPPED,
    "robust_fedavg": ROBUST,
    "ef21": COMPRESSED,
    "fedlin": LINEARISED,
    "scaffnew": EXCHANGE,
    "dane": SOLVER,
    "fedavgm": MOMENTUM,
    "gossip_sgd": NETWORK,
}
"""What proofs are about by the algorithm, where its rounds are not those of the library's other lemmas."""
_OF_KIND: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    LIMIT: (frozenset({"smooth", "strongly-convex", "bounded-noise", "bernoulli-availability"}), frozenset({
        "beta-kappa-dissimilarity", "weighted-objective", "equal-weights", "average-over-all",
        "average-over-present", "interval-weights", "common-local-steps",
    })),
    CLIPPED: (frozenset({
        "relaxed-smooth-mean", "no-noise", "equal-weights", "full-participation", "server-step-one",
    }), frozenset({"bounded-below"})),
    CYCLE: (frozenset({
        "smooth", "polyak-lojasiewicz", "group-dissimilarity", "equal-weights", "cyclic-participation",
        "server-step-one",
    }), frozenset({"bounded-noise", "no-noise", "one-local-step", "common-local-steps", "whole-groups"})),
    STEP: (frozenset({"smooth", "strongly-convex", "server-step-one"}), frozenset({
        "clientwise-noise", "bounded-noise", "bounded-gradients", "weighted-objective", "equal-weights",
        "full-participation", "partial-participation", "sampling-with-replacement", "common-local-steps",
        "one-local-step", "weighted-dissimilarity", "biased-selection", "deterministic-selection",
        "decaying-step",
    })),
    ROBUST: (frozenset({
        "smooth", "bounded-below", "bounded-dissimilarity", "robust-aggregation", "equal-weights",
        "full-participation",
    }), frozenset({"no-noise", "bounded-noise", "one-local-step", "common-local-steps", "server-step-one"})),
    COMPRESSED: (frozenset({
        "smooth", "bounded-below", "no-noise", "contractive-compression", "equal-weights",
        "full-participation", "one-local-step", "server-step-one",
    }), frozenset()),
    LINEARISED: (frozenset({
        "smooth", "convex", "no-noise", "full-participation", "common-local-steps",
        "server-step-at-least-one",
    }), frozenset({"weighted-objective", "equal-weights", "polyak-lojasiewicz", "bounded-below"})),
    EXCHANGE: (frozenset({
        "smooth", "strongly-convex", "bounded-noise", "equal-weights", "common-exchange",
    }), frozenset()),
    SOLVER: (frozenset({
        "smooth", "strongly-convex", "no-noise", "similar-solver", "full-participation", "server-step-one",
    }), frozenset({"weighted-objective", "equal-weights"})),
    NETWORK: (frozenset({
        "smooth", "bounded-below", "bounded-noise", "bounded-dissimilarity", "gossip", "equal-weights",
        "full-participation", "common-local-steps", "server-step-one",
    }), frozenset()),
    MOMENTUM: (frozenset({"smooth", "bounded-noise", "equal-weights", "common-local-steps"}), frozenset({
        "bounded-below", "convex", "bounded-dissimilarity", "full-participation", "partial-participation",
    })),
}  # fmt: skip
"""The assumptions that a theorem must have, and may have beside them, by what its proof is about."""


def kind_of(theorem: Theorem) -> str:
    """Return what the steps of a proof of a theorem are about."""
    if theorem.claim.name == "squared gradient in the limit":
        return LIMIT
    if theorem.algorithm in _OF_ALGORITHM:
        return _OF_ALGORITHM[theorem.algorithm]
    if theorem.assumes("decaying-step") or theorem.assumes("biased-selection"):
        return STEP
    return CYCLE if theorem.assumes("cyclic-participation") else ROUND


@dataclass(frozen=True)
class AlgorithmRound:
    """One round of the algorithm of a theorem: x+ = x - s v, ``length`` s.

    With an adaptive server step, x+ = x - eta_s s v with another eta_s in every round.

    ``sampled``: given the state, the means of the vectors that v averages over the participants.
    ``first_step``: the mean of a client's first step, over its step size. ``count``: how many of what the
    steps of a proof are about there are in a run of T rounds.
    """

    theorem: Theorem
    length: Expr
    sampled: Vector = a
    first_step: Vector = g
    count: Expr = T

    def assumes(self, *names: str) -> bool:
        """Whether the theorem has all these assumptions."""
        return self.theorem.assumes(*names)


_SAMPLED: Mapping[str, Vector] = {
    "fedavg": a,
    "fedau": a,
    "minibatch_sgd": a,
    "fedexp": a,
    "fedvarp": a - y,
    "clusterfedvarp": a - y,
    "scaffold": a - y,
    "vrlsgd": a - y,
    "fednova": a,
    "local_sgd": a,
    "async_sgd": a,
    "mifa": a,
    "clipped_minibatch_sgd": a,
}
_CORRECTED = ("scaffold", "vrlsgd")
ALGORITHMS = tuple(_SAMPLED)
"""Algorithms whose round is x+ = x - s v with E[v] = a given the state: v is the mean of the participants'
directions d_i; with stored updates y_i, of their d_i - y_i, plus the mean of all y_i. All clients of a
cluster have the same y_i; clusters have the same size. The controls of SCAFFOLD are stored updates, by which
a client's steps are corrected too: by y - y_i, fixed in a round. VRL-SGD is SCAFFOLD with all clients, with
the correction y_i - y. In a round of MIFA d_i is the update that is stored for the client at its end."""
READ = frozenset({
    "smooth", "convex", "strongly-convex", "polyak-lojasiewicz", "bounded-below", "bounded-noise",
    "bounded-dissimilarity", "clientwise-dissimilarity", "equal-weights", "common-local-steps",
    "full-participation", "partial-participation", "server-step-one", "one-local-step",
    "beta-kappa-dissimilarity", "cluster-dissimilarity", "no-noise", "optimum-dissimilarity",
    "adaptive-server-step", "weighted-objective", "weighted-dissimilarity", "unbiased-sampling",
    "sampling-error", "server-step-at-least-one", "general-local-solver", "plain-local-steps",
    "uniform-dissimilarity", "alike-clients", "bounded-staleness", "bernoulli-availability",
    "fixed-weights", "average-over-all", "known-availability", "surrogate-dissimilarity",
})  # fmt: skip
"""Assumptions that leave the round of such an algorithm as it is, with constant step sizes."""

_NEEDED: Mapping[str, tuple[str, ...]] = {
    "scaffold": ("controls-of-local-gradients",),
    "vrlsgd": ("full-participation",),
    "mifa": ("bounded-absence", "no-noise", "one-local-step"),
}
"""Assumptions without which the round of an algorithm is another one than here."""
_OF_ONE: Mapping[str, tuple[str, ...]] = {"async_sgd": ("one-client-drawn",)}
"""Further assumptions that the round of an algorithm may be read with."""


_PARTICIPATION = ("full-participation", "partial-participation", "unbiased-sampling")
_SERVER_WEIGHTS: Mapping[str, Expr] = {"fixed-weights": omega_i, "average-over-all": Integer(1)}
"""The weight by which the server multiplies what an available client sends, before it divides by m."""


def _check_availability(theorem: Theorem) -> bool:
    """Return whether a round is a step on the surrogate of clients that are available at random.

    The step is pull times that of all clients, pull = (1/m) sum_i omega_i q_i, and the surrogate weighs
    client i by omega_i q_i/(m pull). Raises BoundkitError where availability and weights do not fit.
    """
    names = ("bernoulli-availability", "known-availability", *_SERVER_WEIGHTS)
    given = [name for name in names if theorem.assumes(name)]
    if not given:
        return False
    participation = [name for name in _PARTICIPATION if theorem.assumes(name)]
    if given == ["known-availability"] and not participation:
        return False
    weights = [_SERVER_WEIGHTS[name] for name in given if name in _SERVER_WEIGHTS]
    if participation or len(weights) != 1 or given[0] != names[0] or len(given) != 2:
        raise BoundkitError(
            f"{theorem.name}: the lemmas on availability are about clients available at random whose updates "
            f"the server weighs in one way, not about {', '.join((*given, *participation))}."
        )
    share, made = weights[0] * q_i, theorem.definitions
    if made.get(pull) != ClientSum(share) / m or made.get(w_i, w_i) not in (w_i, share / ClientSum(share)):
        raise BoundkitError(f"{theorem.name}: pull and w_i are not those of the server's step.")
    return True


def _other_round_of(theorem: Theorem) -> AlgorithmRound:
    """Return what the steps of a proof are about where it is no round."""
    kind = kind_of(theorem)
    needed, more = _OF_KIND[kind]
    names = {each.name for each in theorem.assumptions}
    if not needed <= names <= needed | more:
        odd = sorted(needed - names or names - needed - more)[0]
        verb = "does not assume" if odd in needed else "assumes"
        raise BoundkitError(f"{theorem.name} {verb} {odd}; no lemma is about a {kind} in that case.")
    if kind in (LIMIT, CLIPPED, COMPRESSED, EXCHANGE):
        return AlgorithmRound(theorem, eta)
    if kind == SOLVER:
        return AlgorithmRound(theorem, Integer(1))
    if kind in (ROBUST, LINEARISED, MOMENTUM, NETWORK):
        return AlgorithmRound(theorem, _length_of(theorem))
    one, exact = "one-local-step" in names, "no-noise" in names
    if kind == STEP:
        chosen = names & {*_PARTICIPATION, "sampling-with-replacement", "biased-selection"}
        if len(chosen) != 1 or one == ("common-local-steps" in names):
            raise BoundkitError(
                f"{theorem.name}: clients participate, and count their local steps, in one way; it assumes "
                f"{', '.join(sorted(chosen)) or 'none'}."
            )
        return AlgorithmRound(theorem, eta, count=T if one else tau * T)
    if one == ("common-local-steps" in names) or exact == ("bounded-noise" in names):
        raise BoundkitError(f"{theorem.name}: local steps and noise of a cycle must be assumed in one way.")
    if not one and not (exact and "whole-groups" in names):
        raise BoundkitError(
            f"{theorem.name}: with local steps the lemmas on cycles are about full gradients of whole groups."
        )
    return AlgorithmRound(theorem, eta * groups * (1 if one else tau), count=T / groups)


def _length_of(theorem: Theorem) -> Expr:
    """Return the step of the server times that of the clients, times their number of steps."""
    one, exact = theorem.assumes("one-local-step"), theorem.assumes("no-noise")
    if one == theorem.assumes("common-local-steps") or exact == theorem.assumes("bounded-noise"):
        raise BoundkitError(f"{theorem.name}: local steps and noise must be assumed in one way.")
    if kind_of(theorem) == MOMENTUM:
        if theorem.assumes("full-participation") == theorem.assumes("partial-participation"):
            raise BoundkitError(f"{theorem.name}: clients must participate in one way.")
        return eta_s / (1 - beta_s) * eta * tau
    if kind_of(theorem) == ROBUST and not one and not exact:
        raise BoundkitError(f"{theorem.name}: with local steps the lemmas on robust servers need no noise.")
    server = 1 if theorem.assumes("server-step-one") else eta_s
    return server * eta * (1 if one else tau)


def round_of(theorem: Theorem) -> AlgorithmRound:
    """Return the round of a theorem's algorithm. Raises BoundkitError for one that no lemma is about."""
    if kind_of(theorem) != ROUND:
        return _other_round_of(theorem)
    if theorem.algorithm not in ALGORITHMS:
        raise BoundkitError(
            f"{theorem.name} is about {theorem.algorithm}; the lemmas are about {', '.join(ALGORITHMS)}."
        )
    needed = _NEEDED.get(theorem.algorithm, ())
    read = READ.union(needed, _OF_ONE.get(theorem.algorithm, ()))
    others = [each.name for each in theorem.assumptions if each.name not in read]
    if others:
        raise BoundkitError(
            f"{theorem.name} assumes {others[0]}; the lemmas are about rounds without that assumption."
        )
    adaptive = theorem.assumes("adaptive-server-step")
    noisy = theorem.assumes("bounded-noise") or not theorem.assumes("no-noise")
    if adaptive != (theorem.algorithm == "fedexp") or (adaptive and noisy):
        raise BoundkitError(
            f"{theorem.name}: the lemmas on an adaptive server step are about fedexp with full gradients."
        )
    missing = [name for name in needed if not theorem.assumes(name)]
    if missing:
        raise BoundkitError(
            f"{theorem.name} does not assume {missing[0]}, without which no lemma is about it."
        )
    general = theorem.assumes("general-local-solver")
    if general != (theorem.algorithm == "fednova") and not (general and theorem.algorithm == "fedavg"):
        raise BoundkitError(
            f"{theorem.name}: the lemmas on local solvers are about fednova, and fedavg with such solvers."
        )
    plain = theorem.assumes("common-local-steps") or theorem.assumes("one-local-step")
    if plain and (general or theorem.algorithm == "async_sgd"):
        raise BoundkitError(
            f"{theorem.name}: the lemmas on plain rounds are about another round than its own."
        )
    surrogate = _check_availability(theorem)
    if theorem.algorithm == "fedau" and not surrogate:
        raise BoundkitError(f"{theorem.name}: the lemmas on fedau are about fixed weights.")
    if general:
        return AlgorithmRound(theorem, eta * tau_eff, _SAMPLED[theorem.algorithm])
    if theorem.algorithm == "async_sgd":
        return AlgorithmRound(theorem, eta, _SAMPLED[theorem.algorithm])
    server = 1 if adaptive or theorem.assumes("server-step-one") else eta_s
    length = server * eta * (1 if theorem.assumes("one-local-step") else tau) * (pull if surrogate else 1)
    first_step = g - y + y.mean if theorem.algorithm in _CORRECTED else g
    return AlgorithmRound(theorem, length, _SAMPLED[theorem.algorithm], first_step)


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


def _participation_bound(this: AlgorithmRound) -> Conclusion:
    share, sampled = 2 * (1 - C) / (C * m), this.sampled
    form = square(a.mean) + share * square(sampled - sampled.mean)
    return Conclusion(
        form + _form((1 / (C * m), client_variance), (-1, direction)),
        (Inequality(C * m - 1, "C m >= 1"), Inequality(1 - C, "C <= 1")),
    )


# Losses


def _three_points(this: AlgorithmRound) -> Conclusion:
    curved = this.assumes("strongly-convex")
    form = inner(a.mean, X) - _form((1, loss_gap))
    if curved:
        form = form + _form((-mu / 4, square_distance), ((L + mu) / 2, displacement))
        return Conclusion(form, (Inequality(L - mu, "mu <= L"),))
    return Conclusion(form + _form((L / 2, displacement)))


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
    form = b**2 * (sympify(p) * gradients + _form((sympify(q) / tau, data(sigma**2)))) - square(e)
    return Conclusion(form, hypotheses)


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
    kinds=(ROUND, MOMENTUM),
)
PARTICIPATION_BOUND = Lemma(
    "client participation, one client or more",
    "E||v||^2 <= ||a||^2 + 2 (1 - C)/(C m) mean_i ||b_i - b||^2 + mean_i Var d_i/(C m)",
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
    kinds=(ROUND, ROBUST, MOMENTUM),
)
BETA_KAPPA = Lemma(
    "beta-kappa dissimilarity",
    "mean_i ||g_i||^2 <= beta^2 ||g||^2 + kappa^2",
    "the assumption, at the server's model, with the weights of the surrogate",
    ("beta-kappa-dissimilarity", ("equal-weights", "general-local-solver", "bernoulli-availability")),
    _beta_kappa,
    kinds=(ROUND, LIMIT),
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
    kinds=(ROUND, CLIPPED, ROBUST, COMPRESSED, LINEARISED, NETWORK),
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
    kinds=(ROUND, MOMENTUM),
)
LOCAL_BIAS = Lemma(
    "bias of local steps",
    "mean_i ||e_i||^2 <= eta^2 L^2 (tau - 1)^2 (p mean_i ||g_i||^2 + q sigma^2/tau) for "
    "eta L (tau - 1) <= h; g_i - y_i + y for g_i where steps are corrected by y - y_i",
    "induction over the steps for mean and variance of the displacement; Cauchy-Schwarz with weights $k$; a "
    "fixed correction changes the first step only",
    _STEPS,
    _local_bias,
    kinds=(ROUND, MOMENTUM),
)
LOCAL_DISPLACEMENT = Lemma(
    "displacement of local steps",
    "mean ||x - y_{i,k}||^2 <= eta^2 (tau - 1) (p tau mean_i ||g_i||^2 + q sigma^2) for "
    "eta L (tau - 1) <= h; g_i - y_i + y for g_i where steps are corrected by y - y_i",
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
