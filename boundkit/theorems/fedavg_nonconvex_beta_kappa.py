r"""FedAvg on smooth non-convex losses, full participation, with dissimilarity that grows with the gradient.

The four terms of fedavg_nonconvex under a weaker assumption: the dissimilarity may grow in proportion to the
gradient $(beta)$, and only its constant part counts as heterogeneity $(kappa)$. The bound depends on $kappa$
as there on $sigma_g$. $beta$ adds no term, but restricts the step size: the drift that grows with the
gradient must be bounded by the descent.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex import THEOREM as FEDAVG

THEOREM = variant(
    FEDAVG,
    "fedavg_nonconvex_beta_kappa",
    title="FedAvg, non-convex, (β, κ) dissimilarity",
    assumes=(*NONCONVEX_NOISY, BETA_KAPPA_DISSIMILARITY, *ALL_CLIENTS),
    steps=(
        at_most(eta, 1 / (2 * L * tau)),
        at_most(4 * (2 * beta**2 + 1) * eta**2 * L**2 * tau * (tau - 1), 1),
    ),
    terms=(
        *FEDAVG.terms[:3],
        derived(
            "client drift",
            12 * eta**2 * L**2 * tau * (tau - 1) * kappa**2,
            "12 = 4 (1/2) 4 (3/2): as the noise drift, with the drift's 4",
        ),
    ),
    becomes=(
        to("fedavg_nonconvex", {beta: 1, kappa: sigma_g}, because="reading D3 at beta = 1 is reading D2"),
        to(
            "sgd_nonconvex",
            {tau: 1},
            factors={"initial gap": 2, "stochastic noise": 4},
            because="at tau = 1 there is no drift, however heterogeneous the clients are",
        ),
        to(
            "local_sgd_nonconvex",
            {kappa: 0},
            factors={"initial gap": 2, "stochastic noise": 4, "noise drift": 6},
            because="kappa = 0 leaves the terms of homogeneous clients, larger by constants, and read at the "
            "server's models",
        ),
    ),
    limits=(
        keeps(
            {beta: 1}, "client drift", because="beta = 1 bounds how dissimilarity grows, not how large it is"
        ),
    ),
    remarks=(
        "To take beta at least 1 loses nothing: a mean of squares is at least the square of the mean.",
        "Heterogeneous quadratics have no sigma_g on all of space, but they have a beta and a kappa there if "
        "the mean loss is strongly convex.",
        "With kappa = 0 all clients have the same stationary points, and only noise causes drift.",
    ),
    source=WANG_2020_FEDNOVA.at(
        "Theorem 1",
        note="The O(.) form is stated there; the constants are those of its proof at w_i = 1/m and a_i = (1, "
        "..., 1), derived above.",
        letters={"tau_eff": tau, "F(x_0) - F_inf": gap},
    ),
    prose=__doc__,
)
