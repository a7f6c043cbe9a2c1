r"""FedAU with fixed weights on smooth non-convex losses: the gradient of its surrogate.

Client $i$ participates with probability $q_i$, unknown to the server, which multiplies its update by
$omega_i$ and divides by $m$. In expectation that is a step on the surrogate $sum_i w_i F_i$ with $w_i$
proportional to $omega_i q_i$, which is the objective only where $omega_i = 1/q_i$. Five terms. A round moves
by pull times the step size, so a small pull slows the decrease of the initial gap. The noise is multiplied by
$share_noise$, which is large where rarely available clients have large weights. The two drifts are those of
FedAvg. The variance of the participation is bounded by absence, the largest $w_i (1 - q_i)/q_i$ (partial
participation).
"""

from boundkit.algebra.authoring import *

_STEP = eta_s * eta * tau * pull

THEOREM = upper(
    "fedau_nonconvex",
    title="FedAU with fixed weights, gradient of the surrogate",
    algorithm="fedau",
    bounds=SURROGATE_GRADIENT,
    assumes=(*NONCONVEX_NOISY, SURROGATE_DISSIMILARITY, BERNOULLI_AVAILABILITY, FIXED_WEIGHTS, COMMON_STEPS),
    steps=(
        at_most(eta * L * tau, Rational(1, 8)),
        at_most(_STEP * L, Rational(1, 2)),
        at_most(16 * absence * _STEP * L, 1),
    ),
    terms=(
        derived(
            "initial gap",
            Rational(11, 5) * gap / (_STEP * T),
            "5/11 of the squared gradient a round survives: 1/2, less 3/80 by the participation and what the "
            "drift takes",
        ),
        derived(
            "stochastic noise",
            Rational(63, 50) * _STEP * L * share_noise * sigma**2 / tau,
            "11/5 (1/2) (8/7): the variance of a client's local steps, under the 1/2 of smoothness",
        ),
        derived(
            "noise drift",
            Rational(17, 20) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "11/5 (11/16) (14/25) is 0.847: the local drift weighs 11/16",
        ),
        derived(
            "client drift",
            Rational(1, 3) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "11/5 (1/2) (3/10); what the participation adds is in its own term",
        ),
        derived(
            "partial participation",
            Rational(11, 8) * absence * _STEP * L * sigma_g**2,
            "11/5 (1/2) (6/5) is 1.32: the variance of the participation, Young's 6/5, and what errors add",
        ),
    ),
    definitions={
        pull: ClientSum(omega_i * q_i) / m,
        w_i: omega_i * q_i / ClientSum(omega_i * q_i),
        share_noise: ClientSum(w_i**2 / q_i),
        absence: ClientMax(w_i * (1 - q_i) / q_i),
    },
    becomes=(
        to(
            "fedavg_nonconvex_all",
            {share_noise: 1 / (m * pull), absence: (1 - availability) / (m * pull)},
            because="weights of 1 make sum_i w_i^2/q_i = 1/(m pull), and w_i (1 - q_i)/q_i is largest for "
            "the least available client",
        ),
        to(
            "fedavg_nonconvex_partial",
            {pull: 1, share_noise: 1 / m, absence: 0, C: 1},
            factors={
                "initial gap": Rational(11, 20),
                "stochastic noise": Rational(63, 200),
                "noise drift": Rational(17, 160),
                "client drift": Rational(1, 96),
            },
            because="all clients participate, with weight 1: FedAvg with two step sizes",
        ),
        to(
            "fedavg_nonconvex",
            {pull: 1, share_noise: 1 / m, absence: 0, eta_s: 1},
            factors={
                "initial gap": Rational(11, 20),
                "stochastic noise": Rational(63, 200),
                "noise drift": Rational(17, 120),
                "client drift": Rational(1, 36),
            },
            because="all clients participate, with weight 1: FedAvg; the drifts are bounded in another way",
        ),
    ),
    remarks=(
        "The gap is that of the surrogate, and sigma_g the dissimilarity under its weights.",
        "With omega_i = 1/q_i the surrogate is the true mean, pull is 1, share_noise the mean of 1/q_i over "
        "m, and absence the largest (1 - q_i)/q_i over m.",
        "The speed-up is in the number of participating clients: at q_i = C the noise is that of C m "
        "clients.",
        "FedAU's own weights are running means of the participation intervals, with a cutoff. They tend to "
        "(1 - (1 - q_i)^cutoff)/q_i, so that the surrogate weighs client i by 1 - (1 - q_i)^cutoff: see "
        "fedau_cutoff_bias.",
        "The squared gradient of the true objective is at most twice the bound plus 2 chi2 sigma_g^2, with "
        "chi2 = sum_i (p_i - w_i)^2/w_i.",
    ),
    source=WANG_2024.at(
        "Theorems 1 and 2",
        note="That fixed weights minimise the surrogate is its Theorem 1; the constants are proved here.",
    ),
    prose=__doc__,
)
