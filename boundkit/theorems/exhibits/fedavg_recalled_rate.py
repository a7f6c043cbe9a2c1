r"""FedAvg's non-convex rate in the SCAFFOLD paper, as recalled.

Two of its three terms have inconsistent units: beta M sqrt(F) is no squared gradient, and nor is F^(2/3)
(beta G^2)^(1/3). With the smoothness under the root, and with every letter to the power 2/3, all three are.
The paper was not opened for this, so the error may be in the recollection.
"""

from sympy import Rational, sqrt

from boundkit.algebra import Source, Term
from boundkit.algebra.exhibit import Exhibit, Form
from boundkit.algebra.notation import C, L, T, beta, eta_s, gap, kappa, m, sigma, tau
from boundkit.algebra.vocabulary import MEAN_SQUARED_GRADIENT

_M = sqrt(sigma**2 * (1 + C * m / eta_s**2) + tau * (1 - C) * kappa**2)
_SHARED = sqrt(T * tau * C * m)
_LAST = beta**2 * L * gap / T
_THIRD = Rational(1, 3)

EXHIBIT = Exhibit(
    name="fedavg_recalled_rate",
    algorithm="fedavg",
    claim=MEAN_SQUARED_GRADIENT,
    kind="order",
    printed=Form(
        terms=(
            Term(
                "stochastic noise",
                L * _M * sqrt(gap) / _SHARED,
                "order",
                because="inside O(.), as remembered",
            ),
            Term(
                "client drift",
                gap ** (2 * _THIRD) * (L * kappa**2) ** _THIRD / (T + 1) ** (2 * _THIRD),
                "order",
                because="inside O(.), as remembered",
            ),
            Term("initial gap", _LAST, "order", because="inside O(.), as remembered"),
        ),
    ),
    repaired=Form(
        terms=(
            Term(
                "stochastic noise",
                _M * sqrt(L * gap) / _SHARED,
                "order",
                because="the unit wants sqrt(L gap)",
            ),
            Term(
                "client drift",
                (L * gap * kappa) ** (2 * _THIRD) / (T + 1) ** (2 * _THIRD),
                "order",
                because="the unit wants (L gap kappa)^(2/3)",
            ),
            Term("initial gap", _LAST, "order", because="inside O(.), as remembered"),
        ),
    ),
    states="fedavg_nonconvex_partial_rate",
    up_to="its constants",
    lost="The smoothness belongs under the root in the first term, and to the power 2/3 in the second.",
    doubt="The rate is quoted from memory: the slip may be that of memory, not of the paper.",
    source=Source(
        authors=("Karimireddy", "Kale", "Mohri", "Reddi", "Stich", "Suresh"),
        year=2020,
        title="SCAFFOLD: Stochastic Controlled Averaging for Federated Learning",
        venue="ICML 2020",
        arxiv="1910.06378",
        where="Theorem I, non-convex, recalled",
        renamed={
            "N": m,
            "S": C * m,
            "K": tau,
            "R": T,
            "eta_g": eta_s,
            "beta": L,
            "G": kappa,
            "B": beta,
            "F": gap,
        },
    ),
    prose=__doc__,
)
