"""FedAvg on smooth convex losses, all clients, with the drift summed over local steps.

The bound of fedavg_convex with drifts that vanish at $tau = 1$ and are about five times smaller elsewhere,
and with twice the step size. Clients start a round from one model, so the mean over local steps of a growing
distance counts; and the variance about the mean is half of the mean squared distance of two clients.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_convex import THEOREM as LOOSE

_STAYS = tuple(t for t in LOOSE.terms if "drift" not in t.cause)

THEOREM = variant(
    LOOSE,
    "fedavg_convex_sharp",
    title="FedAvg, convex, full participation, sharper drift",
    steps=(at_most(eta, 1 / (2 * L)),),
    terms=(
        *_STAYS,
        derived(
            "noise drift",
            Rational(3, 4) * eta**2 * L * (tau - 1) * sigma**2,
            "3/4 = (1/2) (3/4) 2: half of the mean over pairs, e - 2 rounded up, two clients' noise",
        ),
        derived(
            "client drift",
            Rational(15, 4) * eta**2 * L * tau * (tau - 1) * sigma_g**2,
            "15/4 = (1/2) (3/4) 10: as the noise drift, with 4 from the product and 6 from the square",
        ),
    ),
    becomes=(
        to(
            "fedavg_convex",
            factors={
                "noise drift": Rational(3, 16) * (tau - 1) / tau,
                "client drift": Rational(5, 24) * (tau - 1) / tau,
            },
            because="no term is larger than there",
        ),
        to(
            "fedavg_convex_partial",
            {C: 1, eta_s: 1},
            factors={
                "initial gap": Rational(1, 2),
                "stochastic noise": Rational(1, 2),
                "noise drift": Rational(3, 10),
                "client drift": Rational(3, 8),
            },
            because="the same powers throughout, with smaller constants and no tau in the step size, at the "
            "virtual average and under a dissimilarity that is bounded at all local iterates",
        ),
    ),
    limits=(),
    remarks=(
        "At tau = 1 it is minibatch SGD on convex losses: distance^2/(2 eta T) + eta sigma^2/m.",
        "No source states these constants; they stand on the proof alone.",
        "The claim is about the average of the clients' models after each local step, which no algorithm "
        "computes.",
    ),
    prose=__doc__,
)
