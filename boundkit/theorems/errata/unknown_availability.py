"""Wang and Ji (2024), FedAU, and papers on FedAvg with unequal availability."""

from boundkit.algebra.authoring import *
from boundkit.algebra.erratum import Erratum

ERRATA = (
    Erratum(
        name="fedau_weights",
        source=WANG_2024.at("the limit of FedAvg under unequal availability, in papers on it"),
        text="paper",
        basis="counterexample",
        printed="Averaging the participating clients has the weights q_i/sum_j q_j.",
        reason="Those are the weights of dividing by all m clients. Two clients with probabilities p, q have "
        "the weights p (1 - q/2) and q (1 - p/2), over their sum.",
        corrected="E[1{i participates}/(number of participating clients)].",
        consequence="The printed weights are right to first order in 1/m.",
        theorems=("fedavg_active_bias", "fedavg_all_bias"),
        example="boundkit demo unequal_availability",
    ),
)
