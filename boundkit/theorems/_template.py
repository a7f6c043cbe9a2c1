r"""FedAvg on smooth non-convex losses: a theorem to start from. Say here in plain words what yours says.

Small steps make the start linger (initial gap); large ones let the noise in (stochastic noise); between two
averages the clients walk apart, by their noise (noise drift) and by their losses (client drift).

Proof. Write yours down here, or where it stands. This one: with h_i the mean of client i's gradients in a
round, smoothness and 2 tau eta L <= 1 give [E F(x+) - F(x)]/(eta tau) <= -1/2 ||grad F||^2
+ eta L sigma^2/m + 1/2 mean_i E||grad F_i - h_i||^2. The walk costs
L^2 [2 eta^2 (tau - 1) sigma^2 + 4 eta^2 tau (tau - 1) ||grad F_i||^2] 3/2, of which the second condition
pays 1/4 of the squared gradient. Telescope, and multiply by 4.
"""

from sympy import Rational

from boundkit.algebra import Limit, Reduction, Source, Term, Theorem
from boundkit.algebra.condition import at_most
from boundkit.algebra.notation import L, T, eta, gap, m, sigma, sigma_g, tau
from boundkit.algebra.vocabulary import (
    BOUNDED_BELOW,
    BOUNDED_DISSIMILARITY,
    BOUNDED_NOISE,
    COMMON_STEPS,
    EQUAL_WEIGHTS,
    FULL_PARTICIPATION,
    MEAN_SQUARED_GRADIENT,
    SERVER_STEP_ONE,
    SMOOTH,
)

# Letters come from boundkit/algebra/notation.py, claims and assumptions from boundkit/algebra/vocabulary.py.
THEOREM = Theorem(
    name="my_theorem",
    # What is run to test the bound: the algorithm of a theorem that boundkit list shows.
    algorithm="fedavg",
    # What the bound bounds, such as MEAN_SQUARED_GRADIENT, LAST_LOSS_GAP, MEAN_LOSS_GAP.
    claim=MEAN_SQUARED_GRADIENT,
    # All that the proof uses, and no more: only runs that meet all of it are held against the bound.
    assumptions=(
        SMOOTH,
        BOUNDED_BELOW,
        BOUNDED_NOISE,
        BOUNDED_DISSIMILARITY,
        EQUAL_WEIGHTS,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        SERVER_STEP_ONE,
    ),
    # The steps for which the proof works; requires=(...) says what the formula needs to mean anything.
    step_size=(at_most(eta, 1 / (2 * L * tau)), at_most(eta**2 * L**2 * tau * (tau - 1), Rational(1, 12))),
    # One term a force, with every constant. Fractions stay fractions: Rational(1, 2), never 0.5.
    # provenance: "stated" and "appendix" are a paper's, "derived" is proved here; because: whence the number.
    terms=(
        Term(
            "initial gap",
            4 * gap / (eta * tau * T),
            provenance="derived",
            because="a quarter of the squared gradient is left a round, and telescopes",
        ),
        Term(
            "stochastic noise",
            4 * eta * L * sigma**2 / m,
            provenance="derived",
            because="eta L sigma^2/m a round, independent across clients, times 4",
        ),
        Term(
            "noise drift",
            6 * eta**2 * L**2 * (tau - 1) * sigma**2,
            provenance="derived",
            because="6 = 4 (1/2) 2 (3/2): the walk's 2, and 3/2 for what the walk adds to itself",
        ),
        Term(
            "client drift",
            12 * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            provenance="derived",
            because="12 = 4 (1/2) 4 (3/2): as the noise drift, with the walk's 4",
        ),
    ),
    # What it becomes where a letter takes a value, and what vanishes. Both may be empty: ().
    reductions=(
        Reduction(to="sgd_nonconvex", when={tau: 1}, factors={"initial gap": 2, "stochastic noise": 4}),
    ),
    limits=(
        Limit(when={tau: 1}, removes=("noise drift", "client drift")),
        Limit(when={sigma: 0}, removes=("stochastic noise", "noise drift")),
    ),
    source=Source(
        authors=("Your Name",),
        year=2026,
        title="Your Note",
        arxiv="",
        where="Theorem 1",
        venue="unpublished",
    ),
    prose=__doc__,
)
