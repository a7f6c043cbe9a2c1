r"""FedAvg on strongly convex losses, partial participation: the squared distance at the end.

The initial squared distance falls geometrically. An error floor remains, with terms for noise, sampling and
drifts, each with a factor $2/mu$: where the loss is flat, a small error in the gradient moves the iterate
far.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fedavg_strongly_convex_partial",
    title="FedAvg, strongly convex, partial participation",
    algorithm="fedavg",
    bounds=LAST_SQUARED_DISTANCE,
    assumes=(*STRONGLY_CONVEX_NOISY, BOUNDED_DISSIMILARITY, *SAMPLED_CLIENTS),
    requires=(at_least(m, 2), at_most(mu, L)),
    steps=(at_most(eta, 1 / (8 * L * tau)), at_most(eta_s * eta, 1 / (24 * L * tau))),
    terms=(
        derived(
            "initial gap",
            (1 - mu * eta_s * eta * tau / 2) ** T * distance**2,
            "a round contracts by 1 - mu s/2: 2 s times the mu/4 that the three points give",
        ),
        derived(
            "stochastic noise",
            4 * eta_s * eta * sigma**2 / (mu * C * m),
            "4 = 2 times 2: the geometric sum, and noise split off the mean",
        ),
        derived(
            "noise drift",
            9 * L * eta**2 * (tau - 1) * sigma**2 / mu,
            "9 = 2 (2 + 1/4) 2: the geometric sum, the factor of the drift, its noise",
        ),
        derived(
            "partial participation",
            12 * eta_s * eta * tau * (1 - C) / (C * (m - 1)) * sigma_g**2 / mu,
            "12 = 2 times 6",
        ),
        derived(
            "client drift",
            36 * L * eta**2 * tau * (tau - 1) * sigma_g**2 / mu,
            "36 = 2 (2 + 1/4) 8: as the noise drift, with the drift's 8",
        ),
    ),
    becomes=(
        not_to(
            "fedavg_convex_partial",
            {T: 1},
            factors={
                "initial gap": eta_s * eta * tau,
                "stochastic noise": 2 / mu,
                "noise drift": Rational(18, 5) / mu,
                "partial participation": 2 / mu,
                "client drift": Rational(18, 5) / mu,
            },
            because="the error terms are the convex ones over mu, up to constants, but the initial error "
            "enters by contraction and keeps a factor mu s/2: mu -> 0 does not give the convex theorem",
        ),
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem I (rate); constants proved here",
        note="The source states rates under a (G, B) dissimilarity. This statement, with reading D2 and "
        "explicit constants, stands on the proof alone.",
    ),
    prose=__doc__,
)
