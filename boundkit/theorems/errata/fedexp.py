"""Jhunjhunwala, Wang and Joshi (2023): FedExP."""

from boundkit.algebra.authoring import *
from boundkit.algebra.erratum import Erratum

_THEOREMS = ("fedexp_convex", "fedexp_nonconvex")

ERRATA = (
    Erratum(
        name="fedexp_denominator",
        source=JHUNJHUNWALA_2023.at("the server step size, on slides"),
        text="talk",
        basis="counterexample",
        printed="||x - x_i||^2 in the denominator.",
        reason="Taken literally the ratio is at most 1/2 for symmetric clients, and the method is FedAvg.",
        corrected="The square of the mean update.",
        consequence="The extrapolation would be lost.",
        theorems=_THEOREMS,
        example="boundkit demo fedexp_step",
    ),
    Erratum(
        name="fedexp_eps_unit",
        source=JHUNJHUNWALA_2023.at("the server step size, eps"),
        text="paper",
        basis="units",
        printed="eps = 0.001 in all experiments.",
        reason="It is added to a squared length: a fixed number has another meaning in other units and at "
        "other step sizes.",
        corrected="eps is a squared length.",
        consequence="Released code multiplies it by the number of participating clients as well.",
        theorems=_THEOREMS,
    ),
)
