r"""FedAWE's Corollary 3 as printed: how far the clients' models are from their mean.

The left side is the square of a length. The right side has the terms of the bound on the gradient, with other
constants. The paper works "with L >= 1", which is no convention but a choice of units: it turns every L^2
into a number that may be dropped.

The repaired form follows from the paper's own lines with L kept.
"""

from sympy import Rational, sqrt

from boundkit.algebra import Claim, Source, Term
from boundkit.algebra.dimension import LENGTH
from boundkit.algebra.exhibit import Exhibit, Form
from boundkit.algebra.notation import (
    L,
    T,
    availability,
    availability_max,
    eta,
    eta_s,
    gap,
    kappa,
    m,
    mixing,
    sigma,
    tau,
)
from boundkit.theorems.exhibits.fedawe_step_condition import EXHIBIT as STEPS

_STEP = eta_s * eta * tau * L
_GAP = gap / (eta_s * eta * tau * T)
_NOISE = eta_s * eta * L * availability_max * sigma**2 / (m * availability**2)
_SPREAD = _STEP**2 / (availability**2 * (1 - sqrt(mixing)) ** 2)

EXHIBIT = Exhibit(
    name="fedawe_corollary_3",
    algorithm="fedawe",
    claim=Claim(
        name="mean squared distance from the mean model",
        latex=r"\frac1T \sum_{t=0}^{T-1} \frac1m \sum_{i=1}^m \mathbb{E}\|x_{i,t} - \bar x_t\|^2",
        plain="(1/T) sum_{t<T} (1/m) sum_i E||x_{i,t} - mean x_t||^2",
        observable="consensus_error",
        summary="average",
        dimension=LENGTH**2,
    ),
    printed=Form(
        terms=(
            Term("initial gap", 3 * _GAP, "stated", because="as printed"),
            Term("stochastic noise", 12 * _NOISE, "stated", because="as printed"),
            Term("client drift", (28 * sigma**2 + 1600 * kappa**2) * _SPREAD, "stated", because="as printed"),
        ),
    ),
    repaired=Form(
        terms=(
            Term("initial gap", Rational(19, 100) * _GAP / L**2, "derived", because="the lines of App. I"),
            Term(
                "stochastic noise", Rational(3, 4) * _NOISE / L**2, "derived", because="the lines of App. I"
            ),
            Term(
                "client drift",
                (Rational(25, 2) * sigma**2 + 283 * kappa**2) * _SPREAD / L**2,
                "derived",
                because="the lines of App. I",
            ),
        ),
    ),
    states="fedawe_consensus",
    times=L**2,
    lost="The L^2 that turns a distance between models into one between gradients was dropped under the "
    "convention L >= 1.",
    source=Source(
        authors=STEPS.source.authors,
        year=STEPS.source.year,
        title=STEPS.source.title,
        venue=STEPS.source.venue,
        arxiv=STEPS.source.arxiv,
        where="Corollary 3",
        renamed={**STEPS.source.renamed, "zeta": kappa, "delta_max": availability_max},
    ),
    prose=__doc__,
)
