r"""FedAvg on smooth non-convex losses, where the variance of the sampled clients' gradients is known.

Terms are those of fedavg_nonconvex_sampling with the variance $S^2$ itself in the sampling error; the slack
has no part in the step size. A round may be 7 times as long, at constants that are larger by up to an eighth.
It is the theorem for importance sampling. For $M$ draws with probabilities
$q_i$ and bounds $E||grad F_i(x_t)||^2 <= G_i^2$, $S^2$ is at most $(1/M) sum_i p_i^2 G_i^2/q_i$, least for
$q_i$ proportional to $p_i G_i$; with a noise $sigma_i$, and a fresh gradient for every draw, for $q_i$
proportional to $p_i sqrt(G_i^2 + sigma_i^2/tau)$. Half of that and half of $p_i$ keeps
$sampling_spread$ at most $2/M$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex_sampling import THEOREM as SAMPLING

_S = eta_s * eta * tau

THEOREM = variant(
    SAMPLING,
    "fedavg_nonconvex_sampling_exact",
    title="FedAvg, non-convex, importance sampling",
    assumes=(*SAMPLING.assumptions, SAMPLING_ERROR),
    steps=(
        at_most(eta, 1 / (8 * L * tau)),
        at_most(eta_s * eta, Rational(3, 10) / (L * tau)),
        at_most(24 * _S * L * sampling_spread, 1),
    ),
    requires=(),
    terms=(
        derived(
            "initial gap", Rational(7, 5) * gap / (_S * T), "5/7 of the squared gradient a round survives"
        ),
        derived(
            "stochastic noise",
            eta_s * eta * L * sigma**2 * (12 * share_noise + sampling_spread) / 15,
            "(8/7)/2 by the variance of a client, over 5/7, and the part of its error in the spread",
        ),
        derived(
            "noise drift",
            Rational(22, 25) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "13/25 by the error of a client, and less than 42/25 for its weight over what is left",
        ),
        derived(
            "partial participation",
            Rational(4, 5) * _S * L * sampling_error**2 + _S * L * sampling_spread * sigma_g**2 / 28,
            "(10/9)/2 by the spread of the gradients and (25/512)/2 by the errors of the clients, over 5/7",
        ),
        derived(
            "client drift",
            Rational(49, 100) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "37/125 by the error of a client, otherwise as the noise drift",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_sampling",
            {sampling_error: sqrt(sampling_spread) * sigma_g, sampling_slack: sampling_spread},
            factors={
                "initial gap": Rational(14, 13),
                "stochastic noise": (12 * share_noise + sampling_spread)
                / (11 * share_noise + sampling_spread),
                "partial participation": Rational(351, 280),
                "client drift": Rational(98, 95),
            },
            because="S^2 is at most spread sigma_g^2 where slack and spread agree, and 4/5 + 1/28 is "
            "117/140; longer rounds",
        ),
    ),
    remarks=(
        "A scheme whose slack is below its spread, such as independent participation, has S above 0 also for "
        "clients with one gradient: S bounds gradients then, not their differences.",
        "With q_i proportional to p_i G_i the variance falls from (1/M) (sum p_i G_i^2 - ||grad F||^2) to "
        "(1/M) ((sum p_i G_i)^2 - ||grad F||^2), where the G_i are attained.",
    ),
    prose=__doc__,
)
