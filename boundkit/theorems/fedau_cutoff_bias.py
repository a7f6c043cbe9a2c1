"""FedAU with a cutoff of the participation intervals: the bias of its limit.

FedAU weighs a client by the mean length of its participation intervals, an unbiased estimate of $1/q_i$. A
cutoff of long intervals bounds the variance, but overestimates the participation of rarely available clients.
The method then minimises an objective that weighs client $i$ by $1 - (1 - q_i)^cutoff$, the probability that
it participates within cutoff rounds: nearly equal weights if cutoff is many times $1/q_i$, nearly $q_i$ if
cutoff is 1.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_all_bias import THEOREM as ALL

_LATER = (1 - q_i) ** cutoff
_CHANGES = {AVERAGE_OVER_ALL: INTERVAL_WEIGHTS, WEIGHTED_OBJECTIVE: EQUAL_WEIGHTS}

THEOREM = upper(
    "fedau_cutoff_bias",
    title="FedAU, bias of the interval cutoff",
    algorithm="fedau",
    bounds=ALL.claim,
    assumes=tuple(_CHANGES.get(a, a) for a in ALL.assumptions),
    terms=ALL.terms,
    definitions={
        chi2: ClientSum(1 - _LATER) * ClientSum(_LATER**2 / (1 - _LATER)) / m**2
        - (ClientSum(_LATER) / m) ** 2
    },
    remarks=(
        "A cutoff of 1 makes every weight 1, which is dividing by all clients: fedavg_all_bias.",
        "The recommended cutoff of 50 gives a client with participation probability 1/50 the factor 0.636 of "
        "its unbiased weight.",
        "Estimating 1/q_i by the mean interval is unbiased; by the inverse of the participation frequency it "
        "is not.",
        "The variance of the cut-off interval is sum over k < cutoff of (2 k + 1) (1 - q_i)^k less the "
        "square of the mean; at q_i = 0.1 and cutoff = 50 it is 84.9, against 90 without a cut.",
    ),
    source=WANG_2024.at(
        "Theorem 1 and Algorithm 2",
        note="The limit of the weights is worked out here; its Theorem 3 has a term of the same size, (1 - "
        "p_n)^(2 K).",
        letters={"N": m, "p_n": q_i, "omega_n": omega_i, "gamma": eta, "eta": eta_s, "I": tau, "K": cutoff},
    ),
    prose=__doc__,
)
