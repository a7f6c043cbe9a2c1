r"""MIFA on smooth non-convex losses: stochastic gradients, several local steps, bounded unavailability.

All noise is averaged over the $m$ clients. Unavailability costs a factor $1 + staleness$ in the noise, as
an update is used until the next one, and a condition on the step size; it does not make the dissimilarity
enter, which causes the client drift of FedAvg only.
"""

from boundkit.algebra.authoring import *

_round = eta_s * eta * tau
_SQUARES = staleness * (2 * staleness + 1)

THEOREM = upper(
    "mifa_nonconvex_local_steps",
    title="MIFA, non-convex, noise and local steps",
    algorithm="mifa",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, BOUNDED_DISSIMILARITY, EQUAL_WEIGHTS, BOUNDED_ABSENCE, COMMON_STEPS),
    steps=(
        at_most(eta, 1 / (8 * L * tau)),
        at_most(eta_s * eta, 1 / (4 * L * tau)),
        at_most((_round * L) ** 2 * staleness * (staleness + 1), Rational(1, 8)),
    ),
    terms=(
        derived("initial gap", 2 * gap / (_round * T), "399/200, the weight of the descent, rounded up"),
        derived(
            "stochastic noise",
            Rational(57, 50) * eta_s * eta * L * sigma**2 / m * (1 + staleness + _round * L * _SQUARES),
            "(8/7)/2 times 399/200: each noise is used until the next update of its client; and less for "
            "stored noise and the models that it moved",
        ),
        derived(
            "noise drift",
            Rational(6, 5) * eta**2 * L**2 * sigma**2 * (tau - 1),
            "(83/150)(19/9)(257/500) times 399/200, rounded up",
        ),
        derived(
            "client drift",
            Rational(3, 4) * eta**2 * L**2 * sigma_g**2 * tau * (tau - 1),
            "(301/1000)(9/8)(19/9)(257/500) times 399/200, rounded up",
        ),
    ),
    becomes=(
        to(
            "mifa_nonconvex",
            {tau: 1, sigma: 0, eta_s: 1},
            because="no noise and no drift; its steps are longer by a factor of about 3",
        ),
        to(
            "fedavg_nonconvex_partial_sharp",
            {staleness: 0, C: 1},
            factors={
                "initial gap": Rational(20, 13),
                "stochastic noise": Rational(38, 25),
                "noise drift": Rational(24, 17),
                "client drift": Rational(5, 3),
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
