r"""FedAvg on smooth non-convex losses, full participation, with the largest local drift.

The bound of fedavg_nonconvex with $(tau - 1)^2$ for $tau (tau - 1)$ in the client drift: the last gradient of
a round is taken after $tau - 1$ steps, so no gradient is taken further than $tau - 1$ steps from the round's
start.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex import THEOREM as FULL

_STAYS = tuple(t for t in FULL.terms if t.cause != "client drift")

THEOREM = variant(
    FULL,
    "fedavg_nonconvex_long_steps",
    title="FedAvg, non-convex, full participation, larger step sizes",
    steps=(at_most(eta, 1 / (2 * L * tau)), at_most(eta**2 * L**2 * (tau - 1) ** 2, Rational(1, 12))),
    terms=(
        *_STAYS,
        derived(
            "client drift",
            12 * eta**2 * L**2 * (tau - 1) ** 2 * sigma_g**2,
            "12 = 4 (1/2) 4 (3/2): as in fedavg_nonconvex, with the largest local drift of tau - 1 steps",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex",
            factors={"client drift": (tau - 1) / tau},
            because="the largest local drift has tau - 1 steps, not tau",
        ),
        to(
            "sgd_nonconvex",
            {tau: 1},
            factors={"initial gap": 2, "stochastic noise": 4},
            because="at tau = 1 FedAvg is minibatch SGD; the constants 4 and 4 come from the bound on the "
            "drift",
        ),
        to(
            "local_sgd_nonconvex",
            {sigma_g: 0},
            factors={"initial gap": 2, "stochastic noise": 4, "noise drift": 6},
            because="sigma_g = 0 leaves the terms of homogeneous clients, larger by constants, and read at "
            "the server's models",
        ),
    ),
    limits=(),
    remarks=(
        "At tau = 2 the client drift is half of that of fedavg_nonconvex; for long rounds it is the same.",
        "At the step sizes of fedavg_nonconvex the constants of fedavg_nonconvex_sharp are smaller.",
    ),
    prose=__doc__,
)
