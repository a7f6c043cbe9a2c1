"""Li, Huang, Yang, Wang and Zhang (2020): FedAvg, strongly convex, decaying step size."""

from boundkit.algebra.authoring import *
from boundkit.algebra.erratum import Erratum

_THEOREMS = (
    "fedavg_strongly_convex_decaying",
    "fedavg_strongly_convex_decaying_replacement",
    "fedavg_strongly_convex_decaying_uniform",
)

ERRATA = (
    Erratum(
        name="fedavg_decaying_first_step",
        source=LI_2020_FEDAVG.at("Theorem 1"),
        text="paper",
        basis="proof",
        printed="kappa/(gamma + T - 1) and mu gamma/2, with steps counted from 1.",
        reason="With the printed step sizes the induction gives one more in both places.",
        corrected="kappa/(gamma + T) and mu (gamma + 1)/2, or steps counted from 0.",
        consequence="A relative change of 1/gamma; counted from 0, the statement here is consistent.",
        theorems=_THEOREMS,
    ),
    Erratum(
        name="fedavg_decaying_parentheses",
        source=LI_2020_FEDAVG.at("Theorem 1, in copies"),
        text="notes",
        basis="proof",
        printed="kappa/(gamma + T) 2 B/mu + (mu gamma/2) ||w_1 - w*||^2.",
        reason="Without the parentheses the second term does not fall with T.",
        corrected="kappa = L/mu over gamma + T multiplies the initial term as well.",
        consequence="None for the paper, which has the parentheses: they are missing in copies.",
        theorems=_THEOREMS,
    ),
    Erratum(
        name="fedavg_decaying_step",
        source=LI_2020_FEDAVG.at("Theorem 1, in copies"),
        text="notes",
        basis="proof",
        printed="The step size is 1/(mu (gamma + t)).",
        reason="The induction needs mu eta_t > 1/(gamma + t), strictly.",
        corrected="The step size is 2/(mu (gamma + t)).",
        consequence="With the smaller step size the rate 1/T does not follow.",
        theorems=_THEOREMS,
    ),
)
