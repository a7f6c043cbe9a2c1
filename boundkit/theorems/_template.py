r"""FedAvg on smooth non-convex losses: a theorem to start from. Describe yours here in plain words.

Small step sizes reduce the initial gap slowly (initial gap); large ones admit gradient noise (stochastic
noise); between two aggregations the local models drift, by their noise (noise drift) and by the heterogeneity
of the clients (client drift).

Proof. Write yours down here, or where it can be found. This one: with $h_i$ the mean of client $i$'s
gradients in a round, smoothness and $2 tau eta L <= 1$ give $[E F(x+) - F(x)]/(eta tau) <= -1/2 ||grad F||^2
+ eta L sigma^2/m + 1/2 mean_i E||grad F_i - h_i||^2$. The local drift costs at most $L^2 [2 eta^2 (tau - 1)
sigma^2 + 4 eta^2 tau (tau - 1) ||grad F_i||^2] 3/2$, and the second condition bounds its share of the squared
gradient by $1/4$. Telescope, and multiply by 4.
"""

from boundkit.algebra.authoring import *

# Letters come from boundkit/algebra/notation.py, claims and assumptions from boundkit/algebra/vocabulary.py.
THEOREM = upper(
    "my_theorem",
    # The name for people, in lists and figures.
    title="My theorem",
    # The algorithm that is run to test the bound, as boundkit list --json names it.
    algorithm="fedavg",
    # The quantity that is bounded, such as MEAN_SQUARED_GRADIENT, LAST_LOSS_GAP, MEAN_LOSS_GAP.
    bounds=MEAN_SQUARED_GRADIENT,
    # All that the proof uses, and no more: the bound is tested on runs that meet all of it. Assumptions that
    # occur together have a name, such as NONCONVEX_NOISY.
    assumes=(*NONCONVEX_NOISY, BOUNDED_DISSIMILARITY, *ALL_CLIENTS),
    # Step sizes for which the proof works; requires=(...) is for the formula to have a meaning at all.
    steps=(at_most(eta, 1 / (2 * L * tau)), at_most(eta**2 * L**2 * tau * (tau - 1), Rational(1, 12))),
    # One term a cause of error, with its constant. Fractions stay fractions: Rational(1, 2), never 0.5.
    # stated and appendix: the constant is in a paper; derived: it is proved here; recalled: from memory.
    terms=(
        derived(
            "initial gap",
            4 * gap / (eta * tau * T),
            "a quarter of the squared gradient remains in each round, and the sum telescopes",
        ),
        derived(
            "stochastic noise",
            4 * eta * L * sigma**2 / m,
            "eta L sigma^2/m a round, independent across clients, times 4",
        ),
        derived(
            "noise drift",
            6 * eta**2 * L**2 * (tau - 1) * sigma**2,
            "6 = 4 (1/2) 2 (3/2): the drift's 2, and 3/2 for its effect on later gradients",
        ),
        derived(
            "client drift",
            12 * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "12 = 4 (1/2) 4 (3/2): as the noise drift, with the drift's 4",
        ),
    ),
    # Other theorems that it becomes for some values. Terms that vanish at the ends of domains are computed.
    becomes=(to("sgd_nonconvex", {tau: 1}, factors={"initial gap": 2, "stochastic noise": 4}),),
    # A paper of boundkit/algebra/papers.py has .at(...); another source is written out.
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
