r"""FedAvg's bound as lecture notes print it: (1 + sigma^2)/sqrt(m tau T) and a drift.

1 + sigma^2 adds a number to a squared gradient. The step size eta = sqrt(m/(tau T)) was put in, which sets a
unit step silently, and gap and L were set to 1. Without that the bound is that of fedavg_nonconvex under the
rule eta = sqrt(m/(tau T))/L, for T >= 12 m tau.

The notes read m as the sampled clients. The bound has no participation term: it is the bound of full
participation, with all m clients. With sampling one more term is added, and it dominates.
"""

from sympy import sqrt

from boundkit.algebra import Source, Term
from boundkit.algebra.exhibit import Exhibit, Form
from boundkit.algebra.notation import L, T, eta, gap, m, sigma, sigma_g, tau
from boundkit.algebra.vocabulary import MEAN_SQUARED_GRADIENT

_SHARED = sqrt(m * tau * T)
_DRIFT = m * (tau - 1) / (tau * T)

EXHIBIT = Exhibit(
    name="lecture_notes_bound",
    algorithm="fedavg",
    claim=MEAN_SQUARED_GRADIENT,
    printed=Form(
        terms=(
            Term("stochastic noise", (1 + sigma**2) / _SHARED, "stated", because="inside O(.), as printed"),
            Term(
                "client drift",
                (sigma**2 + tau * sigma_g**2) * _DRIFT,
                "stated",
                because="inside O(.), as printed",
            ),
        ),
    ),
    repaired=Form(
        terms=(
            Term("initial gap", 4 * L * gap / _SHARED, "derived", because="4 gap/(eta tau T) at the rule"),
            Term(
                "stochastic noise", 4 * sigma**2 / _SHARED, "derived", because="4 eta L sigma^2/m at the rule"
            ),
            Term("noise drift", 6 * sigma**2 * _DRIFT, "derived", because="6 (eta L)^2 = 6 m/(tau T)"),
            Term(
                "client drift",
                12 * tau * sigma_g**2 * _DRIFT,
                "derived",
                because="12 (eta L)^2 = 12 m/(tau T)",
            ),
        ),
    ),
    lost="L gap was set to 1 beside sigma^2, and so was the step size's unit: sqrt(m/(tau T))/L is a step, "
    "sqrt(m/(tau T)) is not.",
    doubt="The powers of m, tau and T are right, and so is the bound where L = gap = 1 in the units chosen.",
    states="fedavg_nonconvex",
    at={eta: sqrt(m / (tau * T)) / L},
    source=Source(
        authors=("Lecture notes after Joshi",),
        year=2022,
        title="Introduction to Federated Learning",
        arxiv="",
        where="the slide 'Convergence of Federated Learning', undated",
        renamed={"K": sigma_g},
    ),
    prose=__doc__,
)
