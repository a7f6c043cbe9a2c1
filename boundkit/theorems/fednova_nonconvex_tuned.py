"""FedNova with the step size that its first theorem prescribes: the rate, with its constants.

With $eta = sqrt(m/(tau_bar T))/L$, $tau_bar$ the mean number of local steps of a client, initial gap and
noise fall as one over the square root of all gradients computed, $m tau_bar T$: linear speed-up. The drifts
fall as $1/T$ with a factor $m$, so more clients speed up the run only as long as $T$ is large compared with
$m^3 tau^3$.
"""

from boundkit.algebra.authoring import *
from boundkit.algebra.theorem import Theorem
from boundkit.theorems.fednova_nonconvex_surrogate import THEOREM as PUBLISHED

STEP = sqrt(m / (tau_clients * T)) / L
_SHARES = (Rational(101, 200), Rational(4, 11), Rational(5, 9), Rational(19, 80))
"""Constants of fednova_nonconvex_surrogate_sharp over the published ones."""


def with_sharper_constants() -> Theorem:
    """The first theorem as published, with the constants of fednova_nonconvex_surrogate_sharp."""
    return variant(
        PUBLISHED,
        "fednova_nonconvex_surrogate",
        title=PUBLISHED.title,
        terms=tuple(
            derived(term.cause, share * term.expr, "with the constants of fednova_nonconvex_surrogate_sharp")
            for term, share in zip(PUBLISHED.terms, _SHARES, strict=True)
        ),
    )


THEOREM = tuned(
    with_sharper_constants(),
    {eta: STEP},
    "fednova_nonconvex_tuned",
    title="FedNova, tuned step size",
    because=dict.fromkeys(
        (term.label for term in PUBLISHED.terms),
        "the term of fednova_nonconvex_surrogate with the constant of fednova_nonconvex_surrogate_sharp, the "
        "rule substituted",
    ),
    bounds=MEAN_SQUARED_GRADIENT,
    definitions={
        tau_clients: ClientSum(tau_i) / m,
        **{q: e.subs(w_i, p_i) for q, e in PUBLISHED.definitions.items() if q != w_i},
    },
    solvers={
        name: {q: mu_prox * STEP if q == prox_step and e != 0 else e for q, e in made_of.items()}
        for name, made_of in solvers_for(
            a1_i, a2_i, alast_i, proximal={B_drift: ClientSum(p_i * walk2_i), C_drift: ClientMax(walk1_i**2)}
        ).items()
    },
    remarks=(
        "The paper's step size is sqrt(m/(tau_bar T)), which has the unit of a step size only with a factor "
        "1/L.",
        "For homogeneous clients and plain SGD steps these are the four terms of fedavg_nonconvex at eta = "
        "sqrt(m/(tau T))/L, times 101/200, 4/11, 5/9 and 19/80, for T >= 4 m tau and T >= 4 (2 "
        "beta^2 + 1) m (tau - 1).",
        "With a proximal solver the pull eta mu_prox falls with T, and the limit is plain SGD steps; its B "
        "and C are those of fednova_nonconvex_surrogate_sharp.",
    ),
    source=WANG_2020_FEDNOVA.at(
        "Theorem 1, with its step put in",
        note="O(.) there; the constants are those of fednova_nonconvex_surrogate_sharp, derived there.",
        letters={"F(x_0) - F_inf": gap, "A": A_noise, "B": B_drift, "C": C_drift, "mu": mu_prox},
    ),
    prose=__doc__,
)
