r"""FedAvg on smooth non-convex losses, where the variance of the sampled clients' gradients is known.

Terms are those of fedavg_nonconvex_sampling with the variance $S^2$ itself in the sampling error; the slack
has no part in the step size. It is the theorem for importance sampling. For $M$ draws with probabilities
$q_i$ and bounds $E||grad F_i(x_t)||^2 <= G_i^2$, $S^2$ is at most $(1/M) sum_i p_i^2 G_i^2/q_i$, least for
$q_i$ proportional to $p_i G_i$; with a noise $sigma_i$, and a fresh gradient for every draw, for $q_i$
proportional to $p_i sqrt((5/7) G_i^2 + (11/15) sigma_i^2/tau)$. Half of that and half of $p_i$ keeps
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
        at_most(eta_s * eta, 1 / (24 * L * tau)),
        at_most(24 * _S * L * sampling_spread, 1),
    ),
    requires=(),
    terms=tuple(
        derived(
            "partial participation",
            Rational(5, 7) * _S * L * sampling_error**2 + _S * L * sampling_spread * sigma_g**2 / 28,
            "(10/9)/2 by the spread of the gradients and (25/512)/2 by the errors of the clients, over 39/50",
        )
        if term.label == "partial participation"
        else term
        for term in SAMPLING.terms
    ),
    becomes=(
        to(
            "fedavg_nonconvex_sampling",
            {sampling_error: sqrt(sampling_spread) * sigma_g, sampling_slack: sampling_spread},
            factors={"partial participation": Rational(9, 8)},
            because="S^2 is at most spread sigma_g^2 where slack and spread agree, and 5/7 + 1/28 is 3/4",
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
