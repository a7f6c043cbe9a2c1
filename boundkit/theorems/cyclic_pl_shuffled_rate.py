r"""FedAvg with cyclic client participation, one pass over shuffled local data: the published rate.

A client that passes once over all of its data uses every gradient exactly once, so that the errors of the
single gradients cancel over the pass. The noise then costs $1/T^2$ instead of $1/T$, and so does the whole
bound where the clients of a group are homogeneous.

Proof. Not reproduced: the theorem was not opened. That the noise's $1/T$ becomes $1/T^2$ is as recalled; how
it depends on $tau$ and on the groups is not known here, and no power of either is claimed.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.cyclic_pl_local_sgd_rate import THEOREM as SAMPLED

_LOG = log(m * T**2 / groups**2)

_SAMPLED = SAMPLED.bound.terms

THEOREM = variant(
    SAMPLED,
    "cyclic_pl_shuffled_rate",
    title="Cyclic client participation, shuffled local data, published rate",
    assumes=tuple(SHUFFLED_PARTS if a is BOUNDED_NOISE else a for a in SAMPLED.assumptions),
    terms=(
        _SAMPLED["initial gap"],
        recalled(
            "stochastic noise",
            c_4 * L**2 * sigma**2 * _LOG**2 / (mu_pl**3 * T**2),
            "inside O~(.), recalled: 1/T^2 in place of the 1/T of sampled gradients",
        ),
        _SAMPLED["partial participation"],
        _SAMPLED["client drift"],
        _SAMPLED["cyclic order"],
    ),
    becomes=(
        to("cyclic_pl_gd_rate", {tau: 1, sigma: 0}, because="a client with one batch takes one exact step"),
        to("cyclic_pl_local_sgd_rate", {sigma: 0}, because="equal batches are exact gradients"),
        not_to(
            "cyclic_pl_local_sgd_rate", {tau: 1}, because="the noise falls as 1/T^2 here and as 1/T there"
        ),
    ),
    remarks=(
        "With sigma_w = 0, or with whole groups, the whole bound falls as 1/T^2 up to logarithms; with one "
        "group and sampled gradients it falls as 1/T.",
        "Only the powers of T are taken from the source; those of tau and of the groups are not tested.",
        "T is a whole number of cycles.",
    ),
    source=CHO_2023.at(
        "the theorem on shuffled SGD",
        note="Recalled; the body of the paper was not opened.",
        letters=SAMPLED.source.renamed,
    ),
    prose=__doc__,
)
