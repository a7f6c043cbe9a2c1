"""Local SGD on homogeneous clients: smooth non-convex losses, tau steps between two aggregations.

Three terms. Initial gap and averaged noise are those of minibatch SGD with $tau T$ rounds: homogeneous
clients that average rarely achieve $tau T$ steps with $T$ exchanges. The price is noise drift: between two
aggregations the local models deviate by their noise, and smoothness turns that distance into gradient error.
It is of second order in $eta$, so small for small step sizes. The bound is about the average of the clients'
models at every local step, whether or not it is computed (the virtual average).
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "local_sgd_nonconvex",
    title="Local SGD, homogeneous clients",
    algorithm="local_sgd",
    bounds=VIRTUAL_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, HOMOGENEOUS_CLIENTS, FULL_PARTICIPATION, COMMON_STEPS, SERVER_STEP_ONE),
    steps=(at_most(eta, 1 / (L * tau)),),
    terms=(
        derived(
            "initial gap",
            2 * gap / (eta * tau * T),
            "eta/2 of the squared gradient a local step is covered by the decrease of the loss, in tau T of "
            "them",
        ),
        derived(
            "stochastic noise",
            eta * L * sigma**2 / m,
            "eta^2 L sigma^2/(2m) a local step, independent across clients, times 2/eta",
        ),
        derived(
            "noise drift",
            eta**2 * L**2 * (tau - 1) * sigma**2,
            "Young's 2 and the mean length of the local drift, (tau - 1)/2 steps, cancel; L^2/2 times 2",
        ),
    ),
    becomes=(
        to(
            "sgd_nonconvex",
            {tau: 1},
            because="at tau = 1 the virtual average is the server's model, and no client drifts",
        ),
        to(
            "sgd_nonconvex",
            {sigma: 0},
            factors={"initial gap": 1 / tau},
            because="without noise homogeneous clients agree, and tau local steps are tau rounds",
        ),
        not_to(
            "sgd_nonconvex",
            {m: 1},
            factors={"initial gap": 1 / tau},
            because="a single client has no drift, but the bound keeps the noise drift",
        ),
    ),
    limits=(
        keeps(
            {m: 1},
            "noise drift",
            because="(ii) measures the local drift from the last aggregation, not from the mean of the local "
            "models",
        ),
    ),
    remarks=(
        "The mean runs over local steps, at the virtual average; every tau-th of them is the server's model.",
        "Measuring the noise from the mean of the clients multiplies the noise drift by 1 - 1/m.",
        "On quadratics the virtual average moves as minibatch SGD does, so they cannot show the noise drift.",
        "The sources require eta L + eta^2 L^2 tau (tau - 1) <= 1. As 1 + 4 tau (tau - 1) is the square of 2 "
        "tau - 1, that is eta L tau <= 1.",
        "FedAvg's theorem for heterogeneous clients has the same terms at sigma_g = 0, at the server's "
        "models, with 2, 4 and 6 times these constants.",
    ),
    source=WANG_2018_COOPERATIVE.at(
        "Corollary on periodic averaging SGD",
        note="Recalled; the constants 2, 1, 1 and the condition stand on the proof here.",
        letters={"K": T * tau, "F(x_1) - F_inf": gap},
    ),
    prose=__doc__,
)
