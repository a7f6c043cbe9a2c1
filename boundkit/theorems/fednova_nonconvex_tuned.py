r"""FedNova with the step that its first theorem asks for: the rate, with its constants.

With eta = sqrt(m/(tau_bar T))/L, tau_bar the mean number of local steps of a client, gap and noise fall as
one over the square root of all gradients computed, m tau_bar T: linear speed-up. The drifts fall as 1/T, but
m stands above them, so more clients speed the run up only as long as T is large beside m^3 tau^3.

Proof. Put the step into fednova_nonconvex_surrogate with w = p, where the surrogate is the objective. Its two
conditions become tau_bar T >= 4 m tau_eff^2 and tau_bar T >= 4 (2 beta^2 + 1) m C.
"""

from sympy import sqrt

from boundkit.algebra import Limit, Source, Term, Theorem
from boundkit.algebra.client_sums import ClientMax, ClientSum
from boundkit.algebra.condition import at_least, at_most
from boundkit.algebra.notation import (
    A_noise,
    B_drift,
    C_drift,
    L,
    T,
    a1_i,
    a2_i,
    alast_i,
    beta,
    eta,
    gap,
    kappa,
    m,
    mu_prox,
    p_i,
    prox_step,
    sigma,
    tau_clients,
    tau_eff,
    tau_i,
    walk1_i,
    walk2_i,
)
from boundkit.algebra.solvers import solvers_for
from boundkit.algebra.vocabulary import (
    BETA_KAPPA_DISSIMILARITY,
    BOUNDED_BELOW,
    BOUNDED_NOISE,
    FULL_PARTICIPATION,
    GENERAL_SOLVER,
    MEAN_SQUARED_GRADIENT,
    SMOOTH,
    WEIGHTED_OBJECTIVE,
)

_step = sqrt(m / (tau_clients * T)) / L
_gradients = sqrt(m * tau_clients * T)

THEOREM = Theorem(
    name="fednova_nonconvex_tuned",
    algorithm="fednova",
    claim=MEAN_SQUARED_GRADIENT,
    assumptions=(
        SMOOTH,
        BOUNDED_BELOW,
        BOUNDED_NOISE,
        BETA_KAPPA_DISSIMILARITY,
        WEIGHTED_OBJECTIVE,
        FULL_PARTICIPATION,
        GENERAL_SOLVER,
    ),
    step_size=(
        at_least(tau_clients * T, 4 * m * tau_eff**2),
        at_least(tau_clients * T, 4 * m * C_drift * (2 * beta**2 + 1)),
        at_most(prox_step, 1),
    ),
    rules={eta: sqrt(m / (tau_clients * T)) / L},
    terms=(
        Term(
            "initial gap",
            4 * L * gap * tau_clients / (tau_eff * _gradients),
            provenance="derived",
            because="4 gap/(eta tau_eff T) of fednova_nonconvex_surrogate at this step",
        ),
        Term(
            "stochastic noise",
            4 * A_noise * sigma**2 / _gradients,
            provenance="derived",
            because="4 eta L sigma^2 A/m of fednova_nonconvex_surrogate at this step",
        ),
        Term(
            "noise drift",
            6 * m * B_drift * sigma**2 / (tau_clients * T),
            provenance="derived",
            because="6 eta^2 L^2 sigma^2 B of fednova_nonconvex_surrogate at this step",
        ),
        Term(
            "client drift",
            12 * m * C_drift * kappa**2 / (tau_clients * T),
            provenance="derived",
            because="12 eta^2 L^2 kappa^2 C of fednova_nonconvex_surrogate at this step",
        ),
    ),
    definitions={
        tau_clients: ClientSum(tau_i) / m,
        tau_eff: ClientSum(p_i * a1_i),
        A_noise: m * tau_eff * ClientSum(p_i**2 * a2_i / a1_i**2),
        B_drift: ClientSum(p_i * (a2_i - alast_i**2)),
        C_drift: ClientMax(a1_i * (a1_i - alast_i)),
    },
    solvers={
        name: {q: mu_prox * _step if q == prox_step and e != 0 else e for q, e in made_of.items()}
        for name, made_of in solvers_for(
            a1_i,
            a2_i,
            alast_i,
            pulled={B_drift: ClientSum(p_i * walk2_i), C_drift: ClientMax(walk1_i**2)},
        ).items()
    },
    limits=(
        Limit(when={sigma: 0}, removes=("stochastic noise", "noise drift")),
        Limit(when={kappa: 0}, removes=("client drift",)),
        Limit(when={B_drift: 0, C_drift: 0}, removes=("noise drift", "client drift")),
    ),
    remarks=(
        "The paper's step is sqrt(m/(tau_bar T)), which is no step until a 1/L stands before it.",
        "For alike clients and plain steps these are the four terms of fedavg_nonconvex at "
        "eta = sqrt(m/(tau T))/L, for T >= 4 m tau and T >= 4 (2 beta^2 + 1) m (tau - 1).",
        "With a proximal solver the pull eta mu_prox shrinks with T, and plain steps come back; its B "
        "and C are those of fednova_nonconvex_surrogate_safe.",
    ),
    source=Source(
        authors=("Wang", "Liu", "Liang", "Joshi", "Poor"),
        year=2020,
        title="Tackling the Objective Inconsistency Problem in Heterogeneous Federated Optimization",
        venue="NeurIPS 2020",
        arxiv="2007.07481",
        where="Theorem 1, with its step put in",
        note="O(.) there; the constants are those of fednova_nonconvex_surrogate, derived there.",
        renamed={"F(x_0) - F_inf": gap, "A": A_noise, "B": B_drift, "C": C_drift, "mu": mu_prox},
    ),
    prose=__doc__,
)
