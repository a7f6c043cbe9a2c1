r"""FedAvg on smooth non-convex losses: clients with weights, sampled in any unbiased way.

Client $i$ has the weight $p_i$ in the objective and the random weight $W_i$ with mean $p_i$ in a round.
Everything that a scheme changes is in three numbers: the spread $sampling_spread$ and the slack
$sampling_slack$ of $E||sum_i (W_i - p_i) u_i||^2 <= sampling_spread sum_i p_i ||u_i||^2 - sampling_slack
||sum_i p_i u_i||^2$, and $N = sum_i E W_i^2$.

All clients: $sampling_spread = sampling_slack = 0$, $N = sum_i p_i^2$. $M$ draws with replacement with
probabilities $q_i$, $W_i$ the count times $p_i/(M q_i)$: $sampling_spread = max p_i/(M q_i)$,
$sampling_slack = 1/M$, $N = (1/M) sum_i p_i^2/q_i + (1 - 1/M) sum_i p_i^2$. Independently with
probabilities $q_i$: $sampling_spread = max p_i (1 - q_i)/q_i$, $sampling_slack = 0$, $N = sum_i
p_i^2/q_i$. $C m$ clients uniformly without replacement: $sampling_slack = (1 - C)/(C (m - 1))$,
$sampling_spread = sampling_slack m max p_i$, $N = sum_i p_i^2/C$.
"""

from boundkit.algebra.authoring import *

_S = eta_s * eta * tau

THEOREM = upper(
    "fedavg_nonconvex_sampling",
    title="FedAvg, non-convex, weights and any unbiased sampling",
    algorithm="fedavg",
    costs="fedavg_sampling",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, *WEIGHTED_CLIENTS),
    requires=(at_most(sampling_slack, sampling_spread),),
    steps=(
        at_most(eta, 1 / (8 * L * tau)),
        at_most(24 * _S * L * (1 + 2 * (sampling_spread - sampling_slack)), 1),
    ),
    terms=(
        derived(
            "initial gap",
            Rational(13, 10) * gap / (_S * T),
            "39/50 of the squared gradient a round survives; 50/39 rounded up",
        ),
        derived(
            "stochastic noise",
            eta_s * eta * L * sigma**2 * (11 * share_noise + sampling_spread) / 15,
            "(8/7)/2 by the variance of a client, over 39/50, and the part of its error in the spread",
        ),
        derived(
            "noise drift",
            Rational(22, 25) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "277/500 by the error of a client, and less than 63/40 for its weight over what is left",
        ),
        derived(
            "partial participation",
            Rational(2, 3) * _S * L * sampling_spread * sigma_g**2,
            "(56/55)/2 by the spread of the directions, over 39/50, rounded up for the error of a client",
        ),
        derived(
            "client drift",
            Rational(19, 40) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "299/1000 by the error of a client, otherwise as the noise drift",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial_sharp",
            {
                sampling_spread: (1 - C) / (C * (m - 1)),
                sampling_slack: (1 - C) / (C * (m - 1)),
                share_noise: 1 / (C * m),
            },
            factors={
                "stochastic noise": Rational(4, 45) * (11 + (1 - C) * m / (m - 1)),
                "noise drift": Rational(88, 85),
                "client drift": Rational(19, 18),
            },
            because="equal weights, uniform sampling without replacement: the same steps, with constants "
            "for every scheme",
        ),
    ),
    remarks=(
        "At sigma_g = 0 sampling still has a cost where the slack is below the spread: the number of "
        "the participants, or their weight, varies, and the step size pays for it.",
        "Of all schemes with M draws, drawing by the weights, q_i = p_i, has the least spread, 1/M, and the "
        "least noise.",
    ),
    source=LI_2020_FEDAVG.at(
        "schemes I and II (the sampling); constants proved here",
        note="The source has two schemes for strongly convex losses and decaying steps. This statement "
        "stands on its proof alone.",
    ),
    prose=__doc__,
)
