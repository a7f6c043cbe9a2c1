r"""VRL-SGD on smooth non-convex losses: the dissimilarity at the initial point only.

VRL-SGD corrects every local step by the difference of the client's last mean gradient and that of all
clients: it is SCAFFOLD (option II) with all clients and a server step of 1. The dissimilarity enters once,
through the first round, which has no corrections yet (start-up).
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "vrl_sgd_nonconvex",
    title="VRL-SGD, non-convex",
    algorithm="vrlsgd",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, EQUAL_WEIGHTS, FULL_PARTICIPATION, COMMON_STEPS, SERVER_STEP_ONE),
    steps=(at_most(eta, 1 / (5 * L * tau)),),
    terms=(
        derived("initial gap", Rational(7, 5) * gap / (eta * tau * T), "the weight of the descent"),
        derived(
            "stochastic noise",
            Rational(24, 25) * eta * L * sigma**2 / m,
            "(5/4)(7/5)(1/2) and the age of the corrections, rounded up",
        ),
        derived(
            "noise drift",
            Rational(33, 20) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "17/25 for the local steps, times 37/25, their weight over what is left, and (1/2)(5/4) for "
            "the corrections, rounded up",
        ),
        derived(
            "start-up",
            Rational(1, 2) * eta**2 * L**2 * (tau - 1) ** 2 * correction_error**2 / T,
            "39/125 by the local steps, times 37/25 and 15/14 for the age of the corrections, rounded up",
        ),
    ),
    becomes=(
        to(
            "scaffold_nonconvex_sharp",
            {eta_s: 1},
            factors={
                "initial gap": Rational(28, 31),
                "stochastic noise": Rational(16, 15),
                "noise drift": Rational(33, 28),
                "start-up": Rational(25, 24),
            },
            because="it is SCAFFOLD with a server step of 1, for local steps twice as long",
        ),
    ),
    limits=(
        keeps(
            {correction_error: 0},
            "start-up",
            "noise drift",
            because="exact first corrections do not remove the drift by noise",
        ),
    ),
    remarks=(
        "The square of correction_error is the mean of ||grad F_i(x_0) - grad F(x_0)||^2: the corrections "
        "are 0 in the first round. A first round of one local step replaces it by the error of its result.",
        "With local steps half as long the same proof has 4/5, 13/10 and 4/9 for noise, drift and start-up.",
    ),
    source=LIANG_2019.at(
        "Algorithm 1", note="The method is the paper's; the statement and its constants are ours."
    ),
    prose=__doc__,
)
