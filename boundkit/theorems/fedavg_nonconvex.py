r"""FedAvg on smooth non-convex losses, full participation.

Four terms. Small step sizes reduce the initial gap slowly (initial gap). Large step sizes admit gradient
noise, averaged over $m$ clients (stochastic noise). Between two aggregations the local models drift apart, by
their noise (noise drift) and by their heterogeneous losses (client drift); smoothness turns that distance
into gradient error. Both drifts vanish at $tau = 1$. Homogeneous clients still drift by noise.

Proof, for one round, with $h_i$ the mean of client $i$'s true gradients over its $tau$ steps.
(i) Smoothness of $F$ along $x+ = x - eta tau mean_i d_i$, with the noise of $d_i$ split off and $2 tau eta L
<= 1$: $[E F(x+) - F(x)]/(eta tau) <= -1/2 ||grad F||^2 + eta L sigma^2/m + 1/2 mean_i E||grad F_i - h_i||^2$.
(ii) The mean squared local drift $X_i = (1/tau) sum_k E||x - x_i^k||^2$ obeys $X_i <= 2 eta^2 sigma^2 (tau -
1) + 4 eta^2 tau (tau - 1) [L^2 X_i + ||grad F_i||^2]$, and $E||grad F_i - h_i||^2 <= L^2 X_i$.
(iii) $D = 4 eta^2 L^2 tau (tau - 1) <= 1/3$ makes $1/(1 - D) <= 3/2$, and $mean_i ||grad F_i||^2 <= ||grad
F||^2 + sigma_g^2$, so that half of $mean_i L^2 X_i$ is at most $3/2 eta^2 L^2 sigma^2 (tau - 1) + 1/4 ||grad
F||^2 + 3/4 D sigma_g^2$. Telescoping leaves $1/4$ of the squared gradient; times 4.
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
            "eta L sigma^2/m a round by (i), independent across clients, times 4",
        ),
        derived(
            "noise drift",
            6 * eta**2 * L**2 * (tau - 1) * sigma**2,
            "6 = 4 (1/2) 2 (3/2): the drift's 2, Young's 1/2, and 1/(1 - D) <= 3/2",
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
        "drift.",
        "The proof is loose in (ii): step k depends on k gradients only, and sum_k k = tau (tau - 1)/2, so "
        "that 3 and 6 may replace 6 and 12.",
    ),
    errata=(
        "Lecture notes that put eta = sqrt(m/(tau T)) here set a unit step silently; the rule needs a factor "
        "1/L.",
        "The same notes read m as the sampled clients. This bound has no participation term: with sampling, "
        "use fedavg_nonconvex_partial.",
    ),
    source=WANG_2020_FEDNOVA.at(
        "Theorem 1",
        note="The O(.) form is stated there; the constants are those of its proof at w_i = 1/m, a_i = (1, "
        "..., 1), beta = 1, derived above.",
    ),
    prose=__doc__,
)
