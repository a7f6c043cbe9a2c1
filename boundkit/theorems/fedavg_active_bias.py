r"""Where FedAvg settles that divides by the clients that came, if some come more often than others.

A client counts for 1/|S| in a round, so for more when few others come. What the method minimises weighs
client i by E[1{i in S}/|S|], and that is not q_i over the sum of all q_i, as is often written: with few
clients it favours the frequent ones more. The bias stays, however many rounds: objective inconsistency.

Proof. As for fedavg_all_bias, with the mean step -eta_s eta tau sum_i E[1{i in S}/|S|] grad F_i(x) +
O(eta^2). A round to which nobody comes only takes time, so the shares may be divided by their sum, the
chance that somebody comes. A share is q_i times the integral over t from 0 to 1 of prod_{j != i} (1 - q_j +
q_j t), since 1/(1 + n) is the integral of t^n and the others come independently.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_all_bias import THEOREM as ALL

THEOREM = upper(
    "fedavg_active_bias",
    title="FedAvg over available clients, asymptotic bias",
    algorithm="fedavg",
    costs="fedavg_active",
    bounds=ALL.claim,
    assumes=tuple(AVERAGE_OVER_PRESENT if a == AVERAGE_OVER_ALL else a for a in ALL.assumptions),
    terms=ALL.terms,
    definitions={
        w_i: ActiveShare(q_i) / ClientSum(ActiveShare(q_i)),
        chi2: ClientSum((p_i - w_i) ** 2 / w_i),
    },
    remarks=(
        "The shares need all clients at once; they are worked out exactly, by one product of polynomials.",
        "Two clients: the first weighs q_1 (1 - q_2/2)/(q_1 + q_2 - q_1 q_2). With q = (0.9, 0.3) and minima "
        "at 0 and 100 (one Hessian) it settles at 17.74, where dividing by all clients settles at 25.",
        "With many clients the difference fades: the weights are near q_i/(1 + sum of the other q_j), and "
        "then near q_i over the sum. For chances drawn between 0.1 and 0.9 it is 0.033 in total variation at "
        "two clients, 0.018 at ten, and 0.0017 at a hundred.",
        "It is the faster of the two, because a round moves by the whole step, and the more biased.",
    ),
    errata=(
        "Papers on unequal availability print the weights q_i/sum_j q_j for this method; they are those of "
        "dividing by all clients.",
    ),
    source=WANG_2024.at(
        "Theorem 1",
        note="Theorem 1 there is about dividing by all clients; this statement and its proof are the "
        "house's.",
        letters={"N": m, "p_n": q_i, "omega_n": omega_i, "gamma": eta, "eta": eta_s, "I": tau},
    ),
    prose=__doc__,
)
