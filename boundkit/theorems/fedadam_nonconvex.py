r"""FedAdam without momentum, on smooth non-convex losses, all clients in every round: its order.

As FedAdagrad, but the server averages squares with decay $beta_2$, so that its denominator does not grow: it
stays below $sqrt(beta_2) eta tau G_inf + adaptivity$, and that, over $eta tau T$, is the first factor of
every term. The price is a variance that does not vanish with $T$.

The source's form is recalled, its constants are unknown, $c_1$ to $c_4$. Only its scaling is tested.

Proof. None here. The source bounds the smallest gradient over rounds; since its denominators are bounded by a
constant, the same proof bounds the mean.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedadagrad_nonconvex import THEOREM as FEDADAGRAD

_denominator = (sqrt(beta2) * eta * tau * G_inf + adaptivity) / (eta * tau * T)
_step = G_inf + eta_a * L
_drift = eta**3 * tau**2 * L**2 * T / adaptivity * (1 + _step * eta * tau / adaptivity)

THEOREM = variant(
    FEDADAGRAD,
    "fedadam_nonconvex",
    title="FedAdam without momentum, order of the bound",
    algorithm="fedadam",
    terms=(
        recalled(
            "initial gap",
            c_1 * _denominator * gap / eta_a,
            "the gap over the server step size, which is a length",
        ),
        recalled(
            "stochastic noise",
            c_2 * _denominator * _step * eta**2 * tau * T / (m * adaptivity**2) * sigma**2,
            "the noise of a round's mean update, over adaptivity squared, summed over rounds",
        ),
        recalled(
            "noise drift",
            c_3 * _denominator * _drift * sigma**2,
            "the squared local drift of a round by noise, in the descent and in the variance",
        ),
        recalled(
            "client drift",
            c_4 * _denominator * _drift * tau * sigma_g**2,
            "as the noise drift, with tau sigma_g^2 for sigma^2: the bias of the gradients accumulates over "
            "tau steps",
        ),
    ),
    limits=(),
    remarks=(
        "With eta = 1/(tau L sqrt(T)), eta_a = sqrt(tau m) G_inf/L and adaptivity = G_inf/L gap and noise "
        "fall as 1/sqrt(m tau T); the source writes eta_a = sqrt(tau m), which has lost its unit.",
        "Without the server's momentum (beta_1 = 0).",
        "The source may have a second condition, recalled as eta tau of at most the order of "
        "sqrt(adaptivity/(G_inf L)); its text was not opened, so the condition is not stated.",
        "As adaptivity grows with eta_a/adaptivity fixed the server step becomes plain, and "
        "fedavg_nonconvex_partial with eta_s = eta_a/adaptivity applies, with constants.",
    ),
    source=REDDI_2021.at(
        "the theorem for FedAdam",
        note="Recalled, not opened; its constants 5/2, 4 and 20 are left open, since they were not checked.",
    ),
    prose=__doc__,
)
