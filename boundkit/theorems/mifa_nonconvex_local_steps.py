r"""MIFA on smooth non-convex losses: stochastic gradients, several local steps, bounded unavailability.

All noise is averaged over the $m$ clients. An update is used in up to $1 + staleness$ rounds, a factor that
the noise has, and the condition on the step size. Unavailability does not make the dissimilarity enter, which
causes the client drift of FedAvg only.
"""

from boundkit.algebra.authoring import *

_round = eta_s * eta * tau

THEOREM = upper(
    "mifa_nonconvex_local_steps",
    title="MIFA, non-convex, noise and local steps",
    algorithm="mifa",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, BOUNDED_DISSIMILARITY, EQUAL_WEIGHTS, BOUNDED_ABSENCE, COMMON_STEPS),
    steps=(
        at_most(eta, 1 / (8 * L * tau)),
        at_most(eta_s * eta, 1 / (4 * L * tau * (1 + staleness))),
    ),
    terms=(
        derived("initial gap", Rational(37, 20) * gap / (_round * T), "the weight of the descent"),
        derived(
            "stochastic noise",
            Rational(9, 5) * eta_s * eta * L * sigma**2 / m * (Rational(3, 5) + staleness),
            "27/25 of new noise in each round that uses it, 1 + staleness of them, and noise in models that "
            "later rounds find, which staleness alone has",
        ),
        derived(
            "noise drift",
            Rational(7, 8) * eta**2 * L**2 * sigma**2 * (tau - 1),
            "of the local steps, with the weight of a client's error",
        ),
        derived(
            "client drift",
            Rational(49, 100) * eta**2 * L**2 * sigma_g**2 * tau * (tau - 1),
            "of the local steps, with the weight of a client's error",
        ),
    ),
    becomes=(
        to(
            "mifa_nonconvex",
            {tau: 1, sigma: 0, eta_s: 1},
            factors={"initial gap": Rational(37, 40)},
            because="no noise and no drift; its steps are longer by a factor of 4",
        ),
        to(
            "fedavg_nonconvex_partial_sharp",
            {staleness: 0, C: 1},
            factors={
                "initial gap": Rational(37, 26),
                "stochastic noise": Rational(36, 25),
                "noise drift": Rational(35, 34),
                "client drift": Rational(49, 45),
            },
            because="with full participation MIFA is FedAvg; the steps here are longer",
        ),
    ),
    remarks=(
        "The server has an update of every client before its first step; a memory that starts empty is not "
        "covered, nor availability that depends on the noise.",
        "No Lipschitz Hessian is needed for the average over m.",
    ),
    source=GU_2021.at(
        "Algorithm 1",
        note="The method is the paper's; this statement and its proof are ours.",
        letters={"N": m, "K": tau, "tau_max": staleness},
    ),
    prose=__doc__,
)
