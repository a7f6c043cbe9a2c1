r"""FedAvg under the Polyak-Lojasiewicz inequality: clients with weights, sampled in any unbiased way.

The loss need not be convex; the claim is about the last iterate. Step sizes, spread, slack and share noise
are those of fedavg_nonconvex_sampling, and the error floor is its bound over $2 mu_pl$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex_sampling import THEOREM as NONCONVEX_SAMPLING

_S = eta_s * eta * tau
_FLOOR = {term.label: term.expr / (2 * mu_pl) for term in NONCONVEX_SAMPLING.terms}
_BECAUSE = "that of fedavg_nonconvex_sampling, over 2 mu_pl: the geometric sum of what a round adds"

THEOREM = variant(
    NONCONVEX_SAMPLING,
    "fedavg_pl_sampling",
    title="FedAvg, Polyak-Lojasiewicz, weights and any unbiased sampling",
    bounds=LAST_LOSS_GAP,
    assumes=(SMOOTH, POLYAK_LOJASIEWICZ, BOUNDED_NOISE, *WEIGHTED_CLIENTS),
    requires=(at_most(mu_pl, L), at_most(sampling_slack, sampling_spread)),
    terms=(
        derived(
            "initial gap",
            (1 - Rational(39, 25) * mu_pl * _S) ** T * gap,
            "39/50 of the squared gradient a round survives, and it is at least 2 mu_pl (F - F*)",
        ),
        *(
            derived(label, _FLOOR[label], _BECAUSE)
            for label in ("stochastic noise", "noise drift", "partial participation", "client drift")
        ),
    ),
    becomes=(),
    remarks=(
        "Equal weights, uniform sampling without replacement: sampling_spread = sampling_slack = (1 - C)/(C "
        "(m - 1)), share_noise = 1/(C m).",
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem I (rate, strongly convex losses); constants proved here",
        note="The source has strongly convex losses under a (G, B) dissimilarity. This statement stands "
        "on its proof alone.",
    ),
    prose=__doc__,
)
