r"""FedAvg on smooth non-convex losses, full participation.

Four terms. Small step sizes reduce the initial gap slowly (initial gap). Large step sizes admit gradient
noise, averaged over $m$ clients (stochastic noise). Between two aggregations the local models drift apart, by
their noise (noise drift) and by their heterogeneous losses (client drift); smoothness turns that distance
into gradient error. Both drifts vanish at $tau = 1$. Homogeneous clients still drift by noise.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fedavg_nonconvex",
    title="FedAvg, non-convex, full participation",
    algorithm="fedavg",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, BOUNDED_DISSIMILARITY, *ALL_CLIENTS),
    steps=(at_most(eta, 1 / (2 * L * tau)), at_most(eta**2 * L**2 * tau * (tau - 1), Rational(1, 12))),
    terms=(
        derived(
            "initial gap",
            4 * gap / (eta * tau * T),
            "of the 1/2 that the descent leaves, the drift takes 1/4; the rest telescopes",
        ),
        derived(
            "stochastic noise",
            4 * eta * L * sigma**2 / m,
            "eta L sigma^2/m a round by the descent, independent across clients, times 4",
        ),
        derived(
            "noise drift",
            6 * eta**2 * L**2 * (tau - 1) * sigma**2,
            "6 = 4 (1/2) 2 (3/2): the drift's 2, Young's 1/2, and 3/2 from the largest step size",
        ),
        derived(
            "client drift",
            12 * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "12 = 4 (1/2) 4 (3/2): as the noise drift, with the drift's 4",
        ),
    ),
    becomes=(
        to(
            "sgd_nonconvex",
            {tau: 1},
            factors={"initial gap": 2, "stochastic noise": 4},
            because="at tau = 1 FedAvg is minibatch SGD; the constants 4 and 4 come from the bound on the "
            "drift",
        ),
        not_to("sgd_nonconvex", {tau: 1}, because="the constants differ: 4 and 4 here, 2 and 1 there"),
        not_to(
            "sgd_nonconvex",
            {sigma_g: 0},
            factors={"initial gap": 2 / tau, "stochastic noise": 4},
            because="homogeneous clients still drift by their noise",
        ),
    ),
    limits=(
        keeps(
            {sigma_g: 0},
            "noise drift",
            "client drift",
            because="sigma_g = 0 keeps the drift that noise causes",
        ),
    ),
    remarks=(
        "With more clients only the stochastic noise falls; both drifts stay.",
        "One step size cannot give the rate 1/sqrt(m tau T) + 1/T with neither m nor tau in the factor of "
        "1/T: with eta = sqrt(m/(tau T))/L the client drift is 12 m (tau - 1) sigma_g^2/T. Two step sizes "
        "can; see fedavg_nonconvex_partial.",
        "tau (tau - 1) in the client drift may be sharpened to (tau - 1)^2 by bounding the largest local "
        "drift: fedavg_nonconvex_long_steps.",
        "The constants are loose: local step k depends on k gradients only, and sum_k k = tau (tau - 1)/2. "
        "With the drift averaged over local steps the same proof has 7/3, 7/3, 7/5 and 28/15, and with "
        "variances less: fedavg_nonconvex_sharp.",
    ),
    source=WANG_2020_FEDNOVA.at(
        "Theorem 1",
        note="The O(.) form is stated there; the constants are those of its proof at w_i = 1/m, a_i = (1, "
        "..., 1), beta = 1, derived above.",
    ),
    prose=__doc__,
)
