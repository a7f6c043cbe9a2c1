"""A round as a proof reads it: its vectors and scalars, its step, and the assumptions that allow it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr, Integer, S

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import (
    G,
    Gamma,
    T,
    beta_s,
    clip_excess,
    control_error,
    control_error_star,
    correction_error,
    distance,
    eta,
    eta_s,
    fresh,
    gap,
    gradients_start,
    groups,
    kappa,
    m,
    omega_i,
    privacy_noise,
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
from boundkit.proofs.linear_form import (
    Vector,
    client_vector,
    common_vector,
    scalar,
)

# Vectors and scalars of a round

g = client_vector("g", "g", "gradient at the server's model x; g is that of the mean loss")
e = client_vector("e", "e", "gradient at x less the mean of the client's direction d_i given x")
y = client_vector("y", "y", "stored update or control of the client, at the start of the round")
o = client_vector("o", "o", "gradient of the client at the optimum")
P = common_vector("P", r"\nabla F", "gradient of the objective, where g is that of a surrogate")
old_directions = common_vector("G", "G", "average of earlier directions, along which clients step too")
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
    clip_excess, privacy_noise,
)  # fmt: skip
"""The constants of assumptions and start that terms of a bound are proportional to."""


ROUND, LIMIT, CLIPPED, CYCLE, STEP = "round", "limit", "clipped step", "cycle of groups", "local step"
ROBUST, COMPRESSED, LINEARISED = "robust round", "compressed round", "round with the mean gradient"
EXCHANGE, SOLVER, MOMENTUM = "step with exchanges", "solve by one client", "round with server momentum"
NETWORK, QUANTISED = "round on a network", "round with updates compressed at random"
STORED, PRIVATE = "round with stored noise", "round with clipped updates and noise"
ABSENT, LOCAL_MOMENTUM = "round with models of absent clients", "round with momentum in the local steps"
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
    "fedcm": LOCAL_MOMENTUM,
    "gossip_sgd": NETWORK,
    "fedpaq": QUANTISED,
    "dp_fedavg": PRIVATE,
    "fedawe": ABSENT,
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
    PRIVATE: (frozenset({
        "smooth", "bounded-below", "no-noise", "bounded-dissimilarity", "clipped-updates",
        "gaussian-mechanism", "equal-weights", "full-participation", "common-local-steps",
    }), frozenset()),
    QUANTISED: (frozenset({
        "smooth", "bounded-below", "bounded-noise", "bounded-dissimilarity", "unbiased-compression",
        "equal-weights", "partial-participation", "common-local-steps",
    }), frozenset()),
    STORED: (frozenset({
        "smooth", "bounded-below", "bounded-noise", "bounded-dissimilarity", "equal-weights",
        "common-local-steps",
    }), frozenset({"bounded-absence", "changing-availability", "initial-updates"})),
    ABSENT: (frozenset({
        "smooth", "bounded-below", "bounded-noise", "beta-kappa-dissimilarity", "equal-weights",
        "changing-availability", "common-local-steps",
    }), frozenset({"server-step-at-least-one"})),
    MOMENTUM: (frozenset({"smooth", "bounded-noise", "equal-weights", "common-local-steps"}), frozenset({
        "bounded-below", "convex", "bounded-dissimilarity", "full-participation", "partial-participation",
    })),
    LOCAL_MOMENTUM: (frozenset({
        "smooth", "bounded-below", "bounded-noise", "equal-weights", "full-participation",
        "common-local-steps",
    }), frozenset()),
}  # fmt: skip
"""The assumptions that a theorem must have, and may have beside them, by what its proof is about."""


def kind_of(theorem: Theorem) -> str:
    """Return what the steps of a proof of a theorem are about."""
    if theorem.claim.name == "squared gradient in the limit":
        return LIMIT
    if theorem.algorithm in _OF_ALGORITHM:
        return _OF_ALGORITHM[theorem.algorithm]
    if theorem.algorithm == "mifa" and theorem.assumes("bounded-noise"):
        return STORED
    if theorem.assumes("decaying-step") or theorem.assumes("biased-selection"):
        return STEP
    return CYCLE if theorem.assumes("cyclic-participation") else ROUND


@dataclass(frozen=True)
class AlgorithmRound:
    """One round of the algorithm of a theorem: x+ = x - s v, ``length`` s.

    With an adaptive server step, x+ = x - eta_s s v with another eta_s in every round.

    ``sampled``: given the state, the means of the vectors that v averages over the participants.
    ``first_step``: the mean of a client's first step, over its step size, and ``share`` the weight of the
    client's gradient in it. ``count``: how many of what the steps of a proof are about there are in a run of
    T rounds.
    """

    theorem: Theorem
    length: Expr
    sampled: Vector = a
    first_step: Vector = g
    count: Expr = T
    share: Expr = S.One

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
CORRECTED = ("scaffold", "vrlsgd")
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
    if kind == STORED and theorem.assumes("bounded-absence") == theorem.assumes("changing-availability"):
        raise BoundkitError(f"{theorem.name}: the availability of the clients must be assumed in one way.")
    if kind == LOCAL_MOMENTUM:
        step = fresh * g + (1 - fresh) * old_directions
        return AlgorithmRound(theorem, _length_of(theorem), first_step=step, share=fresh)
    if kind in (ROBUST, LINEARISED, MOMENTUM, NETWORK, QUANTISED, STORED, PRIVATE, ABSENT):
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
    first_step = g - y + y.mean if theorem.algorithm in CORRECTED else g
    return AlgorithmRound(theorem, length, _SAMPLED[theorem.algorithm], first_step)
