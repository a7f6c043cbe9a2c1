"""FedAvg on smooth convex losses, all clients: the mean gap of the loss at the virtual average.

Four terms, as without convexity. The initial gap is a squared distance from the optimum. Convexity has two
advantages. The step size need not fall with $tau$, since gradient steps on the same convex loss do not
increase distances. And the deviations between clients, by noise and dissimilarity, add up as in a random
process with contraction. The price is that the dissimilarity must be bounded at all local iterates, not only
at the server's.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fedavg_convex",
    title="FedAvg, convex, full participation",
    algorithm="fedavg",
    bounds=VIRTUAL_LOSS_GAP,
    assumes=(*CONVEX_NOISY, UNIFORM_DISSIMILARITY, *ALL_CLIENTS),
    steps=(at_most(eta, 1 / (4 * L)),),
    terms=(
        derived(
            "initial gap",
            distance**2 / (2 * eta * tau * T),
            "the squared distance telescopes over tau T local steps, at 1/(2 eta) each",
        ),
        derived(
            "stochastic noise",
            eta * sigma**2 / m,
            "the noise of the mean gradient is eta times as much in y+, and multiplies itself there",
        ),
        derived(
            "noise drift",
            4 * eta**2 * L * tau * sigma**2,
            "2 (e - 1) = 3.44 rounded up, as in the source: two clients' noise, grown for tau steps",
        ),
        derived(
            "client drift",
            18 * eta**2 * L * tau**2 * sigma_g**2,
            "10 (e - 1) = 17.2 rounded up, as in the source: 4 tau from the product and 6 from the square",
        ),
    ),
    becomes=(
        not_to(
            "fedavg_convex_partial",
            {C: 1, eta_s: 1},
            factors={"initial gap": Rational(1, 2), "stochastic noise": Rational(1, 2)},
            because="the claims differ: every local step's average here, the server's models there; and this "
            "drift does not vanish at tau = 1",
        ),
    ),
    limits=(
        keeps(
            {tau: 1},
            "noise drift",
            "client drift",
            because="the bound charges tau steps of drift, not tau - 1; see fedavg_convex_sharp",
        ),
    ),
    remarks=(
        "The drift is loose: V is compared with the largest distance of two clients after the whole round. "
        "fedavg_convex_sharp has 12/25 (tau - 1) and 23/100 tau (tau - 1) for 4 tau and 18 tau^2, half of "
        "the noise, and eta <= 1/L.",
        "The claim is about the average of the clients' models after each local step, which no algorithm "
        "computes.",
    ),
    source=WANG_2021_FIELD_GUIDE.at(
        "Theorem 1", note="Recalled, with all constants; proved anew here. The source has many more authors."
    ),
    prose=__doc__,
)
