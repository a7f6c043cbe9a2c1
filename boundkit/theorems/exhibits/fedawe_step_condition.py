r"""FedAWE's conditions on the steps, eq. (11) of the paper, as printed.

Both conditions hold a factor sqrt(1 + L^2), and the first a factor L + 1 besides. L has a unit, so neither
sum has a meaning: in other units of the parameters the same run is allowed here and forbidden there.

The proof bounds 1 + 40 rho s^2 eta^2 L^2/(1 - sqrt(rho))^2 by 1 + L^2, with eta s set to 1. Under the
repaired conditions that bracket is at most 1 + 40/6400, and the descent keeps 0.2338 of the squared gradient,
where 1/6 is needed: every printed constant holds.

The paper's beta bounds grad F_i - grad F, ours grad F_i itself: its sqrt(beta^2 + 1) is our beta.
"""

from sympy import sqrt

from boundkit.algebra import Source
from boundkit.algebra.domain import at_most
from boundkit.algebra.exhibit import Exhibit, Form
from boundkit.algebra.notation import L, availability, beta, eta, eta_s, mixing, tau
from boundkit.algebra.vocabulary import MEAN_SQUARED_GRADIENT

EXHIBIT = Exhibit(
    name="fedawe_step_condition",
    algorithm="fedawe",
    claim=MEAN_SQUARED_GRADIENT,
    printed=Form(
        conditions=(
            at_most(
                eta_s * eta,
                (1 - sqrt(mixing))
                * availability
                / (80 * tau * (L + 1) * (sqrt(mixing) + 1) * beta * sqrt(1 + L**2)),
            ),
            at_most(eta, availability / (200 * tau * L * beta * sqrt(1 + L**2))),
        ),
    ),
    repaired=Form(
        conditions=(
            at_most(
                eta_s * eta,
                (1 - sqrt(mixing)) * availability / (80 * L * tau * (1 + sqrt(mixing)) * beta),
            ),
            at_most(eta, availability / (200 * L * tau * beta)),
        ),
    ),
    states="fedawe_nonconvex",
    lost="A product eta tau was set to 1 on the way to 1 + L^2; kept, it makes that bracket a number near 1, "
    "and L + 1 is L.",
    source=Source(
        authors=("Xiang", "Ioannidis", "Yeh", "Joe-Wong", "Su"),
        year=2024,
        title="Efficient Federated Learning against Heterogeneous and Non-stationary Client Unavailability",
        venue="NeurIPS 2024",
        arxiv="2409.17446",
        where="eq. (11)",
        renamed={
            "s": tau,
            "eta_l": eta,
            "eta_g": eta_s,
            "delta": availability,
            "rho": mixing,
            "sqrt(beta^2 + 1)": beta,
        },
    ),
    prose=__doc__,
)
