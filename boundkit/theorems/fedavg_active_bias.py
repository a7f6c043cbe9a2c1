"""FedAvg that averages over the participating clients: the bias of its limit under unequal availability.

A client has the weight $1/|S|$ in a round, so more where few others participate. The method minimises an
objective that weighs client $i$ by $E[1{i in S}/|S|]$, which is not proportional to $q_i$, as is often
stated: with few clients it favours the frequently available ones more. The bias does not vanish with $T$:
objective inconsistency.
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
        "The shares depend on all clients at once; they are computed exactly, by one product of polynomials.",
        "Two clients: the first weighs q_1 (1 - q_2/2)/(q_1 + q_2 - q_1 q_2). With q = (0.9, 0.3) and minima "
        "at 0 and 100 (one Hessian) it converges to 17.74, where dividing by all clients converges to 25.",
        "With many clients the difference fades: the weights are near q_i/(1 + sum of the other q_j), and "
        "then near q_i over the sum. For probabilities sampled between 0.1 and 0.9 it is 0.033 in total "
        "variation at two clients, 0.018 at ten, and 0.0017 at a hundred.",
        "It is the faster of the two, because a round moves by the whole step, and the more biased.",
    ),
    source=WANG_2024.at(
        "Theorem 1",
        note="Theorem 1 there is about dividing by all clients; this statement and its proof are ours.",
        letters={"N": m, "p_n": q_i, "omega_n": omega_i, "gamma": eta, "eta": eta_s, "I": tau},
    ),
    prose=__doc__,
)
