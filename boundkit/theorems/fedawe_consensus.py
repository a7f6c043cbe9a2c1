r"""FedAWE on smooth non-convex losses: the consensus error of the clients' models.

The mean squared distance of the models from their mean, times $L^2$ so that it has the unit of a squared
gradient, is bounded by noise and heterogeneity, amplified by unavailability, and by a thirty-second of the
bound on the gradient, because large gradients increase the differences between models.

Proof, along the displayed lines of App. I, with $L$ kept and under the conditions of fedawe_nonconvex. The
mixing lemma (Lemma 6) bounds the consensus error by $x^2/(availability^2 (1 - sqrt(mixing))^2)$, $x = eta_s
eta tau L$, times noise, dissimilarity and squared gradients, and $x^2$ is at most a 6400th of the divisor
over $beta^2$. The part of the squared gradients is put in from fedawe_nonconvex_auxiliary: $6/32 <= 0.19$ and
$24/32 = 0.75$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedawe_nonconvex import THEOREM as MEAN_MODEL

_SPREAD = MEAN_MODEL.bound.terms["stale-model dissimilarity"].expr / (5600 * kappa**2)

THEOREM = upper(
    "fedawe_consensus",
    title="FedAWE, consensus error",
    algorithm="fedawe",
    bounds=CONSENSUS,
    assumes=MEAN_MODEL.assumptions,
    requires=MEAN_MODEL.requires,
    steps=MEAN_MODEL.step_size,
    terms=(
        derived(
            "initial gap",
            Rational(19, 100) * gap / (eta_s * eta * tau * T),
            "a thirty-second of the 6 on the auxiliary sequence, rounded up",
        ),
        derived(
            "stochastic noise",
            Rational(3, 4) * eta_s * eta * L * availability_max * sigma**2 / (m * availability**2),
            "3/4 = (24) (1/32): a thirty-second of the 24 on the auxiliary sequence",
        ),
        derived(
            "unavailability",
            Rational(25, 2) * sigma**2 * _SPREAD,
            "the noise of the mixing lemma, and a thirty-second of the 15 on the auxiliary sequence",
            label="stale-model noise",
        ),
        derived(
            "unavailability",
            283 * kappa**2 * _SPREAD,
            "the dissimilarity of the mixing lemma, and a thirty-second of the 2800 on the auxiliary "
            "sequence",
            label="stale-model dissimilarity",
        ),
    ),
    definitions=MEAN_MODEL.definitions,
    becomes=(
        not_to(
            "fedawe_nonconvex_auxiliary",
            factors={k: Rational(1, 32) for k in MEAN_MODEL.bound.terms},
            because="models differ by their own noise and losses too, not only where the gradient is large",
        ),
    ),
    limits=MEAN_MODEL.limits,
    remarks=(
        "Its part of the noise is from fedawe_nonconvex_auxiliary, where a term is missing in print; by the "
        "certificate it is true as it stands.",
        *MEAN_MODEL.remarks[1:3],
    ),
    source=XIANG_2024.at(
        "Corollary 3",
        note="The statement is repaired: its constants are read off the lines of App. I with L kept.",
    ),
    prose=__doc__,
)
