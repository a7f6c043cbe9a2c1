r"""FedAU on smooth non-convex losses with its own weights: the paper's rate.

Weights are learnt while the run goes. To the forces of fixed weights comes one more: until the weights are
right the wrong objective is followed, and what the cut-off leaves wrong stays wrong for ever (objective
inconsistency).

Proof: none here; the source states the order only, and none of the numbers was opened. Known: with right
weights, omega_i = 1/q_i, fedau_nonconvex has every constant. That the squared error of the weights tends to
(1 - q_i)^(2 cutoff) is exact, see fedau_cutoff_bias; availability bounds it for all clients. Not known: the
numbers c_1 to c_5, and how tight the part with log T is.
"""

from dataclasses import replace

from sympy import Rational, log, sqrt

from boundkit.algebra import Limit, Term, Theorem
from boundkit.algebra.client_sums import ClientMax, ClientSum
from boundkit.algebra.condition import at_least, at_most
from boundkit.algebra.notation import (
    G,
    L,
    T,
    availability,
    c_1,
    c_2,
    c_3,
    c_4,
    c_5,
    cutoff,
    eta,
    eta_s,
    gap,
    m,
    q_i,
    share_noise,
    sigma,
    sigma_g,
    tau,
)
from boundkit.algebra.vocabulary import (
    BERNOULLI_AVAILABILITY,
    BOUNDED_BELOW,
    BOUNDED_GRADIENTS,
    BOUNDED_NOISE,
    CLIENTWISE_DISSIMILARITY,
    COMMON_STEPS,
    EQUAL_WEIGHTS,
    INTERVAL_WEIGHTS,
    MEAN_SQUARED_GRADIENT,
    SMOOTH,
)
from boundkit.theorems.fedau_nonconvex import THEOREM as FIXED

_BOTH = tau * sigma_g**2 + sigma**2
_RECALLED = "the source gives O(.)"

THEOREM = Theorem(
    name="fedau_nonconvex_rate",
    algorithm="fedau",
    claim=MEAN_SQUARED_GRADIENT,
    kind="order",
    assumptions=(
        SMOOTH,
        BOUNDED_BELOW,
        BOUNDED_NOISE,
        BOUNDED_GRADIENTS,
        CLIENTWISE_DISSIMILARITY,
        EQUAL_WEIGHTS,
        BERNOULLI_AVAILABILITY,
        INTERVAL_WEIGHTS,
        COMMON_STEPS,
    ),
    requires=(at_least(T, 2),),
    step_size=(
        at_most(eta * L * tau, 1 / (4 * sqrt(15))),
        at_most(eta_s * eta * L * tau, Rational(1, 4)),
        at_most(54 * share_noise * eta_s * eta * L * tau, 1),
    ),
    terms=(
        Term("initial gap", c_1 * gap / (eta_s * eta * tau * T), provenance="order", because=_RECALLED),
        Term(
            "stochastic noise",
            c_2 * eta_s * eta * L * share_noise * sigma**2,
            provenance="order",
            because=_RECALLED
            + "; Q/N there is share_noise here, the mean of 1/q_i over m where weights are right",
        ),
        Term(
            "partial participation",
            c_2 * eta_s * eta * L * share_noise * tau * sigma_g**2,
            provenance="order",
            because=_RECALLED + "; one constant with the noise",
        ),
        Term(
            "client drift",
            c_3 * eta**2 * L**2 * tau * _BOTH,
            provenance="order",
            because=_RECALLED + "; noise and dissimilarity in one, and it stays at tau = 1",
        ),
        Term(
            "start-up",
            c_4 * G**2 * cutoff * log(T) / T,
            provenance="order",
            because=_RECALLED + "; the weights' error while they are learnt, by its Theorem 3",
        ),
        Term(
            "objective inconsistency",
            c_5 * G**2 * (1 - availability) ** (2 * cutoff),
            provenance="order",
            because=_RECALLED + "; what the cut-off leaves wrong, the exponent by its Theorem 3",
        ),
    ),
    definitions={share_noise: ClientSum(1 / q_i) / m**2, availability: 1 - ClientMax(1 - q_i)},
    limits=(
        Limit(
            when={sigma: 0, sigma_g: 0}, removes=("stochastic noise", "partial participation", "client drift")
        ),
        Limit(when={G: 0}, removes=("start-up", "objective inconsistency")),
        Limit(
            when={tau: 1},
            removes=("client drift",),
            holds=False,
            because="this form of the drift has tau, not tau - 1",
        ),
    ),
    remarks=(
        "The paper's G bounds the gradient of the mean loss; a bound on stochastic gradients implies it.",
        "The conditions on the steps are recalled, and sources differ between 1/(2 L tau) and 1/(4 L "
        "tau): the smaller is taken.",
        "The claim in the source is about the smallest squared gradient.",
        "Here availability is the least q_i.",
    ),
    source=replace(
        FIXED.source,
        where="Theorems 2 and 3",
        note="Recalled and not opened: the form is at the level of O(.).",
        renamed={**FIXED.source.renamed, "K": cutoff, "Q/N": share_noise, "delta": sigma_g},
    ),
    prose=__doc__,
)
