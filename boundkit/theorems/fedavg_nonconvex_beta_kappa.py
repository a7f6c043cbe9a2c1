r"""FedAvg on smooth non-convex losses, all clients, where dissimilarity may grow with the gradient.

The four forces of fedavg_nonconvex, with a weaker supposition: far from a stationary point the clients may
disagree in proportion to the gradient (beta), and only what is left near one counts as heterogeneity
(kappa). The bound is the same in kappa as there in sigma_g. beta costs no term, it costs step size: the
drift that grows with the gradient must be small enough to be paid from the descent.

Proof. Steps (i) and (ii) are those of fedavg_nonconvex.
(iii) D = 4 eta^2 L^2 tau (tau - 1) <= 1/(2 beta^2 + 1) makes 1/(1 - D) <= 1 + 1/(2 beta^2) <= 3/2 and
D beta^2/(1 - D) <= 1/2. With mean_i ||grad F_i||^2 <= beta^2 ||grad F||^2 + kappa^2, half of
mean_i L^2 X_i is at most 3/2 eta^2 L^2 sigma^2 (tau - 1) + 1/4 ||grad F||^2 + 3/4 D kappa^2.
Telescoping leaves 1/4 of the squared gradient; times 4.
"""

from boundkit.algebra import Limit, Reduction, Source, Term, Theorem
from boundkit.algebra.condition import at_most
from boundkit.algebra.notation import L, T, beta, eta, gap, kappa, m, sigma, sigma_g, tau
from boundkit.algebra.vocabulary import (
    BETA_KAPPA_DISSIMILARITY,
    BOUNDED_BELOW,
    BOUNDED_NOISE,
    COMMON_STEPS,
    EQUAL_WEIGHTS,
    FULL_PARTICIPATION,
    MEAN_SQUARED_GRADIENT,
    SERVER_STEP_ONE,
    SMOOTH,
)

THEOREM = Theorem(
    name="fedavg_nonconvex_beta_kappa",
    algorithm="fedavg",
    claim=MEAN_SQUARED_GRADIENT,
    assumptions=(
        SMOOTH,
        BOUNDED_BELOW,
        BOUNDED_NOISE,
        BETA_KAPPA_DISSIMILARITY,
        EQUAL_WEIGHTS,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        SERVER_STEP_ONE,
    ),
    step_size=(
        at_most(eta, 1 / (2 * L * tau)),
        at_most(4 * (2 * beta**2 + 1) * eta**2 * L**2 * tau * (tau - 1), 1),
    ),
    terms=(
        Term(
            "initial gap",
            4 * gap / (eta * tau * T),
            provenance="derived",
            because="of the 1/2 that the descent leaves, the drift takes 1/4; the rest telescopes",
        ),
        Term(
            "stochastic noise",
            4 * eta * L * sigma**2 / m,
            provenance="derived",
            because="eta L sigma^2/m a round by (i), independent across clients, times 4",
        ),
        Term(
            "noise drift",
            6 * eta**2 * L**2 * (tau - 1) * sigma**2,
            provenance="derived",
            because="6 = 4 (1/2) 2 (3/2): the walk's 2, Young's 1/2, and 1/(1 - D) <= 3/2",
        ),
        Term(
            "client drift",
            12 * eta**2 * L**2 * tau * (tau - 1) * kappa**2,
            provenance="derived",
            because="12 = 4 (1/2) 4 (3/2): as the noise drift, with the walk's 4",
        ),
    ),
    reductions=(
        Reduction(
            to="fedavg_nonconvex",
            when={beta: 1, kappa: sigma_g},
            because="reading D3 at beta = 1 is reading D2",
        ),
        Reduction(
            to="sgd_nonconvex",
            when={tau: 1},
            factors={"initial gap": 2, "stochastic noise": 4},
            because="at tau = 1 nobody drifts, however unlike the clients are",
        ),
        Reduction(
            to="local_sgd_nonconvex",
            when={kappa: 0},
            factors={"initial gap": 2, "stochastic noise": 4, "noise drift": 6},
            because="kappa = 0 leaves the terms of alike clients, larger by constants, and read at the "
            "server's models",
        ),
    ),
    limits=(
        Limit(when={tau: 1}, removes=("noise drift", "client drift")),
        Limit(when={sigma: 0}, removes=("stochastic noise", "noise drift")),
        Limit(when={kappa: 0}, removes=("client drift",)),
        Limit(
            when={beta: 1},
            removes=("client drift",),
            holds=False,
            because="beta = 1 bounds how dissimilarity grows, not how large it is",
        ),
    ),
    remarks=(
        "To take beta at least 1 loses nothing: a mean of squares is at least the square of the mean.",
        "Unlike quadratics have no sigma_g on all of space, but they have a beta and a kappa there if the "
        "mean loss is strongly convex.",
        "With kappa = 0 all clients share their stationary points; then only noise keeps up a drift.",
    ),
    errata=("A note on this theorem prints beta^2 >= 0; the proof needs 1/(2 beta^2) <= 1/2, so beta >= 1.",),
    source=Source(
        authors=("Wang", "Liu", "Liang", "Joshi", "Poor"),
        year=2020,
        title="Tackling the Objective Inconsistency Problem in Heterogeneous Federated Optimization",
        venue="NeurIPS 2020",
        arxiv="2007.07481",
        where="Theorem 1",
        note="The O(.) form is stated there; the constants are those of its proof at w_i = 1/m and "
        "a_i = (1, ..., 1), derived above.",
        renamed={"tau_eff": tau, "F(x_0) - F_inf": gap},
    ),
    prose=__doc__,
)
