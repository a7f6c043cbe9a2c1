"""Karimireddy et al. (2020): SCAFFOLD, and its theorem on FedAvg."""

from boundkit.algebra.authoring import *
from boundkit.algebra.erratum import Erratum, Form

_M = sqrt(sigma**2 * (1 + C * m / eta_s**2) + tau * (1 - C) * kappa**2)
_SHARED = sqrt(T * tau * C * m)
_LAST = order("initial gap", beta**2 * L * gap / T, "inside O(.), as recalled")
_THIRD = Rational(1, 3)
_UNIT = "the form that has the unit of a squared gradient"

ERRATA = (
    Erratum(
        name="fedavg_rate_units",
        source=KARIMIREDDY_2020.at(
            "Theorem I, non-convex", letters={**KARIMIREDDY_2020.letters, "G": kappa, "B": beta, "F": gap}
        ),
        text="recalled",
        basis="units",
        printed=Form(
            MEAN_SQUARED_GRADIENT,
            (
                order("stochastic noise", L * _M * sqrt(gap) / _SHARED, "inside O(.), as recalled"),
                order(
                    "client drift",
                    gap ** (2 * _THIRD) * (L * kappa**2) ** _THIRD / (T + 1) ** (2 * _THIRD),
                    "inside O(.), as recalled",
                ),
                _LAST,
            ),
            kind="order",
        ),
        reason="Neither of the first two terms has the unit of a squared gradient.",
        corrected=Form(
            MEAN_SQUARED_GRADIENT,
            (
                order("stochastic noise", _M * sqrt(L * gap) / _SHARED, _UNIT),
                order("client drift", (L * gap * kappa) ** (2 * _THIRD) / (T + 1) ** (2 * _THIRD), _UNIT),
                _LAST,
            ),
            kind="order",
        ),
        consequence="The powers of T, tau and m are unchanged. The paper was not opened: the formula above "
        "is recalled, and this says nothing against the paper where it is recalled wrongly.",
        theorems=("fedavg_nonconvex_partial_rate",),
        up_to="its constants",
    ),
    Erratum(
        name="scaffold_row_cut_off",
        source=KARIMIREDDY_2020.at("Theorem III, in the table of a talk on EPISODE++"),
        text="talk",
        basis="contradiction",
        printed="The entry on the largest number of local steps ends after its N.",
        reason="The scan of the table is cut off there.",
        corrected="The order that the step condition gives stands here.",
        consequence="The conditions of the row are those of the theorem, not of the table.",
        theorems=("scaffold_nonconvex_rounds",),
    ),
)
