r"""FedAvg on smooth non-convex losses, full participation, at the step size $eta = sqrt(m/(tau T))/L$.

The step size balances the initial gap against the noise: both fall as $1/sqrt(m tau T)$, a linear speed-up in
the number of clients and of local steps. The drifts fall faster, as $1/T$, but grow with $tau$ and with $m$,
because more clients allow a larger step. So the speed-up holds only after enough rounds.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex import THEOREM as BASE

RULE = {eta: sqrt(m / (tau * T)) / L}

THEOREM = tuned(
    BASE,
    RULE,
    "fedavg_nonconvex_tuned",
    title="FedAvg, non-convex, full participation, tuned step size",
    becomes=(to("fedavg_nonconvex", RULE, because="it is that theorem at this step size"),),
    remarks=(
        "T >= 12 m tau is enough for both conditions.",
        "The client drift equals the stochastic noise at T = 9 m^3 tau (tau - 1)^2 (sigma_g/sigma)^4: only "
        "after about m^3 tau^3 rounds do more clients help as the first two terms suggest. Before that more "
        "clients at this step size increase the bound, since both drifts are linear in m.",
        "One step size cannot give 1/sqrt(m tau T) + 1/T with neither m nor tau in the factor of 1/T; "
        "fedavg_nonconvex_partial_tuned has two step sizes.",
    ),
    source=WANG_2020_FEDNOVA.at(
        "after Theorem 1, the tuned rate",
        note="Lecture notes on federated learning print it without L and gap; the substitution is above.",
        letters={"F(x_0) - F_inf": gap, "tau_bar": tau, "K": sigma_g},
    ),
    prose=__doc__,
)
