r"""FedAvg with known availability on smooth non-convex losses, one local step a round.

The server knows each client's chance to come and divides its update by that chance. In the mean that is
the full gradient, whatever the chances and however they change. What is left is variance: the noise of few
clients counts for many, and who comes is chance (partial participation). Both have availability, the least
chance, below them.

Proof, with s = eta_s eta. The direction v = (1/m) sum over those who come of g_i/q_i has mean grad F, and
clients come independently, so that E||v||^2 = ||grad F||^2 + (1/m^2) sum_i ((1 - q_i)/q_i) ||grad F_i||^2
+ (1/m^2) sum_i E||noise_i||^2/q_i. The middle part is at most (1 - availability)/(availability m) times
mean_i ||grad F_i||^2 <= beta^2 ||grad F||^2 + kappa^2. Under the condition
(s L/2) (1 + (1 - availability) beta^2/(availability m)) <= 1/4, so 3/4 of the squared gradient is left of the
descent. Telescope, and divide by 3/4.
"""

from sympy import Rational

from boundkit.algebra import Limit, Reduction, Source, Term, Theorem
from boundkit.algebra.condition import at_most
from boundkit.algebra.notation import L, T, availability, beta, eta, eta_s, gap, kappa, m, sigma
from boundkit.algebra.vocabulary import (
    BETA_KAPPA_DISSIMILARITY,
    BOUNDED_BELOW,
    BOUNDED_NOISE,
    EQUAL_WEIGHTS,
    KNOWN_AVAILABILITY,
    MEAN_SQUARED_GRADIENT,
    ONE_LOCAL_STEP,
    SMOOTH,
)

THEOREM = Theorem(
    name="fedavg_nonconvex_known_availability",
    algorithm="fedavg",
    costs="fedavg_known",
    claim=MEAN_SQUARED_GRADIENT,
    assumptions=(
        SMOOTH,
        BOUNDED_BELOW,
        BOUNDED_NOISE,
        BETA_KAPPA_DISSIMILARITY,
        EQUAL_WEIGHTS,
        KNOWN_AVAILABILITY,
        ONE_LOCAL_STEP,
    ),
    step_size=(at_most(2 * eta_s * eta * L * (1 + (1 - availability) * beta**2 / (availability * m)), 1),),
    terms=(
        Term(
            "initial gap",
            Rational(4, 3) * gap / (eta_s * eta * T),
            provenance="derived",
            because="4/3 = 1/(3/4): of the squared gradient 3/4 survives the descent",
        ),
        Term(
            "stochastic noise",
            Rational(2, 3) * eta_s * eta * L * sigma**2 / (availability * m),
            provenance="derived",
            because="2/3 = (1/2) (4/3): the 1/2 of smoothness, over 3/4",
        ),
        Term(
            "partial participation",
            Rational(2, 3) * eta_s * eta * L * (1 - availability) * kappa**2 / (availability * m),
            provenance="derived",
            because="2/3 = (1/2) (4/3): as the noise; the exact variance of who comes",
        ),
    ),
    reductions=(
        Reduction(
            to="sgd_nonconvex",
            when={availability: 1, eta_s: 1},
            factors={"initial gap": Rational(2, 3), "stochastic noise": Rational(2, 3)},
            because="everybody comes: minibatch SGD, with half its step and less in front",
        ),
        Reduction(
            to="sgd_nonconvex",
            when={kappa: 0, eta_s: 1},
            factors={"initial gap": Rational(2, 3), "stochastic noise": 2 / (3 * availability)},
            because="at kappa = 0 who comes does not matter, but the noise of few counts for many",
        ),
    ),
    limits=(
        Limit(when={availability: 1}, removes=("partial participation",)),
        Limit(when={sigma: 0}, removes=("stochastic noise",)),
        Limit(when={kappa: 0}, removes=("partial participation",)),
        Limit(
            when={beta: 1},
            removes=("partial participation",),
            holds=False,
            because="beta limits the step; kappa is what sampling sees",
        ),
    ),
    remarks=(
        "No client needs to have the same chance in every round, only one that is known and not too small.",
        "A client that comes with chance 1/100 enters with 100 times its update: the step must be small "
        "enough.",
        "Splitting ||grad F_i||^2 into twice two parts first, as is often done, doubles the "
        "participation term; the mean over clients needs no split.",
        "For more local steps take fedau_nonconvex with omega_i = 1/q_i.",
    ),
    source=Source(
        authors=("Xiang", "Ioannidis", "Yeh", "Joe-Wong", "Su"),
        year=2024,
        title="Efficient Federated Learning against Heterogeneous and Non-stationary Client Unavailability",
        venue="NeurIPS 2024",
        arxiv="2409.17446",
        where="the method 'FedAvg with known p' of its experiments",
        note="The method is a baseline there and comes without a theorem; statement and proof are the "
        "house's.",
        renamed={"p_i^t >= delta": availability, "eta_g eta_l": eta_s * eta, "zeta": kappa},
    ),
    prose=__doc__,
)
